// y = act(gate) * up
#include "backends/opencl/cl/activations.cl"
#include "backends/opencl/cl/types.cl"
#define F(gate, up) (ACTIVATE(ACTIVATION, gate) * (up))
#include "backends/opencl/cl/elementwise.cl"
