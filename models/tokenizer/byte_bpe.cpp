// Byte-level BPE ("gpt2"): pre-tokenized pieces, merged by rank over bytes.
#include "models/tokenizer/byte_bpe.hpp"

#include <fmt/format.h>

#include <unordered_set>

#include "models/io/printable.hpp"
#include "models/tokenizer/byte_map.hpp"
#include "models/tokenizer/pair_merge.hpp"

namespace weft::models {

/// One call's working memory.
class ByteBpeTokenizer::Run {
 public:
  explicit Run(const ByteBpeTokenizer& tokenizer)
      : tokenizer_(tokenizer), vocabulary_size_(static_cast<Symbol>(tokenizer.vocabulary().tokens.size())) {}

  void encode(std::string_view piece, std::vector<TokenId>& ids) {
    if (tokenizer_.pre_tokenizer_.ignores_merges() && emit_whole(piece, ids)) return;
    merger_.clear();
    for (const char byte : piece) merger_.push(tokenizer_.bytes_[static_cast<unsigned char>(byte)]);
    merger_.run([this](Symbol left, Symbol right) { return merge_of(left, right); });
    merger_.each([&](Symbol symbol) { emit(symbol, ids); });
  }

 private:
  using Merger = PairMerger<Symbol, std::uint32_t>;

  bool emit_whole(std::string_view piece, std::vector<TokenId>& ids) const {
    const auto found = tokenizer_.symbols_.find(printable_of(piece));
    if (found == tokenizer_.symbols_.end() || found->second >= vocabulary_size_) return false;
    ids.push_back(found->second);
    return true;
  }

  [[nodiscard]] std::optional<Merger::Merge> merge_of(Symbol left, Symbol right) const {
    const auto found = tokenizer_.rules_.find(pair_of(left, right));
    if (found == tokenizer_.rules_.end()) return std::nullopt;
    return Merger::Merge{found->second.rank, found->second.result};
  }

  void emit(Symbol symbol, std::vector<TokenId>& ids) const {
    if (symbol < vocabulary_size_) return ids.push_back(symbol);
    for (const char byte : tokenizer_.extra_[symbol - vocabulary_size_]) {
      const Symbol single = tokenizer_.bytes_[static_cast<unsigned char>(byte)];
      if (single < vocabulary_size_) ids.push_back(single);
    }
  }

  const ByteBpeTokenizer& tokenizer_;
  Symbol vocabulary_size_;
  Merger merger_;
};

std::size_t ByteBpeTokenizer::PairHash::operator()(std::uint64_t pair) const noexcept {
  pair *= 0x9E3779B97F4A7C15U;  // Fibonacci hashing: ids are dense, their products are not
  return pair ^ (pair >> 32);
}

std::uint64_t ByteBpeTokenizer::pair_of(Symbol left, Symbol right) {
  return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
}

ByteBpeTokenizer::ByteBpeTokenizer(Vocabulary vocabulary_in, PreTokenizer pre_tokenizer)
    : TokenizerBase(std::move(vocabulary_in)), pre_tokenizer_(std::move(pre_tokenizer)) {
  const Vocabulary& v = vocabulary();
  symbols_.reserve(v.tokens.size());
  for (std::size_t id = 0; id < v.tokens.size(); ++id) {
    if (is_text(v.types[id])) symbols_.try_emplace(v.tokens[id], static_cast<Symbol>(id));
  }
  for (int byte = 0; byte < 256; ++byte) bytes_[byte] = intern(printable_of(std::string(1, static_cast<char>(byte))));
}

Result<std::unique_ptr<const Tokenizer>> ByteBpeTokenizer::make(Vocabulary vocabulary) {
  auto pre_tokenizer = PreTokenizer::make(vocabulary.pre);
  if (!pre_tokenizer) return error_of(pre_tokenizer);
  if (std::string warning = missing_bytes_warning(vocabulary); !warning.empty()) {
    vocabulary.warnings.push_back(std::move(warning));
  }
  std::unique_ptr<ByteBpeTokenizer> tokenizer(new ByteBpeTokenizer(std::move(vocabulary), std::move(*pre_tokenizer)));
  if (const Status status = tokenizer->load_merges(); !status) return error_of(status);
  return tokenizer;
}

ByteBpeTokenizer::Symbol ByteBpeTokenizer::intern(const std::string& printable) {
  const auto next = static_cast<Symbol>(vocabulary().tokens.size() + extra_.size());
  const auto [found, is_new] = symbols_.try_emplace(printable, next);
  if (is_new) extra_.push_back(bytes_of(printable));
  return found->second;
}

Status ByteBpeTokenizer::load_merges() {
  const std::vector<std::string>& merges = vocabulary().merges;
  rules_.reserve(merges.size());
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const std::string& merge = merges[rank];
    const std::size_t space = merge.find(' ', 1);
    if (space == std::string::npos || space + 1 == merge.size()) {
      return fail(ErrorCode::invalid_file,
                  "tokenizer.ggml.merges: entry {} is \"{}\", wanted two parts with a space between them", rank,
                  printable(merge));
    }
    const std::string left = merge.substr(0, space);
    const std::string right = merge.substr(space + 1);
    const std::uint64_t pair = pair_of(intern(left), intern(right));
    rules_.try_emplace(pair, Rule{static_cast<std::uint32_t>(rank), intern(left + right)});
  }
  return {};
}

Status ByteBpeTokenizer::encode_fragments(std::span<const Fragment> fragments, std::vector<TokenId>& ids) const {
  Run run(*this);
  PreTokenizer::Scratch scratch;
  std::vector<std::string_view> pieces;
  for (const Fragment& fragment : fragments) {
    if (fragment.token) {
      ids.push_back(*fragment.token);
      continue;
    }
    if (const Status status = pre_tokenizer_.split(fragment.text, scratch, pieces); !status) return status;
    for (const std::string_view piece : pieces) run.encode(piece, ids);
  }
  return {};
}

std::string ByteBpeTokenizer::text_of(TokenId id) const { return bytes_of(vocabulary().tokens[id]); }

std::string missing_bytes_warning(const Vocabulary& vocabulary) {
  const std::unordered_set<std::string_view> tokens(vocabulary.tokens.begin(), vocabulary.tokens.end());
  std::string missing;
  for (int byte = 0; byte < 256; ++byte) {
    if (tokens.contains(printable_of(std::string(1, static_cast<char>(byte))))) continue;
    missing += fmt::format(" {:02X}", byte);
  }
  if (missing.empty()) return {};
  return fmt::format("the vocabulary has no token for these bytes (hex), which are dropped from texts:{}", missing);
}

}  // namespace weft::models
