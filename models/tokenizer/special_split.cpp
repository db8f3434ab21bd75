// Cuts a text at the special tokens it contains, before any tokenizer sees it.
#include "models/tokenizer/special_split.hpp"

#include <algorithm>
#include <cstdint>

namespace weft::models {
namespace {

bool takes_part(TokenType type, SpecialTokens special) {
  if (type == TokenType::user_defined) return true;
  return special == SpecialTokens::parsed && (type == TokenType::control || type == TokenType::unknown);
}

/// Marks the values of all strings that occur in `text`, at any position.
std::vector<bool> occurring(const ByteTrie& trie, std::size_t count, std::string_view text) {
  std::vector<bool> seen(count, false);
  for (std::size_t start = 0; start < text.size(); ++start) {
    ByteTrie::Node node = ByteTrie::root;
    for (std::size_t at = start; at < text.size(); ++at) {
      node = trie.next(node, text[at]);
      if (node == ByteTrie::none) break;
      if (trie.value(node) != ByteTrie::no_value) seen[trie.value(node)] = true;
    }
  }
  return seen;
}

void cut_at(std::string_view text, std::string_view token_text, TokenId id, std::vector<Fragment>& out) {
  std::size_t begin = 0;
  for (;;) {
    const std::size_t at = text.find(token_text, begin);
    const std::string_view raw = text.substr(begin, at == std::string_view::npos ? at : at - begin);
    if (!raw.empty()) out.push_back({raw, std::nullopt});
    if (at == std::string_view::npos) return;
    out.push_back({text.substr(at, token_text.size()), id});
    begin = at + token_text.size();
  }
}

}  // namespace

SpecialSplitter::SpecialSplitter(const Vocabulary& vocabulary)
    : user_defined_(group_of(vocabulary, SpecialTokens::as_text)), all_(group_of(vocabulary, SpecialTokens::parsed)) {}

SpecialSplitter::Group SpecialSplitter::group_of(const Vocabulary& vocabulary, SpecialTokens special) {
  Group group;
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    const std::string& text = vocabulary.tokens[id];
    if (text.empty() || !takes_part(vocabulary.types[id], special)) continue;
    group.entries.push_back({text, static_cast<TokenId>(id)});
  }
  std::stable_sort(group.entries.begin(), group.entries.end(),
                   [](const Entry& a, const Entry& b) { return a.text.size() > b.text.size(); });
  for (std::size_t i = group.entries.size(); i-- > 0;) {
    group.trie.add(group.entries[i].text, static_cast<std::int32_t>(i));
  }
  return group;
}

std::vector<Fragment> SpecialSplitter::split(std::string_view text, SpecialTokens special) const {
  const Group& group = special == SpecialTokens::parsed ? all_ : user_defined_;
  std::vector<Fragment> fragments;
  if (!text.empty()) fragments.push_back({text, std::nullopt});
  const std::vector<bool> seen = occurring(group.trie, group.entries.size(), text);
  std::vector<Fragment> next;
  for (std::size_t i = 0; i < group.entries.size(); ++i) {
    if (!seen[i]) continue;
    next.clear();
    for (const Fragment& fragment : fragments) {
      if (fragment.token) {
        next.push_back(fragment);
      } else {
        cut_at(fragment.text, group.entries[i].text, group.entries[i].id, next);
      }
    }
    fragments.swap(next);
  }
  return fragments;
}

}  // namespace weft::models
