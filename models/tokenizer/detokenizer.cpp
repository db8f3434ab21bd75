// A stream of tokens as text that is valid UTF-8 at every step.
#include "models/tokenizer/tokenizer_base.hpp"
#include "models/tokenizer/utf8.hpp"

namespace weft::models {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

/// Moves what is complete from `held` to the result; broken bytes become U+FFFD.
std::string take_complete(std::string& held) {
  std::string out;
  std::string_view rest = held;
  while (!rest.empty()) {
    const Utf8Step step = utf8_step(rest);
    if (step.kind == Utf8Kind::truncated) break;
    out.append(step.kind == Utf8Kind::valid ? rest.substr(0, step.length) : replacement);
    rest.remove_prefix(step.length);
  }
  held.erase(0, held.size() - rest.size());
  return out;
}

}  // namespace

Detokenizer::Detokenizer(const Tokenizer& tokenizer, SpecialTokens special)
    : tokenizer_(&tokenizer), special_(special) {}

std::string Detokenizer::push(TokenId id) {
  std::string piece = tokenizer_->piece(id, special_);
  if (first_ && !piece.empty()) {
    strip_space_prefix(tokenizer_->vocabulary(), piece);
    first_ = false;
  }
  held_ += piece;
  return take_complete(held_);
}

std::string Detokenizer::finish() {
  const bool unfinished = !held_.empty();  // what is held is always one unfinished character
  held_.clear();
  first_ = true;
  return unfinished ? std::string(replacement) : std::string();
}

}  // namespace weft::models
