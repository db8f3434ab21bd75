// The pre-tokenizers that byte-level BPE vocabularies name in tokenizer.ggml.pre: their patterns, as data.
#include "models/tokenizer/pre_patterns.hpp"

#include <algorithm>
#include <array>

namespace weft::models {
namespace {

using Text = std::string_view;

// clang-format off
constexpr Text gpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S))";
constexpr Text llama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr Text qwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr Text qwen35 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr Text seed_coder =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr Text gpt4o =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr Text tekken =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr Text deepseek_v3 =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr Text bloom = R"( ?[^(\s|.,!?…。，、।۔،)]+)";
constexpr Text east_asian = R"([\x{4E00}-\x{9FA5}\x{0800}-\x{4E00}\x{AC00}-\x{D7FF}]+)";
/// Cased letters of Latin, Greek, Cyrillic, Armenian, Georgian, Cherokee and a few more scripts.
constexpr Text cased_word =
    R"(\s?[)"
    R"(A-Za-z\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF}\x{1C4}-\x{293})"
    R"(\x{295}-\x{2AF}\x{370}-\x{373}\x{376}\x{377}\x{37B}-\x{37D}\x{37F}\x{386}\x{388}-\x{38A}\x{38C})"
    R"(\x{38E}-\x{3A1}\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F}\x{531}-\x{556}\x{10A0}-\x{10C5})"
    R"(\x{13A0}-\x{13F5}\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA}\x{1CBD}-\x{1CBF}\x{1D00}-\x{1D2B})"
    R"(\x{1D6B}-\x{1D77}\x{1D79}-\x{1D9A}\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D}\x{1F20}-\x{1F45})"
    R"(\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57}\x{1F59}\x{1F5B}\x{1F5D}\x{1F5F}-\x{1F7D}\x{1F80}-\x{1FB4})"
    R"(\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4}\x{1FC6}-\x{1FCC}\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB})"
    R"(\x{1FE0}-\x{1FEC}\x{1FF2}-\x{1FF4}\x{1FF6}-\x{1FFC}\x{2102}\x{2107}\x{210A}-\x{2113}\x{2115})"
    R"(\x{2119}-\x{211D}\x{2124}\x{2126}\x{2128}\x{212A}-\x{212D}\x{212F}-\x{2134}\x{2139})"
    R"(\x{213C}-\x{213F}\x{2145}-\x{2149}\x{214E}\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4})"
    R"(\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3}\x{A640}-\x{A66D}\x{A680}-\x{A69B}\x{A722}-\x{A76F})"
    R"(\x{A771}-\x{A787}\x{A78B}-\x{A78E}\x{AB70}-\x{ABBF}\x{FB00}-\x{FB06}\x{FB13}-\x{FB17})"
    R"(\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{10400}-\x{1044F}\x{104B0}-\x{104D3}\x{104D8}-\x{104FB})"
    R"(\x{10C80}-\x{10CB2}\x{10CC0}-\x{10CF2}\x{118A0}-\x{118DF}\x{1E900}-\x{1E943})"
    R"(]+)";
constexpr Text full_width_punctuation =
    R"(\s?[!-/:-~\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF5E}\x{2018}-\x{201F}\x{3000}-\x{3002}]+)";
/// White space at the end. `\s+$` matches the same, but would try each position of a run that goes on with a word.
constexpr Text trailing_space = R"((?<!\s)\s++$)";

constexpr std::array gpt2_names = {
    Text{"gpt-2"}, Text{"phi-2"}, Text{"mpt"}, Text{"olmo"}, Text{"jais"}, Text{"trillion"}, Text{"modern-bert"},
    Text{"mellum"}, Text{"exaone4"}, Text{"jina-v2-es"}, Text{"jina-v2-de"}, Text{"jina-v2-code"},
    Text{"roberta-bpe"}};
constexpr std::array gpt2_patterns = {gpt2};

constexpr std::array starcoder_names = {
    Text{"starcoder"}, Text{"refact"}, Text{"command-r"}, Text{"smollm"}, Text{"codeshell"}, Text{"exaone"},
    Text{"minerva-7b"}, Text{"mellum2"}};
constexpr std::array starcoder_patterns = {Text{R"(\p{N})"}, gpt2};

constexpr std::array llama3_names = {
    Text{"llama-bpe"}, Text{"llama3"}, Text{"llama-v3"}, Text{"falcon3"}, Text{"falcon-h1"}, Text{"pixtral"},
    Text{"midm-2.0"}, Text{"lfm2"}, Text{"jina-v5-nano"}};
