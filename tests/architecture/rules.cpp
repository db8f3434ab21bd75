// The architecture rules that a tool can check, applied to one file at a time.
#include "tests/architecture/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "tests/architecture/include_rules.hpp"
#include "tests/architecture/source_text.hpp"

namespace weft::architecture {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Collects what one file breaks.
class Checker {
 public:
  Checker(std::string_view path, std::string_view text) : path_(path), text_(text) {}

  std::vector<Violation> run() {
    check_text();
    const bool cpp = path_.ends_with(".cpp") || path_.ends_with(".hpp");
    if (cpp || path_.ends_with(".cl")) check_source();
    if (cpp) check_cpp();
    return std::move(violations_);
  }

 private:
  void report(std::size_t line, std::string message) {
    violations_.push_back({std::string(path_), line, std::move(message)});
  }

  void check_text() {
    // Spelt in pieces, or this file would break its own rule.
    static constexpr std::array<std::string_view, 4> machine_folders{"work", "root", "home", "tmp"};
    for (const std::string_view folder : machine_folders) report_path("/" + std::string(folder));
    for (const std::string& mark : {std::string("TO") + "DO", std::string("FIX") + "ME"}) {
      report_words(text_, mark, "unfinished work belongs in an issue, not in the tree");
    }
  }

  void check_source() {
    const auto lines = lines_of(text_);
    if (lines.empty() || !lines.front().starts_with("//")) {
      report(1, "the file must open with a comment that says what its job is");
    }
    if (lines.size() > max_file_lines) {
      report(lines.size(), fmt::format("{} lines, at most {}: split it by concept", lines.size(), max_file_lines));
    }
    const std::size_t slash = path_.rfind('/');
    const std::string_view name = path_.substr(slash == std::string_view::npos ? 0 : slash + 1);
    const bool snake_case = std::ranges::all_of(
        name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.'; });
    if (!snake_case) report(1, "file names are lower case with underscores");
    for (const std::string_view stale : {"_v2", "_new.", "_old.", "_part1", "_part2", "_impl2"}) {
      if (name.find(stale) != std::string_view::npos) {
        report(1, fmt::format("\"{}\" in a file's name tells history, not what it needs or does", stale));
      }
    }
  }

  void check_cpp() {
    const std::string code = code_only(text_);
    check_directives(code);
    if (!path_.starts_with("cli/")) {
      report_words(code, "getenv", "only the option parsing of cli/ reads the environment");
      report_words(code, "secure_getenv", "only the option parsing of cli/ reads the environment");
    }
    for (const FunctionSpan& function : functions_of(code)) {
      if (function.length() <= max_function_lines) continue;
      report(function.first_line, fmt::format("{} has {} lines, at most {}: one level of abstraction a function",
                                              function.name, function.length(), max_function_lines));
    }
  }

  /// `code` tells which lines are directives, the text what they say (an include's path is a literal to code_only).
  void check_directives(std::string_view code) {
    const auto code_lines = lines_of(code);
    const auto text_lines = lines_of(text_);
    bool once = false;
    for (std::size_t i = 0; i < code_lines.size(); ++i) {
      const std::size_t hash = code_lines[i].find_first_not_of(" \t");
      if (hash == std::string_view::npos || code_lines[i][hash] != '#') continue;
      once = once || code_lines[i].find("pragma once") != std::string_view::npos;
      check_directive(i + 1, code_lines[i].substr(hash + 1));
      if (const auto include = include_of(text_lines[i])) {
        if (auto problem = include_problem(path_, *include)) report(i + 1, std::move(*problem));
      }
    }
    if (path_.ends_with(".hpp") && !once) report(1, "a header needs #pragma once");
  }

  void check_directive(std::size_t line, std::string_view directive) {
    directive.remove_prefix(std::min(directive.find_first_not_of(" \t"), directive.size()));
    if (directive.starts_with("define") || directive.starts_with("undef")) {
      report(line, "no macros: use a constant, a template, or a compile definition in CMake");
    }
    const bool may_branch = path_ == "backends/all.cpp" || path_.starts_with("backends/cpu/");
    if (!may_branch && (directive.starts_with("if") || directive.starts_with("el"))) {
      report(line, "#if only in backends/all.cpp and in per-ISA files of backends/cpu/");
    }
  }

  void report_words(std::string_view text, std::string_view word, std::string_view message) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) {
      const std::size_t end = at + word.size();
      if ((at > 0 && is_word(text[at - 1])) || (end < text.size() && is_word(text[end]))) continue;
      report(line_number(text, at), fmt::format("{}: {}", word, message));
    }
  }

  /// Reports the folder where it starts a path: not as a part of another path or of a variable's default.
  void report_path(std::string_view folder) {
    constexpr std::string_view inner = "./-*}>~";
    for (std::size_t at = text_.find(folder); at != std::string_view::npos; at = text_.find(folder, at + 1)) {
      const char before = at == 0 ? ' ' : text_[at - 1];
      const std::size_t end = at + folder.size();
      const char after = end < text_.size() ? text_[end] : ' ';
      if (is_word(before) || inner.find(before) != std::string_view::npos || is_word(after) || after == '-') continue;
      report(line_number(text_, at), fmt::format("{}: no path of one machine in the tree", folder));
    }
  }

  std::string_view path_;
  std::string_view text_;
  std::vector<Violation> violations_;
};

}  // namespace

std::vector<Violation> check_file(std::string_view path, std::string_view text) { return Checker(path, text).run(); }

}  // namespace weft::architecture
