// Small random models of any family, written as real GGUF files, and an independent forward pass of the same maths.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/model.hpp"
#include "models/session.hpp"

namespace weft::families {

/// Shape and kind of a tiny model. Weights are f32.
struct TinyModel {
  std::string architecture = "llama";
  std::int64_t layers = 2;
  std::int64_t width = 32;
  std::int64_t heads = 4;
  std::int64_t kv_heads = 2;
  std::int64_t head_dim = 8;
  std::int64_t feed_forward = 48;
  std::int64_t context = 256;
  std::int64_t window = 0;  ///< of sliding layers (gemma3)
  std::int64_t period = 6;  ///< gemma3: every period-th layer is full
  float theta = 10000.0F;
  float eps = 1e-5F;
  bool biases = false;
  bool qk_norm = false;
  bool post_norms = false;
  bool interleaved = false;  ///< pairs of the rotation are neighbours
  bool gelu = false;
  bool scaled_embedding = false;
  std::uint32_t seed = 1;
  std::map<std::string, std::vector<float>> weights;  ///< by tensor name, filled by `fill`

  static TinyModel llama();
  static TinyModel qwen2();
  static TinyModel qwen3();
  static TinyModel gemma3();

  static constexpr std::int64_t vocab = 257;  ///< each byte, and <|endoftext|>
  void fill();                                ///< random weights by seed
  /// Writes a GGUF file; aborts the test on failure.
  void write(const std::filesystem::path& path) const;
  [[nodiscard]] bool slides(std::int64_t layer) const { return window > 0 && layer % period < period - 1; }
};

/// Logits of every position of one sequence, [tokens, vocab], in double by the textbook formulas: nothing of weft's ops
/// in it.
[[nodiscard]] std::vector<double> forward(const TinyModel& model, const std::vector<models::TokenId>& ids);

/// A file of the test's own, removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Writes, loads and opens a tiny model. Test failures and null on errors.
[[nodiscard]] std::unique_ptr<models::Session> open_tiny(const TinyModel& tiny, const std::string& backend,
                                                         const models::SessionOptions& options);

/// Token ids that repeat nothing obvious.
[[nodiscard]] std::vector<models::TokenId> some_tokens(std::size_t count);

}  // namespace weft::families
