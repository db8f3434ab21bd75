// Each kind of broken graph is caught, with the node or value named.
#include "graph/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "graph/edit.hpp"
#include "graph/testing/tiny_model.hpp"

namespace weft::graph {
namespace {

using ::testing::HasSubstr;

std::size_t number_of(const Graph& graph, std::string_view node) {
  return static_cast<std::size_t>(std::ranges::find(graph.nodes, node, &Node::name) - graph.nodes.begin());
}

struct Damage {
  std::string name;
  std::function<void(Graph&)> apply;
  std::string message;
};

void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }

class VerifyCatches : public ::testing::TestWithParam<Damage> {};

TEST_P(VerifyCatches, Damage) {
  auto graph = testing::TinyModel::build(1);
  ASSERT_TRUE(graph) << graph.error().message;
  ASSERT_TRUE(verify(*graph));
  GetParam().apply(*graph);
  const Status status = verify(*graph);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::internal);
  EXPECT_THAT(status.error().message, HasSubstr(GetParam().message));
}

Node& node_named(Graph& graph, std::string_view name) { return graph.nodes[number_of(graph, name)]; }
Value& result_of(Graph& graph, std::string_view name) {
  return graph.values[static_cast<std::size_t>(node_named(graph, name).outputs[0])];
}

const std::vector<Damage> damages{
    {"dangling_operand", [](Graph& g) { node_named(g, "blk.0.ffn_glu").inputs[0] = 999; }, "reads value 999"},
    {"missing_operand", [](Graph& g) { node_named(g, "blk.0.ffn_glu").inputs[0] = absent_value; }, "gate of glu"},
    {"too_few_operands", [](Graph& g) { node_named(g, "blk.0.ffn_down").inputs.pop_back(); }, "blk.0.ffn_down"},
    {"name_taken", [](Graph& g) { node_named(g, "blk.0.ffn_up").name = "blk.0.ffn_gate"; }, "blk.0.ffn_gate"},
    {"wrong_shape",
     [](Graph& g) {
       result_of(g, "blk.0.ffn_up").desc = TensorDesc::dense(DType::f32, Shape{Dim(5), Dim(95)});
     },
     "95"},
    {"out_of_order",
     [](Graph& g) {
       std::swap(g.nodes[number_of(g, "blk.0.ffn_norm")], g.nodes[number_of(g, "blk.0.ffn_down")]);
       renumber_producers(g);
     },
     "before it is made"},
    {"made_twice", [](Graph& g) { node_named(g, "blk.0.ffn_up").outputs = node_named(g, "blk.0.ffn_gate").outputs; },
     "ffn_up"},
    {"wrong_producer", [](Graph& g) { result_of(g, "blk.0.ffn_up").producer = 0; }, "blk.0.ffn_up"},
    {"no_node_makes_it", [](Graph& g) { g.nodes.pop_back(); }, "output"},
    {"cache_read_after_its_update",
     [](Graph& g) { node_named(g, "blk.0.attention").inputs[5] = node_named(g, "blk.0.kv_append").inputs[5]; },
     "other readers"},
    {"output_out_of_range", [](Graph& g) { g.outputs.push_back(-1); }, "outputs names value -1"},
    {"output_is_input", [](Graph& g) { g.outputs.push_back(g.inputs[0]); }, "is not a computed tensor"},
    {"lost_input", [](Graph& g) { g.inputs.pop_back(); }, "list of inputs"},
    {"state_among_inputs", [](Graph& g) { g.inputs.push_back(g.states[0]); }, "another kind"},
    {"constant_without_data",
     [](Graph& g) { std::ranges::find(g.values, ValueKind::constant, &Value::kind)->constant = nullptr; },
     "only constants have data"},
};

INSTANTIATE_TEST_SUITE_P(All, VerifyCatches, ::testing::ValuesIn(damages),
                         [](const auto& test) { return test.param.name; });

TEST(Verify, RefusesAStridedOutput) {
  ExampleGraph e;
  e.b.output(e.b.slice(e.activations("x"), 1, 0, 32));
  const auto graph = e.b.finish();
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().message, HasSubstr("strided"));
}

}  // namespace
}  // namespace weft::graph
