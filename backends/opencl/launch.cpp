// Building of launches.
#include "backends/opencl/launch.hpp"

#include <fmt/core.h>

namespace weft::opencl {
namespace {
constexpr std::size_t scratch_alignment = 256;
}

Launch& Launch::define(std::string_view name, std::int64_t value) {
  defines.push_back(fmt::format("{}={}", name, value));
  return *this;
}

Launch& Launch::define(std::string_view name, std::string_view value) {
  defines.push_back(fmt::format("{}={}", name, value));
  return *this;
}

Launch& Launch::memory(const Place& place) {
  arguments.emplace_back(MemoryArgument{place});
  return *this;
}

Launch& Launch::memory(const Operand& operand) { return memory(operand.place); }

Launch& Launch::size32(const Size& size) {
  arguments.emplace_back(SizeArgument{size, SizeArgument::Width::bits32});
  return *this;
}

Launch& Launch::size64(const Size& size) {
  arguments.emplace_back(SizeArgument{size, SizeArgument::Width::bits64});
  return *this;
}

Launch& StepPlan::launch(std::string_view source, std::string_view kernel) {
  Launch launch;
  launch.source = fmt::format("backends/opencl/{}", source);
  launch.kernel = kernel;
  actions.emplace_back(std::move(launch));
  return std::get<Launch>(actions.back());
}

Operand StepPlan::scratch(const TensorDesc& desc) {
  Operand operand;
  operand.desc = TensorDesc::dense(desc.dtype, desc.shape);
  operand.place = {Place::Kind::scratch, 0, scratch_bytes};
  const std::size_t bytes = operand.desc.bytes();
  scratch_bytes += (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
  return operand;
}

Place StepPlan::table(std::vector<std::byte> bytes) {
  tables.push_back(std::move(bytes));
  return {Place::Kind::constant, first_table + tables.size() - 1, 0};
}

std::int64_t StepRequest::parameter(std::string_view name, std::int64_t otherwise) const {
  const auto at = with().find(name);
  return at == with().end() ? otherwise : at->second;
}

}  // namespace weft::opencl
