// Sums over the LANES work-items of a work-group, in local memory. With LANES = 1 nothing is shared and no barrier is
// met. Every work-item of the group must call; all get the result.
#include "backends/opencl/cl/types.cl"

#if LANES > 1
#define LANE ((uint)get_local_id(0))
static inline float lanes_sum(float value, __local float* shared) {
  shared[LANE] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = LANES / 2; step > 0; step /= 2) {
    if (LANE < step) shared[LANE] += shared[LANE + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const float total = shared[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return total;
}
#else
#define LANE 0u
static inline float lanes_sum(float value, __local float* shared) { return value; }
#endif
