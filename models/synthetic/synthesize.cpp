// Metadata, vocabulary and the list of tensors of a shape; the weights are streamed.
#include "models/synthetic/synthesize.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "models/io/gguf_writer.hpp"
#include "models/quantize/parallel.hpp"
#include "models/synthetic/random_weights.hpp"
#include "models/tokenizer/byte_map.hpp"
#include "models/tokenizer/tokenizer.hpp"

namespace weft::models {
namespace {

using Dims = std::vector<std::int64_t>;

struct Tensor {
  std::string name;
  Dims dims;
};

std::uint32_t u32(std::int64_t value) { return static_cast<std::uint32_t>(value); }

void set_vocabulary(GgufWriter& writer, std::int64_t size) {
  std::vector<std::string> tokens;
  std::vector<std::int32_t> types;
  for (int byte = 0; byte < 256; ++byte) tokens.push_back(printable_of(std::string(1, static_cast<char>(byte))));
  const auto end = static_cast<std::uint32_t>(tokens.size());
  tokens.emplace_back("<|endoftext|>");
  while (std::ssize(tokens) < size) tokens.push_back(printable_of(fmt::format(" t{}", tokens.size())));
  types.assign(tokens.size(), static_cast<std::int32_t>(TokenType::normal));
  types[end] = static_cast<std::int32_t>(TokenType::control);
  writer.set("tokenizer.ggml.model", std::string("gpt2"));
  writer.set("tokenizer.ggml.pre", std::string("gpt-2"));
  writer.set("tokenizer.ggml.tokens", GgufStoredArray(std::move(tokens)));
  writer.set("tokenizer.ggml.token_type", GgufStoredArray(std::move(types)));
  writer.set("tokenizer.ggml.merges", GgufStoredArray(std::vector<std::string>{}));
  writer.set("tokenizer.ggml.bos_token_id", end);
  writer.set("tokenizer.ggml.eos_token_id", end);
  writer.set("tokenizer.ggml.add_bos_token", false);
}

void set_sizes(GgufWriter& writer, const ModelShape& s) {
  const auto key = [&](std::string_view name) { return fmt::format("{}.{}", s.architecture, name); };
  writer.set(key("block_count"), u32(s.layers));
  writer.set(key("context_length"), u32(s.context));
  writer.set(key("embedding_length"), u32(s.width));
  writer.set(key("feed_forward_length"), u32(s.feed_forward));
  writer.set(key("vocab_size"), u32(s.vocab));
  writer.set(key("attention.head_count"), u32(s.heads));
  writer.set(key("attention.head_count_kv"), u32(s.kv_heads));
  writer.set(key("attention.key_length"), u32(s.head_dim));
  writer.set(key("attention.value_length"), u32(s.head_dim));
  writer.set(key("attention.layer_norm_rms_epsilon"), s.eps);
  writer.set(key("rope.freq_base"), s.theta);
  writer.set(key("rope.dimension_count"), u32(s.head_dim));
  if (s.window > 0) writer.set(key("attention.sliding_window"), u32(s.window));
  if (s.linear_factor > 1) {
    writer.set(key("rope.scaling.type"), std::string("linear"));
    writer.set(key("rope.scaling.factor"), s.linear_factor);
  }
}

void set_general(GgufWriter& writer, const ModelShape& s, const SynthesisOptions& options) {
  writer.set("general.architecture", std::string(s.architecture));
  writer.set("general.type", std::string("model"));
  writer.set("general.name", fmt::format("synthetic {}", s.name));
  writer.set("general.description", fmt::format("random weights of seed {}", options.seed));
  if (const auto label = file_type_of(options.type)) writer.set("general.file_type", *label);
  writer.set("general.quantization_version", quantization_version);
}

void add_layer(std::vector<Tensor>& list, const ModelShape& s, std::int64_t layer) {
  const std::string p = fmt::format("blk.{}.", layer);
  const std::int64_t q = s.heads * s.head_dim, kv = s.kv_heads * s.head_dim;
  const bool gemma = s.architecture == "gemma3";
  list.insert(list.end(), {{p + "attn_norm.weight", {s.width}},
                           {p + "attn_q.weight", {q, s.width}},
                           {p + "attn_k.weight", {kv, s.width}},
                           {p + "attn_v.weight", {kv, s.width}},
                           {p + "attn_output.weight", {s.width, q}},
                           {p + "ffn_norm.weight", {s.width}},
                           {p + "ffn_gate.weight", {s.feed_forward, s.width}},
                           {p + "ffn_up.weight", {s.feed_forward, s.width}},
                           {p + "ffn_down.weight", {s.width, s.feed_forward}}});
  if (s.architecture == "qwen2") {
    list.insert(list.end(), {{p + "attn_q.bias", {q}}, {p + "attn_k.bias", {kv}}, {p + "attn_v.bias", {kv}}});
  }
  if (gemma || s.architecture == "qwen3") {
    list.insert(list.end(), {{p + "attn_q_norm.weight", {s.head_dim}}, {p + "attn_k_norm.weight", {s.head_dim}}});
  }
  if (gemma) {
    list.insert(list.end(), {{p + "post_attention_norm.weight", {s.width}}, {p + "post_ffw_norm.weight", {s.width}}});
  }
}

std::vector<Tensor> tensors_of(const ModelShape& s) {
  std::vector<Tensor> list{{"token_embd.weight", {s.vocab, s.width}}, {"output_norm.weight", {s.width}}};
  if (s.own_head) list.push_back({"output.weight", {s.vocab, s.width}});
  for (std::int64_t i = 0; i < s.layers; ++i) add_layer(list, s, i);
  return list;
}

/// Divisors of the rotation's frequencies as Llama 3.1 has them: wave lengths above the trained context of 8192 are
/// stretched by the factor, those below a quarter of it stay, and those between change smoothly.
std::vector<std::byte> rope_divisors(const ModelShape& s) {
  constexpr double context = 8192, low = 1, high = 4;
  std::vector<float> divisors(static_cast<std::size_t>(s.head_dim / 2));
  for (std::size_t i = 0; i < divisors.size(); ++i) {
    const double wave = 2 * std::numbers::pi *
                        std::pow(double{s.theta}, 2.0 * static_cast<double>(i) / static_cast<double>(s.head_dim));
    const double t = (context / wave - low) / (high - low);
    const double divisor = t >= 1 ? 1.0 : t <= 0 ? s.rope_factor : 1 / ((1 - t) / s.rope_factor + t);
    divisors[i] = static_cast<float>(divisor);
  }
  std::vector<std::byte> bytes(divisors.size() * sizeof(float));
  std::memcpy(bytes.data(), divisors.data(), bytes.size());
  return bytes;
}

RandomTensor random_tensor(const Tensor& tensor, DType type, std::uint64_t seed) {
  RandomTensor random{.type = type, .elements = 1, .seed = seed};
  for (const std::int64_t dim : tensor.dims) random.elements *= static_cast<std::uint64_t>(dim);
  const bool norm = tensor.name.find("norm") != std::string::npos;
  random.mean = norm ? 1.0F : 0.0F;
  // Biases of 0.1 change what a projection gives without deciding it.
  random.deviation = tensor.dims.size() < 2 ? 0.1F : 1.0F / std::sqrt(static_cast<float>(tensor.dims.back()));
  return random;
}

/// Adds the tensors to the writer, which calls back for their bytes.
class Synthesis {
 public:
  Synthesis(const ModelShape& shape, const SynthesisOptions& options)
      : shape_(shape),
        options_(options),
        weights_(options.threads > 0 ? options.threads : usable_threads()),
        tensors_(tensors_of(shape)) {}

