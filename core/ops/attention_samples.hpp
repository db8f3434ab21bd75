// Calls of attention that every kernel should meet.
#pragma once

#include <vector>

#include "core/ops/attention.hpp"

namespace weft {

[[nodiscard]] std::vector<Sample<Attention>> attention_samples();

}  // namespace weft
