// Merges neighbouring symbols, best pair first, until no pair is left: the inner loop of every BPE, in O(n log n).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace weft::models {

/// Symbol: a small value with ==. Priority: ordered by <, the smallest merges first; of equal priorities the leftmost.
/// Working memory is kept between runs. Not thread-safe: one object a call.
template <class Symbol, class Priority>
class PairMerger {
 public:
  struct Merge {
    Priority priority;
    Symbol result;
  };

  void clear() { chain_.clear(); }
  void push(const Symbol& symbol) { chain_.push_back({symbol, size() - 1, size() + 1}); }

  /// `merge_of(left, right)` gives std::optional<Merge>: whether, how soon and into what two neighbours merge.
  template <class MergeOf>
  void run(const MergeOf& merge_of) {
    if (chain_.empty()) return;
    chain_.back().next = none;
    queue_.clear();
    for (std::int32_t left = 0; left + 1 < size(); ++left) {
      if (const auto entry = entry_of(left, merge_of)) queue_.push_back(*entry);
    }
    std::make_heap(queue_.begin(), queue_.end(), later);
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end(), later);
      const Entry entry = queue_.back();
      queue_.pop_back();
      if (!is_current(entry)) continue;
      apply(entry);
      enqueue(chain_[entry.left].previous, merge_of);
      enqueue(entry.left, merge_of);
    }
  }

  /// Calls `visit(symbol)` for each symbol that is left, in order.
  template <class Visit>
  void each(const Visit& visit) const {
    if (chain_.empty()) return;
    for (std::int32_t at = 0; at != none; at = chain_[at].next) visit(chain_[at].symbol);
  }

 private:
  static constexpr std::int32_t none = -1;
  static constexpr std::int32_t removed = -2;

  struct Link {
    Symbol symbol;
    std::int32_t previous;
    std::int32_t next;  ///< `removed` once the symbol is part of its left neighbour
  };
  struct Entry {
    Priority priority;
    std::int32_t left;
    std::int32_t right;
    Symbol left_symbol;
    Symbol right_symbol;
    Symbol result;
  };

  static bool later(const Entry& a, const Entry& b) {
    if (b.priority < a.priority) return true;
    if (a.priority < b.priority) return false;
    return a.left > b.left;
  }

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(chain_.size()); }

  template <class MergeOf>
  std::optional<Entry> entry_of(std::int32_t left, const MergeOf& merge_of) const {
    const std::int32_t right = chain_[left].next;
    const std::optional<Merge> merge = merge_of(chain_[left].symbol, chain_[right].symbol);
    if (!merge) return std::nullopt;
    return Entry{merge->priority, left, right, chain_[left].symbol, chain_[right].symbol, merge->result};
  }

  template <class MergeOf>
  void enqueue(std::int32_t left, const MergeOf& merge_of) {
    if (left == none || chain_[left].next == none) return;
    const auto entry = entry_of(left, merge_of);
    if (!entry) return;
    queue_.push_back(*entry);
    std::push_heap(queue_.begin(), queue_.end(), later);
  }

  [[nodiscard]] bool is_current(const Entry& entry) const {
    return chain_[entry.left].next == entry.right && chain_[entry.left].symbol == entry.left_symbol &&
           chain_[entry.right].symbol == entry.right_symbol;
  }

  void apply(const Entry& entry) {
    Link& left = chain_[entry.left];
    Link& right = chain_[entry.right];
    left.symbol = entry.result;
    left.next = right.next;
    if (right.next != none) chain_[right.next].previous = entry.left;
    right.next = removed;
  }

  std::vector<Link> chain_;
  std::vector<Entry> queue_;
};

}  // namespace weft::models
