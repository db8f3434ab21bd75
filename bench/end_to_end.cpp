// The runs behind `weft bench`.
#include "bench/end_to_end.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace weft::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Token ids that look like nothing: a multiplicative sequence over the vocabulary.
std::vector<models::TokenId> random_tokens(std::int64_t count, std::int64_t vocab) {
  std::vector<models::TokenId> ids(static_cast<std::size_t>(count));
  std::uint64_t state = 88172645463325252ULL;
  for (models::TokenId& id : ids) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    id = static_cast<models::TokenId>((state >> 33) % static_cast<std::uint64_t>(vocab));
  }
  return ids;
}

std::vector<double> rates(const Measurement& m) {
  std::vector<double> result;
  for (const double s : m.seconds) result.push_back(m.tokens() / s);
  std::ranges::sort(result);
  return result;
}

Status feed(models::Session& session, std::span<const models::TokenId> tokens, models::Logits wanted) {
  if (tokens.empty()) return {};
  const models::SequenceInput input{0, tokens, wanted};
  const auto done = session.evaluate({&input, 1});
  return done ? Status{} : error_of(done);
}

Result<double> run_once(models::Session& session, const Case& test, std::span<const models::TokenId> tokens) {
  if (Status ok = session.truncate(0, 0); !ok) return error_of(ok);
  const auto depth = static_cast<std::size_t>(test.depth);
  const auto prompt = static_cast<std::size_t>(test.prompt);
  if (Status ok = feed(session, tokens.first(depth), models::Logits::none); !ok) return error_of(ok);
  const Clock::time_point start = Clock::now();
  if (Status ok = feed(session, tokens.subspan(depth, prompt), models::Logits::last); !ok) return error_of(ok);
  for (std::int64_t i = 0; i < test.generated; ++i) {
    const auto next = tokens.subspan(depth + prompt + static_cast<std::size_t>(i), 1);
    if (Status ok = feed(session, next, models::Logits::last); !ok) return error_of(ok);
  }
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

std::string Case::name() const {
  std::string text = prompt > 0 ? fmt::format("pp{}", prompt) : "";
  if (generated > 0) text += fmt::format("{}tg{}", text.empty() ? "" : "+", generated);
  if (depth > 0) text += fmt::format(" @ d{}", depth);
  return text;
}

double Measurement::median_rate() const {
  const std::vector<double> sorted = rates(*this);
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
}
double Measurement::mean_rate() const {
  const std::vector<double> all = rates(*this);
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}
double Measurement::rate_deviation() const {
  const std::vector<double> all = rates(*this);
  if (all.size() < 2) return 0;
  const double mean = mean_rate();
  double sum = 0;
  for (const double r : all) sum += (r - mean) * (r - mean);
  return std::sqrt(sum / static_cast<double>(all.size() - 1));
}
double Measurement::slowest_rate() const { return rates(*this).front(); }
double Measurement::fastest_rate() const { return rates(*this).back(); }

double weight_bytes(const models::Model& model) {
  const bool own_head = model.file().find_tensor("output.weight") != nullptr;
  double sum = 0;
  for (const models::GgufTensor& tensor : model.file().tensors()) {
    if (own_head && tensor.name == "token_embd.weight") continue;
    sum += static_cast<double>(tensor.bytes);
  }
  return sum;
}

double kv_bytes(const models::Model& model, std::int64_t position, DType k_type, DType v_type) {
  double sum = 0;
  for (const models::LayerSpec& layer : model.spec().layers) {
    const models::AttentionSpec& a = layer.attention;
    const std::int64_t rows = a.window > 0 ? std::min(a.window, position + 1) : position + 1;
    sum += static_cast<double>(rows * a.kv_heads * (row_bytes(k_type, a.dk) + row_bytes(v_type, a.dv)));
  }
  return sum;
}

Result<Measurement> measure(models::Session& session, const Case& test, std::int64_t repetitions,
                            const models::SessionOptions& options, const std::function<bool()>& cancelled) {
  const std::int64_t total = test.depth + test.prompt + test.generated;
  const auto tokens = random_tokens(total, session.model().spec().vocab);
  Measurement result{test, {}, 0};
  const std::int64_t middle = test.depth + test.prompt + test.generated / 2;
  result.bytes_per_token =
      weight_bytes(session.model()) + kv_bytes(session.model(), middle, options.k_type, options.v_type);
  if (const auto warm = run_once(session, test, tokens); !warm) return error_of(warm);
  for (std::int64_t i = 0; i < repetitions; ++i) {
    if (cancelled && cancelled()) return fail(ErrorCode::cancelled, "stopped in test {}", test.name());
    const auto seconds = run_once(session, test, tokens);
    if (!seconds) return error_of(seconds, test.name());
    result.seconds.push_back(*seconds);
  }
  return result;
}

}  // namespace weft::bench
