// Weights of example graphs: numbers made from the tensor's name.
#include "graph/example_graph.hpp"

#include <cmath>
#include <memory>
#include <random>

namespace weft::graph {
namespace {

TensorDesc ints(Symbol symbol, std::int64_t most) { return TensorDesc::dense(DType::i32, Shape{Dim(most, symbol)}); }

/// The same on every machine, unlike std::hash.
std::uint32_t seed_of(std::string_view name) {
  std::uint32_t seed = 2166136261U;  // FNV-1a
  for (const char c : name) seed = (seed ^ static_cast<unsigned char>(c)) * 16777619U;
  return seed;
}

}  // namespace

ValueId ExampleGraph::activations(std::string name, std::int64_t columns) {
  return b.input(std::move(name), TensorDesc::dense(DType::f32, Shape{Dim(tokens, Symbol::tokens), Dim(columns)}));
}

ValueId ExampleGraph::weight(std::string_view name, const Shape& shape) {
  std::mt19937 random(seed_of(name));
  const double size = shape.rank() > 1 ? 1.0 / std::sqrt(static_cast<double>(shape.width().max)) : 1.0;
  auto numbers = std::make_shared<std::vector<float>>(static_cast<std::size_t>(shape.elements()));
  for (float& x : *numbers) x = static_cast<float>((static_cast<double>(random()) / 2147483648.0 - 1.0) * size);
  auto tensor = std::make_shared<HostTensor>();
  tensor->name = std::string(name);
  tensor->desc = TensorDesc::dense(DType::f32, shape);
  tensor->data = std::as_bytes(std::span(*numbers));
  tensor->owner = numbers;
  return b.constant(std::move(tensor));
}

BatchInputs ExampleGraph::batch() {
  BatchInputs batch;
  batch.positions = b.input("positions", ints(Symbol::tokens, tokens));
  batch.sequences = b.input("sequences", ints(Symbol::tokens, tokens));
  batch.kv_table = b.input("kv_table", TensorDesc::dense(DType::i32, Shape{Dim(1, Symbol::sequences), Dim(1)}));
  batch.kv_lengths = b.input("kv_lengths", ints(Symbol::sequences, 1));
  return batch;
}

ValueId ExampleGraph::cache(std::string name) {
  return b.state(std::move(name), TensorDesc::dense(DType::state, Shape{Dim(tokens, Symbol::kv_rows)}));
}

}  // namespace weft::graph
