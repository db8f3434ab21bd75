// The encoder of each block format: one block of numbers to its bytes. encoder.hpp has the contract.
#pragma once

#include <cstddef>

namespace weft {

void encode_q4_0(const float* x, std::byte* block);
void encode_q4_1(const float* x, std::byte* block);
void encode_q5_0(const float* x, std::byte* block);
void encode_q5_1(const float* x, std::byte* block);
void encode_q8_0(const float* x, std::byte* block);
void encode_q4_k(const float* x, std::byte* block);
void encode_q5_k(const float* x, std::byte* block);
void encode_q6_k(const float* x, std::byte* block);

}  // namespace weft
