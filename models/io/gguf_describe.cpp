// Renders the contents of a GGUF file as a text table and as JSON.
#include "models/io/gguf_describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "models/io/gguf_values.hpp"
#include "models/io/printable.hpp"

namespace weft::models {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t shown_elements = 5;
constexpr std::size_t shown_text_bytes = 100;
constexpr std::size_t shown_element_bytes = 24;

/// Sums over the tensors of one type, or of all.
struct Totals {
  std::string_view type;
  std::uint64_t tensors = 0;
  std::uint64_t parameters = 0;
  std::uint64_t bytes = 0;
};

/// Can't overflow: an open file's tensors lie inside it and have at most eight elements a byte.
std::uint64_t parameters(const GgufTensor& tensor) {
  if (tensor.bytes == 0) return 0;
  std::uint64_t product = 1;
  for (const std::int64_t dim : tensor.dims) product *= static_cast<std::uint64_t>(dim);
  return product;
}

void add(Totals& totals, const GgufTensor& tensor) {
  ++totals.tensors;
  totals.parameters += parameters(tensor);
  totals.bytes += tensor.bytes;
}

/// One entry a type, most bytes first.
std::vector<Totals> totals_by_type(const GgufFile& file) {
  std::unordered_map<std::string_view, Totals> by_type;
  for (const GgufTensor& tensor : file.tensors()) {
    Totals& totals = by_type[tensor.type_name];
    totals.type = tensor.type_name;
    add(totals, tensor);
  }
  std::vector<Totals> sorted;
  for (const auto& [type, totals] : by_type) sorted.push_back(totals);
  std::ranges::sort(sorted, [](const Totals& a, const Totals& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.type < b.type;
  });
  return sorted;
}

Totals totals_of_all(const GgufFile& file) {
  Totals totals;
  for (const GgufTensor& tensor : file.tensors()) add(totals, tensor);
  return totals;
}

/// Most files store f32: the shortest decimal of the float ("1e-05") says more than the double it was widened to.
std::string decimal(double value) {
  const auto narrow = static_cast<float>(value);
  return static_cast<double>(narrow) == value ? fmt::format("{}", narrow) : fmt::format("{}", value);
}

std::string scaled(std::uint64_t value, double step, std::span<const std::string_view> units) {
  if (static_cast<double>(value) < step) return fmt::format("{}{}", value, units[0]);
  auto number = static_cast<double>(value);
  std::size_t unit = 0;
  while (number >= step && unit + 1 < units.size()) {
    number /= step;
    ++unit;
  }
  return fmt::format("{:.2f}{}", number, units[unit]);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> units{" B", " KiB", " MiB", " GiB", " TiB"};
  return scaled(bytes, 1024.0, units);
}

std::string count_text(std::uint64_t count) {
  constexpr std::array<std::string_view, 5> units{"", " K", " M", " B", " T"};
  return scaled(count, 1000.0, units);
}

template <class T>
std::string element_text(const T& element) {
  if constexpr (std::is_same_v<T, std::string>) {
    return fmt::format("\"{}\"", printable(element, shown_element_bytes));
  } else if constexpr (std::is_same_v<T, double>) {
    return decimal(element);
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return element != 0 ? "true" : "false";
  } else {
    return fmt::format("{}", element);
  }
}

template <class T>
std::string array_text(const std::vector<T>& elements) {
  std::string out = "[";
  const std::size_t shown = std::min(elements.size(), shown_elements);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += ", ";
    out += element_text(elements[i]);
  }
  return out + (shown < elements.size() ? fmt::format(", ... {} in all]", elements.size()) : "]");
}

std::string value_text(const GgufValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return printable(*text, shown_text_bytes);
  if (const auto* number = std::get_if<double>(&value)) return decimal(*number);
  if (const auto* array = std::get_if<GgufArray>(&value)) {
    return std::visit([](const auto& elements) { return array_text(elements); }, *array);
  }
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  if (const auto* wide = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *wide);
  return fmt::format("{}", std::get<std::int64_t>(value));
}

