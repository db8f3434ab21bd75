// Parsing of options and the building of engines from them.
#include "cli/options.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "cli/rule_files.hpp"

namespace weft::cli {
namespace {

/// Letters that people know from llama.cpp and that have more than one character behind a single dash.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> long_letters{{
    {"-ub", "--ubatch-size"},
    {"-ngl", "--gpu-layers"},
    {"-dev", "--device"},
    {"-ctk", "--cache-type-k"},
    {"-ctv", "--cache-type-v"},
    {"-pg", "--prompt-gen"},
    {"-sp", "--special"},
}};

std::vector<std::string> with_long_names(const Arguments& arguments) {
  std::vector<std::string> result;
  for (const std::string& argument : arguments) {
    const auto* const found =
        std::ranges::find(long_letters, std::string_view(argument), [](const auto& p) { return p.first; });
    result.emplace_back(found == long_letters.end() ? argument : std::string(found->second));
  }
  return result;
}

/// WEFT_CTX_SIZE -> ctx-size, for options that the verb has; other names are not ours.
std::string option_of_variable(const po::options_description& options, std::string_view variable) {
  constexpr std::string_view prefix = "WEFT_";
  if (!variable.starts_with(prefix)) return "";
  std::string name(variable.substr(prefix.size()));
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return c == '_' ? '-' : static_cast<char>(std::tolower(c)); });
  return options.find_nothrow(name, false) != nullptr ? name : "";
}

void print_help(const OptionTable& table) {
  std::string text;
  for (const auto& option : table.options.options()) {
    if (option->description().empty()) continue;  // for programs, not for people
    const std::string letters = option->canonical_display_name(po::command_line_style::allow_dash_for_short);
    std::string names = letters.starts_with("--") ? letters : letters + ", --" + option->long_name();
    for (const auto& [letter, name] : long_letters) {
      if (name.substr(2) == option->long_name()) names = fmt::format("{}, --{}", letter, option->long_name());
    }
    const bool takes_value = option->semantic()->max_tokens() > 0;
    text += fmt::format("  {:<28} {}\n", names + (takes_value ? " X" : ""), option->description());
  }
  fmt::print("Usage: {}\n\n{}\n\nOptions:\n{}", table.usage, table.about, text);
}

}  // namespace

Parsed parse(OptionTable& table, const Arguments& arguments) {
  table.options.add_options()("help,h", po::bool_switch(), "print this text");
  po::positional_options_description positionals;
  for (const std::string& name : table.positionals) positionals.add(name.c_str(), 1);
  Parsed parsed;
  try {
    po::store(po::command_line_parser(with_long_names(arguments))
                  .options(table.options)
                  .positional(positionals)
                  .style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing)
                  .run(),
              parsed.values);
    if (parsed.flag("help")) {
      print_help(table);
      parsed.exit = exit_ok;
      return parsed;
    }
    po::store(
        po::parse_environment(table.options,
                              [&](const std::string& variable) { return option_of_variable(table.options, variable); }),
        parsed.values);
    po::notify(parsed.values);
  } catch (const po::error& error) {
    parsed.exit = usage_error(table.verb, error.what());
  }
  return parsed;
}

void add_model_options(OptionTable& table) {
  table.options.add_options()("model,m", po::value<std::string>(), "model file (GGUF); may be the first free argument")(
      "no-mmap", po::bool_switch(), "read the file into memory instead of mapping it");
  table.positionals.insert(table.positionals.begin(), "model");
}

void add_library_option(OptionTable& table) {
  table.options.add_options()("backend-library", po::value<std::vector<std::string>>()->composing(),
                              "shared library with one more backend for --backend; repeatable");
}

Result<BackendCatalogue> backend_catalogue(const Parsed& parsed) {
  if (!parsed.has("backend-library")) return BackendCatalogue();
  return BackendCatalogue::load(parsed.values["backend-library"].as<std::vector<std::string>>());
}

void add_backend_options(OptionTable& table) {
  add_library_option(table);
  table.options.add_options()(
      "backend", po::value<std::string>()->default_value("cpu"),
      "cpu, opencl or reference, or a list in the order of placement: opencl,cpu; what a backend "
      "can't run goes to the next, cpu and reference stand last (default cpu)")(
      "threads,t", po::value<std::int64_t>()->default_value(0), "cpu threads; 0 = as many as the process may use")(
      "isa", po::value<std::string>()->default_value(""), "cpu: force avx512, avx2 or portable kernels")(
      "device", po::value<std::string>()->default_value(""), "device id or part of its name (weft devices lists them)")(
      "gpu-layers", po::value<std::string>()->default_value("all"),
      "layers for the device backend: a number, all or auto")(
      "precision", po::value<std::string>()->default_value("fast"),
      "fast: activations may be rounded to int8 blocks; exact: they stay f32 (default fast)")(
      "no-fuse", po::bool_switch(), "leave the graph's rewrites out")(
      "rules", po::value<std::vector<std::string>>()->composing(),
      "rule file or folder that replaces embedded tables; repeatable")(
      "cache-dir", po::value<std::string>(), "folder for compiled OpenCL programs (default: the user's cache folder)");
}

void add_session_options(OptionTable& table) {
  table.options.add_options()("ctx-size,c", po::value<std::int64_t>()->default_value(0),
                              "context in tokens; 0 = the model's trained length")(
      "ubatch-size", po::value<std::int64_t>()->default_value(512), "most tokens of one step (default 512)")(
      "cache-type-k", po::value<std::string>()->default_value("f16"), "type of cached keys: f16 or f32")(
      "cache-type-v", po::value<std::string>()->default_value("f16"), "type of cached values: f16 or f32");
}

