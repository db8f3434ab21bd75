// What a run of conformance says while it runs: enough to make a report of, in this process or in another.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft::conformance {

/// A kernel on a sample, and what rule chose it.
struct CaseId {
  std::string op;
  std::string sample;              ///< with what was done to it: ", with a NaN", ", exact maxima"
  std::string kernel;              ///< `<backend>/<op>/<variant>`
  std::string rule;                ///< `<file>#<number>`: the first rule that reached it
  std::vector<std::string> rules;  ///< all that did
  std::size_t number = 0;          ///< among the sample's cases, from 0
  bool operator==(const CaseId&) const = default;
};

struct CaseOutcome {
  std::string fault;      ///< empty when right
  double worst = 0;       ///< largest error / tolerance
  std::size_t limit = 0;  ///< number of the entry in limits.json that says that this case can't run; 0: none
};

/// A sample that the backend leaves to another one.
struct Unsupported {
  std::string op;
  std::string sample;
  std::string reason;     ///< of limits.json, else which tests of which rules failed
  std::size_t limit = 0;  ///< number of the entry in limits.json; 0: none names it, which is a failure
  bool operator==(const Unsupported&) const = default;
};

/// Told in order: a sample, then its cases one after the other, each with its end.
class Events {
 public:
  virtual ~Events() = default;
  virtual void sample_begins(std::size_t index, const std::string& op, const std::string& sample) = 0;
  virtual void case_begins(const CaseId& id) = 0;
  virtual void case_ended(const CaseId& id, const CaseOutcome& outcome) = 0;
  virtual void unsupported(const Unsupported& unsupported) = 0;
  /// A fault of no single case.
  virtual void problem(const std::string& text) = 0;
};

}  // namespace weft::conformance
