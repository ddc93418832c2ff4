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

/* Opens a space without arrays among its parameters, whose items have names, a JSON list, or NULL. */
static inline int32_t open_space(const char *text, const char *names, cp_space *space) {
  cp_structure s = {.text = text, .text_len = (int64_t)strlen(text)};
  return cp_space_open(&s, names, names == NULL ? 0 : (int64_t)strlen(names), space, ERR);
}

static inline cp_space opened(const char *text) {
  cp_space space;
  OK(open_space(text, NULL, &space));
  return space;
}

/* The facts about a space, up to 4095 characters. */
static inline const char *facts_of(cp_space space) {
  static char facts[4096];
  int64_t needed;
  OK(cp_space_facts(space, facts, sizeof facts, &needed, ERR));
  if (needed > (int64_t)sizeof facts) abort();
  return facts;
}

/* The lengths of outputs and of ψ. */
static inline void shape(cp_space space, int64_t *part_len, int64_t *d) {
  if (sscanf(facts_of(space), "{\"part_len\":%" SCNd64 ",\"feature_len\":%" SCNd64, part_len, d) != 2) abort();
}

/* ln of the number of outputs. */
static inline double log_count(cp_space space) {
  const char *facts = strstr(facts_of(space), "\"log_count\":");
  return strtod(facts + strlen("\"log_count\":"), NULL);
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
