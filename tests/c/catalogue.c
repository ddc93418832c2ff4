/* Prints the catalogue, and the size of a structure. */
#include "check.h"

int main(void) {
  if (cp_abi_version() != CP_ABI_VERSION) return 2;

  int64_t needed;
  OK(cp_catalogue(NULL, 0, &needed, ERR));
  char *text = room(needed, 1);
  OK(cp_catalogue(text, needed, &needed, ERR));
  printf("catalogue %s\n", text);
  free(text);

  cp_structure s = described("{\"name\":\"permutations\",\"n\":5}");
  int64_t part_len, d;
  double log_count;
  OK(cp_structure_shape(&s, &part_len, &d, &log_count, ERR));
  printf("shape %" PRId64 " %" PRId64 " %.17g\n", part_len, d, log_count);

  char digits[64];
  OK(cp_structure_count(&s, digits, sizeof digits, &needed, ERR));
  printf("count %s\n", digits);

  cp_structure unknown = described("{\"name\":\"nonsense\"}");
  int32_t status = cp_structure_count(&unknown, digits, sizeof digits, &needed, ERR);
  printf("refused %d %s\n", (int)status, message);
  return 0;
}
