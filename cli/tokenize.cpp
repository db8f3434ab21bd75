// weft tokenize: text to ids, or ids back to text.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <boost/program_options/value_semantic.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/options.hpp"
#include "cli/prompt.hpp"
#include "models/model.hpp"

namespace weft::cli {
namespace {

OptionTable make_table() {
  OptionTable table{
      .verb = "tokenize",
      .usage = "weft tokenize MODEL [-p TEXT | -f FILE] [--special] [--bos] [--ids LIST] [--json]",
      .about =
          "Prints one line a token: id and text. The text is -p, a file (- is standard input), or standard\n"
          "input when that is no terminal. --ids turns a list of ids back into text.",
      .options = {},
      .positionals = {}};
  add_model_options(table);
  add_prompt_options(table);
  table.options.add_options()("special", po::bool_switch(), "control tokens in the text become their ids")(
      "bos", po::bool_switch(), "add BOS and EOS as the model asks for")(
      "ids", po::value<std::string>(), "ids to decode, separated by blanks or commas")(
      "json", po::bool_switch(), "print a JSON array of ids (or a JSON string for --ids)");
  return table;
}

Result<std::vector<models::TokenId>> parse_ids(std::string text, std::size_t vocabulary) {
  for (char& c : text) c = c == ',' ? ' ' : c;
  std::istringstream in(text);
  std::vector<models::TokenId> ids;
  for (std::string word; in >> word;) {
    std::size_t used = 0;
    long long id = -1;
    try {
      id = std::stoll(word, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used != word.size()) return fail(ErrorCode::invalid_argument, "--ids: \"{}\" is no number", word);
    if (id < 0 || static_cast<std::size_t>(id) >= vocabulary) {
      return fail(ErrorCode::invalid_token, "--ids: {} is outside the vocabulary of {}", id, vocabulary);
    }
    ids.push_back(static_cast<models::TokenId>(id));
  }
  return ids;
}

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Status run(const Parsed& parsed, const models::Tokenizer& tokenizer) {
  const auto special = parsed.flag("special") ? models::SpecialTokens::parsed : models::SpecialTokens::as_text;
  if (parsed.has("ids")) {
    const auto ids = parse_ids(parsed.text("ids"), tokenizer.vocabulary().tokens.size());
    if (!ids) return error_of(ids);
    const std::string text = tokenizer.decode(*ids, special);
    const std::string out = parsed.flag("json") ? json_string(text) + "\n" : text;
    std::fwrite(out.data(), 1, out.size(), stdout);
    return {};
  }
  const auto text = prompt_text(parsed);
  if (!text) return error_of(text);
  auto ids = tokenizer.encode(*text, special);
  if (!ids) return error_of(ids);
  if (parsed.flag("bos")) *ids = models::with_special(tokenizer.vocabulary(), std::move(*ids));
  if (parsed.flag("json")) {
    fmt::print("[{}]\n", fmt::join(*ids, ", "));
    return {};
  }
  for (const models::TokenId id : *ids) {
    fmt::print("{:>7}  {}\n", id, json_string(tokenizer.piece(id, models::SpecialTokens::parsed)));
  }
  return {};
}

}  // namespace

int tokenize_verb(const Arguments& arguments) {
  OptionTable table = make_table();
  const Parsed parsed = parse(table, arguments);
  if (parsed.exit) return *parsed.exit;
  const auto path = model_path(parsed);
  if (!path) return report(path.error());
  const auto file = models::GgufFile::open(*path, load_mode(parsed));
  if (!file) return report(file.error());
  auto vocabulary = models::vocabulary_from(**file);
  if (!vocabulary) return report(vocabulary.error().within(*path));
  const auto tokenizer = models::Tokenizer::make(std::move(*vocabulary));
  if (!tokenizer) return report(tokenizer.error().within(*path));
  const Status done = run(parsed, **tokenizer);
  return done ? static_cast<int>(exit_ok) : report(done.error());
}

}  // namespace weft::cli
