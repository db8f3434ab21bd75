// Events of a run as lines of JSON: how a child process tells its parent. The first line is the inventory, the last
// says that the run came to its end.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/conformance/events.hpp"
#include "core/conformance/report.hpp"
#include "core/result.hpp"

namespace weft::conformance {

/// Writes each event to a file descriptor as it happens, so that the last one is known when the process dies. Doesn't
/// own the descriptor. Errors of writing end up as a missing end on the other side.
class EventWriter final : public Events {
 public:
  explicit EventWriter(int descriptor) : descriptor_(descriptor) {}
  void inventory(const Inventory& inventory) const;
  void sample_begins(std::size_t index, const std::string& op, const std::string& sample) override;
  void case_begins(const CaseId& id) override;
  void case_ended(const CaseId& id, const CaseOutcome& outcome) override;
  void unsupported(const Unsupported& unsupported) override;
  void problem(const std::string& text) override;
  void end() const;

 private:
  void write_line(const std::string& json) const;
  int descriptor_;
};

struct SampleBegins {
  std::size_t index = 0;
  std::string op, sample;
};
struct CaseEnded {
  CaseId id;
  CaseOutcome outcome;
};
struct Problem {
  std::string text;
};
struct End {};

using Event = std::variant<Inventory, SampleBegins, CaseId, CaseEnded, Unsupported, Problem, End>;

/// One line of an EventWriter, without its end. Errors: invalid_file.
[[nodiscard]] Result<Event> parse_event(std::string_view line);

/// Tells `events` of what an event says; inventories and ends are no news to them.
void replay(const Event& event, Events& events);

}  // namespace weft::conformance
