// One answer: prompt in, text out piece by piece, with the times that people compare.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "models/sampler/sampler.hpp"
#include "models/session.hpp"

namespace weft::models {

struct GenerationOptions {
  std::int64_t most_tokens = -1;                 ///< -1 = until the model ends its answer or the context is full
  bool ignore_end = false;                       ///< go on past end-of-generation tokens
  SpecialTokens shown = SpecialTokens::as_text;  ///< parsed: control tokens appear in the text
  std::vector<std::string> stops;
  SamplerParams sampler;
};

enum class FinishReason : std::uint8_t {
  stop,       ///< an end-of-generation token or a stop string
  length,     ///< most_tokens reached, or the context full (a token may still be drawn from its last position)
  cancelled,  ///< the caller asked to stop
};
[[nodiscard]] std::string_view name_of(FinishReason reason);

struct Generation {
  std::vector<TokenId> tokens;  ///< drawn, the end-of-generation token left out
  std::string text;
  FinishReason reason = FinishReason::stop;
  std::int64_t prompt_tokens = 0;
  double prompt_seconds = 0;       ///< evaluation of the prompt
  std::int64_t evaluated = 0;      ///< generated tokens that went through the model
  double generation_seconds = 0;   ///< of those
  double first_token_seconds = 0;  ///< from the call to the first token
};

/// Runs `prompt` on sequence 0 of the session and draws tokens until something ends the answer. `on_text` gets each
/// piece of valid UTF-8 as soon as it is certain. `cancelled` is asked between steps. Errors: invalid_argument (an
/// empty prompt), and whatever session and sampler report.
[[nodiscard]] Result<Generation> generate(Session& session, std::span<const TokenId> prompt,
                                          const GenerationOptions& options,
                                          const std::function<void(std::string_view)>& on_text,
                                          const std::function<bool()>& cancelled);

}  // namespace weft::models
