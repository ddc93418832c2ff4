/* Offers routines one by one, as a program does that has a BLAS in memory, and says what is wrong with bad ones. */
#include "check.h"

static void nothing(void) {}

int main(int argc, char **argv) {
  char text[4096];
  int64_t needed;
  OK(cp_blas_routines(text, sizeof text, &needed, ERR));
  printf("activated %d %s\n", (int)cp_blas_activate(ERR), message);

  void *address;
  void (*function)(void) = nothing;
  memcpy(&address, &function, sizeof address);
  int n = 0;
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    char *arguments = strchr(line, ' ');
    *arguments++ = 0;
    OK(cp_blas_offer(line, arguments, address, ERR));
    if (n++ == 0) printf("offered %d %s\n", (int)cp_blas_offer(line, "ci", address, ERR), message);
  }
  printf("useless %d %s\n", (int)cp_blas_activate(ERR), message);
  printf("missing %d %s\n", (int)cp_blas_open("/no/such/library.so", ERR), message);
  OK(cp_blas_status(text, sizeof text, &needed, ERR));
  printf("status %s\n", text);
  if (argc > 1) {
    OK(cp_blas_open(argv[1], ERR));
    OK(cp_blas_status(text, sizeof text, &needed, ERR));
    printf("opened %s\n", text);
    printf("again %d %s\n", (int)cp_blas_open(argv[1], ERR), message);
  } else { /* whether a library with a usual name is there depends on the machine */
    int32_t status = cp_blas_open(NULL, ERR);
    if (status != CP_OK) printf("usual %d %s\n", (int)status, message);
  }
  return 0;
}
