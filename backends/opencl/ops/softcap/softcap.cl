// y = cap * tanh(x / cap)
#define F(x, unused) (CAP * tanh((x) / CAP))
#include "backends/opencl/cl/elementwise.cl"
