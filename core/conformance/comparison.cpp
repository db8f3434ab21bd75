// Comparison of outputs, by kind of type: numbers, bytes, states.
#include "core/conformance/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "core/quant/block_format.hpp"

namespace weft::conformance {
namespace {

struct Element {
  double got = 0;
  double want = 0;
  double magnitude = 0;
  bool poisoned = false;
};

/// Collects elements into a Comparison.
class Judge {
 public:
  explicit Judge(const Tolerance& tolerance) : tolerance_(tolerance) {}

  /// `place` makes the element's name; it is called for the first wrong one only.
  template <class Place>
  void add(const Element& e, const Place& place) {
    ++count_;
    const double allowed = tolerance_.absolute + tolerance_.relative * e.magnitude;
    const double ratio = error_ratio(e, allowed);
    worst_ = std::max(worst_, ratio);
    if (ratio <= 1 && !e.poisoned) return;
    if (wrong_++ > 0) return;
    first_ = e.poisoned ? fmt::format("{} was never written", place())
                        : fmt::format("{} is {:.9g}, wanted {:.9g} within {:.3g}", place(), e.got, e.want, allowed);
  }

  [[nodiscard]] Comparison verdict() const {
    if (wrong_ == 0) return {"", worst_};
    return {
        fmt::format("{} ({} of {} elements are wrong, worst error {:.3g} tolerances)", first_, wrong_, count_, worst_),
        worst_};
  }

 private:
  static double error_ratio(const Element& e, double allowed) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (std::isnan(e.want) || std::isnan(e.got)) return std::isnan(e.want) && std::isnan(e.got) ? 0 : infinity;
    if (e.got == e.want) return 0;
    if (std::isinf(e.want) || std::isinf(e.got)) return infinity;
    // A magnitude that is not a number allows nothing.
    return allowed > 0 ? std::abs(e.got - e.want) / allowed : infinity;
  }

