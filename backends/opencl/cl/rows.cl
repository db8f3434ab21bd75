// Rows of a tensor of up to four dimensions: row number -> indices of the three leading dimensions -> first element.
typedef struct {
  ulong i0, i1, i2;
} Row;

static inline Row row_of(ulong index, uint n1, uint n2) {
  Row row;
  row.i2 = index % n2;
  row.i1 = index / n2 % n1;
  row.i0 = index / n2 / n1;
  return row;
}
static inline ulong row_start(Row row, ulong s0, ulong s1, ulong s2) { return row.i0 * s0 + row.i1 * s1 + row.i2 * s2; }
