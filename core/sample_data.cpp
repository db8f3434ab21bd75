// Operands of samples made into host tensors.
#include "core/sample_data.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "core/host_memory.hpp"
#include "core/ops/kv_operands.hpp"
#include "core/ops/rows.hpp"
#include "core/quant/encode_row.hpp"
#include "core/quant/random_blocks.hpp"

namespace weft {
namespace {

std::vector<float> normal_row(SeededRandom& random, std::int64_t width, float scale) {
  std::vector<float> row(static_cast<std::size_t>(width));
  for (float& v : row) v = static_cast<float>(random.normal()) * scale;
  return row;
}

void fill_normal(const MutableHostView& view, SeededRandom& random, float scale) {
  const DType type = view.desc.dtype;
  const auto bytes = static_cast<std::size_t>(row_bytes(type, view.width()));
  for (std::int64_t r = 0; r < view.rows(); ++r) {
    if (is_quantised(type)) {
      fill_random_blocks(type, random, scale, {view.row(r), bytes});
    } else {
      store_row(view, r, normal_row(random, view.width(), scale));
    }
  }
}

void fill_values(const MutableHostView& view, std::span<const float> values) {
  const auto width = static_cast<std::size_t>(view.width());
  assert(static_cast<std::int64_t>(values.size()) == view.desc.shape.elements());
  for (std::int64_t r = 0; r < view.rows(); ++r) {
    store_row(view, r, values.subspan(static_cast<std::size_t>(r) * width, width));
  }
}

void fill_integers(const MutableHostView& view, std::span<const std::int32_t> values) {
  const auto width = static_cast<std::size_t>(view.width());
  assert(static_cast<std::int64_t>(values.size()) == view.desc.shape.elements());
  for (std::int64_t r = 0; r < view.rows() && width > 0; ++r) {
    std::memcpy(view.row(r), values.data() + static_cast<std::size_t>(r) * width, width * sizeof(std::int32_t));
  }
}

void fill_blocks(const MutableHostView& view, std::span<const std::uint8_t> block) {
  const auto bytes = static_cast<std::size_t>(row_bytes(view.desc.dtype, view.width()));
  assert(static_cast<std::int64_t>(block.size()) == info(view.desc.dtype).block_bytes);
  for (std::int64_t r = 0; r < view.rows(); ++r) {
    for (std::size_t at = 0; at < bytes; at += block.size()) std::memcpy(view.row(r) + at, block.data(), block.size());
  }
}

void fill_cache(const CacheSpec& spec, OwnedTensor& state, SeededRandom& random) {
  const CacheRows<std::byte> rows(spec, state.desc().width(), state.bytes().data());
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    for (std::int64_t head = 0; head < spec.kv_heads; ++head) {
      encode_row(spec.k_type, normal_row(random, spec.dk, 1.0F), rows.key(row, head));
      encode_row(spec.v_type, normal_row(random, spec.dv, 1.0F), rows.value(row, head));
    }
  }
}

void fill_state(const Op& op, const Fill& fill, OwnedTensor& state, SeededRandom& random) {
  if (fill.kind == Fill::Kind::values) {
    const std::size_t bytes = std::min(state.bytes().size(), fill.values.size() * sizeof(float));
    std::memcpy(state.bytes().data(), fill.values.data(), bytes);
  } else if (const auto spec = cache_spec_of(op)) {
    fill_cache(*spec, state, random);
  }
}

OwnedTensor make_input(const Op& op, const SampleInput& input, SeededRandom& random) {
  if (!input.desc.present()) return {};
  OwnedTensor tensor(input.desc, operand_bytes(op, input.desc));
  const Fill& fill = input.fill;
  if (input.desc.dtype == DType::state) {
    fill_state(op, fill, tensor, random);
    return tensor;
  }
  switch (fill.kind) {
    case Fill::Kind::normal: fill_normal(tensor.view(), random, fill.scale); break;
    case Fill::Kind::integers: fill_integers(tensor.view(), fill.integers); break;
    case Fill::Kind::values: fill_values(tensor.view(), fill.values); break;
    case Fill::Kind::blocks: fill_blocks(tensor.view(), fill.block); break;
  }
  return tensor;
}

}  // namespace

void OwnedTensor::Free::operator()(std::byte* data) const { std::free(data); }

OwnedTensor::OwnedTensor(const TensorDesc& desc) : OwnedTensor(desc, desc.bytes()) {}

OwnedTensor::OwnedTensor(const TensorDesc& desc, std::size_t bytes) : desc_(desc), bytes_(bytes) {
  const std::size_t rounded = (bytes / host_alignment + 1) * host_alignment;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(host_alignment, rounded)));
  if (!data_) throw std::bad_alloc();
  std::memset(data_.get(), 0, rounded);
}

std::optional<CacheSpec> cache_spec_of(const Op& op) {
  return std::visit(
      []<class T>(const T& o) -> std::optional<CacheSpec> {
        if constexpr (requires { o.cache; }) {
          return o.cache;
        } else {
          return std::nullopt;
        }
      },
      op);
}

std::size_t operand_bytes(const Op& op, const TensorDesc& desc) {
  if (desc.dtype != DType::state) return desc.bytes();
  const auto spec = cache_spec_of(op);
  return spec ? cache_planes(*spec, desc.width()).bytes : desc.bytes();
}

std::vector<OwnedTensor> make_inputs(const AnySample& sample, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<OwnedTensor> tensors;
  for (const SampleInput& input : sample.inputs) tensors.push_back(make_input(sample.op, input, random));
  return tensors;
}

std::vector<OwnedTensor> make_outputs(const Op& op, TensorSpan outputs, std::span<const OwnedTensor> inputs) {
  std::vector<OwnedTensor> tensors;
  for (const TensorDesc& desc : outputs) {
    tensors.emplace_back(desc, operand_bytes(op, desc));
    std::memset(tensors.back().bytes().data(), 0xFF, tensors.back().bytes().size());
  }
  for (const Alias& alias : aliases(op)) {
    const std::span<const std::byte> source = inputs[alias.input].bytes();
    std::copy(source.begin(), source.end(), tensors[alias.output].bytes().begin());
  }
  return tensors;
}

TensorDescs descs_of(std::span<const OwnedTensor> tensors) {
  TensorDescs descs;
  for (const OwnedTensor& t : tensors) descs.push_back(t.desc());
  return descs;
}

std::vector<ConstHostView> input_views(std::span<const OwnedTensor> tensors) {
  std::vector<ConstHostView> views;
  for (const OwnedTensor& t : tensors) views.push_back(t.input());
  return views;
}

std::vector<MutableHostView> output_views(std::span<OwnedTensor> tensors) {
  std::vector<MutableHostView> views;
  for (OwnedTensor& t : tensors) views.push_back(t.view());
  return views;
}

}  // namespace weft