  Tolerance tolerance_;
  double worst_ = 0;
  std::size_t wrong_ = 0;
  std::size_t count_ = 0;
  std::string first_;
};

std::string index_text(const Shape& shape, std::int64_t row, std::int64_t column) {
  std::string text = fmt::format("{}]", column);
  for (std::size_t i = shape.rank() > 0 ? shape.rank() - 1 : 0; i-- > 0;) {
    text = fmt::format("{}, {}", row % shape[i].max, text);
    row /= shape[i].max;
  }
  return "[" + text;
}

bool all_poison(const std::byte* element, std::size_t bytes, std::byte poison) {
  return std::all_of(element, element + bytes, [&](std::byte b) { return b == poison; });
}

Comparison compare_numbers(const Expected& expected, std::span<const std::byte> got, const Tolerance& tolerance) {
  Judge judge(tolerance);
  const ConstHostView got_view{expected.want.desc(), got.data()};
  const ConstHostView want_view{expected.want.desc(), expected.want.bytes().data()};
  const auto width = static_cast<std::size_t>(expected.want.desc().width());
  const auto element_bytes = static_cast<std::size_t>(info(expected.want.desc().dtype).block_bytes);
  std::vector<float> got_row(width);
  std::vector<float> want_row(width);
  const std::int64_t rows = expected.want.bytes().empty() ? 0 : expected.want.desc().rows();
  for (std::int64_t r = 0; r < rows; ++r) {
    load_row(got_view, r, got_row);
    load_row(want_view, r, want_row);
    for (std::size_t i = 0; i < width; ++i) {
      const Element e{.got = got_row[i],
                      .want = want_row[i],
                      .magnitude = expected.magnitudes[static_cast<std::size_t>(r) * width + i],
                      .poisoned = all_poison(got_view.row(r) + i * element_bytes, element_bytes, std::byte{0xFF})};
      judge.add(e,
                [&] { return "element " + index_text(expected.want.desc().shape, r, static_cast<std::int64_t>(i)); });
    }
  }
  return judge.verdict();
}

Comparison compare_integers(const Expected& expected, std::span<const std::byte> got) {
  Judge judge({});
  for (std::size_t i = 0; i < got.size() / sizeof(std::int32_t); ++i) {
    std::int32_t found = 0;
    std::int32_t wanted = 0;
    std::memcpy(&found, got.data() + i * sizeof found, sizeof found);
    std::memcpy(&wanted, expected.want.bytes().data() + i * sizeof wanted, sizeof wanted);
    const bool poisoned = all_poison(got.data() + i * sizeof found, sizeof found, poison_of(DType::i32));
    judge.add({.got = double(found), .want = double(wanted), .magnitude = 0, .poisoned = poisoned},
              [&] { return fmt::format("element [{}]", i); });
  }
  return judge.verdict();
}

Comparison compare_bytes(std::span<const std::byte> want, std::span<const std::byte> got) {
  const auto [found, wanted] = std::ranges::mismatch(got, want);
  if (found == got.end()) return {};
  return {fmt::format("byte {} is {:#04x}, wanted {:#04x}", found - got.begin(), std::to_integer<unsigned>(*found),
                      std::to_integer<unsigned>(*wanted)),
          std::numeric_limits<double>::infinity()};
}

/// One plane (keys or values) of a state, cut into the rows of single heads.
struct Plane {
  std::string_view name;
  DType type = DType::none;
  std::size_t offset = 0;
  std::size_t head_bytes = 0;
  std::int64_t width = 0;
  std::int64_t head_rows = 0;
};

/// Judges the rows that the reference changed, and marks their bytes.
void judge_plane(const Plane& plane, const Expected& expected, std::span<const std::byte> got, Judge& judge,
                 std::vector<bool>& judged) {
  std::vector<float> got_row(static_cast<std::size_t>(plane.width));
  std::vector<float> want_row(got_row.size());
  for (std::int64_t r = 0; r < plane.head_rows; ++r) {
    const std::size_t at = plane.offset + static_cast<std::size_t>(r) * plane.head_bytes;
    if (std::memcmp(expected.want.bytes().data() + at, expected.before.data() + at, plane.head_bytes) == 0) continue;
    std::fill_n(judged.begin() + static_cast<std::ptrdiff_t>(at), plane.head_bytes, true);
    decode_row(plane.type, got.data() + at, got_row);
    decode_row(plane.type, expected.want.bytes().data() + at, want_row);
    double largest = 0;
    for (const float v : want_row) largest = std::max(largest, std::abs(static_cast<double>(v)));
    for (std::size_t i = 0; i < got_row.size(); ++i) {
      judge.add({.got = got_row[i], .want = want_row[i], .magnitude = largest, .poisoned = false},
                [&] { return fmt::format("{} row {}, element {}", plane.name, r, i); });
    }
  }
}

Comparison compare_state(const Expected& expected, std::span<const std::byte> got, const Tolerance& tolerance,
                         const CacheSpec& cache) {
  const std::int64_t rows = expected.want.desc().width();
  const CachePlanes planes = cache_planes(cache, rows);
  Judge judge(tolerance);
  std::vector<bool> judged(got.size(), false);
  judge_plane({"key", cache.k_type, planes.k_offset, planes.k_head_bytes, cache.dk, rows * cache.kv_heads}, expected,
              got, judge, judged);
  judge_plane({"value", cache.v_type, planes.v_offset, planes.v_head_bytes, cache.dv, rows * cache.kv_heads}, expected,
              got, judge, judged);
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (judged[i] || got[i] == expected.before[i]) continue;
    return {fmt::format("byte {} of the state was changed, but no token of the step lies there", i),
            std::numeric_limits<double>::infinity()};
  }
  return judge.verdict();
}

}  // namespace

std::byte poison_of(DType type) { return type == DType::i32 ? std::byte{0x7B} : std::byte{0xFF}; }

Comparison compare(const Expected& expected, std::span<const std::byte> got, const Tolerance& tolerance,
                   const std::optional<CacheSpec>& cache) {
  if (expected.want.desc().dtype == DType::state) return compare_state(expected, got, tolerance, *cache);
  if (is_float(expected.want.desc().dtype)) return compare_numbers(expected, got, tolerance);
  if (expected.want.desc().dtype == DType::i32) return compare_integers(expected, got);
  return compare_bytes(expected.want.bytes(), got);
}

}  // namespace weft::conformance
