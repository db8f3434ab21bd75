// y = a + b
#define F(x, y) ((x) + (y))
#include "backends/opencl/cl/elementwise.cl"
