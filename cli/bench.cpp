// weft bench: prompt and generation speed as llama-bench tables them, with the share of the measured read bandwidth.
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <unistd.h>

#include <boost/program_options/value_semantic.hpp>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/bandwidth.hpp"
#include "bench/end_to_end.hpp"
#include "cli/explain.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"

namespace weft::cli {
namespace {

OptionTable make_table() {
  OptionTable table{
      .verb = "bench",
      .usage = "weft bench MODEL [-p LIST] [-n LIST] [-d LIST] [-r N] [-o FORMAT] [OPTION …]",
      .about =
          "Times prompts (pp) and generation (tg) of random tokens, one warm-up and -r repetitions each, and\n"
          "measures the machine's read bandwidth in the same run. A list is 128,512 or 0 for none.",
      .options = {},
      .positionals = {}};
  add_model_options(table);
  table.options.add_options()("n-prompt,p", po::value<std::string>()->default_value("512"),
                              "prompt lengths (default 512)")("n-gen,n", po::value<std::string>()->default_value("128"),
                                                              "numbers of generated tokens (default 128)")(
      "prompt-gen", po::value<std::string>()->default_value(""), "pairs measured together: 512+128,…")(
      "n-depth,d", po::value<std::string>()->default_value("0"), "tokens in the context before the test (default 0)")(
      "repetitions,r", po::value<std::int64_t>()->default_value(5), "timed runs of each test (default 5)")(
      "output,o", po::value<std::string>()->default_value("md"), "md, csv, json or jsonl (default md)")(
      "json", po::bool_switch(), "the same as -o json");
  add_session_options(table);
  add_backend_options(table);
  return table;
}

Result<std::int64_t> whole_number(std::string_view flag, const std::string& text) {
  try {
    std::size_t used = 0;
    const std::int64_t number = std::stoll(text, &used);
    if (used == text.size() && number >= 0 && number <= 1'000'000) return number;
  } catch (const std::exception&) {
    // falls through to the message
  }
  return fail(ErrorCode::invalid_argument, "{}: \"{}\" is no number from 0 to 1000000", flag, text);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

Result<std::vector<std::int64_t>> numbers(std::string_view flag, const std::string& list) {
  std::vector<std::int64_t> result;
  for (const std::string& part : split(list, ',')) {
    const auto number = whole_number(flag, part);
    if (!number) return error_of(number);
    result.push_back(*number);
  }
  return result;
}

Result<std::vector<bench::Case>> cases(const Parsed& parsed) {
  const auto prompts = numbers("-p", parsed.text("n-prompt"));
  if (!prompts) return error_of(prompts);
  const auto generated = numbers("-n", parsed.text("n-gen"));
  if (!generated) return error_of(generated);
  const auto depths = numbers("-d", parsed.text("n-depth"));
  if (!depths) return error_of(depths);
  std::vector<bench::Case> result;
  for (const std::int64_t depth : *depths) {
    for (const std::int64_t p : *prompts) {
      if (p > 0) result.push_back({p, 0, depth});
    }
    for (const std::int64_t n : *generated) {
      if (n > 0) result.push_back({0, n, depth});
    }
    for (const std::string& pair : split(parsed.text("prompt-gen"), ',')) {
      const auto both = split(pair, '+');
      if (both.size() != 2) return fail(ErrorCode::invalid_argument, "-pg: \"{}\" is no pair like 512+128", pair);
      const auto p = whole_number("-pg", both[0]);
      if (!p) return error_of(p);
      const auto n = whole_number("-pg", both[1]);
      if (!n) return error_of(n);
      result.push_back({*p, *n, depth});
    }
  }
  if (result.empty()) return fail(ErrorCode::invalid_argument, "nothing to measure: -p, -n and -pg are all empty or 0");
  return result;
}

/// What a whole run found.
struct Results {
  std::vector<bench::Measurement> rows;
  double bandwidth_before = 0;  ///< bytes per second; 0 where it isn't the host's memory that is read
  double bandwidth_after = 0;
  double weight_bytes = 0;
  double parameters = 0;
  std::int64_t threads = 0;
  [[nodiscard]] double bandwidth() const { return 0.5 * (bandwidth_before + bandwidth_after); }
};

/// Bytes per second that a generation test read; 0 for prompts, where it says nothing.
double read_rate(const bench::Measurement& m) { return m.test.prompt == 0 ? m.median_rate() * m.bytes_per_token : 0; }

void print_table(const Engine& engine, const Results& results) {
  fmt::print(
      "| model | size | params | backend | threads | test | t/s | median | min … max | GB/s | share |\n"
      "| --- | ---: | ---: | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |\n");
  for (const bench::Measurement& m : results.rows) {
    const double rate = read_rate(m);
    fmt::print("| {} | {:.2f} GiB | {:.2f} M | {} | {} | {} | {:.2f} ± {:.2f} | {:.2f} | {:.2f} … {:.2f} | {} | {} |\n",
               engine.model->file().path().stem().string(), results.weight_bytes / 1073741824.0,
               results.parameters / 1e6, engine.backends.front()->name(), results.threads, m.test.name(), m.mean_rate(),
               m.rate_deviation(), m.median_rate(), m.slowest_rate(), m.fastest_rate(),
               rate > 0 ? fmt::format("{:.1f}", rate / 1e9) : "",
               rate > 0 && results.bandwidth() > 0 ? fmt::format("{:.0f} %", 100 * rate / results.bandwidth()) : "");
  }
  fmt::print("\n");
  if (results.bandwidth() > 0) {
    fmt::print("read bandwidth of {} threads: {:.1f} GB/s before, {:.1f} GB/s after\n", results.threads,
               results.bandwidth_before / 1e9, results.bandwidth_after / 1e9);
  }
  fmt::print("{}\n", path_line(engine.session->plan(Phase::decode).report(), engine.backends));
}

nlohmann::ordered_json row_json(const Engine& engine, const Results& results, const bench::Measurement& m) {
  nlohmann::ordered_json json;
  json["build_version"] = WEFT_VERSION;
  json["backend"] = engine.backends.front()->name();
  json["path"] = path_line(engine.session->plan(Phase::decode).report(), engine.backends);
  json["device"] = engine.backends.front()->device().description;
  json["driver"] = engine.backends.front()->device().driver;
  json["model_filename"] = engine.model->file().path().filename().string();
  json["model_size"] = results.weight_bytes;
  json["model_n_params"] = results.parameters;
  json["n_threads"] = results.threads;
  json["n_prompt"] = m.test.prompt;
  json["n_gen"] = m.test.generated;
  json["n_depth"] = m.test.depth;
  json["test"] = m.test.name();
  json["test_time"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
  std::vector<double> nanoseconds, rates;
  for (const double s : m.seconds) {
    nanoseconds.push_back(s * 1e9);
    rates.push_back(m.tokens() / s);
  }
  json["avg_ts"] = m.mean_rate();
  json["stddev_ts"] = m.rate_deviation();
  json["median_ts"] = m.median_rate();
  json["samples_ns"] = nanoseconds;
  json["samples_ts"] = rates;
  json["bytes_per_token"] = m.bytes_per_token;
  json["read_bytes_per_second"] = read_rate(m);
  json["bandwidth_before"] = results.bandwidth_before;
  json["bandwidth_after"] = results.bandwidth_after;
  return json;
}

void print_csv(const Engine& engine, const Results& results) {
  bool header = true;
  for (const bench::Measurement& m : results.rows) {
    const auto json = row_json(engine, results, m);
    std::string names, values;
    for (const auto& [name, value] : json.items()) {
      if (value.is_array()) continue;
      names += (names.empty() ? "" : ",") + name;
      values += (values.empty() ? "" : ",") + value.dump();
    }
    if (header) fmt::print("{}\n", names);
    header = false;
    fmt::print("{}\n", values);
  }
}

void print_results(const Engine& engine, const Results& results, const std::string& format) {
  if (format == "md") {
    print_table(engine, results);
  } else if (format == "csv") {
    print_csv(engine, results);
  } else {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const bench::Measurement& m : results.rows) {
      all.push_back(row_json(engine, results, m));
      if (format == "jsonl") fmt::print("{}\n", all.back().dump());
    }
    if (format == "json") fmt::print("{}\n", all.dump(2));
  }
}

Result<Results> run_cases(Engine& engine, std::span<const bench::Case> tests, std::int64_t repetitions,
                          const models::SessionOptions& options) {
  Results results;
  results.weight_bytes = bench::weight_bytes(*engine.model);
  for (const models::GgufTensor& tensor : engine.model->file().tensors()) {
    double elements = 1;
    for (const std::int64_t d : tensor.dims) elements *= static_cast<double>(d);
    results.parameters += elements;
  }
  results.threads = engine.backends.front()->device().units;
  // Only the host's memory can be measured here; over as many bytes as a token reads, so that caches help both alike.
  const bool host = engine.backends.front()->device().memory_domain == "host";
  const auto bandwidth = [&] {
    return host ? bench::read_bandwidth(results.threads, static_cast<std::size_t>(results.weight_bytes)) : 0.0;
  };
  results.bandwidth_before = bandwidth();
  for (const bench::Case& test : tests) {
    if (isatty(fileno(stderr)) != 0) fmt::print(stderr, "\r\033[K{} …", test.name());
    auto row = bench::measure(*engine.session, test, repetitions, options, interrupted);
    if (!row) return error_of(row);
    results.rows.push_back(std::move(*row));
  }
  if (isatty(fileno(stderr)) != 0) fmt::print(stderr, "\r\033[K");
  results.bandwidth_after = bandwidth();
  return results;
}

}  // namespace

int bench_verb(const Arguments& arguments) {
  OptionTable table = make_table();
  const Parsed parsed = parse(table, arguments);
  if (parsed.exit) return *parsed.exit;
  const std::string format = parsed.flag("json") ? "json" : parsed.text("output");
  if (format != "md" && format != "csv" && format != "json" && format != "jsonl") {
    return usage_error("bench", fmt::format("-o is \"{}\", wanted md, csv, json or jsonl", format));
  }
  const std::int64_t repetitions = parsed.integer("repetitions");
  if (repetitions < 1) return usage_error("bench", "-r must be 1 or more");
  const auto tests = cases(parsed);
  if (!tests) return report(tests.error());
  auto options = session_options(parsed);
  if (!options) return report(options.error());
  if (options->context == 0) {
    for (const bench::Case& test : *tests) {
      options->context = std::max(options->context, test.depth + test.prompt + test.generated);
    }
  }
  auto engine = open_engine(parsed, *options);
  if (!engine) return report(engine.error());
  catch_interrupts();
  const auto results = run_cases(*engine, *tests, repetitions, *options);
  if (!results) return report(results.error());
  print_results(*engine, *results, format);
  return exit_ok;
}

}  // namespace weft::cli
