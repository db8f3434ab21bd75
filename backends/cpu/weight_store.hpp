// Packed weights, shared by all executables of a backend.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <tuple>

#include "backends/cpu/panel.hpp"
#include "backends/cpu/weight_layouts.hpp"
#include "backends/cpu/worker_pool.hpp"
#include "core/backend.hpp"

namespace weft::cpu {

/// All panels of a weight, one after the other. Keeps the packed tensor's source alive, whose address is its name.
class PackedWeight {
 public:
  PackedWeight(std::unique_ptr<Buffer> buffer, std::shared_ptr<const HostTensor> source)
      : buffer_(std::move(buffer)), source_(std::move(source)) {}
  [[nodiscard]] const std::byte* data() const { return buffer_->host(); }
  [[nodiscard]] std::size_t bytes() const { return buffer_->bytes(); }

 private:
  std::unique_ptr<Buffer> buffer_;
  std::shared_ptr<const HostTensor> source_;
};

/// Thread-safe.
class WeightStore {
 public:
  WeightStore(WeightLayouts layouts, WorkerPool& pool) : layouts_(std::move(layouts)), pool_(pool) {}
  [[nodiscard]] const WeightLayouts& layouts() const { return layouts_; }
  /// The panels of a constant: packed now by all workers, or shared with whoever has them already.
  [[nodiscard]] Result<std::shared_ptr<const PackedWeight>> panels(const std::shared_ptr<const HostTensor>& tensor);

 private:
  using Key = std::tuple<const std::byte*, DType, std::int64_t, std::int64_t, std::int64_t>;
  WeightLayouts layouts_;
  WorkerPool& pool_;
  std::mutex mutex_;
  std::map<Key, std::weak_ptr<const PackedWeight>> packed_;
};

}  // namespace weft::cpu
