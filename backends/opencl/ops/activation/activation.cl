// y = act(x)
#include "backends/opencl/cl/activations.cl"
#include "backends/opencl/cl/types.cl"
#define F(x, unused) ACTIVATE(ACTIVATION, x)
#include "backends/opencl/cl/elementwise.cl"