  Result<std::uint64_t> run(const std::filesystem::path& output, const WeightTypes& types) {
    GgufWriter writer;
    set_general(writer, shape_, options_);
    set_sizes(writer, shape_);
    set_vocabulary(writer, shape_.vocab);
    if (shape_.rope_factor > 1) {
      auto added = writer.add_tensor({"rope_freqs.weight", DType::f32, {shape_.head_dim / 2}}, rope_divisors(shape_));
      if (!added) return error_of(added);
    }
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (auto added = add(writer, types, i); !added) return error_of(added);
    }
    if (auto written = writer.write(output); !written) return error_of(written);
    return progress_.bytes_in_all;
  }

 private:
  Status add(GgufWriter& writer, const WeightTypes& types, std::size_t index) {
    const Tensor& tensor = tensors_[index];
    const bool head = tensor.name == (shape_.own_head ? "output.weight" : "token_embd.weight");
    const auto choice = types.choose({tensor.name, tensor.dims, head, shape_.layers}, options_.type);
    if (!choice) return error_of(choice);
    const RandomTensor random = random_tensor(tensor, choice->type, derived_seed(options_.seed, index));
    progress_.bytes_in_all +=
        static_cast<std::uint64_t>(row_bytes(random.type, static_cast<std::int64_t>(random.elements)));
    return writer.add_streamed({tensor.name, choice->type, tensor.dims},
                               [this, index, random](const GgufWriter::Append& append) {
                                 progress_.tensor = tensors_[index].name;
                                 return weights_.stream(random, counted(append));
                               });
  }

  GgufWriter::Append counted(const GgufWriter::Append& append) {
    return [this, &append](std::span<const std::byte> bytes) -> Status {
      if (auto put = append(bytes); !put) return put;
      progress_.bytes_done += bytes.size();
      return options_.progress ? options_.progress(progress_) : Status{};
    };
  }

  const ModelShape& shape_;
  const SynthesisOptions& options_;
  RandomWeights weights_;
  std::vector<Tensor> tensors_;
  SynthesisProgress progress_;
};

}  // namespace

Result<std::uint64_t> synthesize(const ModelShape& shape, const std::filesystem::path& output, const WeightTypes& types,
                                 const SynthesisOptions& options) {
  return Synthesis(shape, options).run(output, types);
}

}  // namespace weft::models
