// A set of byte strings that is walked one byte at a time.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace weft::models {

/// Immutable once filled; then thread-safe.
class ByteTrie {
 public:
  using Node = std::int32_t;
  static constexpr Node root = 0;
  static constexpr Node none = -1;
  static constexpr std::int32_t no_value = -1;

  ByteTrie();
  /// `value` ≥ 0. Of equal strings the last value counts.
  void add(std::string_view text, std::int32_t value);
  /// The node after `byte`, or `none`.
  [[nodiscard]] Node next(Node node, char byte) const;
  /// The value of the string that ends at this node, or `no_value`.
  [[nodiscard]] std::int32_t value(Node node) const { return values_[node]; }

 private:
  std::array<Node, 256> first_;                    ///< edges of the root: most walks end here
  std::unordered_map<std::uint64_t, Node> edges_;  ///< (node, byte) of all other nodes
  std::vector<std::int32_t> values_;
};

}  // namespace weft::models
