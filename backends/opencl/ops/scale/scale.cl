// y = factor * x
#define F(x, unused) ((x)*FACTOR)
#include "backends/opencl/cl/elementwise.cl"
