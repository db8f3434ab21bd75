// Names and facts of the backend border.
#include "core/backend.hpp"

namespace weft {

std::string_view name_of(Phase phase) { return phase == Phase::decode ? "decode" : "prefill"; }
std::string_view name_of(Precision precision) { return precision == Precision::exact ? "exact" : "fast"; }

namespace {
Facts with_call_facts(Facts facts, Phase phase, Precision precision) {
  facts.set("phase", name_of(phase));
  facts.set("precision", name_of(precision));
  return facts;
}
}  // namespace

Facts facts_of(const OpCall& call) { return with_call_facts(facts(call.op, call.inputs), call.phase, call.precision); }

Facts example_call_facts(std::string_view op_name) {
  return with_call_facts(example_facts(op_name), Phase::decode, Precision::fast);
}

Facts facts_of(const DeviceInfo& device) {
  Facts facts;
  facts.set("vendor", device.vendor);
  facts.set("units", device.units);
  facts.set("local_bytes", device.local_bytes);
  facts.set("max_allocation_bytes", device.max_allocation_bytes);
  facts.set("features", device.features);
  return facts;
}

}  // namespace weft
