// Growth of the KV caches, and the check that a full context fits.
#include "models/kv_store.hpp"

#include <algorithm>
#include <map>

namespace weft::models {
namespace {

constexpr std::int64_t growth_rows = 256;
constexpr double mebibyte = 1024.0 * 1024.0;

std::int64_t round_up(std::int64_t rows) { return (rows + growth_rows - 1) / growth_rows * growth_rows; }

/// Copies `rows` rows of each sequence from a buffer of one capacity to a buffer of another.
Status copy_rows(Queue& queue, const CacheSpec& spec, std::int64_t sequences, const BufferView& from,
                 std::int64_t from_capacity, const BufferView& to, std::int64_t to_capacity) {
  const CachePlanes source = cache_planes(spec, from_capacity * sequences);
  const CachePlanes target = cache_planes(spec, to_capacity * sequences);
  const auto copy_plane = [&](std::size_t to_offset, std::size_t from_offset, std::size_t row_bytes) -> Status {
    for (std::int64_t s = 0; s < sequences; ++s) {
      const auto first = static_cast<std::size_t>(s);
      const std::size_t bytes = row_bytes * static_cast<std::size_t>(from_capacity);
      const BufferView a{from.buffer, from_offset + first * bytes, bytes};
      const BufferView b{to.buffer, to_offset + first * row_bytes * static_cast<std::size_t>(to_capacity), bytes};
      if (Status ok = queue.copy(b, a); !ok) return ok;
    }
    return {};
  };
  if (Status ok = copy_plane(target.k_offset, source.k_offset, source.k_row_bytes); !ok) return ok;
  return copy_plane(target.v_offset, source.v_offset, source.v_row_bytes);
}

}  // namespace

Result<KvStore> KvStore::make(std::vector<Layer> layers, std::int64_t sequences, std::int64_t context) {
  std::map<std::string, double> wanted;
  std::map<std::string, double> there;
  for (const Layer& layer : layers) {
    const CachePlanes row = cache_planes(layer.spec, 1);
    const DeviceInfo& device = layer.home->device();
    // In double: the product may exceed any integer, and only its size matters here.
    wanted[device.memory_domain] += static_cast<double>(row.k_row_bytes + row.v_row_bytes) *
                                    static_cast<double>(context) * static_cast<double>(sequences);
    there[device.memory_domain] = static_cast<double>(device.free_bytes > 0 ? device.free_bytes : device.total_bytes);
  }
  for (const auto& [domain, bytes] : wanted) {
    if (there[domain] > 0 && bytes > there[domain]) {
      return fail(ErrorCode::out_of_memory,
                  "the KV cache of {} tokens needs {:.0f} MiB of {} memory, {:.0f} MiB are free; "
                  "use a smaller -c, or a smaller KV type (-ctk, -ctv)",
                  context, bytes / mebibyte, domain, there[domain] / mebibyte);
    }
  }
  return KvStore(std::move(layers), sequences, context);
}

Result<std::unique_ptr<Buffer>> KvStore::grown(std::size_t layer, std::int64_t capacity) const {
  const Layer& l = layers_[layer];
  const std::size_t bytes = cache_planes(l.spec, capacity * sequences_).bytes;
  auto buffer = l.home->allocate(bytes, MemoryKind::state);
  if (!buffer || capacity_ == 0) return buffer;
  const auto queue = l.home->make_queue({});
  if (!queue) return error_of(queue);
  const BufferView target{buffer->get(), 0, bytes};
  if (Status ok = copy_rows(**queue, l.spec, sequences_, views_[layer], capacity_, target, capacity); !ok) {
    return error_of(ok);
  }
  if (Status ok = (*queue)->finish(); !ok) return error_of(ok);
  return buffer;
}

Status KvStore::reserve(std::int64_t rows) {
  if (rows <= capacity_) return {};
  // Growing by half keeps the copies of a long generation linear in its length.
  const std::int64_t capacity = std::min(context_, round_up(std::max(rows, capacity_ + capacity_ / 2)));
  std::vector<std::unique_ptr<Buffer>> buffers;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    auto buffer = grown(i, capacity);
    if (!buffer) {
      return error_of(buffer, fmt::format("KV cache of layer {} for {} tokens (use a smaller -c)", i, capacity));
    }
    buffers.push_back(std::move(*buffer));
  }
  buffers_ = std::move(buffers);
  capacity_ = capacity;
  views_.clear();
  for (const auto& buffer : buffers_) views_.push_back({buffer.get(), 0, buffer->bytes()});
  return {};
}

std::size_t KvStore::bytes() const {
  std::size_t sum = 0;
  for (const auto& buffer : buffers_) sum += buffer->bytes();
  return sum;
}

}  // namespace weft::models
