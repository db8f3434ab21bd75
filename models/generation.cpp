// The loop of sampling and evaluating.
#include "models/generation.hpp"

#include <algorithm>
#include <chrono>

#include "models/stop_strings.hpp"

namespace weft::models {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Text of drawn tokens on its way to the caller: whole characters, cut at stop strings.
class TextStream {
 public:
  TextStream(const Tokenizer& tokenizer, SpecialTokens shown, StopMatcher matcher,
             const std::function<void(std::string_view)>& on_text, std::string& all)
      : detokenizer_(tokenizer, shown), matcher_(std::move(matcher)), on_text_(on_text), all_(all) {}

  /// True when a stop string ended the answer.
  bool push(TokenId id) { return emit(matcher_.push(detokenizer_.push(id))); }
  /// What is still held back; true when a stop string shows only now.
  bool finish() {
    if (emit(matcher_.push(detokenizer_.finish()))) return true;
    return emit(matcher_.finish());
  }

 private:
  bool emit(const StopStep& step) {
    if (!step.text.empty()) {
      all_ += step.text;
      if (on_text_) on_text_(step.text);
    }
    return step.stopped;
  }

  Detokenizer detokenizer_;
  StopMatcher matcher_;
  const std::function<void(std::string_view)>& on_text_;
  std::string& all_;
};

}  // namespace

std::string_view name_of(FinishReason reason) {
  switch (reason) {
    case FinishReason::stop: return "stop";
    case FinishReason::length: return "length";
    case FinishReason::cancelled: return "cancelled";
  }
  return "stop";
}

Result<Generation> generate(Session& session, std::span<const TokenId> prompt, const GenerationOptions& options,
                            const std::function<void(std::string_view)>& on_text,
                            const std::function<bool()>& cancelled) {
  if (prompt.empty()) return fail(ErrorCode::invalid_argument, "the prompt is empty: give at least one token of text");
  auto sampler = Sampler::make(options.sampler);
  if (!sampler) return error_of(sampler);
  auto matcher = StopMatcher::make(options.stops);
  if (!matcher) return error_of(matcher);
  const Tokenizer& tokenizer = session.model().tokenizer();
  const std::size_t vocabulary = tokenizer.vocabulary().tokens.size();
  Generation result;
  result.prompt_tokens = static_cast<std::int64_t>(prompt.size());
  TextStream stream(tokenizer, options.shown, std::move(*matcher), on_text, result.text);
  for (const TokenId id : prompt) sampler->accept(id);

  session.set_cancel(cancelled);
  const Clock::time_point start = Clock::now();
  SequenceInput input{0, prompt, Logits::last};
  auto logits = session.evaluate({&input, 1});
  if (!logits && logits.error().code == ErrorCode::cancelled) {
    result.reason = FinishReason::cancelled;
    return result;
  }
  if (!logits) return error_of(logits);
  result.prompt_seconds = seconds_since(start);
  const Clock::time_point generation_start = Clock::now();
  result.reason = FinishReason::length;
  while (options.most_tokens < 0 || static_cast<std::int64_t>(result.tokens.size()) < options.most_tokens) {
    // A padded embedding table has rows that no token stands for.
    const auto id = sampler->sample(logits->first(std::min(logits->size(), vocabulary)));
    if (!id) return error_of(id);
    if (result.tokens.empty()) result.first_token_seconds = seconds_since(start);
    sampler->accept(*id);
    if (!options.ignore_end && tokenizer.ends_generation(*id)) {
      result.reason = FinishReason::stop;
      break;
    }
    result.tokens.push_back(*id);
    if (stream.push(*id)) {
      result.reason = FinishReason::stop;
      break;
    }
    const bool last =
        options.most_tokens >= 0 && static_cast<std::int64_t>(result.tokens.size()) >= options.most_tokens;
    if (last || session.length(0) == session.context()) break;
    input = {0, {&result.tokens.back(), 1}, Logits::last};
    logits = session.evaluate({&input, 1});
    if (!logits && logits.error().code == ErrorCode::cancelled) {
      result.reason = FinishReason::cancelled;
      break;
    }
    if (!logits) return error_of(logits);
    ++result.evaluated;
  }
  result.generation_seconds = seconds_since(generation_start);
  if (stream.finish() && result.reason == FinishReason::length) result.reason = FinishReason::stop;
  return result;
}

}  // namespace weft::models
