// weft run: one answer to a prompt, streamed, with the speeds after it.
#include <fmt/core.h>
#include <sys/resource.h>

#include <boost/program_options/value_semantic.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/explain.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/prompt.hpp"
#include "models/generation.hpp"

namespace weft::cli {
namespace {

OptionTable make_table() {
  OptionTable table{
      .verb = "run",
      .usage = "weft run MODEL [-p TEXT | -f FILE] [OPTION …]",
      .about =
          "Continues a prompt and prints the text as it comes. The prompt is -p, a file, or standard input\n"
          "when that is no terminal. Sampling follows llama.cpp's defaults; --temp 0 is greedy.",
      .options = {},
      .positionals = {}};
  add_model_options(table);
  add_prompt_options(table);
  table.options.add_options()("predict,n", po::value<std::int64_t>()->default_value(-1),
                              "most tokens to generate; -1 = no limit (default -1)")(
      "temp", po::value<double>()->default_value(0.8), "temperature; 0 = greedy (default 0.8)")(
      "top-k", po::value<std::int64_t>()->default_value(40), "keep the k most likely tokens; 0 = off (default 40)")(
      "top-p", po::value<double>()->default_value(0.95),
      "keep the most likely tokens up to this mass; 1 = off (default 0.95)")(
      "min-p", po::value<double>()->default_value(0.05),
      "drop tokens below this share of the best one; 0 = off (default 0.05)")(
      "repeat-penalty", po::value<double>()->default_value(1.0), "penalty of recent tokens; 1 = off (default 1)")(
      "repeat-last-n", po::value<std::int64_t>()->default_value(64), "how many tokens count as recent (default 64)")(
      "seed,s", po::value<std::int64_t>()->default_value(-1), "seed of the draws; -1 = random (default -1)")(
      "reverse-prompt,r", po::value<std::vector<std::string>>()->composing(), "stop at this text; repeatable")(
      "ignore-eos", po::bool_switch(), "go on past the end of the answer")(
      "special", po::bool_switch(), "read control tokens in the prompt, and show them in the answer")(
      "json", po::bool_switch(), "print one JSON object instead of streaming")(
      "explain", po::bool_switch(), "print backend, kernel and rule of every node, and generate nothing")(
      "profile", po::bool_switch(), "time every step, and print a table after the answer");
  add_session_options(table);
  add_backend_options(table);
  return table;
}

models::GenerationOptions generation_options(const Parsed& parsed) {
  models::GenerationOptions options;
  options.most_tokens = parsed.integer("predict");
  options.ignore_end = parsed.flag("ignore-eos");
  options.shown = parsed.flag("special") ? models::SpecialTokens::parsed : models::SpecialTokens::as_text;
  if (parsed.has("reverse-prompt")) options.stops = parsed.values["reverse-prompt"].as<std::vector<std::string>>();
  models::SamplerParams& sampler = options.sampler;
  sampler.temperature = static_cast<float>(parsed.number("temp"));
  sampler.top_k = static_cast<std::int32_t>(parsed.integer("top-k"));
  sampler.top_p = static_cast<float>(parsed.number("top-p"));
  sampler.min_p = static_cast<float>(parsed.number("min-p"));
  sampler.repeat_penalty = static_cast<float>(parsed.number("repeat-penalty"));
  sampler.repeat_last_n = static_cast<std::int32_t>(parsed.integer("repeat-last-n"));
  const std::int64_t seed = parsed.integer("seed");
  sampler.seed = seed >= 0 ? static_cast<std::uint64_t>(seed) : std::random_device{}();
  return options;
}

double per_second(std::int64_t count, double seconds) { return seconds > 0 ? static_cast<double>(count) / seconds : 0; }

/// Most memory that the process held at once, mapped weights included.
std::int64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;  // the kernel counts in KiB
}

/// llama.cpp's timing names where it has one.
nlohmann::ordered_json timings(const Engine& engine, const models::Generation& g) {
  nlohmann::ordered_json json;
  json["load_ms"] = engine.load_seconds * 1e3;
  json["prompt_n"] = g.prompt_tokens;
  json["prompt_ms"] = g.prompt_seconds * 1e3;
  json["prompt_per_second"] = per_second(g.prompt_tokens, g.prompt_seconds);
  json["first_token_ms"] = g.first_token_seconds * 1e3;
  json["predicted_n"] = g.tokens.size();
  json["predicted_ms"] = g.generation_seconds * 1e3;
  json["predicted_per_second"] = per_second(g.evaluated, g.generation_seconds);
  return json;
}

void print_json(const Engine& engine, const models::Generation& g, std::uint64_t seed) {
  nlohmann::ordered_json json;
  json["text"] = g.text;
  json["tokens"] = g.tokens;
  json["finish_reason"] = models::name_of(g.reason);
  json["seed"] = seed;
  json["timings"] = timings(engine, g);
  json["context"] = {{"used", engine.session->length(0)}, {"size", engine.session->context()}};
  const models::SessionMemory memory = engine.session->memory();
  json["memory"] = {
      {"kv_bytes", memory.kv_bytes}, {"arena_bytes", memory.arena_bytes}, {"peak_rss_bytes", peak_rss_bytes()}};
  json["path"] = path_line(engine.session->plan(Phase::decode).report(), engine.backends);
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_stats(const Engine& engine, const models::Generation& g, std::uint64_t seed) {
  fmt::print(
      stderr,
      "\nload {:.0f} ms | prompt {} tokens, {:.0f} ms, {:.1f} t/s | first token {:.0f} ms | generated {} tokens, "
      "{:.0f} ms, {:.1f} t/s | context {}/{} | peak {} MiB | {} | seed {}\n{}\n",
      engine.load_seconds * 1e3, g.prompt_tokens, g.prompt_seconds * 1e3, per_second(g.prompt_tokens, g.prompt_seconds),
      g.first_token_seconds * 1e3, g.tokens.size(), g.generation_seconds * 1e3,
      per_second(g.evaluated, g.generation_seconds), engine.session->length(0), engine.session->context(),
      peak_rss_bytes() / (1024 * 1024), models::name_of(g.reason), seed,
      path_line(engine.session->plan(Phase::decode).report(), engine.backends));
}

void explain(Engine& engine) {
  for (const Phase phase : {Phase::prefill, Phase::decode}) {
    fmt::print("{}", explain_text(engine.session->plan(phase).report(), phase));
  }
}

Status record_times(Engine& engine) {
  for (const Phase phase : {Phase::prefill, Phase::decode}) {
    if (Status ok = engine.session->plan(phase).record_times(true); !ok) return ok;
  }
  return {};
}

void print_profile(Engine& engine, const models::Generation& g) {
  for (const Phase phase : {Phase::prefill, Phase::decode}) {
    graph::Plan& plan = engine.session->plan(phase);
    const auto times = plan.take_times();
    if (times.empty()) continue;
    const double wall = phase == Phase::prefill ? g.prompt_seconds : g.generation_seconds;
    fmt::print(stderr, "\n# {}\n{}", name_of(phase), profile_text(plan.report(), times, wall));
  }
}

Status answer(Engine& engine, const Parsed& parsed, const std::string& text) {
  const models::Tokenizer& tokenizer = engine.model->tokenizer();
  const models::GenerationOptions options = generation_options(parsed);
  auto ids = tokenizer.encode(text, options.shown);
  if (!ids) return error_of(ids);
  const std::vector<models::TokenId> prompt = models::with_special(tokenizer.vocabulary(), std::move(*ids));
  if (parsed.flag("profile")) {
    if (Status ok = record_times(engine); !ok) return ok;
  }
  const bool json = parsed.flag("json");
  catch_interrupts();
  const auto show = [&](std::string_view piece) {
    if (json) return;
    std::fwrite(piece.data(), 1, piece.size(), stdout);
    std::fflush(stdout);
  };
  const auto generation = models::generate(*engine.session, prompt, options, show, interrupted);
  if (!generation) return error_of(generation);
  if (json) {
    print_json(engine, *generation, options.sampler.seed);
  } else {
    fmt::print("\n");
    std::fflush(stdout);
    print_stats(engine, *generation, options.sampler.seed);
  }
  if (parsed.flag("profile")) print_profile(engine, *generation);
  return {};
}

}  // namespace

int run_verb(const Arguments& arguments) {
  OptionTable table = make_table();
  const Parsed parsed = parse(table, arguments);
  if (parsed.exit) return *parsed.exit;
  const bool explaining = parsed.flag("explain");
  Result<std::string> text = explaining ? Result<std::string>("") : prompt_text(parsed);
  if (!text) return report(text.error());
  const auto options = session_options(parsed);
  if (!options) return report(options.error());
  auto engine = open_engine(parsed, *options);
  if (!engine) return report(engine.error());
  if (explaining) {
    explain(*engine);
    return exit_ok;
  }
  const Status done = answer(*engine, parsed, *text);
  return done ? static_cast<int>(exit_ok) : report(done.error());
}

}  // namespace weft::cli
