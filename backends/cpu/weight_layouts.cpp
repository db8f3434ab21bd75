// The layout table.
#include "backends/cpu/weight_layouts.hpp"

namespace weft::cpu {
namespace {

Facts weight_facts(const TensorDesc& weight, Precision precision, const Facts& device) {
  Facts facts;
  facts.set("weight", name_of(weight.dtype));
  facts.set("n", weight.rows());
  facts.set("k", weight.width());
  facts.set("precision", name_of(precision));
  facts.merge("device.", device);
  return facts;
}

struct WeightInputs {
  std::size_t count;
  template <class T>
  std::vector<std::size_t> operator()(const T& /*op*/) const {
    return {};
  }
  std::vector<std::size_t> operator()(const QuantMatmul& /*op*/) const { return {1}; }
  std::vector<std::size_t> operator()(const MatmulAdd& /*op*/) const { return {1}; }
  std::vector<std::size_t> operator()(const NormMatmulGlu& /*op*/) const { return {2, 4}; }
  std::vector<std::size_t> operator()(const Logits& /*op*/) const { return {2}; }
  std::vector<std::size_t> operator()(const NormMatmul& /*op*/) const {
    std::vector<std::size_t> inputs;
    for (std::size_t i = 2; i < count; i += 2) inputs.push_back(i);
    return inputs;
  }
};

}  // namespace

std::string_view name_of(WeightLayout layout) { return layout == WeightLayout::rows ? "rows" : "panel16"; }

std::vector<std::size_t> weight_inputs(const Op& op, std::size_t inputs) {
  return std::visit(WeightInputs{inputs}, op);
}

RuleVocabulary WeightLayouts::vocabulary(const DeviceInfo& device) {
  RuleVocabulary vocabulary;
  vocabulary.facts = weight_facts(TensorDesc::dense(DType::q4_0, {16, 32}), Precision::fast, facts_of(device));
  vocabulary.choices = {"rows", "panel16"};
  return vocabulary;
}

WeightLayout WeightLayouts::layout_of(const TensorDesc& weight, Precision precision) const {
  const RuleMatch match = table_.match(weight_facts(weight, precision, device_));
  if (!match.index) return WeightLayout::panel16;
  return table_.rules()[*match.index].use == "rows" ? WeightLayout::rows : WeightLayout::panel16;
}

std::string_view WeightLayouts::fact_of(const OpCall& call) const {
  std::string_view all = "none";
  for (const std::size_t i : weight_inputs(call.op, call.inputs.size())) {
    const std::string_view one = name_of(layout_of(call.inputs[i], call.precision));
    all = all == "none" || all == one ? one : "mixed";
  }
  return all;
}

}  // namespace weft::cpu
