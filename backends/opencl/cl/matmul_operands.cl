// Operands of matmul functions.
#include "backends/opencl/cl/weights.cl"

typedef struct {
  Bytes data;
  ulong planes;
  ulong stride;  // of a row, in blocks (elements for plain types)
  uint rows;
} Weights;
typedef struct {
  Bytes data;
  ulong stride;  // elements
  uint rows;
} Rows;
