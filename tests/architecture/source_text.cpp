// Source text as the architecture rules read it: without comments and literals, and split into functions.
#include "tests/architecture/source_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace weft::architecture {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Blanks comments and literals of one text; each step consumes one of them or one character.
class Blanker {
 public:
  explicit Blanker(std::string_view text) : text_(text), result_(text) {}

  std::string run() {
    while (at_ < text_.size()) step();
    return std::move(result_);
  }

 private:
  void step() {
    if (starts_with("//")) {
      blank_until(text_.find('\n', at_));
    } else if (starts_with("/*")) {
      blank_after("*/", at_ + 2);
    } else if (starts_with("R\"") && !after_word()) {
      const std::size_t open = text_.find('(', at_);
      if (open == std::string_view::npos) return blank_until(open);
      blank_after(")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"", open);
    } else if (text_[at_] == '"' || (text_[at_] == '\'' && !after_word())) {  // in 1'000 it separates digits
      blank_literal();
    } else {
      ++at_;
    }
  }

  [[nodiscard]] bool starts_with(std::string_view token) const { return text_.substr(at_).starts_with(token); }
  [[nodiscard]] bool after_word() const { return at_ > 0 && is_word(text_[at_ - 1]); }

  void blank_literal() {
    const char quote = text_[at_];
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    blank_until(std::min(end + 1, text_.size()));
  }

  void blank_after(std::string_view terminator, std::size_t from) {
    const std::size_t found = text_.find(terminator, from);
    blank_until(found == std::string_view::npos ? found : found + terminator.size());
  }

  void blank_until(std::size_t end) {
    for (end = std::min(end, text_.size()); at_ < end; ++at_) {
      if (result_[at_] != '\n') result_[at_] = ' ';
    }
  }

  std::string_view text_;
  std::string result_;
  std::size_t at_ = 0;
};

std::size_t matching_brace(std::string_view code, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < code.size(); ++at) {
    if (code[at] == '{') ++depth;
    if (code[at] == '}' && --depth == 0) return at;
  }
  return code.size() - 1;
}

/// The word before the first parenthesis of a head: a function's name, good enough for a message.
std::string name_in(std::string_view head) {
  std::size_t end = head.find('(');
  while (end > 0 && is_space(head[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && (is_word(head[begin - 1]) || head[begin - 1] == ':' || head[begin - 1] == '~')) --begin;
  return std::string(head.substr(begin, end - begin));
}

bool opens_function(std::string_view head) {
  static constexpr std::array<std::string_view, 6> scopes{"namespace", "class", "struct", "enum", "union", "extern"};
  if (head.find('(') == std::string_view::npos) return false;
  return std::ranges::none_of(scopes, [&](std::string_view word) {
    return head.starts_with(word) && (head.size() == word.size() || !is_word(head[word.size()]));
  });
}

/// Braces in a parameter's default or in a member initialiser belong to the head; the body is still to come.
bool is_part_of_head(std::string_view code, std::string_view head, std::size_t close) {
  if (std::ranges::count(head, '(') > std::ranges::count(head, ')')) return true;
  std::size_t next = close + 1;
  while (next < code.size() && is_space(code[next])) ++next;
  return next < code.size() && (code[next] == '{' || code[next] == ',');
}

}  // namespace

std::string code_only(std::string_view text) { return Blanker(text).run(); }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::size_t line_number(std::string_view text, std::size_t position) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, position), '\n'));
}

std::vector<FunctionSpan> functions_of(std::string_view code) {
  std::vector<FunctionSpan> functions;
  std::size_t head = 0;
  std::size_t at = 0;
  while (at < code.size()) {
    const char c = code[at++];
    if (c == '#' || c == ';' || c == '}') {
      head = c == '#' ? std::min(code.find('\n', at), code.size()) : at;
      at = head;
      continue;
    }
    if (c != '{') continue;
    while (head < at && is_space(code[head])) ++head;
    if (!opens_function(code.substr(head, at - 1 - head))) {
      head = at;  // a scope whose members are looked at, or an initialiser
      continue;
    }
    const std::string_view head_text = code.substr(head, at - 1 - head);
    const std::size_t close = matching_brace(code, at - 1);
    at = close + 1;
    if (is_part_of_head(code, head_text, close)) continue;
    functions.push_back({name_in(head_text), line_number(code, head), line_number(code, close)});
    head = at;
  }
  return functions;
}

}  // namespace weft::architecture
