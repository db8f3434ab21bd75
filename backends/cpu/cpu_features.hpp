// What the processor and the operating system let us execute, found at run time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace weft::cpu {

/// Names of usable instruction sets: avx2 fma f16c avx512 (f, bw, vl, dq together) avx512_vnni avx_vnni avx512_bf16
/// amx_int8 … Sets whose registers the system doesn't save are left out.
[[nodiscard]] std::vector<std::string> detect_features();

/// `detected` cut down to what `isa` stands for: empty = all, "avx512" = all but matrix tiles, "avx2" = avx2 fma f16c,
/// "portable" = none. Errors: unsupported (the machine lacks it), invalid_argument (an unknown name).
[[nodiscard]] Result<std::vector<std::string>> features_for(std::string_view isa, std::vector<std::string> detected);

[[nodiscard]] bool has_feature(const std::vector<std::string>& features, std::string_view name);

/// The processor's own name, or "unknown processor".
[[nodiscard]] std::string processor_name();

/// Tells the core that the caller spins.
void relax();

}  // namespace weft::cpu
