// Ends a stream of text at the first of several stop strings, wherever the pieces of the stream are cut.
#include "models/stop_strings.hpp"

#include <algorithm>
#include <utility>

namespace weft::models {

Result<StopMatcher> StopMatcher::make(const std::vector<std::string>& stops) {
  StopMatcher matcher;
  for (std::size_t i = 0; i < stops.size(); ++i) {
    if (stops[i].empty()) {
      return fail(ErrorCode::invalid_argument,
                  "stop string {} of {} is empty, wanted at least one character: it would stop at once", i + 1,
                  stops.size());
    }
    matcher.stops_.add(stops[i], static_cast<std::int32_t>(i));
  }
  return matcher;
}

StopStep StopMatcher::push(std::string_view text) {
  if (stopped_) return {.text = {}, .stopped = true};
  held_ += text;
  const Found found = look();
  stopped_ = found.match < found.pending;
  const std::size_t safe = std::min({found.match, found.pending, held_.size()});
  StopStep step{held_.substr(0, safe), stopped_};
  held_.erase(0, stopped_ ? held_.size() : safe);
  return step;
}

StopStep StopMatcher::finish() {
  const Found found = look();
  const bool matched = found.match != std::string::npos;
  StopStep step{held_.substr(0, found.match), stopped_ || matched};
  held_.clear();
  stopped_ = false;
  return step;
}

StopMatcher::Found StopMatcher::look() const {
  Found found;
  for (std::size_t start = 0; start < held_.size(); ++start) {
    ByteTrie::Node node = ByteTrie::root;
    for (std::size_t at = start; at < held_.size() && node != ByteTrie::none; ++at) {
      node = stops_.next(node, held_[at]);
      if (node == ByteTrie::none || stops_.value(node) == ByteTrie::no_value) continue;
      found.match = start;
      return found;
    }
    if (node != ByteTrie::none) found.pending = std::min(found.pending, start);
  }
  return found;
}

}  // namespace weft::models