Result<std::string> model_path(const Parsed& parsed) {
  if (!parsed.has("model")) {
    return fail(ErrorCode::invalid_argument, "no model given: name a GGUF file (scripts/fetch-model fetches one)");
  }
  return parsed.text("model");
}

models::LoadMode load_mode(const Parsed& parsed) {
  return parsed.flag("no-mmap") ? models::LoadMode::read : models::LoadMode::mapped;
}

namespace {

std::string default_cache_dir() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg != '\0') {
    return std::string(xdg) + "/weft/programs";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return std::string(home) + "/.cache/weft/programs";
  }
  return "";
}

Result<std::vector<std::string>> placement_order(const std::string& text, const BackendCatalogue& catalogue) {
  std::vector<std::string> order;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    order.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  const auto known = catalogue.names();
  for (const std::string& name : order) {
    if (std::ranges::find(known, name) != known.end()) continue;
    std::string list;
    for (const std::string_view k : known) list += fmt::format("{}{}", list.empty() ? "" : ", ", k);
    return fail(ErrorCode::invalid_argument, "--backend: there is no backend \"{}\"; there are {}", name, list);
  }
  // Whoever asks for a backend gets the slower ones behind it, so that every op has a home.
  for (const std::string_view next : known) {
    const bool slower =
        next == "reference" || (next == "cpu" && (order.front() == "opencl" || catalogue.is_plugin(order.front())));
    if (slower && std::ranges::find(order, next) == order.end()) order.emplace_back(next);
  }
  return order;
}

Result<std::int64_t> gpu_layers(const std::string& text) {
  if (text == "all" || text == "auto") return -1;
  try {
    std::size_t used = 0;
    const std::int64_t number = std::stoll(text, &used);
    if (used == text.size() && number >= -1) return number;
  } catch (const std::exception&) {
    // falls through to the message
  }
  return fail(ErrorCode::invalid_argument, "-ngl: \"{}\" is no number, nor all or auto", text);
}

Result<DType> cache_type(std::string_view flag, const std::string& name) {
  if (name == "f16") return DType::f16;
  if (name == "f32") return DType::f32;
  return fail(ErrorCode::invalid_argument, "{}: \"{}\" is no KV cache type; known are f16, f32", flag, name);
}

}  // namespace

Result<std::vector<std::shared_ptr<Backend>>> open_backends(const Parsed& parsed) {
  const auto catalogue = backend_catalogue(parsed);
  if (!catalogue) return error_of(catalogue);
  const auto order = placement_order(parsed.text("backend"), *catalogue);
  if (!order) return error_of(order);
  const auto files = read_rule_files(parsed);
  if (!files) return error_of(files);
  std::vector<std::shared_ptr<Backend>> backends;
  for (const std::string& name : *order) {
    BackendOptions options;
    options.threads = parsed.integer("threads");
    options.isa = parsed.text("isa");
    options.device = parsed.text("device");
    options.cache_dir = parsed.has("cache-dir") ? parsed.text("cache-dir") : default_cache_dir();
    options.rules = files->for_backend(name);
    auto backend = catalogue->make(name, options);
    if (!backend) return error_of(backend);
    backends.push_back(std::move(*backend));
  }
  return backends;
}

Result<models::SessionOptions> session_options(const Parsed& parsed) {
  models::SessionOptions options;
  options.context = parsed.integer("ctx-size");
  options.chunk = parsed.integer("ubatch-size");
  const auto k = cache_type("-ctk", parsed.text("cache-type-k"));
  if (!k) return error_of(k);
  const auto v = cache_type("-ctv", parsed.text("cache-type-v"));
  if (!v) return error_of(v);
  options.k_type = *k;
  options.v_type = *v;
  const std::string& precision = parsed.text("precision");
  if (precision != "fast" && precision != "exact") {
    return fail(ErrorCode::invalid_argument, "--precision is \"{}\", wanted fast or exact", precision);
  }
  options.precision = precision == "exact" ? Precision::exact : Precision::fast;
  options.fuse = !parsed.flag("no-fuse");
  const auto layers = gpu_layers(parsed.text("gpu-layers"));
  if (!layers) return error_of(layers);
  options.gpu_layers = *layers;
  const auto files = read_rule_files(parsed);
  if (!files) return error_of(files);
  options.placement_rules = files->placement;
  return options;
}

Result<Engine> open_engine(const Parsed& parsed, const models::SessionOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const bool terminal = isatty(fileno(stderr)) != 0;
  const auto stage = [&](std::string_view text) {
    if (terminal) fmt::print(stderr, "\r\033[K{}", text);
  };
  const auto path = model_path(parsed);
  if (!path) return error_of(path);
  stage("opening backends …");
  auto backends = open_backends(parsed);
  if (!backends) return error_of(backends);
  stage(fmt::format("loading {} …", *path));
  auto model = models::Model::load(*path, load_mode(parsed));
  if (!model) return error_of(model);
  stage("packing weights and compiling kernels …");
  auto session = models::Session::make(*model, *backends, options);
  stage("");
  if (!session) return error_of(session);
  if (options.context > (*model)->spec().context) {
    fmt::print(stderr, "weft: warning: a context of {} is beyond the {} tokens that the model was trained with\n",
               options.context, (*model)->spec().context);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return Engine{std::move(*model), std::move(*backends), std::move(*session), seconds.count()};
}

}  // namespace weft::cli
