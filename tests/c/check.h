/* What the programs of this folder share: each prints figures, a line a name, which the test suite compares with those of Python. */
#ifndef CHECK_H
#define CHECK_H

#include <combpred.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char message[4096];

#define ERR message, (int64_t)sizeof message

/* Ends the program unless a call succeeds. */
#define OK(call)                                                                            \
  do {                                                                                      \
    int32_t status = (call);                                                                \
    if (status != CP_OK) {                                                                  \
      fprintf(stderr, "%s:%d: status %d: %s\n", __FILE__, __LINE__, (int)status, message); \
      exit(1);                                                                              \
    }                                                                                       \
  } while (0)

/* A structure without arrays among its parameters. */
static inline cp_structure described(const char *text) {
  cp_structure s = {.text = text, .text_len = (int64_t)strlen(text)};
  return s;
}

static inline void *room(int64_t n, size_t size) {
  void *p = calloc((size_t)n + 1, size);
  if (p == NULL) abort();
  return p;
}

static inline void print_ints(const char *name, const int32_t *values, int64_t n) {
  printf("%s", name);
  for (int64_t i = 0; i < n; i++) printf(" %" PRId32, values[i]);
  printf("\n");
}

static inline void print_doubles(const char *name, const double *values, int64_t n) {
  printf("%s", name);
  for (int64_t i = 0; i < n; i++) printf(" %.17g", values[i]);
  printf("\n");
}

static inline void read_doubles(double *dst, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    if (scanf("%lf", &dst[i]) != 1) abort();
  }
}

#endif
