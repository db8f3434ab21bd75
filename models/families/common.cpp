// Keys that most families share, checked before use.
#include <fmt/core.h>

#include <cmath>
#include <string>

#include "models/families/family.hpp"

namespace weft::models {
namespace {

constexpr std::int64_t max_layers = 4096;
constexpr std::int64_t max_size = std::int64_t{1} << 31;  // of any width, head count or vocabulary

/// Reads `<architecture>.<name>` keys of one file and checks ranges.
class Keys {
 public:
  Keys(const GgufFile& file, std::string architecture) : file_(file), architecture_(std::move(architecture)) {}

  [[nodiscard]] std::string full(std::string_view name) const { return fmt::format("{}.{}", architecture_, name); }

  Result<std::int64_t> size(std::string_view name, std::int64_t most = max_size) const {
    const auto value = file_.required_integer(full(name));
    if (!value) return value;
    return in_range(name, *value, most);
  }

  Result<std::int64_t> size_or(std::string_view name, std::int64_t fallback) const {
    const auto value = file_.integer(full(name));
    if (!value) return error_of(value);
    return in_range(name, value->value_or(fallback), max_size);
  }

  Result<double> number_or(std::string_view name, double fallback) const {
    const auto value = file_.number(full(name));
    if (!value) return error_of(value);
    const double number = value->value_or(fallback);
    if (!std::isfinite(number)) {
      return fail(ErrorCode::invalid_file, "{}: {} is not finite", file_.path().string(), full(name));
    }
    return number;
  }

  /// One size a layer, from a scalar or an array.
  Result<std::vector<std::int64_t>> per_layer(std::string_view name, std::size_t layers,
                                              std::optional<std::vector<std::int64_t>> fallback = {}) const {
    auto values = file_.integers(full(name));
    if (!values) return error_of(values);
    if (!*values && !fallback) {
      return fail(ErrorCode::invalid_file, "{}: key {} is missing", file_.path().string(), full(name));
    }
    std::vector<std::int64_t> sizes = *values ? std::move(**values) : std::move(*fallback);
    if (sizes.size() == 1) sizes.assign(layers, sizes.front());
    if (sizes.size() != layers) {
      return fail(ErrorCode::invalid_file, "{}: {} has {} entries for {} layers", file_.path().string(), full(name),
                  sizes.size(), layers);
    }
    for (const std::int64_t size : sizes) {
      if (const auto ok = in_range(name, size, max_size); !ok) return error_of(ok);
    }
    return sizes;
  }

 private:
  Result<std::int64_t> in_range(std::string_view name, std::int64_t value, std::int64_t most) const {
    if (value < 1 || value > most) {
      return fail(ErrorCode::invalid_file, "{}: {} is {}, wanted 1 to {}", file_.path().string(), full(name), value,
                  most);
    }
    return value;
  }

