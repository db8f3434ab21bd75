// Pieces of whole rows are decoded, encoded and decoded again by one thread each; a window of pieces is handed over.
#include "models/quantize/tensor_encoder.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/quant/block_format.hpp"
#include "core/quant/encode/encoder.hpp"
#include "models/quantize/parallel.hpp"

namespace weft::models {
namespace {

constexpr std::int64_t piece_elements = 1 << 16;  // about: at least one row
constexpr std::size_t window_pieces = 128;

/// An element that is no number before or after.
struct BadElement {
  std::int64_t index = 0;
  float value = 0;
  float decoded = 0;
};

struct PieceResult {
  RoundingError error;
  std::optional<BadElement> bad;
};

class Recoder {
 public:
  Recoder(const TensorRecoding& recoding, std::span<const std::byte> data)
      : r_(recoding),
        data_(data),
        source_row_(static_cast<std::size_t>(row_bytes(recoding.from, recoding.row))),
        target_row_(static_cast<std::size_t>(row_bytes(recoding.to, recoding.row))),
        rows_(static_cast<std::int64_t>(data.size() / source_row_)),
        piece_rows_(std::max<std::int64_t>(piece_elements / recoding.row, 1)),
        scratch_(static_cast<std::size_t>(recoding.threads)) {
    for (Scratch& s : scratch_) {
      s.values.resize(static_cast<std::size_t>(piece_rows_ * r_.row));
      s.decoded.resize(s.values.size());
    }
  }

  Result<RoundingError> run(const TakeEncoded& take) {
    RoundingError total;
    const auto pieces = static_cast<std::size_t>((rows_ + piece_rows_ - 1) / piece_rows_);
    std::vector<std::byte> window;
    std::vector<PieceResult> results;
    for (std::size_t first = 0; first < pieces; first += window_pieces) {
      const std::size_t count = std::min(window_pieces, pieces - first);
      const std::int64_t first_row = static_cast<std::int64_t>(first) * piece_rows_;
      const std::int64_t rows = std::min(static_cast<std::int64_t>(count) * piece_rows_, rows_ - first_row);
      window.resize(static_cast<std::size_t>(rows) * target_row_);
      results.assign(count, {});
      parallel_for(r_.threads, count, [&](std::size_t worker, std::size_t i) {
        const std::size_t offset = i * static_cast<std::size_t>(piece_rows_) * target_row_;
        results[i] = recode_piece(scratch_[worker], first_row + static_cast<std::int64_t>(i) * piece_rows_,
                                  window.data() + offset);
      });
      for (const PieceResult& result : results) {
        if (result.bad) return refused(*result.bad);
        add(total, result.error);
      }
      if (auto taken = take(window, static_cast<std::uint64_t>(rows) * source_row_); !taken) return error_of(taken);
    }
    return total;
  }

 private:
  struct Scratch {
    std::vector<float> values;
    std::vector<float> decoded;
  };

  PieceResult recode_piece(Scratch& scratch, std::int64_t first_row, std::byte* target) const {
    const std::int64_t rows = std::min(piece_rows_, rows_ - first_row);
    const auto width = static_cast<std::size_t>(r_.row);
    const std::span values = std::span(scratch.values).first(static_cast<std::size_t>(rows) * width);
    const std::span decoded = std::span(scratch.decoded).first(values.size());
    const std::byte* source = data_.data() + static_cast<std::size_t>(first_row) * source_row_;
    decode_row(r_.from, source, values);
    PieceResult result;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) return bad(first_row, i, values[i], values[i]);
    }
    encode_weights(r_.to, values, target);
    decode_row(r_.to, target, decoded);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double off = double{decoded[i]} - double{values[i]};
      if (!std::isfinite(off)) return bad(first_row, i, values[i], decoded[i]);
      result.error.squared += off * off;
      result.error.squared_values += double{values[i]} * double{values[i]};
      result.error.largest = std::max(result.error.largest, std::abs(off));
    }
    return result;
  }

  [[nodiscard]] PieceResult bad(std::int64_t first_row, std::size_t i, float value, float decoded) const {
    return {{}, BadElement{first_row * r_.row + static_cast<std::int64_t>(i), value, decoded}};
  }

  [[nodiscard]] tl::unexpected<Error> refused(const BadElement& bad) const {
    if (!std::isfinite(bad.value)) {
      return fail(ErrorCode::non_finite, "element {} is {}, a finite number wanted; the file is damaged", bad.index,
                  bad.value);
    }
    return fail(ErrorCode::non_finite,
                "element {} is {}, which becomes {} in {}; its range is too small, take bf16 or f32", bad.index,
                bad.value, bad.decoded, name_of(r_.to));
  }

  static void add(RoundingError& total, const RoundingError& part) {
    total.squared += part.squared;
    total.squared_values += part.squared_values;
    total.largest = std::max(total.largest, part.largest);
  }

  const TensorRecoding& r_;
  std::span<const std::byte> data_;
  std::size_t source_row_, target_row_;
  std::int64_t rows_, piece_rows_;
  std::vector<Scratch> scratch_;
};

}  // namespace

double RoundingError::relative() const { return squared_values > 0 ? std::sqrt(squared / squared_values) : 0.0; }

Result<RoundingError> recode(const TensorRecoding& recoding, std::span<const std::byte> data, const TakeEncoded& take) {
  if (data.empty()) return RoundingError{};
  return Recoder(recoding, data).run(take);
}

}  // namespace weft::models
