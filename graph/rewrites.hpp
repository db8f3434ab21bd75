// The list of rewrites: every fusion there is, in the order in which they are tried.
#pragma once

#include <span>

#include "graph/rewrite.hpp"

namespace weft::graph {

/// logits: final norm, head [, scale] [, soft-cap] [, arg-max].
[[nodiscard]] Rewrite logits_rewrite();
/// norm_matmul_glu: norm, gate and up matmuls, activation.
[[nodiscard]] Rewrite norm_matmul_glu_rewrite();
/// qk_norm_rope_append: per-head norms, rotation of q and k, write to the cache.
[[nodiscard]] Rewrite qk_norm_rope_append_rewrite();
/// norm_matmul: a norm and all matmuls of its result.
[[nodiscard]] Rewrite norm_matmul_rewrite();
/// matmul_add: matmul and the residual that is added.
[[nodiscard]] Rewrite matmul_add_rewrite();
/// add_rms_norm: residual add and the norm of the sum, both kept.
[[nodiscard]] Rewrite add_rms_norm_rewrite();

/// All of them. The order is part of the meaning:
/// - logits and norm_matmul_glu come before norm_matmul, which would take their norm and leave the rest outside;
/// - matmul_add comes before add_rms_norm: with both possible, the sum is made where the matmul's result is still in
///   registers, and a norm that is left alone reads it once;
/// - add_rms_norm comes last: a norm that a matmul takes in costs nothing there, so it only gets norms that no matmul
///   wanted or could have.
[[nodiscard]] std::vector<Rewrite> all_rewrites();

}  // namespace weft::graph
