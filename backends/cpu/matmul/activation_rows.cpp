// Loading, norm, and rounding of one row at a time.
#include "backends/cpu/matmul/activation_rows.hpp"

namespace weft::cpu {
namespace {

/// The tile that token `token` of `tokens` belongs to.
Tile tile_of(const std::array<int, tile_kinds>& tiles, std::int64_t token, std::int64_t tokens) {
  Tile tile = tile_at(tiles, token / tiles[0] * tiles[0], tokens);
  while (tile.begin + tiles[tile.kind] <= token) tile = tile_at(tiles, tile.begin + tiles[tile.kind], tokens);
  return tile;
}

}  // namespace

ActivationRows::ActivationRows(const MatmulSpec& spec, const MatmulVariant& variant, std::int64_t k, bool int8,
                               bool full)
    : norm_(spec.norm), variant_(variant), k_(k), full_stride_((k + 15) / 16 * 16), int8_(int8), full_(full) {}

std::size_t ActivationRows::int8_bytes(std::int64_t tokens) const {
  return int8_ ? static_cast<std::size_t>(tokens * activation_bytes(k_)) : 0;
}

std::size_t ActivationRows::remainder_list_bytes(std::int64_t tokens) const {
  return int8_ ? static_cast<std::size_t>(tokens * remainder_bytes(k_)) : 0;
}

std::size_t ActivationRows::full_bytes(std::int64_t tokens) const {
  return full_ ? static_cast<std::size_t>(tokens * full_stride_) * sizeof(float) : 0;
}

std::size_t ActivationRows::buffer_bytes() const { return 2 * static_cast<std::size_t>(full_stride_) * sizeof(float); }

void ActivationRows::prepare(const OperandRows& x, const float* norm_weight, std::int64_t token, const PreparedRows& to,
                             std::byte* buffer) const {
  const Loops& loops = *variant_.loops;
  auto* loaded = reinterpret_cast<float*>(buffer);
  float* normed = loaded + full_stride_;
  const float* row = x.load(loops, x.row(token), 0, k_, loaded);
  if (norm_) {
    loops.rms_norm(row, norm_weight, norm_->eps, norm_->offset, normed, k_);
    row = normed;
  }
  if (full_) loops.copy(row, to.full + token * full_stride_, k_);
  if (!int8_) return;
  const MatmulCore& core = *variant_.core;
  const Tile tile = tile_of(core.tiles, token, x.count());
  core.quantise(row, k_, to.int8 + tile.begin * activation_bytes(k_), core.tiles[tile.kind],
                static_cast<int>(token - tile.begin), to.remainders + token * remainder_bytes(k_));
}

}  // namespace weft::cpu
