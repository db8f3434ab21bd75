// Several sums at once over the LANES work-items of a group.
#include "backends/opencl/cl/lanes.cl"

#if LANES > 1
#define SUMS_SHARED(count) ((count)*LANES)
#else
#define SUMS_SHARED(count) 1
#endif

// Adds up `count` numbers of each lane; all lanes get the totals.
static inline void lanes_sums(float* sums, uint count, __local float* shared) {
#if LANES > 1
  for (uint p = 0; p < count; ++p) shared[p * LANES + LANE] = sums[p];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = LANES / 2; step > 0; step /= 2) {
    if (LANE < step) {
      for (uint p = 0; p < count; ++p) shared[p * LANES + LANE] += shared[p * LANES + LANE + step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint p = 0; p < count; ++p) sums[p] = shared[p * LANES];
#endif
}
