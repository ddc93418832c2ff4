/* Estimates ln Z and E ψ of rankings: annealed by exact samplers, along chains and from the caller's own draws, and expanded. Reads
 * scores[2, 6]. */
#include "check.h"

enum { ROWS = 2, D = 6, LABELS = 4, SEED = 7, LEVELS = 200 };

int main(void) {
  double linear[ROWS * D];
  read_doubles(linear, ROWS * D);
  cp_space s = opened("{\"name\":\"permutations\",\"n\":4}");
  cp_scores scores = CP_SCORES;
  scores.n = ROWS, scores.d = D, scores.linear = linear;

  cp_estimate_options options = CP_ESTIMATE_OPTIONS;
  options.epsilon = 0.2, options.seed = SEED;
  double value[ROWS], lower[ROWS], upper[ROWS], marginals[ROWS * D], error[ROWS * D], levels[LEVELS], spread[ROWS];
  int64_t steps[ROWS], first_level[ROWS + 1];
  uint8_t guaranteed[ROWS];
  char sampler[ROWS * 16], why[ROWS * 256];
  cp_estimates found = CP_ESTIMATES;
  found.n = ROWS, found.d = D;
  found.value = value, found.lower = lower, found.upper = upper, found.marginals = marginals, found.error = error;
  found.steps = steps, found.first_level = first_level, found.levels = levels, found.levels_cap = LEVELS;
  found.guaranteed = guaranteed, found.sampler = sampler, found.why = why, found.spread = spread;

  const char *methods[] = {"auto", "annealed", "taylor"};
  for (int i = 0; i < 3; i++) {
    options.method = methods[i];
    OK(cp_estimate(s, &scores, &options, &found, 2, NULL, NULL, ERR));
    char name[64];
    snprintf(name, sizeof name, "%s_by_%s", methods[i], found.method);
    print_doubles(name, value, ROWS);
    print_doubles(strcat(name, "_lower"), lower, ROWS);
    if (i == 1) {
      printf("sampler %s %s %d\n", sampler, sampler + 16, (int)guaranteed[0]);
      print_doubles("levels", levels, found.levels_needed);
      printf("steps %" PRId64 " %" PRId64 "\n", steps[0], steps[1]);
    }
  }
  print_doubles("spread", spread, ROWS);

  options.method = "annealed", options.sampler = "local";
  OK(cp_estimate(s, &scores, &options, &found, 2, NULL, NULL, ERR));
  print_doubles("local", value, ROWS);
  printf("trusted %d %s\n", guaranteed[0] == 0 && why[0] == 0, sampler);

  options.method = "samples", options.sampler = "auto";
  OK(cp_estimate(s, &scores, &options, &found, 1, NULL, NULL, ERR));
  print_doubles("samples", marginals, ROWS * D);
  print_doubles("error", error, ROWS * D);

  /* Row 0 again, from outputs that the program draws: all that the library learns of them is ψ. */
  cp_supplied supplied = CP_SUPPLIED;
  int64_t drawn = 0;
  supplied.log_count = log_count(s);
  supplied.n = found.n = 1, supplied.d = D, supplied.scores = linear;
  options = (cp_estimate_options)CP_ESTIMATE_OPTIONS;
  options.method = "annealed", options.seed = SEED;
  cp_session session;
  OK(cp_estimate_start(&supplied, &options, &found, &session, 1, NULL, ERR));
  cp_request request = CP_REQUEST;
  for (;;) {
    OK(cp_session_next(session, &request, NULL, ERR));
    if (request.ask == CP_ASK_DONE) break;
    int32_t *y = room(request.n * LABELS, sizeof *y);
    OK(cp_space_sample(s, (uint64_t)drawn, y, request.n, LABELS, 1, NULL, ERR));
    OK(cp_space_embed(s, y, request.n, LABELS, 0, request.results, D, 1, NULL, NULL, ERR));
    drawn += request.n;
    free(y);
  }
  OK(cp_session_close(session, ERR));
  print_doubles("own", value, 1);
  printf("by %s\n", sampler);

  found.n = ROWS;
  cp_control control = {1, 0, 0};
  options.sampler = "local", options.epsilon = 1e-3;
  printf("cancelled %d\n", (int)cp_estimate(s, &scores, &options, &found, 1, &control, NULL, ERR));
  options.sampler = "cftp", options.max_steps = 10;
  int64_t row = -2;
  printf("budget %d", (int)cp_estimate(s, &scores, &options, &found, 1, NULL, &row, ERR));
  printf(" %" PRId64 "\n", row);
  return 0;
}
