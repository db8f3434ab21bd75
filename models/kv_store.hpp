// The KV caches of a session: one buffer a layer, in the memory of the backend that runs the layer, grown by chunks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/backend.hpp"
#include "core/kv_cache.hpp"
#include "core/result.hpp"

namespace weft::models {

/// Contiguous layout: sequence s owns rows [s * capacity, (s + 1) * capacity) of every layer.
class KvStore {
 public:
  struct Layer {
    CacheSpec spec;
    Backend* home = nullptr;  ///< not owned; outlives the store
  };
  /// Checks that all rows up to the limit could fit the devices; allocates nothing yet.
  /// Errors: out_of_memory with the bytes wanted, the bytes there are, and the flags that help.
  [[nodiscard]] static Result<KvStore> make(std::vector<Layer> layers, std::int64_t sequences, std::int64_t context);

  /// Makes room for `rows` rows a sequence (at most the context); keeps what is there. Old buffers stay on an error.
  [[nodiscard]] Status reserve(std::int64_t rows);
  [[nodiscard]] std::int64_t capacity() const { return capacity_; }
  [[nodiscard]] std::int64_t total_rows() const { return capacity_ * sequences_; }
  [[nodiscard]] std::int64_t first_row(std::int64_t sequence) const { return sequence * capacity_; }
  /// One view a layer.
  [[nodiscard]] std::span<const BufferView> views() const { return views_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  KvStore(std::vector<Layer> layers, std::int64_t sequences, std::int64_t context)
      : layers_(std::move(layers)), sequences_(sequences), context_(context) {}
  Result<std::unique_ptr<Buffer>> grown(std::size_t layer, std::int64_t capacity) const;

  std::vector<Layer> layers_;
  std::int64_t sequences_ = 1;
  std::int64_t context_ = 0;
  std::int64_t capacity_ = 0;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<BufferView> views_;
};

}  // namespace weft::models
