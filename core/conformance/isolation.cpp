// Hands slices of the samples to children, and goes on behind what a child died of.
#include "core/conformance/isolation.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "core/conformance/child_process.hpp"
#include "core/conformance/event_stream.hpp"

namespace weft::conformance {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t most_losses = 10;    // of one kernel, before it is left out
constexpr std::size_t slices_a_child = 8;  // so that children end at about the same time

/// A run of samples, done by one child after the other. Its events are kept, so that reports don't depend on timing.
struct Slice {
  SampleRange rest;
  std::vector<Event> events;
  std::optional<ChildProcess> child;
  std::optional<SampleBegins> sample;  ///< that the child is at
  std::optional<CaseId> open_case;
  bool ended = false;  ///< the child said that it is through
  bool done = false;
};

class Supervisor {
 public:
  explicit Supervisor(const Isolation& isolation) : isolation_(isolation) {}

  Result<Report> run() {
    Slice look;
    look.rest = {0, 0, 0};
    slices_.push_back(std::move(look));
    if (Status ok = run_slices(); !ok) return error_of(ok);
    if (!inventory_ || !slices_.front().events.empty()) return error_of(opening_fault());
    cut_slices();
    if (Status ok = run_slices(); !ok) return error_of(ok);
    ReportBuilder builder(std::move(*inventory_));
    for (const Slice& slice : slices_) {
      for (const Event& event : slice.events) replay(event, builder);
    }
    for (const auto& [kernel, count] : losses_) {
      if (count < most_losses) continue;
      builder.problem(
          fmt::format("{}: left out after it ended {} child processes; its other cases did not run", kernel, count));
    }
    return std::move(builder).finish();
  }

 private:
  Status opening_fault() const {
    const auto& events = slices_.front().events;
    const auto* problem = events.empty() ? nullptr : std::get_if<Problem>(&events.front());
    return fail(ErrorCode::internal, "conformance: opening the backend: {}",
                problem == nullptr ? "the child process said nothing of it" : problem->text);
  }

  void cut_slices() {
    slices_.clear();
    const std::size_t pieces = isolation_.jobs == 1 ? 1 : isolation_.jobs * slices_a_child;
    const std::size_t length = std::max<std::size_t>(1, (inventory_->samples + pieces - 1) / pieces);
    for (std::size_t first = 0; first < inventory_->samples; first += length) {
      Slice slice;
      slice.rest = {first, 0, std::min(first + length, inventory_->samples)};
      slices_.push_back(std::move(slice));
    }
  }

  Status run_slices() {
    while (std::ranges::any_of(slices_, [](const Slice& s) { return !s.done; })) {
      if (Status ok = start_children(); !ok) return ok;
      wait_for_children();
      for (Slice& slice : slices_) {
        if (slice.child) listen(slice);
      }
    }
    return {};
  }

  Status start_children() {
    const auto runs = [](const Slice& s) { return s.child.has_value(); };
    auto running = static_cast<std::size_t>(std::ranges::count_if(slices_, runs));
    for (Slice& slice : slices_) {
      if (slice.done || slice.child || running >= isolation_.jobs) continue;
      ChildTask task{slice.rest, {}};
      for (const auto& [kernel, count] : losses_) {
        if (count >= most_losses) task.left_out.push_back(kernel);
      }
      std::vector<std::string> command = isolation_.command;
      for (std::string& argument : child_arguments(task)) command.push_back(std::move(argument));
      auto child = ChildProcess::start(command);
      if (!child) return error_of(child);
      slice.child = std::move(*child);
      slice.sample.reset();
      slice.open_case.reset();
      slice.ended = false;
      ++running;
    }
    return {};
  }

