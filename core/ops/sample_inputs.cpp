// Building blocks of ops' samples.
#include "core/ops/sample_inputs.hpp"

#include <algorithm>

namespace weft::sample {

SampleInput normal(DType type, const Shape& shape, float scale) {
  return {TensorDesc::dense(type, shape), Fill::normal(scale)};
}

SampleInput values(DType type, const Shape& shape, std::vector<float> numbers) {
  return {TensorDesc::dense(type, shape), Fill::of(std::move(numbers))};
}

SampleInput constant(DType type, const Shape& shape, float number) {
  return values(type, shape, std::vector<float>(static_cast<std::size_t>(shape.elements()), number));
}

SampleInput gain(std::int64_t width) {
  std::vector<float> numbers(static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.5F + static_cast<float>(i * 7 % 17) / 16;
  return values(DType::f32, {width}, std::move(numbers));
}

SampleInput integers(std::vector<std::int32_t> numbers) {
  const Shape shape{Dim(static_cast<std::int64_t>(numbers.size()))};
  return {TensorDesc::dense(DType::i32, shape), Fill::of(std::move(numbers))};
}

SampleInput absent() { return {TensorDesc::absent(), {}}; }

SampleInput strided(DType type, const Shape& shape, std::int64_t gap, float scale) {
  TensorDesc desc{type, shape, {}};
  std::int64_t stride = 1;
  for (std::size_t i = shape.rank(); i-- > 0;) {
    desc.strides[i] = stride;
    stride = stride * shape[i].max + gap;
  }
  return {desc, Fill::normal(scale)};
}

std::vector<float> with_outliers(std::int64_t count) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const float size = i % 37 == 11 ? 6.0F : 0.75F + 0.0625F * static_cast<float>(i * 7 % 9);
    numbers[i] = i * 5 % 3 == 1 ? -size : size;
  }
  return numbers;
}

std::vector<float> denormals(std::int64_t count) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const float size = 0x1p-126F * (0.0625F + 0.125F * static_cast<float>(i % 13));
    numbers[i] = i % 2 == 1 ? -size : size;
  }
  return numbers;
}

Batch batch(const std::vector<BatchEntry>& entries) {
  std::int32_t capacity = 1;
  for (const BatchEntry& e : entries) capacity = std::max(capacity, e.history + e.tokens);
  std::vector<std::int32_t> positions;
  std::vector<std::int32_t> sequences;
  std::vector<std::int32_t> table;
  std::vector<std::int32_t> lengths;
  const auto count = static_cast<std::int32_t>(entries.size());
  for (std::int32_t s = 0; s < count; ++s) {
    const BatchEntry& e = entries[static_cast<std::size_t>(s)];
    for (std::int32_t t = 0; t < e.tokens; ++t) {
      positions.push_back(e.history + t);
      sequences.push_back(s);
    }
    table.push_back((count - 1 - s) * capacity);
    lengths.push_back(e.history + e.tokens);
  }
  Batch b;
  b.tokens = static_cast<std::int64_t>(positions.size());
  b.positions = integers(std::move(positions));
  b.sequences = integers(std::move(sequences));
  b.kv_table = {TensorDesc::dense(DType::i32, {Dim(count), Dim(1)}), Fill::of(std::move(table))};
  b.kv_lengths = integers(std::move(lengths));
  b.cache = {TensorDesc::dense(DType::state, {Dim(std::int64_t{count} * capacity)}), {}};
  return b;
}

}  // namespace weft::sample
