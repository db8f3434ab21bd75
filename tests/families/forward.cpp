// The textbook forward pass of a decoder, in double, for one sequence at once.
#include <algorithm>
#include <cmath>

#include "tests/families/tiny_model.hpp"

namespace weft::families {
namespace {

using Vector = std::vector<double>;

class Forward {
 public:
  explicit Forward(const TinyModel& model) : m_(model) {}

  Vector run(const std::vector<models::TokenId>& ids) {
    std::vector<Vector> h;
    const auto& table = m_.weights.at("token_embd.weight");
    for (const models::TokenId id : ids) {
      Vector row(table.begin() + id * m_.width, table.begin() + (id + 1) * m_.width);
      if (m_.scaled_embedding) {
        for (double& x : row) x *= std::sqrt(static_cast<float>(m_.width));
      }
      h.push_back(std::move(row));
    }
    for (std::int64_t i = 0; i < m_.layers; ++i) layer(i, h);
    Vector logits;
    for (const Vector& row : h) {
      const Vector l = multiply("token_embd.weight", TinyModel::vocab, norm("output_norm.weight", row));
      logits.insert(logits.end(), l.begin(), l.end());
    }
    return logits;
  }

 private:
  Vector multiply(const std::string& name, std::int64_t rows, const Vector& x) const {
    const auto& w = m_.weights.at(name);
    Vector y(static_cast<std::size_t>(rows), 0.0);
    for (std::size_t n = 0; n < y.size(); ++n) {
      for (std::size_t k = 0; k < x.size(); ++k) y[n] += x[k] * w[n * x.size() + k];
    }
    return y;
  }
  Vector norm(const std::string& name, const Vector& x) const {
    const auto& w = m_.weights.at(name);
    double sum = 0;
    for (const double v : x) sum += v * v;
    const double scale = 1.0 / std::sqrt(sum / static_cast<double>(x.size()) + m_.eps);
    Vector y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * scale * w[i];
    return y;
  }
  void rotate(double* head, std::size_t position, double theta) const {
    const std::int64_t half = m_.head_dim / 2;
    for (std::int64_t j = 0; j < half; ++j) {
      const double angle = static_cast<double>(position) *
                           std::pow(theta, -2.0 * static_cast<double>(j) / static_cast<double>(m_.head_dim));
      double& a = head[m_.interleaved ? 2 * j : j];
      double& b = head[m_.interleaved ? 2 * j + 1 : j + half];
      const double rotated = a * std::cos(angle) - b * std::sin(angle);
      b = a * std::sin(angle) + b * std::cos(angle);
      a = rotated;
    }
  }
  /// Projection, bias, norm and rotation of one token's q or k.
  Vector heads(std::int64_t index, const char* which, std::int64_t count, const Vector& x, std::size_t position) const {
    const std::string p = "blk." + std::to_string(index) + ".attn_" + which;
    Vector y = multiply(p + ".weight", count * m_.head_dim, x);
    if (m_.biases) {
      const auto& bias = m_.weights.at(p + ".bias");
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += bias[i];
    }
    if (*which == 'v') return y;
    const double theta = m_.slides(index) ? 10000.0 : m_.theta;
    for (std::int64_t g = 0; g < count; ++g) {
      double* head = y.data() + g * m_.head_dim;
      if (m_.qk_norm) {
        const Vector n = norm(p + "_norm.weight", Vector(head, head + m_.head_dim));
        std::copy(n.begin(), n.end(), head);
      }
      rotate(head, position, theta);
    }
    return y;
  }
  Vector attend(std::int64_t index, std::size_t position, const Vector& q, const std::vector<Vector>& k,
                const std::vector<Vector>& v) const {
    const std::int64_t d = m_.head_dim;
    Vector out(q.size(), 0.0);
    const auto window = static_cast<std::size_t>(m_.slides(index) ? m_.window : 1 << 30);
    const std::size_t first = position + 1 > window ? position + 1 - window : 0;
    for (std::int64_t head = 0; head < m_.heads; ++head) {
      const std::int64_t g = head / (m_.heads / m_.kv_heads);
      Vector weight;
      for (std::size_t p = first; p <= position; ++p) {
        double dot = 0;
        for (std::int64_t i = 0; i < d; ++i)
          dot += q[static_cast<std::size_t>(head * d + i)] * k[p][static_cast<std::size_t>(g * d + i)];
        weight.push_back(dot / std::sqrt(static_cast<double>(d)));
      }
      const double most = *std::ranges::max_element(weight);
      double sum = 0;
      for (double& w : weight) sum += w = std::exp(w - most);
      for (std::size_t p = first; p <= position; ++p) {
        for (std::int64_t i = 0; i < d; ++i)
          out[static_cast<std::size_t>(head * d + i)] +=
              weight[p - first] / sum * v[p][static_cast<std::size_t>(g * d + i)];
      }
    }
    return out;
  }
  double activate(double x) const {
    if (!m_.gelu) return x / (1 + std::exp(-x));
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  }
  void layer(std::int64_t index, std::vector<Vector>& h) {
    const std::string p = "blk." + std::to_string(index) + ".";
    std::vector<Vector> q, k, v;
    for (std::size_t t = 0; t < h.size(); ++t) {
      const Vector x = norm(p + "attn_norm.weight", h[t]);
      q.push_back(heads(index, "q", m_.heads, x, t));
      k.push_back(heads(index, "k", m_.kv_heads, x, t));
      v.push_back(heads(index, "v", m_.kv_heads, x, t));
    }
    for (std::size_t t = 0; t < h.size(); ++t) {
      add(h[t], multiply(p + "attn_output.weight", m_.width, attend(index, t, q[t], k, v)),
          p + "post_attention_norm.weight");
      const Vector x = norm(p + "ffn_norm.weight", h[t]);
      Vector gate = multiply(p + "ffn_gate.weight", m_.feed_forward, x);
      const Vector up = multiply(p + "ffn_up.weight", m_.feed_forward, x);
      for (std::size_t i = 0; i < gate.size(); ++i) gate[i] = activate(gate[i]) * up[i];
      add(h[t], multiply(p + "ffn_down.weight", m_.width, gate), p + "post_ffw_norm.weight");
    }
  }
  void add(Vector& h, const Vector& branch, const std::string& post_norm) const {
    const Vector b = m_.post_norms ? norm(post_norm, branch) : branch;
    for (std::size_t i = 0; i < h.size(); ++i) h[i] += b[i];
  }

  const TinyModel& m_;
};

}  // namespace

std::vector<double> forward(const TinyModel& model, const std::vector<models::TokenId>& ids) {
  return Forward(model).run(ids);
}

}  // namespace weft::families
