// Options of verbs: parsing with llama.cpp's letters, WEFT_* environment variables, and the groups that verbs share.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/positional_options.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/all.hpp"
#include "cli/verb.hpp"
#include "core/backend.hpp"
#include "core/result.hpp"
#include "models/session.hpp"

namespace weft::cli {

namespace po = boost::program_options;

/// A verb's options and how its help begins.
struct OptionTable {
  std::string_view verb;
  std::string_view usage;  ///< "weft run MODEL [-p TEXT] [OPTION …]"
  std::string_view about;  ///< one or more lines
  po::options_description options;
  std::vector<std::string> positionals;  ///< names of options that take the free arguments, in order
};

/// What parsing ended in: values, or an exit code when there is nothing more to do (--help, a usage error).
struct Parsed {
  po::variables_map values;
  std::optional<int> exit;

  [[nodiscard]] bool has(const char* name) const { return values.count(name) > 0 && !values[name].defaulted(); }
  [[nodiscard]] bool flag(const char* name) const { return values[name].as<bool>(); }
  [[nodiscard]] const std::string& text(const char* name) const { return values[name].as<std::string>(); }
  [[nodiscard]] std::int64_t integer(const char* name) const { return values[name].as<std::int64_t>(); }
  [[nodiscard]] double number(const char* name) const { return values[name].as<double>(); }
};

/// Parses arguments, then WEFT_* variables for what they leave open. Prints help or a usage error itself.
[[nodiscard]] Parsed parse(OptionTable& table, const Arguments& arguments);

/// -m, --no-mmap and the free argument MODEL.
void add_model_options(OptionTable& table);
/// --backend-library.
void add_library_option(OptionTable& table);
/// The linked backends and those of --backend-library.
[[nodiscard]] Result<BackendCatalogue> backend_catalogue(const Parsed& parsed);
/// --backend, --backend-library, -t, --isa, -dev, -ngl, --precision, --no-fuse, --rules, --cache-dir.
void add_backend_options(OptionTable& table);
/// -c, -ub, -ctk, -ctv.
void add_session_options(OptionTable& table);

[[nodiscard]] Result<std::string> model_path(const Parsed& parsed);
[[nodiscard]] models::LoadMode load_mode(const Parsed& parsed);
/// The backends that --backend asks for, in placement order, opened.
[[nodiscard]] Result<std::vector<std::shared_ptr<Backend>>> open_backends(const Parsed& parsed);
[[nodiscard]] Result<models::SessionOptions> session_options(const Parsed& parsed);

/// A model with the session that runs it.
struct Engine {
  std::shared_ptr<const models::Model> model;
  std::vector<std::shared_ptr<Backend>> backends;
  std::unique_ptr<models::Session> session;
  double load_seconds = 0;
};
/// Loads model, backends and session as the options say; shows progress on a terminal.
[[nodiscard]] Result<Engine> open_engine(const Parsed& parsed, const models::SessionOptions& options);

}  // namespace weft::cli
