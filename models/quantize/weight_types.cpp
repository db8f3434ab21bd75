// Facts of tensors, and the table that turns them into types.
#include "models/quantize/weight_types.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "core/embedded_file.hpp"

namespace weft::models {

std::span<const EmbeddedFile> embedded_weight_rules();

namespace {

constexpr std::string_view op_name = "weight_type";
constexpr std::string_view layer_prefix = "blk.";

struct SplitName {
  std::int64_t layer = -1;
  std::string_view tensor;
};

/// "blk.3.ffn_down.weight" is ffn_down.weight of layer 3.
SplitName split_name(std::string_view name) {
  if (!name.starts_with(layer_prefix)) return {-1, name};
  std::int64_t layer = -1;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + layer_prefix.size(), end, layer);
  if (error != std::errc() || rest == end || *rest != '.') return {-1, name};
  return {layer, name.substr(static_cast<std::size_t>(rest - name.data()) + 1)};
}

Facts facts_of(const WeightFacts& weight, DType asked) {
  const SplitName name = split_name(weight.name);
  const std::int64_t row = weight.dims.empty() ? 1 : weight.dims.back();
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < weight.dims.size(); ++i) rows *= weight.dims[i];
  Facts facts;
  facts.set("tensor", name.tensor)
      .set("rank", std::ssize(weight.dims))
      .set("row", row)
      .set("rows", rows)
      .set("head", std::int64_t{weight.head ? 1 : 0})
      .set("layer", name.layer)
      .set("layers", weight.layers)
      .set("asked", name_of(asked))
      .set("block", info(asked).block_elements);
  return facts;
}

std::vector<DType> stored_types() {
  std::vector<DType> types;
  for (auto t = static_cast<std::uint8_t>(DType::f32); t < static_cast<std::uint8_t>(DType::state); ++t) {
    if (static_cast<DType>(t) != DType::i32) types.push_back(static_cast<DType>(t));
  }
  return types;
}

RuleVocabulary vocabulary() {
  RuleVocabulary words{.facts = facts_of({}, DType::f32), .choices = {"asked"}, .every_choice_used = false};
  for (const DType type : stored_types()) words.choices.emplace_back(name_of(type));
  return words;
}

}  // namespace

Result<WeightTypes> WeightTypes::make() {
  const EmbeddedFile& file = embedded_weight_rules().front();
  return parse(file.text, file.path);
}

Result<WeightTypes> WeightTypes::parse(std::string_view json, std::string_view source) {
  auto table = RuleTable::parse(json, source, vocabulary());
  if (!table) return error_of(table);
  if (table->op() != op_name) {
    return fail(ErrorCode::invalid_file, "{}: a table for op \"{}\", wanted \"{}\"", source, table->op(), op_name);
  }
  return WeightTypes(std::move(*table));
}

Result<WeightChoice> WeightTypes::choose(const WeightFacts& weight, DType asked) const {
  const RuleMatch match = table_.match(facts_of(weight, asked));
  if (!match.index) {
    return fail(ErrorCode::invalid_argument, "{}: no rule matches tensor {}; give the table a floor", table_.source(),
                weight.name);
  }
  const Rule& rule = table_.rules()[*match.index];
  const DType type = rule.use == "asked" ? asked : dtype_from_name(rule.use).value_or(DType::none);
  const std::int64_t row = weight.dims.empty() ? 1 : weight.dims.back();
  if (row % info(type).block_elements != 0) {
    return fail(ErrorCode::invalid_argument,
                "{}: rule {} gives tensor {} type {}, but its rows of {} elements are no whole blocks of {}",
                table_.source(), *match.index + 1, weight.name, name_of(type), row, info(type).block_elements);
  }
  return WeightChoice{type, rule.why};
}

std::optional<std::uint32_t> file_type_of(DType type) {
  static constexpr std::array<std::pair<DType, std::uint32_t>, 25> labels{{
      {DType::f32, 0},    {DType::f16, 1},     {DType::q4_0, 2},     {DType::q4_1, 3},    {DType::q8_0, 7},
      {DType::q5_0, 8},   {DType::q5_1, 9},    {DType::q2_k, 10},    {DType::q3_k, 11},   {DType::q4_k, 14},
      {DType::q5_k, 16},  {DType::q6_k, 18},   {DType::iq2_xxs, 19}, {DType::iq2_xs, 20}, {DType::iq3_xxs, 23},
      {DType::iq1_s, 24}, {DType::iq4_nl, 25}, {DType::iq3_s, 26},   {DType::iq2_s, 28},  {DType::iq4_xs, 30},
      {DType::iq1_m, 31}, {DType::bf16, 32},   {DType::tq1_0, 36},   {DType::tq2_0, 37},  {DType::nvfp4, 39},
  }};
  for (const auto& [labelled, label] : labels) {
    if (labelled == type) return label;
  }
  return std::nullopt;
}

}  // namespace weft::models
