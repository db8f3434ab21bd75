// What follows from a device's facts: caps, units, features, and why a device is left out.
#include "backends/opencl/device_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/opencl/devices.hpp"

namespace weft::opencl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

DeviceFacts small_gpu() {
  DeviceFacts facts;
  facts.name = "Small GPU";
  facts.vendor = "Acme";
  facts.version = "OpenCL 3.0 acme";
  facts.kind = DeviceKind::gpu;
  facts.local_bytes = 32 * 1024;
  facts.max_allocation_bytes = 1 << 20;
  facts.total_bytes = 64 << 20;
  facts.max_work_group = 256;
  facts.base_alignment_bits = 1024;
  return facts;
}

FoundDevice found(const DeviceFacts& facts, std::size_t index) {
  return {nullptr, nullptr, facts, device_info(facts, index), unusable_because(facts)};
}

TEST(DeviceFacts, AlignmentIsReportedInBits) {
  EXPECT_EQ(base_alignment_bytes(small_gpu()), 128);
  DeviceFacts silent = small_gpu();
  silent.base_alignment_bits = 0;
  EXPECT_EQ(base_alignment_bytes(silent), 1);
}

TEST(DeviceFacts, ABufferAboveTheCapIsRefusedByName) {
  const DeviceInfo device = device_info(small_gpu(), 0);
  EXPECT_TRUE(check_allocation(device, 1 << 20, "blk.0.cache"));
  EXPECT_TRUE(check_allocation(device, 0, "nothing"));
  for (const std::size_t bytes : {std::size_t{(1 << 20) + 1}, std::size_t{2 << 20}, std::size_t{(2 << 20) + 1}}) {
    const Status refused = check_allocation(device, bytes, "token_embd.weight");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::out_of_memory);
    EXPECT_THAT(refused.error().message, HasSubstr("token_embd.weight"));
    EXPECT_THAT(refused.error().message, HasSubstr(std::to_string(bytes)));
    EXPECT_THAT(refused.error().message, HasSubstr("1048576"));
  }
}

TEST(DeviceFacts, ThirtyLayersOfSmallCachesFitTheCapOneByOne) {
  const DeviceInfo device = device_info(small_gpu(), 0);
  for (int layer = 0; layer < 30; ++layer) EXPECT_TRUE(check_allocation(device, 400 * 1024, "a layer's cache"));
}

TEST(DeviceFacts, AnUnknownCapRefusesNothing) {
  DeviceFacts facts = small_gpu();
  facts.max_allocation_bytes = 0;
  EXPECT_TRUE(check_allocation(device_info(facts, 0), std::size_t{1} << 40, "anything"));
}

TEST(DeviceFacts, FeaturesAreWholeWordsOfTheExtensionList) {
  DeviceFacts facts = small_gpu();
  facts.extensions = "cl_khr_fp16 cl_khr_fp64_not cl_khr_subgroups";
  EXPECT_THAT(device_features(facts), ElementsAre("gpu", "fp16", "subgroups"));
  facts.extensions = "cl_khr_integer_dot_product cl_khr_fp64 cl_khr_command_buffer";
  facts.kind = DeviceKind::cpu;
  EXPECT_THAT(device_features(facts), ElementsAre("cpu", "fp64", "int8_dot", "command_buffer"));
  facts.extensions.clear();
  facts.kind = DeviceKind::other;
  EXPECT_THAT(device_features(facts), ElementsAre());
}

TEST(DeviceFacts, SaysWhyADeviceIsLeftOut) {
  EXPECT_EQ(unusable_because(small_gpu()), "");
  const auto with = [](auto change) {
    DeviceFacts facts = small_gpu();
    change(facts);
    return unusable_because(facts);
  };
  EXPECT_THAT(with([](DeviceFacts& f) { f.available = false; }), HasSubstr("not available"));
  EXPECT_THAT(with([](DeviceFacts& f) { f.compiler = false; }), HasSubstr("compiler"));
  EXPECT_THAT(with([](DeviceFacts& f) { f.little_endian = false; }), HasSubstr("big-endian"));
  EXPECT_THAT(with([](DeviceFacts& f) { f.version = "OpenCL 1.1 old"; }), HasSubstr("wanted OpenCL 1.2"));
  EXPECT_THAT(with([](DeviceFacts& f) { f.local_bytes = 1024; }), HasSubstr("1024 bytes of local memory"));
  EXPECT_THAT(with([](DeviceFacts& f) { f.max_work_group = 1; }), HasSubstr("work-groups hold 1"));
}

TEST(Devices, AreChosenByIdOrPartOfANameInAnyCase) {
  DeviceFacts cpu = small_gpu();
  cpu.name = "Some Processor";
  cpu.kind = DeviceKind::cpu;
  const std::vector<FoundDevice> devices{found(cpu, 0), found(small_gpu(), 1)};
  EXPECT_EQ(pick_device(devices, "").value(), 1U) << "a GPU comes first";
  EXPECT_EQ(pick_device(devices, "opencl0").value(), 0U);
  EXPECT_EQ(pick_device(devices, "OpenCL1").value(), 1U);
  EXPECT_EQ(pick_device(devices, "processor").value(), 0U);
  EXPECT_EQ(pick_device(devices, "ACME").value(), 0U) << "the first that matches";
}

TEST(Devices, AnUnknownOneIsAnsweredWithWhatThereIs) {
  DeviceFacts broken = small_gpu();
  broken.name = "Broken";
  broken.compiler = false;
  const std::vector<FoundDevice> devices{found(small_gpu(), 0), found(broken, 1)};
  const auto wanted = pick_device(devices, "Broken");
  ASSERT_FALSE(wanted);
  EXPECT_EQ(wanted.error().code, ErrorCode::unsupported);
  EXPECT_THAT(wanted.error().message, HasSubstr("OpenCL0: Small GPU"));
  EXPECT_THAT(wanted.error().message, HasSubstr("compiler"));
  EXPECT_FALSE(pick_device({}, ""));
}

TEST(Devices, TheInstalledOnesAreReadable) {
  const auto devices = find_devices();
  ASSERT_TRUE(devices) << devices.error().message;
  ASSERT_FALSE(devices->empty());
  for (const FoundDevice& device : *devices) {
    EXPECT_FALSE(device.facts.name.empty());
    EXPECT_GT(device.facts.units, 0);
    EXPECT_GT(device.facts.max_allocation_bytes, 0);
    EXPECT_EQ(device.info.id.empty(), !device.skipped.empty());
  }
}

}  // namespace
}  // namespace weft::opencl