constexpr std::array llama3_like_names = {Text{"dbrx"}, Text{"smaug-bpe"}, Text{"glm4"}, Text{"chatglm-bpe"}};
constexpr std::array llama3_patterns = {llama3};

constexpr std::array qwen2_names = {
    Text{"qwen2"}, Text{"stablelm2"}, Text{"deepseek-r1-qwen"}, Text{"megrez"}, Text{"hunyuan"}, Text{"solar-open"},
    Text{"grok-2"}, Text{"kormo"}, Text{"f2llmv2"}};
constexpr std::array qwen2_patterns = {qwen2};

constexpr std::array qwen35_names = {Text{"qwen35"}};
constexpr std::array qwen35_patterns = {qwen35};

constexpr std::array falcon_names = {Text{"falcon"}};
constexpr std::array falcon_patterns = {Text{R"([\p{P}\$\+<=>\^~\|`]+)"}, gpt2, Text{"[0-9][0-9][0-9]"}};

constexpr std::array deepseek_coder_names = {Text{"deepseek-coder"}};
constexpr std::array deepseek_coder_patterns = {
    Text{R"([\r\n])"}, Text{R"(\s?\p{L}+)"}, Text{R"(\s?\p{P}+)"}, east_asian, Text{R"(\p{N})"}};

constexpr std::array deepseek_llm_names = {Text{"deepseek-llm"}};
constexpr std::array deepseek_llm_patterns = {
    Text{R"([\r\n])"}, cased_word, full_width_punctuation, trailing_space, east_asian, Text{R"(\p{N}+)"}};

constexpr std::array deepseek_v3_names = {Text{"deepseek-v3"}, Text{"hunyuan-dense"}, Text{"joyai-llm"}};
constexpr std::array deepseek_v3_patterns = {
    Text{R"(\p{N}{1,3})"}, Text{R"([\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)"}, deepseek_v3};

constexpr std::array gpt4o_names = {Text{"gpt-4o"}, Text{"llama4"}, Text{"kanana2"}, Text{"minimax-m2"}};
constexpr std::array gpt4o_patterns = {gpt4o};

constexpr std::array tekken_names = {Text{"tekken"}};
constexpr std::array tekken_patterns = {tekken};

constexpr std::array default_names = {Text{"default"}};
constexpr std::array default_patterns = {
    Text{R"([\p{P}\$\+<=>\^~\|]+)"}, gpt2, Text{R"(\p{N}+)"}, Text{"[0-9][0-9][0-9]"}};

constexpr std::array bloom_names = {Text{"bloom"}, Text{"poro-chat"}, Text{"gpt3-finnish"}};
constexpr std::array bloom_patterns = {bloom};

constexpr std::array viking_names = {Text{"viking"}};
constexpr std::array viking_patterns = {bloom, Text{R"(\p{N})"}};

constexpr std::array seed_coder_names = {Text{"seed-coder"}};
constexpr std::array seed_coder_patterns = {seed_coder};

constexpr std::array families = {
    PreFamily{gpt2_names, gpt2_patterns},
    PreFamily{starcoder_names, starcoder_patterns},
    PreFamily{llama3_names, llama3_patterns, true, true},
    PreFamily{llama3_like_names, llama3_patterns},
    PreFamily{qwen2_names, qwen2_patterns},
    PreFamily{qwen35_names, qwen35_patterns},
    PreFamily{falcon_names, falcon_patterns},
    PreFamily{deepseek_coder_names, deepseek_coder_patterns},
    PreFamily{deepseek_llm_names, deepseek_llm_patterns},
    PreFamily{deepseek_v3_names, deepseek_v3_patterns},
    PreFamily{gpt4o_names, gpt4o_patterns},
    PreFamily{tekken_names, tekken_patterns, true, true},
    PreFamily{default_names, default_patterns},
    PreFamily{bloom_names, bloom_patterns},
    PreFamily{viking_names, viking_patterns},
    PreFamily{seed_coder_names, seed_coder_patterns},
};
// clang-format on

}  // namespace

std::span<const PreFamily> pre_families() { return families; }

const PreFamily* pre_family(std::string_view name) {
  for (const PreFamily& family : families) {
    if (std::find(family.names.begin(), family.names.end(), name) != family.names.end()) return &family;
  }
  return nullptr;
}

}  // namespace weft::models
