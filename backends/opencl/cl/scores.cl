// Attention scores.
typedef struct {
  float scale;
  float softcap;  // 0 = none
} Scores;

static inline float score_of(Scores s, float dot_product) {
  const float score = s.scale * dot_product;
  return s.softcap > 0.0f ? s.softcap * tanh(score / s.softcap) : score;
}