  const GgufFile& file_;
  std::string architecture_;
};

Result<std::int64_t> vocabulary_size(const GgufFile& file, const std::string& key) {
  // The table's own rows decide; the key and the token list may be absent or shorter than a padded table.
  if (const GgufTensor* table = file.find_tensor("token_embd.weight"); table != nullptr && table->dims.size() == 2) {
    if (table->dims[0] < 1 || table->dims[0] > max_size) {
      return fail(ErrorCode::invalid_file, "{}: token_embd.weight has {} rows", file.path().string(), table->dims[0]);
    }
    return table->dims[0];
  }
  return fail(ErrorCode::invalid_file, "{}: tensor token_embd.weight [{}, embedding_length] is missing or not a matrix",
              file.path().string(), key);
}

Status fill_attention(const GgufFile& file, const Keys& keys, ModelSpec& spec) {
  const std::size_t layers = spec.layers.size();
  const auto heads = keys.per_layer("attention.head_count", layers);
  if (!heads) return error_of(heads);
  const auto kv_heads = keys.per_layer("attention.head_count_kv", layers, *heads);
  if (!kv_heads) return error_of(kv_heads);
  const auto dk = keys.size_or("attention.key_length", spec.width / heads->front());
  if (!dk) return error_of(dk);
  const auto dv = keys.size_or("attention.value_length", *dk);
  if (!dv) return error_of(dv);
  const auto softcap = keys.number_or("attn_logit_softcapping", 0.0);
  if (!softcap) return error_of(softcap);
  const auto scale = keys.number_or("attention.scale", 1.0 / std::sqrt(static_cast<double>(*dk)));
  if (!scale) return error_of(scale);
  for (std::size_t i = 0; i < layers; ++i) {
    AttentionSpec& attention = spec.layers[i].attention;
    attention.heads = (*heads)[i];
    attention.kv_heads = (*kv_heads)[i];
    if (attention.heads % attention.kv_heads != 0) {
      return fail(ErrorCode::invalid_file, "{}: layer {} has {} heads, not a multiple of its {} key-value heads",
                  file.path().string(), i, attention.heads, attention.kv_heads);
    }
    attention.dk = *dk;
    attention.dv = *dv;
    attention.scale = static_cast<float>(*scale);
    attention.softcap = static_cast<float>(*softcap);
  }
  return {};
}

}  // namespace

Result<ModelSpec> common_spec(const GgufFile& file) {
  const auto architecture = file.required_text("general.architecture");
  if (!architecture) return error_of(architecture);
  const Keys keys(file, *architecture);
  ModelSpec spec;
  spec.family = *architecture;
  const auto layers = keys.size("block_count", max_layers);
  if (!layers) return error_of(layers);
  const auto width = keys.size("embedding_length");
  if (!width) return error_of(width);
  const auto context = keys.size("context_length");
  if (!context) return error_of(context);
  const auto vocab = vocabulary_size(file, keys.full("vocab_size"));
  if (!vocab) return error_of(vocab);
  const auto eps = file.required_number(keys.full("attention.layer_norm_rms_epsilon"));
  if (!eps) return error_of(eps);
  const auto cap = keys.number_or("final_logit_softcapping", 0.0);
  if (!cap) return error_of(cap);
  spec.width = *width;
  spec.context = *context;
  spec.vocab = *vocab;
  spec.norm_eps = static_cast<float>(*eps);
  spec.final_softcap = static_cast<float>(*cap);
  spec.layers.resize(static_cast<std::size_t>(*layers));
  if (Status ok = fill_attention(file, keys, spec); !ok) return error_of(ok);
  const auto feed_forward = keys.per_layer("feed_forward_length", spec.layers.size());
  if (!feed_forward) return error_of(feed_forward);
  for (std::size_t i = 0; i < spec.layers.size(); ++i) spec.layers[i].feed_forward.width = (*feed_forward)[i];
  return spec;
}

namespace {

Status read_scaling(const GgufFile& file, const Keys& keys, RopeSpec& rope) {
  const auto type = file.text(keys.full("rope.scaling.type"));
  if (!type) return error_of(type);
  const auto factor = keys.number_or("rope.scaling.factor", 1.0);
  if (!factor) return error_of(factor);
  const std::string kind = type->value_or("none");
  if (kind == "none") return {};
  if (kind == "linear") {
    rope.linear_factor = static_cast<float>(*factor);
    return {};
  }
  if (kind != "yarn") {
    return fail(ErrorCode::unsupported, "{}: {} is \"{}\"; known are none, linear, yarn", file.path().string(),
                keys.full("rope.scaling.type"), kind);
  }
  const auto original = keys.size("rope.scaling.original_context_length");
  if (!original) return error_of(original);
  const auto fast = keys.number_or("rope.scaling.yarn_beta_fast", 32.0);
  if (!fast) return error_of(fast);
  const auto slow = keys.number_or("rope.scaling.yarn_beta_slow", 1.0);
  if (!slow) return error_of(slow);
  const auto attention_factor = keys.number_or("rope.scaling.attn_factor", 1.0);
  if (!attention_factor) return error_of(attention_factor);
  rope.yarn.factor = static_cast<float>(*factor);
  rope.yarn.original_context = *original;
  rope.yarn.beta_fast = static_cast<float>(*fast);
  rope.yarn.beta_slow = static_cast<float>(*slow);
  rope.magnitude = static_cast<float>((0.1 * std::log(*factor) + 1.0) * *attention_factor);
  return {};
}

}  // namespace

Result<RopeSpec> rope_from(const GgufFile& file, RopePairing pairing, std::int64_t default_dims) {
  const auto architecture = file.required_text("general.architecture");
  if (!architecture) return error_of(architecture);
  const Keys keys(file, *architecture);
  const auto dims = keys.size_or("rope.dimension_count", default_dims);
  if (!dims) return error_of(dims);
  const auto theta = keys.number_or("rope.freq_base", 10000.0);
  if (!theta) return error_of(theta);
  if (*dims % 2 != 0 || *dims > default_dims) {
    return fail(ErrorCode::invalid_file, "{}: {} is {}, wanted an even number up to the head's width {}",
                file.path().string(), keys.full("rope.dimension_count"), *dims, default_dims);
  }
  if (*theta <= 0) {
    return fail(ErrorCode::invalid_file, "{}: {} is {}, wanted more than 0", file.path().string(),
                keys.full("rope.freq_base"), *theta);
  }
  RopeSpec rope = RopeSpec::plain(pairing, *dims, static_cast<float>(*theta));
  if (Status ok = read_scaling(file, keys, rope); !ok) return error_of(ok);
  return rope;
}

}  // namespace weft::models
