// One pass over the text with a SAX handler that remembers the keys of each open object.
#include "core/rules/strict_json.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t max_depth = 8;

class StrictHandler final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    if (!level.keys.insert(name).second)
      return refuse(fmt::format("the key {} is repeated; keep one", json_quoted(name)));
    level.last_key = name;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    // The parser's text is "[json.exception…] parse error at line L, column C: reason".
    std::string_view reason = error.what();
    if (const std::size_t at = reason.find("] "); at != std::string_view::npos) reason.remove_prefix(at + 2);
    return refuse(fmt::format("not valid JSON (byte {}): {}", position, reason));
  }

  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  struct Level {
    std::set<std::string, std::less<>> keys;
    std::string last_key;
    std::size_t values = 0;
  };

  bool value() {
    if (!levels_.empty()) ++levels_.back().values;
    return true;
  }

  bool open() {
    value();
    if (levels_.size() == max_depth) return refuse(fmt::format("nested deeper than {} levels", max_depth));
    levels_.emplace_back();
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  bool refuse(std::string reason) {
    const bool in_rule = levels_.size() > 2 && levels_.front().last_key == "rules";
    problem_ = in_rule ? fmt::format("rule {}: {}", levels_[1].values, reason) : std::move(reason);
    return false;
  }

  std::vector<Level> levels_;
  std::string problem_;
};

}  // namespace

Status check_strict_json(std::string_view json, std::string_view source) {
  StrictHandler handler;
  if (Json::sax_parse(json, &handler)) return {};
  return fail(ErrorCode::invalid_file, "{}: {}", source, handler.problem());
}

std::string json_quoted(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace weft