/// Rows of cells in aligned columns, two blanks between them; the last column isn't padded.
class Table {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string out;
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i + 1 < row.size(); ++i) out += fmt::format("{:<{}}  ", row[i], widths[i]);
      out += row.back() + "\n";
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string types_table(const GgufFile& file) {
  Table table;
  table.add({"type", "tensors", "parameters", "size"});
  for (const Totals& totals : totals_by_type(file)) {
    table.add({std::string(totals.type), fmt::format("{}", totals.tensors), count_text(totals.parameters),
               bytes_text(totals.bytes)});
  }
  return table.text();
}

std::string metadata_table(const GgufFile& file) {
  Table table;
  table.add({"key", "kind", "value"});
  for (const auto& [key, value] : file.metadata()) {
    table.add({printable(key), std::string(kind_of(value)), value_text(value)});
  }
  return table.text();
}

std::string tensors_table(const GgufFile& file) {
  Table table;
  table.add({"tensor", "type", "shape", "size"});
  for (const GgufTensor& tensor : file.tensors()) {
    table.add({printable(tensor.name), std::string(tensor.type_name), fmt::format("[{}]", fmt::join(tensor.dims, ", ")),
               bytes_text(tensor.bytes)});
  }
  return table.text();
}

Json number_json(double value) {
  // Through the shortest decimal, so that an f32 of 1e-05 reads 1e-05.
  return std::isfinite(value) ? Json(std::strtod(decimal(value).c_str(), nullptr)) : Json(nullptr);
}

template <class T>
Json array_json(const std::vector<T>& elements) {
  Json::array_t out;
  out.reserve(elements.size());
  for (const T& element : elements) {
    if constexpr (std::is_same_v<T, double>) {
      out.push_back(number_json(element));
    } else if constexpr (std::is_same_v<T, std::uint8_t>) {
      out.emplace_back(element != 0);
    } else {
      out.emplace_back(element);
    }
  }
  return out;
}

struct ToJson {
  Json operator()(double value) const { return number_json(value); }
  Json operator()(const GgufArray& array) const {
    return std::visit([](const auto& elements) { return array_json(elements); }, array);
  }
  Json operator()(const auto& value) const { return value; }
};

Json metadata_json(const GgufFile& file) {
  Json::object_t out;
  // emplace_back, not operator[]: keys are unique, and this map finds by walking all of them.
  for (const auto& [key, value] : file.metadata()) out.emplace_back(key, std::visit(ToJson{}, value));
  return out;
}

Json totals_json(const Totals& totals) {
  return {{"tensors", totals.tensors}, {"parameters", totals.parameters}, {"bytes", totals.bytes}};
}

Json types_json(const GgufFile& file) {
  Json::object_t out;
  for (const Totals& totals : totals_by_type(file)) out.emplace_back(std::string(totals.type), totals_json(totals));
  return out;
}

Json tensors_json(const GgufFile& file) {
  Json::array_t out;
  for (const GgufTensor& tensor : file.tensors()) {
    out.push_back({{"name", tensor.name},
                   {"type", tensor.type_name},
                   {"shape", tensor.dims},
                   {"parameters", parameters(tensor)},
                   {"bytes", tensor.bytes},
                   {"offset", tensor.offset}});
  }
  return out;
}

}  // namespace

std::string describe_text(const GgufFile& file) {
  const Totals all = totals_of_all(file);
  Table head;
  head.add({"file", printable(file.path().string(), 400)});
  head.add({"format", fmt::format("GGUF version {}, alignment {}", file.version(), file.alignment())});
  head.add({"metadata", fmt::format("{} keys", file.metadata().size())});
  head.add({"tensors",
            fmt::format("{}, {} parameters, {}", all.tensors, count_text(all.parameters), bytes_text(all.bytes))});
  return fmt::format("{}\n{}\n{}\n{}", head.text(), types_table(file), metadata_table(file), tensors_table(file));
}

std::string describe_json(const GgufFile& file) {
  const Json json = {{"file", file.path().string()},  {"version", file.version()},
                     {"alignment", file.alignment()}, {"total", totals_json(totals_of_all(file))},
                     {"types", types_json(file)},     {"metadata", metadata_json(file)},
                     {"tensors", tensors_json(file)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weft::models
