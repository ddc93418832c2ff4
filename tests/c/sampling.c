/* Draws outputs of label sets in all ways, and computes ln Z. Reads scores[2, 6]. */
#include "check.h"

enum { ROWS = 2, LABELS = 6, DRAWS = 4, SEED = 7 };

int main(void) {
  double linear[ROWS * LABELS];
  read_doubles(linear, ROWS * LABELS);
  cp_space s = opened("{\"name\":\"labelsets\",\"n\":6}");

  int32_t uniform[DRAWS * LABELS];
  OK(cp_space_sample(s, SEED, uniform, DRAWS, LABELS, 1, NULL, ERR));
  print_ints("uniform", uniform, DRAWS * LABELS);

  cp_scores scores = CP_SCORES;
  scores.n = ROWS, scores.d = LABELS, scores.linear = linear;
  int32_t drawn[ROWS * DRAWS * LABELS];

  double log_z[ROWS], marginals[ROWS * LABELS];
  OK(cp_log_partition(s, &scores, NULL, log_z, marginals, 1, NULL, NULL, ERR));
  print_doubles("log_z", log_z, ROWS);
  print_doubles("marginals", marginals, ROWS * LABELS);

  cp_chain_options options = CP_CHAIN_OPTIONS;
  options.n_samples = DRAWS, options.thin = 3, options.seed = SEED;
  double value[ROWS * DRAWS];
  cp_chain_record record = CP_CHAIN_RECORD;
  record.n = ROWS, record.n_samples = DRAWS, record.value = value;
  const char *methods[] = {"exact", "meta", "cube", "rejection", "monotone"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    options.method = methods[i];
    OK(cp_chain_sample(s, &scores, NULL, &options, drawn, LABELS, &record, 1, NULL, NULL, ERR));
    print_ints(methods[i], drawn, ROWS * DRAWS * LABELS);
  }
  print_doubles("value", value, ROWS * DRAWS);

  double r_hat[ROWS];
  record.r_hat = r_hat;
  options.diagnosed = 1;
  const char *chosen[] = {"auto", "chain"};
  for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
    options.method = chosen[i];
    OK(cp_chain_sample(s, &scores, NULL, &options, drawn, LABELS, &record, 2, NULL, NULL, ERR));
    printf("%s_is %s\n", chosen[i], record.method);
    print_ints(chosen[i], drawn, ROWS * DRAWS * LABELS);
  }
  print_doubles("r_hat", r_hat, ROWS);

  options.method = "monotone", options.diagnosed = 0;
  cp_control control = {1, 0, 0};
  int32_t status = cp_chain_sample(s, &scores, NULL, &options, drawn, LABELS, NULL, 1, &control, NULL, ERR);
  printf("cancelled %d\n", (int)status);
  return 0;
}
