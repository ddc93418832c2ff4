/* Decodes rankings under constraints, with certificates, and lists the ten best, at once and by requests. Reads scores[2, 10]. */
#include "check.h"

enum { ROWS = 2, LABELS = 5, PAIRS = 10, BEST = 10, AT_ONCE = 4 };

int main(void) {
  double linear[ROWS * PAIRS];
  read_doubles(linear, ROWS * PAIRS);
  cp_space s = opened("{\"name\":\"permutations\",\"n\":5}");
  cp_scores scores = CP_SCORES;
  scores.n = ROWS, scores.d = PAIRS, scores.linear = linear;

  /* Row 0: label 0 stands before 1, and 2 not before 3. Row 1: 0 before 1 before 2 before 0, which no ranking is. */
  int64_t first[ROWS + 1] = {0, 2, 5};
  int32_t feature[] = {0, 7, 0, 4, 1};
  int8_t value[] = {1, 1, 1, 1, -1}, must[] = {1, 0, 1, 1, 1};
  cp_constraints constraints = CP_CONSTRAINTS;
  constraints.n = ROWS, constraints.first = first, constraints.feature = feature;
  constraints.value = value, constraints.must = must;
  cp_decode_options how = CP_DECODE_OPTIONS;
  how.method = "exact", how.constraints = &constraints;
  double reached[ROWS], bound[ROWS], nu[ROWS];
  uint8_t optimal[ROWS], met[ROWS];
  cp_certificates certificates = CP_CERTIFICATES;
  certificates.n = ROWS, certificates.value = reached, certificates.upper_bound = bound, certificates.nu = nu;
  certificates.optimal = optimal, certificates.met = met;
  int32_t decoded[ROWS * LABELS];
  OK(cp_decode(s, &scores, &how, decoded, LABELS, &certificates, 2, NULL, NULL, ERR));
  print_ints("decoded", decoded, LABELS);
  print_doubles("value", reached, 1);
  print_doubles("bound", bound, 1);
  printf("optimal %d %d\nmet %d %d\n", optimal[0], optimal[1], met[0], met[1]);
  int64_t bad_row = -1;
  int32_t status = cp_decode(s, &scores, &how, decoded, LABELS, NULL, 1, NULL, &bad_row, ERR);
  printf("refused %d %d\n", (int)status, (int)bad_row);

  /* The same by names, and what that means for entries of ψ. Row 1: label 3 is first, and label 2 last. */
  int64_t begin[ROWS + 1] = {0, 1, 3}, starts[ROWS + 1];
  int32_t key[] = {CP_KEY_BEFORE, CP_KEY_FIRST, CP_KEY_LAST}, u[] = {0, 3, 2}, v[] = {1, -1, -1};
  cp_conditions conditions = CP_CONDITIONS;
  conditions.n = ROWS, conditions.first = begin, conditions.key = key, conditions.u = u, conditions.v = v;
  int32_t entry[PAIRS];
  int8_t values_of[PAIRS], musts[PAIRS];
  cp_restriction restriction = CP_RESTRICTION;
  restriction.n = ROWS, restriction.first = starts, restriction.capacity = PAIRS;
  restriction.feature = entry, restriction.value = values_of, restriction.must = musts;
  OK(cp_space_restrict(s, &conditions, &restriction, 1, NULL, NULL, ERR));
  constraints.first = starts, constraints.feature = entry, constraints.value = values_of, constraints.must = musts;
  OK(cp_decode(s, &scores, &how, decoded, LABELS, NULL, 1, NULL, NULL, ERR));
  how.constraints = NULL, how.conditions = &conditions;
  int32_t named[ROWS * LABELS];
  OK(cp_decode(s, &scores, &how, named, LABELS, NULL, 1, NULL, NULL, ERR));
  if (memcmp(named, decoded, sizeof named) != 0 || named[0] >= named[1]) abort();
  if (named[LABELS + 3] != 1 || named[LABELS + 2] != LABELS) abort();
  v[0] = 0; /* label 0 before itself */
  char why[200];
  status = cp_space_restrict(s, &conditions, NULL, 1, NULL, &bad_row, why, sizeof why);
  if (status != CP_EVALUE || bad_row != 0 || strstr(why, "'before' holds (0, 0)") == NULL) abort();
  how.conditions = NULL;

  int32_t parts[ROWS * BEST * LABELS];
  double values[ROWS * BEST];
  int64_t count[ROWS];
  cp_kbest_list list = CP_KBEST_LIST;
  list.n = ROWS, list.capacity = BEST, list.part_len = LABELS;
  list.parts = parts, list.value = values, list.count = count;
  OK(cp_kbest(s, &scores, NULL, &list, 1, NULL, NULL, ERR));
  print_ints("best", parts, ROWS * BEST * LABELS);
  print_doubles("values", values, ROWS * BEST);
  printf("method %s\n", list.method);

  scores.n = 1;
  cp_kbest_options options = CP_KBEST_OPTIONS;
  options.most = BEST;
  options.rows = AT_ONCE;
  how.constraints = NULL;
  cp_session session;
  OK(cp_kbest_start(s, &scores, &options, &session, 1, NULL, NULL, ERR));
  int listed = 0;
  cp_request request = CP_REQUEST;
  for (;;) {
    OK(cp_session_next(session, &request, NULL, ERR));
    if (request.ask == CP_ASK_DONE) break;
    if (request.ask == CP_ASK_LISTED) {
      if (memcmp(request.parts, parts + listed * LABELS, sizeof(int32_t) * LABELS) != 0) abort();
      listed++;
    } else {
      cp_scores rows = CP_SCORES;
      rows.n = request.n, rows.d = PAIRS, rows.linear = request.linear;
      rows.n_magnitude = request.magnitude == NULL ? 0 : request.n, rows.magnitude = request.magnitude;
      OK(cp_decode(s, &rows, &how, request.outputs, LABELS, NULL, 1, NULL, NULL, ERR));
    }
  }
  OK(cp_session_close(session, ERR));
  printf("listed %d\n", listed);
  status = cp_session_close(session, why, sizeof why);
  printf("closed twice %d: %s\n", (int)status, why);
  return 0;
}
