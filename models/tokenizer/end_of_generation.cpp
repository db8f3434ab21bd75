// Which tokens end an answer.
#include "models/tokenizer/end_of_generation.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace weft::models {
namespace {

constexpr std::array end_texts = {
    std::string_view{"<|eot_id|>"},
    std::string_view{"<|im_end|>"},
    std::string_view{"<|end|>"},
    std::string_view{"<|return|>"},
    std::string_view{"<|call|>"},
    std::string_view{"<end_of_turn>"},
    std::string_view{"<|endoftext|>"},
    std::string_view{"<|eom_id|>"},
    std::string_view{"<EOT>"},
    std::string_view{"[EOT]"},
    std::string_view{"[EOS]"},
    std::string_view{"<|end_of_text|>"},
    std::string_view{"<eos>"},
    std::string_view{"<turn|>"},
    std::string_view{"<｜end▁of▁sentence｜>"},
    std::string_view{"</s>"},
    std::string_view{"<end_of_utterance>"},
    // Of fill-in-the-middle: a model that begins with padding, another repository or another file is done.
    std::string_view{"<|fim_pad|>"},
    std::string_view{"<fim-pad>"},
    std::string_view{"<fim_pad>"},
    std::string_view{"<|fim_repo|>"},
    std::string_view{"<|repo_name|>"},
    std::string_view{"<fim-repo>"},
    std::string_view{"<reponame>"},
    std::string_view{"<|file_sep|>"},
};

bool contains(const std::vector<std::string>& tokens, std::string_view text) {
  return std::find(tokens.begin(), tokens.end(), text) != tokens.end();
}

}  // namespace

std::vector<TokenId> end_of_generation_of(const Vocabulary& vocabulary) {
  std::vector<TokenId> ids;
  for (const auto& id : {vocabulary.eos, vocabulary.eot, vocabulary.eom}) {
    if (id) ids.push_back(*id);
  }
  const bool closes_messages = contains(vocabulary.tokens, "<|return|>") && contains(vocabulary.tokens, "<|call|>");
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    const std::string& text = vocabulary.tokens[id];
    if (closes_messages && text == "<|end|>") continue;
    const bool may_be = !text.empty() && (text.front() == '<' || text.front() == '[');
    if (may_be && std::find(end_texts.begin(), end_texts.end(), text) != end_texts.end()) {
      ids.push_back(static_cast<TokenId>(id));
    }
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace weft::models
