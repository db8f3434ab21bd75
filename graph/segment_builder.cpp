// Operands are numbered as they come up; a view is its base's place plus an offset, so no view is ever compiled.
#include "graph/segment_builder.hpp"

#include <algorithm>

namespace weft::graph {
namespace {
std::size_t at(ValueId id) { return static_cast<std::size_t>(id); }
}  // namespace

struct SegmentBuilder::Building {
  BoundSegment bound;
  std::size_t domain = 0;
  std::map<ValueId, std::ptrdiff_t> numbers;
};

std::shared_ptr<const HostTensor> SegmentBuilder::constant_of(ValueId value) {
  const Storage& place = source_.storage[at(value)];
  const Value& base = source_.graph.value(place.base);
  if (place.base == value) return base.constant;
  auto& view = views_[value];
  if (!view) {
    const TensorDesc& desc = source_.graph.value(value).desc;
    view = std::make_shared<HostTensor>(HostTensor{source_.graph.value(value).name, desc,
                                                   base.constant->data.subspan(place.byte_offset, desc.bytes()),
                                                   base.constant});
  }
  return view;
}

std::ptrdiff_t SegmentBuilder::place_value(ValueId id, Building& building) {
  if (id == absent_value) return no_value;
  const auto [known, added] = building.numbers.try_emplace(id, std::ptrdiff_t{0});
  if (!added) return known->second;
  const Storage& place = source_.storage[at(id)];
  const Graph& graph = source_.graph;
  SegmentValue value{graph.value(id).name, graph.value(id).desc, nullptr, 0, place.byte_offset};
  switch (graph.value(place.base).kind) {
    case ValueKind::constant:
      value.constant = constant_of(id);
      value.byte_offset = 0;
      break;
    case ValueKind::state: {
      const auto state = std::ranges::find(graph.states, place.base) - graph.states.begin();
      auto& states = building.bound.states;
      auto bound = std::ranges::find(states, static_cast<std::size_t>(state));
      if (bound == states.end()) bound = states.insert(bound, static_cast<std::size_t>(state));
      value.binding = static_cast<std::size_t>(bound - states.begin()) + 1;
      break;
    }
    case ValueKind::input:
    case ValueKind::computed: value.byte_offset += source_.arenas[building.domain].offsets[at(place.base)]; break;
  }
  known->second = static_cast<std::ptrdiff_t>(building.bound.segment.values.size());
  building.bound.segment.values.push_back(std::move(value));
  return known->second;
}

BoundSegment SegmentBuilder::build(const PlannedSegment& planned) {
  Building building;
  building.domain = source_.schedule.domain_of_backend[planned.backend];
  for (const NodeId id : planned.nodes) {
    const Node& node = source_.graph.node(id);
    SegmentStep step{call_of(source_.graph, node, options_),
                     source_.placement.nodes[static_cast<std::size_t>(id)].selection,
                     {},
                     {},
                     node.name};
    for (const ValueId in : node.inputs) step.inputs.push_back(place_value(in, building));
    for (const ValueId out : node.outputs) step.outputs.push_back(place_value(out, building));
    building.bound.segment.steps.push_back(std::move(step));
  }
  building.bound.segment.bindings = building.bound.states.size() + 1;
  return std::move(building.bound);
}

}  // namespace weft::graph
