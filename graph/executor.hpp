// A compiled plan at work: uploads, segments, copies, downloads, in one flat loop that allocates nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "graph/draft.hpp"
#include "graph/plan.hpp"

namespace weft::graph {

/// Where a value of the step's data lies, and how much of it a step moves.
struct Transfer {
  std::size_t number = 0;   ///< of the input or output
  std::size_t backend = 0;  ///< whose queue moves it
  BufferView place;         ///< at the largest size
  TensorDesc desc;
  std::string name;
};

struct CopyTransfer {
  std::size_t from_backend = 0;
  std::size_t to_backend = 0;
  BufferView from;
  BufferView to;
  TensorDesc desc;
};

struct RunSegment {
  std::size_t backend = 0;
  std::unique_ptr<Executable> executable;
  std::vector<std::size_t> finish;
  std::vector<CopyTransfer> copies;
  std::vector<BufferView> bindings;  ///< the arena, then the states, whose views each step brings
  std::vector<std::size_t> states;
  std::size_t first_node = 0;  ///< of its steps in the report
};

class CompiledPlan final : public Plan {
 public:
  /// Allocates arenas and queues for a draft that went through all passes.
  [[nodiscard]] static Result<std::unique_ptr<Plan>> make(Draft draft);

  [[nodiscard]] const PlanReport& report() const override { return report_; }
  [[nodiscard]] const PlanLimits& limits() const override { return limits_; }
  [[nodiscard]] Backend& state_backend(std::size_t index) const override { return *backends_[state_homes_[index]]; }
  [[nodiscard]] Status run(const StepData& data, const SymbolValues& symbols) override;
  [[nodiscard]] Status record_times(bool on) override;
  [[nodiscard]] std::vector<NodeTime> take_times() override;

 private:
  CompiledPlan() = default;
  Status allocate_arenas(const Draft& draft);
  void keep_transfers(const Draft& draft);
  void keep_segments(Draft& draft);
  void write_report(const Draft& draft);
  void find_state_homes(const Draft& draft);

  Status check(const StepData& data, const SymbolValues& symbols) const;
  Status start(const StepData& data, const SymbolValues& symbols);
  Status copy(const CopyTransfer& transfer, const SymbolValues& symbols);
  Status finish_all();

  // Backends are declared first: they go last.
  std::vector<std::shared_ptr<Backend>> backends_;
  std::vector<std::unique_ptr<Buffer>> arenas_;
  std::vector<std::unique_ptr<Queue>> queues_;  ///< one a backend; null for those that nothing runs on
  std::vector<RunSegment> segments_;
  std::vector<Transfer> uploads_;
  std::vector<Transfer> downloads_;
  std::vector<std::byte> staging_;
  std::vector<std::size_t> state_homes_;  ///< backend of each state
  std::vector<TensorDesc> inputs_;
  std::vector<std::string> input_names_;
  std::vector<Symbol> symbols_;  ///< those that the graph's inputs and states use
  PlanLimits limits_;
  PlanReport report_;
};

}  // namespace weft::graph
