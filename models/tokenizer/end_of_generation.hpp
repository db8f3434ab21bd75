// Which tokens end an answer.
#pragma once

#include <vector>

#include "models/tokenizer/tokenizer.hpp"

namespace weft::models {

/// Ids in ascending order: eos, eot and eom of the file, and tokens known by their text, whatever type the file gives
/// them. `<|end|>` is none where a vocabulary has both `<|return|>` and `<|call|>`: there it only closes a message.
[[nodiscard]] std::vector<TokenId> end_of_generation_of(const Vocabulary& vocabulary);

}  // namespace weft::models
