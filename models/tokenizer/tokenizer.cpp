// Choosing a tokenizer for a vocabulary, and what all tokenizers share.
#include "models/tokenizer/tokenizer.hpp"

#include <algorithm>
#include <cassert>

#include "models/io/printable.hpp"
#include "models/tokenizer/byte_bpe.hpp"
#include "models/tokenizer/end_of_generation.hpp"
#include "models/tokenizer/spm.hpp"
#include "models/tokenizer/tokenizer_base.hpp"

namespace weft::models {
namespace {

constexpr std::size_t longest_text = std::size_t{1} << 30;  // symbols are counted in 32 bits

Status check_ids(const Vocabulary& vocabulary) {
  const std::pair<const char*, const std::optional<TokenId>&> ids[] = {
      {"bos", vocabulary.bos}, {"eos", vocabulary.eos},         {"eot", vocabulary.eot},
      {"eom", vocabulary.eom}, {"unknown", vocabulary.unknown}, {"padding", vocabulary.padding}};
  for (const auto& [name, id] : ids) {
    if (!id || (*id >= 0 && static_cast<std::size_t>(*id) < vocabulary.tokens.size())) continue;
    return fail(ErrorCode::invalid_file, "tokenizer: {} token id is {}, wanted 0 to {}", name, *id,
                vocabulary.tokens.size() - 1);
  }
  return {};
}

Status check(const Vocabulary& vocabulary) {
  if (vocabulary.tokens.empty()) return fail(ErrorCode::invalid_file, "tokenizer: the vocabulary has no tokens");
  if (vocabulary.types.size() != vocabulary.tokens.size()) {
    return fail(ErrorCode::invalid_file, "tokenizer: {} token types for {} tokens, wanted one each",
                vocabulary.types.size(), vocabulary.tokens.size());
  }
  return check_ids(vocabulary);
}

}  // namespace

Result<std::unique_ptr<const Tokenizer>> Tokenizer::make(Vocabulary vocabulary) {
  if (const Status status = check(vocabulary); !status) return error_of(status);
  if (vocabulary.model == "llama") return SpmTokenizer::make(std::move(vocabulary));
  if (vocabulary.model == "gpt2") return ByteBpeTokenizer::make(std::move(vocabulary));
  return fail(ErrorCode::unsupported,
              "tokenizer.ggml.model is \"{}\"; weft has \"llama\" (SentencePiece-BPE) and \"gpt2\" (byte-level BPE)",
              printable(vocabulary.model));
}

TokenizerBase::TokenizerBase(Vocabulary vocabulary)
    : vocabulary_(std::move(vocabulary)),
      splitter_(vocabulary_),
      end_of_generation_(end_of_generation_of(vocabulary_)) {}

Result<std::vector<TokenId>> TokenizerBase::encode(std::string_view text, SpecialTokens special) const {
  if (text.size() > longest_text) {
    return fail(ErrorCode::invalid_argument, "tokenizer: text of {} bytes, wanted at most {}", text.size(),
                longest_text);
  }
  std::vector<TokenId> ids;
  if (const Status status = encode_fragments(splitter_.split(text, special), ids); !status) return error_of(status);
  return ids;
}

std::string TokenizerBase::piece(TokenId id, SpecialTokens special) const {
  assert(id >= 0 && static_cast<std::size_t>(id) < vocabulary_.tokens.size());
  switch (vocabulary_.types[id]) {
    case TokenType::control:
    case TokenType::unknown:
    case TokenType::unused: return special == SpecialTokens::parsed ? vocabulary_.tokens[id] : std::string{};
    case TokenType::user_defined: return vocabulary_.tokens[id];
    case TokenType::undefined:
    case TokenType::normal:
    case TokenType::byte: break;
  }
  return text_of(id);
}

std::string TokenizerBase::decode(std::span<const TokenId> ids, SpecialTokens special) const {
  std::string text;
  bool first = true;
  for (const TokenId id : ids) {
    std::string next = piece(id, special);
    if (first && !next.empty()) {
      strip_space_prefix(vocabulary_, next);
      first = false;
    }
    text += next;
  }
  return text;
}

bool TokenizerBase::ends_generation(TokenId id) const {
  return std::binary_search(end_of_generation_.begin(), end_of_generation_.end(), id);
}

void strip_space_prefix(const Vocabulary& vocabulary, std::string& first_text) {
  if (vocabulary.add_space_prefix && first_text.starts_with(' ')) first_text.erase(0, 1);
}

bool is_text(TokenType type) {
  return type != TokenType::control && type != TokenType::unknown && type != TokenType::byte;
}

std::vector<TokenId> with_special(const Vocabulary& vocabulary, std::vector<TokenId> ids) {
  const bool begins = !ids.empty() && vocabulary.bos && ids.front() == *vocabulary.bos;
  if (vocabulary.add_bos && vocabulary.bos && !begins) ids.insert(ids.begin(), *vocabulary.bos);
  if (vocabulary.add_eos && vocabulary.eos) ids.push_back(*vocabulary.eos);
  return ids;
}

}  // namespace weft::models
