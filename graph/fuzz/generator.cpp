// Blocks of ops over one residual stream [tokens, width], drawn at random.
#include "graph/fuzz/generator.hpp"

#include <random>
#include <string>

#include "core/sample_data.hpp"
#include "graph/example_graph.hpp"

namespace weft::graph::fuzz {
namespace {

constexpr std::int64_t width = ExampleGraph::width;
constexpr std::int64_t hidden = 96;
constexpr std::int64_t heads = 4;
constexpr std::int64_t kv_heads = 2;
constexpr std::int64_t d = 16;
static_assert(heads * d == width && ExampleGraph::tokens == step_tokens);

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Result<Graph> make() {
    batch_ = e_.batch();
    ValueId x = start();
    const std::uint32_t blocks = 1 + pick(5);
    for (std::uint32_t i = 0; i < blocks; ++i) {
      e_.b.enter_layer(static_cast<int>(i), "blk." + std::to_string(i) + ".");
      x = block(x);
    }
    e_.b.leave_layer();
    finish(x);
    return e_.b.finish();
  }

 private:
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  bool chance(std::uint32_t percent) { return pick(100) < percent; }
  std::string fresh(const std::string& base) { return base + "_" + std::to_string(count_++); }

  ValueId constant(DType type, const Shape& shape, float scale) {
    const AnySample sample{"", Copy{}, {{TensorDesc::dense(type, shape), Fill::normal(scale)}}};
    auto owner = std::make_shared<OwnedTensor>(std::move(make_inputs(sample, random_()).front()));
    auto tensor = std::make_shared<HostTensor>();
    tensor->name = fresh("w");
    tensor->desc = owner->desc();
    tensor->data = std::as_const(*owner).bytes();
    tensor->owner = owner;
    return e_.b.constant(std::move(tensor));
  }
  /// Scales keep the size of a dot product near that of its operand: integers of a q8_0 block go up to 127.
  ValueId matrix(std::int64_t rows, std::int64_t columns) {
    switch (pick(4)) {
      case 0: return constant(DType::f32, {rows, columns}, 0.12F);
      case 1: return constant(DType::f16, {rows, columns}, 0.12F);
      case 2: return constant(DType::q8_0, {rows, columns}, 0.002F);
      default: return constant(DType::q4_0, {rows, columns}, 0.03F);
    }
  }
  ValueId vector(std::int64_t columns) { return constant(DType::f32, {columns}, 1.0F); }
  ActivationKind activation() { return all_activations.at(pick(all_activations.size())); }

  ValueId norm(ValueId x) { return e_.b.rms_norm(fresh("norm"), x, vector(e_.b.desc(x).width()), 1e-5F); }
  ValueId project(ValueId x, std::int64_t rows) {
    const ValueId bias = chance(30) ? vector(rows) : absent_value;
    return e_.b.quant_matmul(fresh("matmul"), x, matrix(rows, e_.b.desc(x).width()), bias);
  }
  ValueId start() {
    if (chance(50)) return e_.activations("x");
    const ValueId ids = e_.b.input("ids", TensorDesc::dense(DType::i32, Shape{Dim(step_tokens, Symbol::tokens)}));
    return e_.b.embed("embed", ids, constant(DType::f16, {vocabulary, width}, 1.0F), 1.0F);
  }
  ValueId per_head(ValueId x, std::int64_t count) {
    return e_.b.reshape(x, Shape{Dim(step_tokens, Symbol::tokens), Dim(count), Dim(d)});
  }

  ValueId block(ValueId x) {
    switch (pick(5)) {
      case 0: return attention(x);
      case 1: return feed_forward(x);
      case 2: return add_norm(x);
      case 3: return views(x);
      default: return element_wise(x);
    }
  }

