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

  cp_space s = opened("{\"name\":\"permutations\",\"n\":5}");
  int64_t part_len, d;
  shape(s, &part_len, &d);
  printf("shape %" PRId64 " %" PRId64 " %.17g\n", part_len, d, log_count(s));
  char digits[64];
  OK(cp_space_count(s, digits, sizeof digits, &needed, ERR));
  printf("count %s\n", digits);
  OK(cp_space_close(s, ERR));
  int32_t status = cp_space_count(s, digits, sizeof digits, &needed, ERR);
  printf("closed %d %s\n", (int)status, message);

  status = open_space("{\"name\":\"nonsense\"}", NULL, &s);
  printf("refused %d %s\n", (int)status, message);
  OK(open_space("{\"name\":\"permutations\",\"n\":3}", "[\"tea\", \"milk\", \"juice\"]", &s));
  int32_t y[] = {1, 2, 1};
  status = cp_space_embed(s, y, 1, 3, 0, NULL, 3, 1, NULL, NULL, ERR);
  printf("named %d %s\n", (int)status, message);
  OK(cp_space_close(s, ERR));
  char version[100];
  OK(cp_version(version, sizeof version, &needed, ERR));
  printf("version %s\n", version);
  return 0;
}
