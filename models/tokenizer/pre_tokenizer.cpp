// Cuts a text into the pieces that byte-level BPE merges within, by the regular expressions of a named pre-tokenizer.
#include "models/tokenizer/pre_tokenizer.hpp"

#include <pcre2.h>

#include <algorithm>
#include <array>
#include <limits>

#include "models/io/printable.hpp"
#include "models/tokenizer/pre_patterns.hpp"
#include "models/tokenizer/utf8.hpp"

namespace weft::models {
namespace {

constexpr std::size_t jit_stack_start = std::size_t{32} << 10;
constexpr std::size_t jit_stack_limit = std::size_t{8} << 20;
constexpr std::uint32_t heap_limit_kib = 64 << 10;  // the interpreter's frames

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Code = std::unique_ptr<pcre2_code, Freed<pcre2_code_free>>;

std::string message_of(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  const int length = pcre2_get_error_message(error, text.data(), text.size());
  return length < 0 ? fmt::format("error {}", error) : std::string(text.begin(), text.begin() + length);
}

/// PCRE2's \s also takes U+180E, which is no white space since Unicode 6.3, so \s and \S are spelled out.
std::string with_unicode_white_space(std::string_view pattern) {
  constexpr std::string_view space =
      R"(\x{09}-\x{0D}\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";
  std::string out;
  bool in_class = false;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char c = pattern[at];
    if (c == '[') in_class = true;
    if (c == ']') in_class = false;
    if (c != '\\') {
      out += c;
      continue;
    }
    const char escaped = pattern[++at];
    if (escaped == 's' && in_class) {
      out += space;
    } else if (escaped == 's' || escaped == 'S') {
      out += fmt::format("[{}{}]", escaped == 'S' ? "^" : "", space);
    } else {
      out += {c, escaped};
    }
  }
  return out;
}

Result<Code> compile(std::string_view pattern, MatchEngine::Kind kind) {
  const std::string exact = with_unicode_white_space(pattern);
  int error = 0;
  PCRE2_SIZE at = 0;
  Code code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(exact.data()), exact.size(),
                          PCRE2_UTF | PCRE2_UCP | PCRE2_DOLLAR_ENDONLY, &error, &at, nullptr));
  if (!code) {
    return fail(ErrorCode::internal, "PCRE2 can't compile \"{}\" at byte {}: {}", exact, at, message_of(error));
  }
  // A refusal is no error: pcre2_match then interprets the pattern, to the same result.
  if (kind == MatchEngine::Kind::jit) pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
  return code;
}

/// Bytes of the longest valid (or broken) prefix.
std::size_t run_length(std::string_view text, bool valid) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Utf8Step step = utf8_step(text.substr(at));
    if ((step.kind == Utf8Kind::valid) != valid) break;
    at += step.length;
  }
  return at;
}

}  // namespace

struct PreTokenizer::Regexes {
  std::vector<Code> passes;
};

struct PreTokenizer::Scratch::State {
  std::unique_ptr<pcre2_match_data, Freed<pcre2_match_data_free>> match{pcre2_match_data_create(1, nullptr)};
  std::unique_ptr<pcre2_match_context, Freed<pcre2_match_context_free>> context{pcre2_match_context_create(nullptr)};
  std::unique_ptr<pcre2_jit_stack, Freed<pcre2_jit_stack_free>> stack{
      pcre2_jit_stack_create(jit_stack_start, jit_stack_limit, nullptr)};
};

PreTokenizer::Scratch::Scratch() : state_(std::make_unique<State>()) {}
PreTokenizer::Scratch::~Scratch() = default;

Result<PreTokenizer> PreTokenizer::make(std::string_view name, MatchEngine engine) {
  const PreFamily* family = pre_family(name);
  if (family == nullptr) {
    return fail(ErrorCode::unsupported,
                "tokenizer.ggml.pre is \"{}\": no such pre-tokenizer; another one would give wrong tokens",
                printable(name));
  }
  Regexes regexes;
  for (const std::string_view pattern : family->patterns) {
    auto code = compile(pattern, engine.kind);
    if (!code) return error_of(code, name);
    regexes.passes.push_back(std::move(*code));
  }
  PreTokenizer pre_tokenizer;
  pre_tokenizer.name_ = name;
  pre_tokenizer.ignores_merges_ = family->ignores_merges;
  pre_tokenizer.engine_ = engine;
  pre_tokenizer.regexes_ = std::make_shared<const Regexes>(std::move(regexes));
  return pre_tokenizer;
}

Status PreTokenizer::split(std::string_view text, Scratch& scratch, std::vector<std::string_view>& pieces) const {
  pieces.clear();
  bool valid = true;
  for (std::size_t at = 0; at < text.size(); valid = !valid) {
    const std::size_t length = run_length(text.substr(at), valid);
    if (length > 0) pieces.push_back(text.substr(at, length));
    at += length;
  }
  for (std::size_t pass = 0; pass < regexes_->passes.size(); ++pass) {
    scratch.next_.clear();
    for (const std::string_view piece : pieces) {
      // Pieces are wholly valid or wholly broken, so the first character tells.
      if (utf8_step(piece).kind != Utf8Kind::valid) {
        scratch.next_.push_back(piece);
      } else if (const Status status = cut(pass, piece, scratch); !status) {
        return status;
      }
    }
    pieces.swap(scratch.next_);
  }
  return {};
}

Status PreTokenizer::cut(std::size_t pass, std::string_view piece, Scratch& scratch) const {
  const Scratch::State& state = *scratch.state_;
  if (!state.match || !state.context) return fail(ErrorCode::out_of_memory, "no memory for PCRE2's match data");
  const std::uint64_t steps = engine_.fixed_steps + std::uint64_t{engine_.steps_per_byte} * piece.size();
  pcre2_set_match_limit(state.context.get(), static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                                 steps, std::numeric_limits<std::uint32_t>::max())));
  pcre2_set_heap_limit(state.context.get(), heap_limit_kib);
  pcre2_jit_stack_assign(state.context.get(), nullptr, state.stack.get());
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(piece.data());
  const PCRE2_SIZE* span = pcre2_get_ovector_pointer(state.match.get());
  std::size_t at = 0;
  while (at < piece.size()) {
    const auto match = [&](std::uint32_t options) {
      return pcre2_match(regexes_->passes[pass].get(), subject, piece.size(), at, PCRE2_NO_UTF_CHECK | options,
                         state.match.get(), state.context.get());
    };
    int found = match(0);
    if (found == PCRE2_ERROR_JIT_STACKLIMIT) found = match(PCRE2_NO_JIT);
    if (found == PCRE2_ERROR_NOMATCH) break;
    if (found < 0 || span[1] <= at) {
      return fail(ErrorCode::internal, "pre-tokenizer \"{}\", pattern {}, byte {} of a piece of {}: {}", name_,
                  pass + 1, at, piece.size(), found < 0 ? message_of(found) : "an empty match");
    }
    if (span[0] > at) scratch.next_.push_back(piece.substr(at, span[0] - at));
    scratch.next_.push_back(piece.substr(span[0], span[1] - span[0]));
    at = span[1];
  }
  if (at < piece.size()) scratch.next_.push_back(piece.substr(at));
  return {};
}

}  // namespace weft::models
