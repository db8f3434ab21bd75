// The border between the graph and what runs it: select -> compile -> enqueue.
// A backend runs segments (runs of op calls); it knows nothing of graphs, models or other backends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/embedded_file.hpp"
#include "core/facts.hpp"
#include "core/ops.hpp"
#include "core/result.hpp"
#include "core/rules/rules.hpp"
#include "core/tensor.hpp"

namespace weft {

/// What a plan is for.
enum class Phase : std::uint8_t { prefill, decode };
[[nodiscard]] std::string_view name_of(Phase phase);

/// Whether kernels may round activations to int8 blocks (fast) or must keep them as they are (exact).
enum class Precision : std::uint8_t { fast, exact };
[[nodiscard]] std::string_view name_of(Precision precision);

/// All that selection may depend on. Symbolic dimensions count as their maximum.
struct OpCall {
  Op op;
  TensorDescs inputs;
  TensorDescs outputs;
  Phase phase = Phase::prefill;
  Precision precision = Precision::fast;
};
/// The op's own facts, its operand types where the op names them, `phase` and `precision`.
[[nodiscard]] Facts facts_of(const OpCall& call);
/// The same names with example values: the vocabulary of kernel rules for an op, before device.* is added.
[[nodiscard]] Facts example_call_facts(std::string_view op_name);

/// A kernel chosen for a call, and why.
struct Selection {
  std::string kernel;  ///< `<backend>/<op>/<variant>`
  RuleParameters with;
  std::string rule;  ///< `<file>#<number>`, numbers from 1
  std::string why;
  ActivationPrecision activations = ActivationPrecision::full;
  bool deterministic = true;
  std::vector<PassedRule> passed;
};

/// Facts about a device.
struct DeviceInfo {
  std::string id;           ///< short and stable: "CPU", "OpenCL0"
  std::string description;  ///< for people
  std::string vendor;
  std::string driver;
  std::int64_t units = 1;  ///< cores or compute units in use
  std::int64_t local_bytes = 0;
  std::int64_t max_allocation_bytes = 0;
  std::int64_t total_bytes = 0;
  std::int64_t free_bytes = 0;  ///< 0 = unknown
  std::vector<std::string> features;
  /// Buffers of backends of one domain can be bound to each other's executables: "host", "opencl0" …
  std::string memory_domain;
};
/// `vendor`, `units`, `local_bytes`, `max_allocation_bytes`, `features`: rules see them as `device.…`.
[[nodiscard]] Facts facts_of(const DeviceInfo& device);

enum class MemoryKind : std::uint8_t { weights, state, arena, staging };

/// Memory of a backend. Freed when the last owner goes; keeps its device context alive.
class Buffer {
 public:
  virtual ~Buffer() = default;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// The bytes, where the host can reach them directly; null otherwise.
  [[nodiscard]] virtual std::byte* host() { return nullptr; }
};

/// A range of a buffer that someone else owns.
struct BufferView {
  Buffer* buffer = nullptr;
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

/// How long one step of a segment took on the device.
struct StepTime {
  std::size_t segment = 0;  ///< Executable::id()
  std::size_t step = 0;     ///< index in the segment
  double seconds = 0;
};

/// A point of a queue's work, waited for by other queues of the same backend.
class Event {
 public:
  virtual ~Event() = default;
};

struct QueueOptions {
  bool times = false;  ///< record StepTimes; never changes what runs
};

/// Work in order. Not thread-safe: one thread at a time.
class Queue {
 public:
  virtual ~Queue() = default;
  /// Copies host bytes in; `source` may be reused when the call returns.
  [[nodiscard]] virtual Status upload(const BufferView& target, std::span<const std::byte> source) = 0;
  /// Copies out; blocks until the bytes are there.
  [[nodiscard]] virtual Status download(std::span<std::byte> target, const BufferView& source) = 0;
  /// Copies inside the backend.
  [[nodiscard]] virtual Status copy(const BufferView& target, const BufferView& source) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<Event>> record() = 0;
  [[nodiscard]] virtual Status after(const Event& event) = 0;
  /// Blocks until all work is done; reports errors of it.
  [[nodiscard]] virtual Status finish() = 0;
  /// Times of the steps that ran since the last call, after finish(); empty unless asked for.
  [[nodiscard]] virtual std::vector<StepTime> take_times() { return {}; }
};

/// One operand's place. Constants come with their bytes; everything else lies in one of the segment's bindings.
struct SegmentValue {
  std::string name;
  TensorDesc desc;
  std::shared_ptr<const HostTensor> constant;  ///< set for weights and other constants
  std::size_t binding = 0;                     ///< else: which binding
  std::size_t byte_offset = 0;                 ///< and where in it
};

inline constexpr std::ptrdiff_t no_value = -1;

/// One op call of a segment. Operands are indices into Segment::values, no_value for absent ones.
struct SegmentStep {
  OpCall call;
  Selection selection;
  std::vector<std::ptrdiff_t> inputs;
  std::vector<std::ptrdiff_t> outputs;
  std::string name;  ///< of the node, for messages and profiles
};

/// A run of op calls on one backend, in an order that respects their dependencies.
struct Segment {
  std::vector<SegmentValue> values;
  std::vector<SegmentStep> steps;
  std::size_t bindings = 0;  ///< how many buffers enqueue is given
};

/// The buffers of a segment, in the order of its binding numbers.
using Bindings = std::span<const BufferView>;

/// A compiled segment. Immutable; may be enqueued from one queue at a time.
class Executable {
 public:
  virtual ~Executable() = default;
  /// Starts the segment. Allocates, looks up and compiles nothing. Symbols lie within the descriptors' maxima.
  [[nodiscard]] virtual Status enqueue(Queue& queue, Bindings bindings, const SymbolValues& symbols) const = 0;
  /// Bytes of packed weights and scratch that this executable keeps alive beside its bindings.
  [[nodiscard]] virtual std::size_t resident_bytes() const { return 0; }
  /// Identifies the segment in StepTimes: unique within the backend.
  [[nodiscard]] virtual std::size_t id() const = 0;
  /// How the segment is run, for --explain: "1 parallel region of 12 steps", "5 launches".
  [[nodiscard]] virtual std::string description() const = 0;
};

/// One device ready to run segments. Thread-safe but for its queues.
class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;  ///< "reference", "cpu", "opencl"
  [[nodiscard]] virtual const DeviceInfo& device() const = 0;
  /// Which kernel by which rule, or `unsupported` with the facts that failed. Cheap and pure.
  [[nodiscard]] virtual Result<Selection> select(const OpCall& call) const = 0;
  /// Every kernel that some rule reaches for this call, earlier rules notwithstanding; for conformance.
  [[nodiscard]] virtual std::vector<Selection> alternatives(const OpCall& call) const = 0;
  /// The rule tables in force, for `weft rules` and `weft ops`.
  [[nodiscard]] virtual std::span<const RuleTable> rules() const = 0;
  /// What this backend knowingly leaves to others, with reasons: the file of core/conformance/limits.hpp. Conformance
  /// takes a case that isn't named there, and that no rule reaches, for a failure.
  [[nodiscard]] virtual EmbeddedFile limits() const { return {}; }
  /// Slow: builds programs, packs weights, plans launches.
  [[nodiscard]] virtual Result<std::unique_ptr<Executable>> compile(const Segment& segment) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes, MemoryKind kind) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<Queue>> make_queue(const QueueOptions& options) = 0;
  /// One line on the code paths in use: "avx512-vnni, 2 threads".
  [[nodiscard]] virtual std::string path() const = 0;
};

/// A rule file given by the user: replaces the embedded table of the same backend (or placement) and op.
struct RuleOverride {
  std::string source;  ///< for messages
  std::string text;
};

/// What a backend is made with.
struct BackendOptions {
  std::int64_t threads = 0;         ///< cpu: 0 = as many as the process may use
  std::string isa;                  ///< cpu: force "avx512", "avx2", "portable"; empty = the best there is
  std::string device;               ///< opencl: id or part of a name; empty = the first usable
  std::string cache_dir;            ///< opencl: folder of the program cache; empty = none
  std::vector<RuleOverride> rules;  ///< only those meant for this backend
};

}  // namespace weft
