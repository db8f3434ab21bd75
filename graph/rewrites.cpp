// The list itself.
#include "graph/rewrites.hpp"

namespace weft::graph {

std::vector<Rewrite> all_rewrites() {
  return {logits_rewrite(),      norm_matmul_glu_rewrite(), qk_norm_rope_append_rewrite(),
          norm_matmul_rewrite(), matmul_add_rewrite(),      add_rms_norm_rewrite()};
}

}  // namespace weft::graph
