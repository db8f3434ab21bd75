// Writing of tiny models.
#include "tests/families/tiny_model.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <random>

#include "backends/all.hpp"
#include "models/io/gguf_writer.hpp"

namespace weft::families {
namespace {

using models::GgufStoredArray;
using models::GgufWriter;

/// The printable stand-in of a byte in byte-level vocabularies, as UTF-8.
std::string mapped_byte(int byte) {
  const auto printable = [](int b) { return (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE; };
  int code = byte;
  if (!printable(byte)) {
    code = 0x100;
    for (int b = 0; b < byte; ++b) code += printable(b) ? 0 : 1;
  }
  if (code < 0x80) return {static_cast<char>(code)};
  return {static_cast<char>(0xC0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3F))};
}

void set_vocabulary(GgufWriter& writer) {
  std::vector<std::string> tokens;
  for (int b = 0; b < 256; ++b) tokens.push_back(mapped_byte(b));
  tokens.emplace_back("<|endoftext|>");
  std::vector<std::int32_t> types(256, 1);
  types.push_back(3);
  writer.set("tokenizer.ggml.model", std::string("gpt2"));
  writer.set("tokenizer.ggml.pre", std::string("gpt-2"));
  writer.set("tokenizer.ggml.tokens", GgufStoredArray(tokens));
  writer.set("tokenizer.ggml.token_type", GgufStoredArray(types));
  writer.set("tokenizer.ggml.merges", GgufStoredArray(std::vector<std::string>{}));
  writer.set("tokenizer.ggml.bos_token_id", std::uint32_t{256});
  writer.set("tokenizer.ggml.eos_token_id", std::uint32_t{256});
}

void set_sizes(GgufWriter& writer, const TinyModel& m) {
  const auto key = [&](const char* name) { return m.architecture + "." + name; };
  const auto u32 = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  writer.set("general.architecture", m.architecture);
  writer.set(key("block_count"), u32(m.layers));
  writer.set(key("context_length"), u32(m.context));
  writer.set(key("embedding_length"), u32(m.width));
  writer.set(key("feed_forward_length"), u32(m.feed_forward));
  writer.set(key("attention.head_count"), u32(m.heads));
  writer.set(key("attention.head_count_kv"), u32(m.kv_heads));
  writer.set(key("attention.key_length"), u32(m.head_dim));
  writer.set(key("attention.value_length"), u32(m.head_dim));
  writer.set(key("attention.layer_norm_rms_epsilon"), m.eps);
  writer.set(key("rope.freq_base"), m.theta);
  if (m.window > 0) {
    writer.set(key("attention.sliding_window"), u32(m.window));
    writer.set(key("attention.sliding_window_pattern"), u32(m.period));
  }
}

/// Names and shapes of all tensors.
std::vector<std::pair<std::string, std::vector<std::int64_t>>> tensors(const TinyModel& m) {
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> list{
      {"token_embd.weight", {TinyModel::vocab, m.width}}, {"output_norm.weight", {m.width}}};
  const std::int64_t q = m.heads * m.head_dim;
  const std::int64_t kv = m.kv_heads * m.head_dim;
  for (std::int64_t i = 0; i < m.layers; ++i) {
    const std::string p = "blk." + std::to_string(i) + ".";
    list.insert(list.end(), {{p + "attn_norm.weight", {m.width}},
                             {p + "attn_q.weight", {q, m.width}},
                             {p + "attn_k.weight", {kv, m.width}},
                             {p + "attn_v.weight", {kv, m.width}},
                             {p + "attn_output.weight", {m.width, q}},
                             {p + "ffn_norm.weight", {m.width}},
                             {p + "ffn_gate.weight", {m.feed_forward, m.width}},
                             {p + "ffn_up.weight", {m.feed_forward, m.width}},
                             {p + "ffn_down.weight", {m.width, m.feed_forward}}});
    if (m.biases)
      list.insert(list.end(), {{p + "attn_q.bias", {q}}, {p + "attn_k.bias", {kv}}, {p + "attn_v.bias", {kv}}});
    if (m.qk_norm)
      list.insert(list.end(), {{p + "attn_q_norm.weight", {m.head_dim}}, {p + "attn_k_norm.weight", {m.head_dim}}});
    if (m.post_norms)
      list.insert(list.end(), {{p + "post_attention_norm.weight", {m.width}}, {p + "post_ffw_norm.weight", {m.width}}});
  }
  return list;
}

}  // namespace

TinyModel TinyModel::llama() {
  TinyModel m;
  m.interleaved = true;
  return m;
}
TinyModel TinyModel::qwen2() {
  TinyModel m;
  m.architecture = "qwen2";
  m.biases = true;
  return m;
}
TinyModel TinyModel::qwen3() {
  TinyModel m;
  m.architecture = "qwen3";
  m.head_dim = 16;  // heads * head_dim is not the width
  m.qk_norm = true;
  m.theta = 1e6F;
  return m;
}
TinyModel TinyModel::gemma3() {
  TinyModel m;
  m.architecture = "gemma3";
  m.layers = 6;
  m.kv_heads = 1;
  m.window = 8;
  m.qk_norm = m.post_norms = m.gelu = m.scaled_embedding = true;
  m.theta = 1e6F;
  return m;
}

void TinyModel::fill() {
  std::mt19937 random(seed);
  weights.clear();
  for (const auto& [name, dims] : tensors(*this)) {
    std::int64_t count = 1;
    for (const std::int64_t d : dims) count *= d;
    const bool norm = name.find("norm") != std::string::npos;
    std::normal_distribution<float> values(norm ? 1.0F : 0.0F,
                                           norm ? 0.1F : 1.0F / std::sqrt(static_cast<float>(dims.back())));
    std::vector<float>& w = weights[name];
    w.resize(static_cast<std::size_t>(count));
    for (float& x : w) x = values(random);
  }
}

void TinyModel::write(const std::filesystem::path& path) const {
  GgufWriter writer;
  set_sizes(writer, *this);
  set_vocabulary(writer);
  for (const auto& [name, dims] : tensors(*this)) {
    const auto found = weights.find(name);
    if (found == weights.end()) continue;  // a test took it out
    const std::span bytes = std::as_bytes(std::span(found->second));
    const auto ok = writer.add_tensor({name, DType::f32, dims}, std::vector<std::byte>(bytes.begin(), bytes.end()));
    ASSERT_TRUE(ok) << ok.error().message;
  }
  const auto ok = writer.write(path);
  ASSERT_TRUE(ok) << ok.error().message;
}

TemporaryFile::TemporaryFile(const std::string& name)
    : path_(std::filesystem::temp_directory_path() / ("weft_" + std::to_string(getpid()) + "_" + name)) {}
TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

std::unique_ptr<models::Session> open_tiny(const TinyModel& tiny, const std::string& backend,
                                           const models::SessionOptions& options) {
  const TemporaryFile file(tiny.architecture + ".gguf");
  tiny.write(file.path());
  auto model = models::Model::load(file.path());
  if (!model) {
    ADD_FAILURE() << model.error().message;
    return nullptr;
  }
  std::vector<std::shared_ptr<Backend>> backends;
  for (const std::string& name : {backend, std::string("reference")}) {
    if (!backends.empty() && name == backend) continue;
    auto made = make_backend(name, {});
    if (!made) {
      ADD_FAILURE() << made.error().message;
      return nullptr;
    }
    backends.push_back(std::move(*made));
  }
  auto session = models::Session::make(std::move(*model), std::move(backends), options);
  if (!session) {
    ADD_FAILURE() << session.error().message;
    return nullptr;
  }
  return std::move(*session);
}

std::vector<models::TokenId> some_tokens(std::size_t count) {
  std::vector<models::TokenId> ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = static_cast<models::TokenId>((i * i * 31 + i * 7 + 3) % 256);
  return ids;
}

}  // namespace weft::families
