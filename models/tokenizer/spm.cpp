// SentencePiece-BPE ("llama"): merges by score over UTF-8 characters, with byte fallback.
#include "models/tokenizer/spm.hpp"

#include <cmath>

#include "models/tokenizer/pair_merge.hpp"
#include "models/tokenizer/utf8.hpp"

namespace weft::models {
namespace {

constexpr std::string_view space_mark = "\xE2\x96\x81";  // U+2581

/// The byte that `<0xXX>` (upper-case hex) names.
std::optional<unsigned char> named_byte(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return std::nullopt;
  const std::size_t high = digits.find(text[3]);
  const std::size_t low = digits.find(text[4]);
  if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
  return static_cast<unsigned char>(16 * high + low);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::string out;
  out.reserve(text.size());
  std::size_t begin = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, begin)) {
    out.append(text, begin, at - begin).append(to);
    begin = at + from.size();
  }
  text = out.append(text, begin);
}

}  // namespace

/// Bytes begin … begin + length of the text being tokenized.
struct SpmTokenizer::Span {
  std::uint32_t begin;
  std::uint32_t length;
  bool operator==(const Span&) const = default;
};

/// One call's working memory.
class SpmTokenizer::Run {
 public:
  explicit Run(const SpmTokenizer& tokenizer) : tokenizer_(tokenizer) {}

  void encode(std::string text, std::vector<TokenId>& ids) {
    text_ = std::move(text);
    halves_.clear();
    merger_.clear();
    for (std::uint32_t at = 0; at < text_.size();) {
      const Utf8Step step = utf8_step(std::string_view(text_).substr(at));
      const auto length = step.kind == Utf8Kind::valid ? static_cast<std::uint32_t>(step.length) : 1U;
      merger_.push({at, length});
      at += length;
    }
    merger_.run([this](const Span& left, const Span& right) { return merge_of(left, right); });
    merger_.each([&](const Span& span) { emit(span, ids); });
  }

 private:
  using Merger = PairMerger<Span, float>;

  [[nodiscard]] std::string_view view(const Span& span) const {
    return std::string_view(text_).substr(span.begin, span.length);
  }

  std::optional<Merger::Merge> merge_of(const Span& left, const Span& right) {
    const Span both{left.begin, left.length + right.length};
    const auto id = tokenizer_.find(view(both));
    if (!id) return std::nullopt;
    const Vocabulary& vocabulary = tokenizer_.vocabulary();
    if (vocabulary.types[*id] == TokenType::unused) halves_.try_emplace(view(both), left.length);
    return Merger::Merge{-vocabulary.scores[*id], both};
  }

  /// An unused token's halves are shorter than itself, so the depth is bounded by the longest token.
  void emit(const Span& span, std::vector<TokenId>& ids) const {
    const auto id = tokenizer_.find(view(span));
    if (!id) return tokenizer_.emit_bytes(view(span), ids);
    const auto half = halves_.find(view(span));
    if (half == halves_.end()) return ids.push_back(*id);
    emit({span.begin, half->second}, ids);
    emit({span.begin + half->second, span.length - half->second}, ids);
  }

  const SpmTokenizer& tokenizer_;
  std::string text_;
  Merger merger_;
  std::unordered_map<std::string_view, std::uint32_t> halves_;  ///< unused token's text to length of its left half
};

SpmTokenizer::SpmTokenizer(Vocabulary vocabulary_in) : TokenizerBase(std::move(vocabulary_in)) {
  const Vocabulary& v = vocabulary();
  by_text_.reserve(v.tokens.size());
  for (std::size_t id = 0; id < v.tokens.size(); ++id) {
    const auto token = static_cast<TokenId>(id);
    if (v.types[id] == TokenType::byte) {
      if (const auto byte = named_byte(v.tokens[id])) bytes_[*byte] = token;
    } else if (is_text(v.types[id]) && !v.tokens[id].empty()) {
      by_text_.try_emplace(v.tokens[id], token);
      longest_ = std::max(longest_, v.tokens[id].size());
    }
  }
}

Result<std::unique_ptr<const Tokenizer>> SpmTokenizer::make(Vocabulary vocabulary) {
  if (vocabulary.scores.size() != vocabulary.tokens.size()) {
    return fail(ErrorCode::invalid_file, "tokenizer.ggml.scores has {} entries for {} tokens, wanted one each",
                vocabulary.scores.size(), vocabulary.tokens.size());
  }
  for (std::size_t id = 0; id < vocabulary.scores.size(); ++id) {
    if (std::isnan(vocabulary.scores[id])) {
      return fail(ErrorCode::invalid_file, "tokenizer.ggml.scores: entry {} is NaN, wanted a number", id);
    }
  }
  auto tokenizer = std::make_unique<const SpmTokenizer>(std::move(vocabulary));
  if (tokenizer->vocabulary().unknown) return tokenizer;
  for (std::size_t byte = 0; byte < tokenizer->bytes_.size(); ++byte) {
    if (tokenizer->bytes_[byte]) continue;
    return fail(ErrorCode::invalid_file,
                "tokenizer: neither a byte token <0x{:02X}> nor an unknown token, wanted one for text outside the "
                "vocabulary",
                byte);
  }
  return tokenizer;
}

Status SpmTokenizer::encode_fragments(std::span<const Fragment> fragments, std::vector<TokenId>& ids) const {
  Run run(*this);
  for (const Fragment& fragment : fragments) {
    if (fragment.token) {
      ids.push_back(*fragment.token);
      continue;
    }
    // A raw fragment is the first one or follows a special token: both get the prefix.
    std::string text = vocabulary().add_space_prefix ? " " : "";
    text += fragment.text;
    replace_all(text, " ", space_mark);
    run.encode(std::move(text), ids);
  }
  return {};
}

std::optional<TokenId> SpmTokenizer::find(std::string_view text) const {
  if (text.size() > longest_) return std::nullopt;
  const auto found = by_text_.find(text);
  return found == by_text_.end() ? std::nullopt : std::optional(found->second);
}

void SpmTokenizer::emit_bytes(std::string_view text, std::vector<TokenId>& ids) const {
  for (const char c : text) {
    if (const auto& byte = bytes_[static_cast<unsigned char>(c)]) {
      ids.push_back(*byte);
    } else {
      ids.push_back(*vocabulary().unknown);
      return;
    }
  }
}

std::string SpmTokenizer::text_of(TokenId id) const {
  std::string text = vocabulary().tokens[id];
  if (vocabulary().types[id] == TokenType::byte) {
    if (const auto byte = named_byte(text)) return std::string(1, static_cast<char>(*byte));
  }
  replace_all(text, space_mark, " ");
  return text;
}

}  // namespace weft::models
