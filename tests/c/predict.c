/* Fits structured ridge regression with a kernel to rankings of 5 labels, and predicts for new rows, from the features alone. Reads
 * n, m, p, alpha, the features[n, p], the rankings[n, 5] and the features[m, p] of new rows. Arguments: the name of the kernel, the
 * loss and, for the BLAS of a shared library, its path. */
#include "check.h"
#include <time.h>

enum { LABELS = 5 };

static cp_features rows_of(const double *x, int64_t n, int64_t p) {
  cp_features features = CP_FEATURES;
  features.n = n, features.p = p, features.dense = x;
  return features;
}

/* Trains as cp_ridge_plan advises, and writes the coefficients of rows. */
static void train(cp_space s, cp_ridge_options *options, const double *kernel, const cp_targets *targets, double *dual) {
  int64_t n = targets->n, bad_row;
  cp_ridge_plan_info plan = CP_RIDGE_PLAN_INFO;
  OK(cp_ridge_plan(s, options, n, 0, 0, &plan, 1, NULL, ERR));
  options->solver = plan.solver;
  options->precision = plan.precision;
  cp_workspace workspace = CP_WORKSPACE;
  workspace.bytes = plan.work_double;
  workspace.data = room(workspace.bytes, 1);
  OK(cp_ridge_kernel(s, options, kernel, targets, &workspace, dual, NULL, 1, NULL, &bad_row, ERR));
  free(workspace.data);
  printf("route %s\n", plan.route);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  if (argc > 3) OK(cp_blas_open(argv[3], ERR));
  double sizes[4];
  read_doubles(sizes, 4);
  int64_t n = (int64_t)sizes[0], m = (int64_t)sizes[1], p = (int64_t)sizes[2], bad_row;
  double *x = room(n * p, sizeof *x), *rankings = room(n * LABELS, sizeof *rankings), *fresh = room(m * p, sizeof *fresh);
  read_doubles(x, n * p);
  read_doubles(rankings, n * LABELS);
  read_doubles(fresh, m * p);

  clock_t start = clock();
  cp_space s = opened("{\"name\":\"permutations\",\"n\":5}");
  int64_t part_len, d;
  shape(s, &part_len, &d);
  int32_t *y = room(n * part_len, sizeof *y);
  for (int64_t i = 0; i < n * part_len; i++) y[i] = (int32_t)rankings[i];
  double *psi = room(n * d, sizeof *psi), *dual = room(n * d, sizeof *dual), *kernel = room(n * n, sizeof *kernel);
  OK(cp_space_embed(s, y, n, part_len, 0, psi, d, 1, NULL, &bad_row, ERR));

  cp_features seen = rows_of(x, n, p), unseen = rows_of(fresh, m, p);
  cp_kernel_function function = CP_KERNEL_FUNCTION;
  function.name = argv[1];
  OK(cp_kernel_scale(&seen, NULL, &function.gamma, 1, NULL, &bad_row, ERR));
  OK(cp_kernel(&function, &seen, NULL, 0, "float64", kernel, 1, NULL, &bad_row, ERR));
  cp_ridge_options options = CP_RIDGE_OPTIONS;
  options.loss = argv[2], options.alpha = sizes[3], options.shift = 1;
  options.solver = "auto";
  cp_targets targets = CP_TARGETS;
  targets.n = n, targets.d = d, targets.psi = psi;
  train(s, &options, kernel, &targets, dual);
  double fitted = (double)(clock() - start) / CLOCKS_PER_SEC;

  cp_model model = CP_MODEL;
  model.m = n, model.d = d, model.coef = dual, model.shift = 1, model.loss = argv[2];
  cp_predictions found = CP_PREDICTIONS;
  found.n = m, found.part_len = part_len;
  found.outputs = room(m * part_len, sizeof *found.outputs);
  found.scores = room(m * d, sizeof *found.scores);
  found.value = room(m, sizeof *found.value);
  found.optimal = room(m, 1);
  OK(cp_predict(s, &model, &function, &seen, &unseen, NULL, &found, 1, NULL, &bad_row, ERR));
  printf("seconds %.6f %.6f\n", fitted, (double)(clock() - start) / CLOCKS_PER_SEC - fitted);

  print_doubles("gamma", &function.gamma, 1);
  print_ints("predicted", found.outputs, m * part_len);
  print_doubles("scores", found.scores, m * d);
  print_doubles("value", found.value, m);
  for (int64_t i = 0; i < m; i++) {
    if (!found.optimal[i]) return 3;
  }

  fresh[p + 1] = strtod("nan", NULL);
  int32_t status = cp_predict(s, &model, &function, &seen, &unseen, NULL, &found, 1, NULL, &bad_row, ERR);
  printf("refused %d %" PRId64 " %s\n", (int)status, bad_row, message);
  function.gamma = -1;
  status = cp_kernel(&function, &seen, &unseen, 0, NULL, kernel, 1, NULL, &bad_row, ERR);
  printf("unknown %d %s\n", (int)status, message);
  return 0;
}
