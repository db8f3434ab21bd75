// Whole-model measurements as llama-bench makes them: pp512, tg128, with and without depth; random tokens, no sampling.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "models/session.hpp"

namespace weft::bench {

/// One row of the table: `prompt` tokens in one call, then `generated` tokens one by one, after `depth` tokens.
struct Case {
  std::int64_t prompt = 0;
  std::int64_t generated = 0;
  std::int64_t depth = 0;

  [[nodiscard]] std::string name() const;  ///< "pp512", "tg128", "pp512+tg128", "tg128 @ d4096"
};

struct Measurement {
  Case test;
  std::vector<double> seconds;  ///< one a repetition
  double bytes_per_token = 0;   ///< read for one generated token: weights and the KV cache at the middle of the run

  [[nodiscard]] double tokens() const { return static_cast<double>(test.prompt + test.generated); }
  [[nodiscard]] double median_rate() const;  ///< tokens per second
  [[nodiscard]] double mean_rate() const;
  [[nodiscard]] double rate_deviation() const;  ///< standard deviation of the rates
  [[nodiscard]] double slowest_rate() const;
  [[nodiscard]] double fastest_rate() const;
};

/// Bytes of weights that one token's step reads: every matrix but an embedding table that isn't the head too.
[[nodiscard]] double weight_bytes(const models::Model& model);
/// Bytes of cached keys and values that one token reads at a position, sliding windows counted.
[[nodiscard]] double kv_bytes(const models::Model& model, std::int64_t position, DType k_type, DType v_type);

/// Runs a case once untimed, then `repetitions` times. Errors come from the session; `cancelled` between repetitions.
[[nodiscard]] Result<Measurement> measure(models::Session& session, const Case& test, std::int64_t repetitions,
                                          const models::SessionOptions& options,
                                          const std::function<bool()>& cancelled);

}  // namespace weft::bench
