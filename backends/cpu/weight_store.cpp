// Packing by all workers, panel by panel.
#include "backends/cpu/weight_store.hpp"

#include <atomic>

#include "core/host_memory.hpp"

namespace weft::cpu {

Result<std::shared_ptr<const PackedWeight>> WeightStore::panels(const std::shared_ptr<const HostTensor>& tensor) {
  const ConstHostView view{tensor->desc, tensor->data.data()};
  const DType type = tensor->desc.dtype;
  const Key key{view.data, type, view.rows(), view.width(), tensor->desc.strides[0]};
  const std::scoped_lock lock(mutex_);
  if (auto known = packed_[key].lock()) return known;
  const PanelSizes sizes = panel_sizes(type, view.width());
  const std::int64_t count = panels_of(view.rows());
  auto buffer = HostBuffer::allocate(static_cast<std::size_t>(count) * sizes.bytes);
  if (!buffer) return error_of(buffer, tensor->name);
  std::byte* out = (*buffer)->host();
  std::atomic<std::int64_t> next{0};
  auto job = [&](const TeamMember& /*member*/) {
    for (std::int64_t p = next.fetch_add(1); p < count; p = next.fetch_add(1)) {
      pack_panel(view, p, {out + static_cast<std::size_t>(p) * sizes.bytes, sizes.bytes});
    }
  };
  pool_.run(job);
  auto packed = std::make_shared<const PackedWeight>(std::move(*buffer), tensor);
  packed_[key] = packed;
  return packed;
}

}  // namespace weft::cpu
