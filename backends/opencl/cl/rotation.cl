// Rotary embedding of one head by LANES work-items. Angles are exact: turns[j] is the fraction of a turn per position
// of pair j in units of 2^-64, so position * turns[j] wraps at whole turns by itself.
typedef struct {
  __global const ulong* turns;
  uint pairs;
  uint pair_offset;  // distance of a pair's elements where the pairing is by halves
  float magnitude;
} Rotation;

#if INTERLEAVED
#define FIRST_OF(j) (2 * (j))
#define SECOND_OF(j, offset) (2 * (j) + 1)
#else
#define FIRST_OF(j) (j)
#define SECOND_OF(j, offset) ((j) + (offset))
#endif

// The angle is cut into quarter turns and a rest of at most an eighth, whose leading bits are an f32's.
static inline float2 cos_sin(Rotation r, int position, uint j) {
  const ulong turn = (ulong)(long)position * r.turns[j];
  const ulong quarter = (turn + (1ul << 61)) >> 62;
  const float half_turns = (float)(long)(turn - (quarter << 62)) * 0x1p-63f;
  const float c = cospi(half_turns);
  const float s = sinpi(half_turns);
  const float2 rotated = quarter & 1 ? (float2)(-s, c) : (float2)(c, s);
  return quarter & 2 ? -r.magnitude * rotated : r.magnitude * rotated;
}
static inline int rotates(Rotation r, uint i) {
#if INTERLEAVED
  return i < 2 * r.pairs;
#else
  return i < r.pairs || (i >= r.pair_offset && i < r.pair_offset + r.pairs);
#endif
}
