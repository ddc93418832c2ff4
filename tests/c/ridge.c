/* Fits structured ridge regression to rankings of 5 labels and predicts. Reads n, m, alpha, the kernel matrix[n, n], the
 * rankings[n, 5] and the kernel values[m, n] of m new rows. With an argument: on the BLAS of that shared library. */
#include "check.h"

enum { LABELS = 5 };

int main(int argc, char **argv) {
  if (argc > 1) OK(cp_blas_open(argv[1], ERR));
  char blas[4200];
  int64_t needed;
  OK(cp_blas_status(blas, sizeof blas, &needed, ERR));
  printf("blas %s\n", blas);

  double sizes[3];
  read_doubles(sizes, 3);
  int64_t n = (int64_t)sizes[0], m = (int64_t)sizes[1];
  double *kernel = room(n * n, sizeof *kernel), *rankings = room(n * LABELS, sizeof *rankings);
  double *fresh = room(m * n, sizeof *fresh);
  read_doubles(kernel, n * n);
  read_doubles(rankings, n * LABELS);
  read_doubles(fresh, m * n);

  cp_space s = opened("{\"name\":\"permutations\",\"n\":5}");
  int64_t part_len, d, bad_row;
  shape(s, &part_len, &d);
  int32_t *y = room(n * part_len, sizeof *y);
  for (int64_t i = 0; i < n * part_len; i++) y[i] = (int32_t)rankings[i];
  double *psi = room(n * d, sizeof *psi);
  OK(cp_space_embed(s, y, n, part_len, 0, psi, d, 1, NULL, &bad_row, ERR));

  cp_ridge_options options = CP_RIDGE_OPTIONS;
  options.alpha = sizes[2];
  options.solver = "auto";
  cp_ridge_plan_info plan = CP_RIDGE_PLAN_INFO;
  OK(cp_ridge_plan(s, &options, n, 0, 0, &plan, 1, NULL, ERR));
  printf("plan %s %s %s %s %" PRId64 "\n", plan.solver, plan.route, plan.route_loo, plan.precision, plan.distinct);
  options.solver = plan.solver;
  options.precision = "double";

  cp_targets targets = CP_TARGETS;
  targets.n = n, targets.d = d, targets.psi = psi;
  cp_workspace workspace = CP_WORKSPACE;
  workspace.bytes = plan.work_double > plan.work_loo_double ? plan.work_double : plan.work_loo_double;
  workspace.data = room(workspace.bytes, 1);
  double *dual = room(n * d, sizeof *dual), *left_out = room(2 * n * d, sizeof *left_out);
  cp_fit_info info = CP_FIT_INFO;
  cp_control control = {0, 0, 0};
  OK(cp_ridge_kernel(s, &options, kernel, &targets, &workspace, dual, &info, 2, &control, &bad_row, ERR));
  print_doubles("dual", dual, n * d);
  print_doubles("objective", &info.objective, 1);
  double alphas[2] = {options.alpha, 10 * options.alpha};
  cp_loo loo = CP_LOO;
  loo.n_alphas = 2, loo.n = n, loo.d = d, loo.alphas = alphas, loo.scores = left_out;
  OK(cp_ridge_loo(s, &options, kernel, &targets, &loo, &workspace, 2, NULL, NULL, ERR));
  print_doubles("left_out", left_out, 2 * n * d);

  double *scores = room(m * d, sizeof *scores);
  for (int64_t i = 0; i < m; i++) {
    for (int64_t j = 0; j < n; j++) {
      for (int64_t k = 0; k < d; k++) scores[i * d + k] += fresh[i * n + j] * dual[j * d + k];
    }
  }
  cp_scores asked = CP_SCORES;
  asked.n = m, asked.d = d, asked.linear = scores;
  cp_certificates known = CP_CERTIFICATES;
  known.n = m;
  known.value = room(m, sizeof *known.value);
  known.upper_bound = room(m, sizeof *known.upper_bound);
  known.optimal = room(m, 1);
  int32_t *predicted = room(m * part_len, sizeof *predicted);
  OK(cp_decode(s, &asked, NULL, predicted, part_len, &known, 1, NULL, &bad_row, ERR));
  print_ints("predicted", predicted, m * part_len);
  print_doubles("value", known.value, m);
  print_doubles("upper_bound", known.upper_bound, m);
  for (int64_t i = 0; i < m; i++) {
    if (!known.optimal[i]) return 3;
  }

  scores[d + 2] = strtod("nan", NULL);
  int32_t status = cp_decode(s, &asked, NULL, predicted, part_len, NULL, 1, NULL, &bad_row, ERR);
  printf("refused %d %" PRId64 " %s\n", (int)status, bad_row, message);

  options.loss = "hinge";
  status = cp_ridge_plan(s, &options, n, 0, 0, &plan, 1, NULL, ERR);
  printf("unknown %d %s\n", (int)status, message);
  return 0;
}
