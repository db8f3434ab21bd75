// The reference with its error bound, by probing.
#include "graph/fuzz/agreement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "core/sample_data.hpp"
#include "graph/fuzz/generator.hpp"
#include "graph/fuzz/host_run.hpp"
#include "graph/index.hpp"

namespace weft::graph::fuzz {

std::vector<Bytes> input_values(const Graph& graph, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<Bytes> all;
  for (const ValueId id : graph.inputs) {
    const Value& value = graph.value(id);
    Bytes bytes(value.desc.at(step_symbols()).bytes());
    for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      const float number = normal(random);
      std::int32_t whole = 0;
      if (value.name == "positions") whole = static_cast<std::int32_t>(i / 4);
      if (value.name == "kv_lengths") whole = static_cast<std::int32_t>(step_tokens);
      if (value.name == "ids") whole = static_cast<std::int32_t>(random() % vocabulary);
      const void* from = value.desc.dtype == DType::i32 ? static_cast<const void*>(&whole) : &number;
      std::memcpy(&bytes[i], from, 4);
    }
    all.push_back(std::move(bytes));
  }
  return all;
}

Result<Expectation> Expectation::make(const Graph& graph, std::uint64_t seed) {
  Expectation made;
  made.inputs_ = input_values(graph, seed);
  auto want = HostRun::run(graph, made.inputs_, nullptr);
  if (!want) return error_of(want);
  const GraphIndex index(graph);
  std::vector<ValueId> watched;
  for (const ValueId id : graph.outputs) {
    const NodeId node = index.producer(id);
    const bool argmax = node != no_node && std::holds_alternative<Argmax>(graph.node(node).op);
    watched.push_back(argmax ? graph.node(node).inputs[0] : id);
    const TensorDesc desc = graph.value(watched.back()).desc.at(step_symbols());
    Numbers numbers{
        graph.value(id).name,      want->numbers(watched.back()), {}, argmax, static_cast<std::size_t>(desc.width()),
        graph.value(id).desc.dtype};
    numbers.allowed.assign(numbers.want.size(), 0.0);
    made.outputs_.push_back(std::move(numbers));
  }
  std::mt19937_64 random(seed ^ 0x9e3779b97f4a7c15ULL);
  for (int p = 0; p < probes; ++p) {
    auto moved = HostRun::run(graph, made.inputs_, &random);
    if (!moved) return error_of(moved);
    for (std::size_t o = 0; o < watched.size(); ++o) {
      const std::vector<double> numbers = moved->numbers(watched[o]);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double error = numbers[i] - made.outputs_[o].want[i];
        made.outputs_[o].allowed[i] += error * error;
      }
    }
  }
  for (Numbers& numbers : made.outputs_) {
    for (double& a : numbers.allowed) a = 6 * std::sqrt(a / probes);
  }
  return made;
}

std::string Expectation::fault(std::span<const Bytes> outputs) const {
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    const Numbers& e = outputs_[o];
    const std::vector<double> got = as_numbers(e.type, outputs[o]);
    for (std::size_t i = 0; i < got.size(); ++i) {
      double error = std::abs(got[i] - e.want[e.argmax ? 0 : i]);
      double allowed = e.allowed[e.argmax ? 0 : i];
      if (e.argmax) {
        const auto row = e.want.begin() + static_cast<std::ptrdiff_t>(i * e.width);
        const std::size_t best = static_cast<std::size_t>(
            std::max_element(row, row + static_cast<std::ptrdiff_t>(e.width)) - e.want.begin());
        if (!(got[i] >= 0 && got[i] < static_cast<double>(e.width)))
          return fmt::format("{}[{}] is {}, wanted an index below {}", e.name, i, got[i], e.width);
        const std::size_t chosen = i * e.width + static_cast<std::size_t>(got[i]);
        error = e.want[best] - e.want[chosen];
        allowed = e.allowed[best] + e.allowed[chosen];
      }
      if (!(error <= allowed))
        return fmt::format("{}[{}] is {:.9g}, off by {:.3g}, allowed {:.3g}", e.name, i, got[i], error, allowed);
    }
  }
  return "";
}

std::string disagreement(const Graph& graph, std::uint64_t seed, const Runner& run) {
  const auto expected = Expectation::make(graph, seed);
  if (!expected) return expected.error().message;
  const auto got = run(graph, expected->inputs());
  return got ? expected->fault(*got) : got.error().message;
}

}  // namespace weft::graph::fuzz
