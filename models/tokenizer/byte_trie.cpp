// A set of byte strings that is walked one byte at a time.
#include "models/tokenizer/byte_trie.hpp"

namespace weft::models {
namespace {

std::uint64_t edge_key(ByteTrie::Node node, char byte) {
  return static_cast<std::uint64_t>(node) << 8 | static_cast<unsigned char>(byte);
}

}  // namespace

ByteTrie::ByteTrie() : values_(1, no_value) { first_.fill(none); }

void ByteTrie::add(std::string_view text, std::int32_t value) {
  Node node = root;
  for (const char byte : text) {
    Node& edge = node == root ? first_[static_cast<unsigned char>(byte)]
                              : edges_.try_emplace(edge_key(node, byte), none).first->second;
    if (edge == none) {
      edge = static_cast<Node>(values_.size());
      values_.push_back(no_value);
    }
    node = edge;
  }
  values_[node] = value;
}

ByteTrie::Node ByteTrie::next(Node node, char byte) const {
  if (node == root) return first_[static_cast<unsigned char>(byte)];
  const auto found = edges_.find(edge_key(node, byte));
  return found == edges_.end() ? none : found->second;
}

}  // namespace weft::models