  ValueId attention(ValueId x) {
    const DType kept = chance(50) ? DType::f16 : DType::f32;
    const CacheSpec cache{KvLayout::contiguous, kept, kept, kv_heads, d, d};
    const RopeSpec spec = RopeSpec::plain(chance(50) ? RopePairing::halves : RopePairing::interleaved, d, 10000.0F);
    const ValueId h = norm(x);
    ValueId q = per_head(project(h, heads * d), heads);
    ValueId k = per_head(project(h, kv_heads * d), kv_heads);
    const ValueId v = per_head(project(h, kv_heads * d), kv_heads);
    if (chance(50)) {
      q = norm(q);
      k = norm(k);
    }
    q = e_.b.rope(fresh("rope_q"), q, batch_.positions, spec);
    k = e_.b.rope(fresh("rope_k"), k, batch_.positions, spec);
    const ValueId state = e_.b.kv_append(fresh("kv_append"), k, v, batch_, e_.cache(fresh("cache")), cache);
    Attention attributes;
    attributes.cache = cache;
    attributes.scale = 0.25F;
    const ValueId mixed = e_.b.attention(fresh("attention"), q, batch_, state, attributes);
    return e_.b.add(fresh("residual"), project(flat(mixed), width), x);
  }

  ValueId feed_forward(ValueId x) {
    const ValueId h = norm(x);
    const ValueId gate = project(h, hidden);
    const ValueId up = project(h, hidden);
    const ValueId y = project(e_.b.glu(fresh("glu"), gate, up, activation()), width);
    return chance(50) ? e_.b.add(fresh("residual"), y, x) : e_.b.add(fresh("residual"), x, y);
  }

  ValueId add_norm(ValueId x) {
    const ValueId sum = e_.b.add(fresh("sum"), x, e_.b.mul(fresh("mul"), x, vector(width)));
    return e_.b.add(fresh("next"), e_.b.activation(fresh("activation"), norm(sum), activation()), sum);
  }

  ValueId flat(ValueId x) { return e_.b.reshape(x, Shape{Dim(step_tokens, Symbol::tokens), Dim(width)}); }

  /// Halves swapped, or heads brought to the front, copied and brought back.
  ValueId views(ValueId x) {
    if (chance(50)) {
      const ValueId low = e_.b.slice(x, 1, 0, width / 2);
      const ValueId high = e_.b.slice(x, 1, width / 2, width / 2);
      return e_.b.add_node(fresh("concat"), Concat{}, {high, low}).front();
    }
    const Permute swap{.order = {1, 0, 2, 3}};
    const ValueId front = e_.b.add_node(fresh("permute"), swap, {per_head(x, heads)}).front();
    const ValueId dense = e_.b.add_node(fresh("copy"), Copy{}, {front}).front();
    const ValueId back = e_.b.add_node(fresh("permute"), swap, {dense}).front();
    return flat(e_.b.add_node(fresh("copy"), Copy{}, {back}).front());
  }

  ValueId element_wise(ValueId x) {
    x = e_.b.scale(fresh("scale"), x, 0.75F);
    if (chance(50)) x = e_.b.softcap(fresh("softcap"), x, 5.0F);
    if (chance(30)) x = e_.b.cast(fresh("cast"), e_.b.cast(fresh("cast"), x, DType::f16), DType::f32);
    return chance(50) ? e_.b.activation(fresh("activation"), x, activation()) : x;
  }

  void finish(ValueId x) {
    if (chance(40)) {
      e_.b.output(e_.b.scale("last", x, 1.5F));  // outputs are computed and dense, whatever x is
      return;
    }
    ValueId y = e_.b.quant_matmul("output", norm(x), matrix(vocabulary, width));
    if (chance(50)) y = e_.b.scale("logit_scale", y, 3.0F);
    if (chance(50)) y = e_.b.softcap("final_softcap", y, 5.0F);
    if (chance(40)) y = e_.b.argmax("argmax", y);
    e_.b.output(y);
  }

  ExampleGraph e_;
  BatchInputs batch_;
  std::mt19937_64 random_;
  int count_ = 0;
};

}  // namespace

Result<Graph> random_graph(std::uint64_t seed) { return Generator(seed).make(); }

}  // namespace weft::graph::fuzz