  /// Sleeps until a child says something, or until the first one is out of time.
  void wait_for_children() const {
    std::vector<pollfd> files;
    Clock::time_point first = Clock::time_point::max();
    for (const Slice& slice : slices_) {
      if (!slice.child) continue;
      files.push_back({slice.child->descriptor(), POLLIN, 0});
      first = std::min(first, slice.child->last_heard() + isolation_.timeout);
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(first - Clock::now()).count();
    poll(files.data(), files.size(), static_cast<int>(std::clamp<std::int64_t>(left + 1, 0, 1 << 30)));
  }

  void listen(Slice& slice) {
    const bool open = slice.child->read_some();
    while (const auto line = slice.child->next_line()) take(*line, slice);
    const bool late = Clock::now() - slice.child->last_heard() > isolation_.timeout;
    if (open && !late) return;
    std::string how = slice.child->end();
    if (open) how = fmt::format("did not end within {} s", isolation_.timeout.count());
    slice.child.reset();
    if (slice.ended && how.empty()) {
      slice.done = true;
    } else {
      note_loss(slice, how.empty() ? "left before its end" : how);
    }
  }

  void take(const std::string& line, Slice& slice) {
    auto parsed = parse_event(line);
    if (!parsed) {
      slice.events.emplace_back(Problem{parsed.error().message});
      return;
    }
    Event& event = *parsed;
    if (auto* inventory = std::get_if<Inventory>(&event)) {
      if (!inventory_) inventory_ = std::move(*inventory);
      return;
    }
    if (std::holds_alternative<End>(event)) {
      slice.ended = true;
    } else if (const auto* sample = std::get_if<SampleBegins>(&event)) {
      slice.sample = *sample;
    } else if (const auto* id = std::get_if<CaseId>(&event)) {
      slice.open_case = *id;
    } else {
      if (std::holds_alternative<CaseEnded>(event)) slice.open_case.reset();
      slice.events.push_back(std::move(event));
    }
  }

  /// The child is gone, by itself or by its time limit: blames what it was at, and moves the slice on behind that.
  void note_loss(Slice& slice, const std::string& how) {
    if (slice.ended || !slice.sample) {
      const std::string_view when = slice.ended ? "after its last case" : "before its first sample";
      slice.events.emplace_back(Problem{fmt::format("a child process {} {}", how, when)});
      slice.done = true;
      return;
    }
    const SampleBegins& sample = *slice.sample;
    if (slice.open_case) {
      slice.rest = {sample.index, slice.open_case->number + 1, slice.rest.last};
      ++losses_[slice.open_case->kernel];
      slice.events.emplace_back(CaseEnded{*slice.open_case, {"the process that ran it " + how, 0, 0}});
    } else {
      slice.rest = {sample.index + 1, 0, slice.rest.last};
      slice.events.emplace_back(
          Problem{fmt::format("{}: sample \"{}\": a child process {} between cases; the rest of the sample did not run",
                              sample.op, sample.sample, how)});
    }
    slice.done = slice.rest.first >= slice.rest.last;
  }

  const Isolation& isolation_;
  std::optional<Inventory> inventory_;
  std::vector<Slice> slices_;
  std::map<std::string, std::size_t> losses_;  ///< children that a kernel ended
};

}  // namespace

Result<Report> run_isolated(const Isolation& isolation) { return Supervisor(isolation).run(); }

std::vector<std::string> child_arguments(const ChildTask& task) {
  std::string text = fmt::format("{}:{}:{}", task.range.first, task.range.first_case, task.range.last);
  for (const std::string& kernel : task.left_out) text += ":" + kernel;
  return {"--child", text};
}

Result<ChildTask> parse_child_task(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t colon = std::min(text.find(':', at), text.size());
    parts.push_back(text.substr(at, colon - at));
    at = colon + 1;
  }
  std::array<std::size_t, 3> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::string_view part = i < parts.size() ? parts[i] : std::string_view();
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), numbers[i]);
    if (part.empty() || error != std::errc() || end != part.data() + part.size()) {
      return fail(ErrorCode::invalid_argument, "--child is \"{}\", wanted FIRST:CASE:LAST[:KERNEL…]", text);
    }
  }
  ChildTask task{{numbers[0], numbers[1], numbers[2]}, {}};
  for (std::size_t i = numbers.size(); i < parts.size(); ++i) task.left_out.emplace_back(parts[i]);
  return task;
}

Status run_child(Backend& backend, Options options, const ChildTask& task) {
  auto inventory = take_inventory(backend, options);
  if (!inventory) return error_of(inventory);
  EventWriter events(event_descriptor);
  events.inventory(*inventory);
  options.left_out = task.left_out;
  if (Status ok = run_samples(backend, options, task.range, events); !ok) return ok;
  events.end();
  return {};
}

}  // namespace weft::conformance
