// y = act(x)
#include "backends/opencl/cl/types.cl"
#include "backends/opencl/cl/activations.cl"
#define F(x, unused) ACTIVATE(ACTIVATION, x)
#include "backends/opencl/cl/elementwise.cl"
