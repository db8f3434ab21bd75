// A running model: plans for prefill and decode, a KV cache for each sequence, and steps that commit only on success.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/result.hpp"
#include "graph/plan.hpp"
#include "models/model.hpp"

namespace weft::models {

struct SessionOptions {
  std::int64_t context = 0;    ///< tokens a sequence may hold; 0 = the model's trained length
  std::int64_t chunk = 512;    ///< most tokens of one step: longer input is cut into chunks
  std::int64_t sequences = 1;  ///< independent sequences side by side
  std::int64_t outputs = 0;    ///< most rows of logits of one step; 0 = one a sequence
  DType k_type = DType::f16;
  DType v_type = DType::f16;
  Precision precision = Precision::fast;
  bool fuse = true;
  std::int64_t gpu_layers = -1;
  std::vector<RuleOverride> placement_rules;
  graph::PassObserver* observer = nullptr;  ///< not owned; only used while the session is made
};

/// Which tokens of an input get logits.
enum class Logits : std::uint8_t { none, last, all };

/// New tokens of one sequence.
struct SequenceInput {
  std::int64_t sequence = 0;
  std::span<const TokenId> tokens;
  Logits logits = Logits::last;
};

/// Where a session's time and memory go.
struct SessionMemory {
  std::size_t kv_bytes = 0;
  std::size_t arena_bytes = 0;
};

/// Not thread-safe. Sessions of one model are independent of each other.
class Session {
 public:
  /// Errors: out_of_memory when a full context can't fit the device (says bytes and flags), invalid_argument.
  [[nodiscard]] static Result<std::unique_ptr<Session>> make(std::shared_ptr<const Model> model,
                                                             std::vector<std::shared_ptr<Backend>> backends,
                                                             const SessionOptions& options);
  virtual ~Session() = default;

  /// Runs the inputs in as few steps as the chunk allows, at most one input a sequence. Logits of all wanted tokens
  /// follow each other in the order of inputs and tokens, [rows, vocab]; the span lives until the next call. An error
  /// changes no sequence's length, so that the same call may be tried again. Errors: context_overflow and invalid_token
  /// before anything runs; cancelled; what backends report.
  [[nodiscard]] virtual Result<std::span<const float>> evaluate(std::span<const SequenceInput> inputs) = 0;

  [[nodiscard]] virtual std::int64_t length(std::int64_t sequence) const = 0;
  /// Drops the tokens of a sequence from `length` on.
  [[nodiscard]] virtual Status truncate(std::int64_t sequence, std::int64_t length) = 0;
  [[nodiscard]] virtual std::int64_t context() const = 0;
  [[nodiscard]] virtual const Model& model() const = 0;
  [[nodiscard]] virtual SessionMemory memory() const = 0;
  /// The plan for a phase, for reports.
  [[nodiscard]] virtual graph::Plan& plan(Phase phase) = 0;
  /// Makes `evaluate` stop between steps with the error `cancelled` once this returns true; empty = never.
  virtual void set_cancel(std::function<bool()> cancelled) = 0;
};

}  // namespace weft::models
