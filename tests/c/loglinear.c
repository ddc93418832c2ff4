/* Fits a log-linear model of rankings of 4 labels: in one call, by sums over two blocks of rows, with distributions of which only this
 * program knows, from a kernel matrix, and by draws. Reads n, p, alpha, X[n, p] and the rankings[n, 4]. */
#include "check.h"

enum { LABELS = 4, PAIRS = LABELS * (LABELS - 1) / 2 };

static cp_loglinear_model fresh(int64_t q) {
  cp_loglinear_model model = CP_LOGLINEAR_MODEL;
  model.q = q, model.d = PAIRS;
  model.weights = room(q * PAIRS, sizeof *model.weights);
  model.average = room(q * PAIRS, sizeof *model.average);
  return model;
}

int main(void) {
  double sizes[3];
  read_doubles(sizes, 3);
  int64_t n = (int64_t)sizes[0], p = (int64_t)sizes[1], q = p + 1, bad_row;
  double *x = room(n * p, sizeof *x), *rankings = room(n * LABELS, sizeof *rankings);
  read_doubles(x, n * p);
  read_doubles(rankings, n * LABELS);

  cp_space s = opened("{\"name\":\"permutations\",\"n\":4}");
  int32_t *y = room(n * LABELS, sizeof *y);
  for (int64_t i = 0; i < n * LABELS; i++) y[i] = (int32_t)rankings[i];
  double *psi = room(n * PAIRS, sizeof *psi);
  OK(cp_space_embed(s, y, n, LABELS, 0, psi, PAIRS, 1, NULL, &bad_row, ERR));

  cp_design design = CP_DESIGN;
  design.n = n, design.p = p, design.intercept = 1, design.dense = x;
  cp_targets targets = CP_TARGETS;
  targets.n = n, targets.d = PAIRS, targets.psi = psi;
  cp_loglinear_options options = CP_LOGLINEAR_OPTIONS;
  options.alpha = sizes[2], options.tol = 1e-9, options.intercept = 1;
  cp_loglinear_model model = fresh(q);
  cp_loglinear_info info = CP_LOGLINEAR_INFO;
  OK(cp_loglinear_fit(s, &options, &design, &targets, &model, &info, 2, NULL, &bad_row, ERR));
  print_doubles("coef", model.weights, q * PAIRS);
  print_doubles("objective", &info.objective, 1);

  cp_loglinear_model by_sums = fresh(q);
  cp_request request = CP_REQUEST;
  cp_session session;
  OK(cp_loglinear_search_start(s, &options, &by_sums, &info, &session, 1, NULL, ERR));
  for (;;) {
    OK(cp_session_next(session, &request, &bad_row, ERR));
    if (request.ask == CP_ASK_DONE) break;
    const char *kind = request.ask == CP_ASK_MOMENTS ? "moments" : request.ask == CP_ASK_LOSS ? "loss" : "spread";
    for (int half = 0; half < 2; half++) { /* sums add up in place */
      cp_features block = CP_FEATURES;
      cp_outputs outputs = CP_OUTPUTS;
      block.n = outputs.n = half ? n - n / 2 : n / 2;
      block.p = p, block.dense = x + half * (n / 2) * p;
      outputs.d = PAIRS, outputs.part_len = LABELS, outputs.parts = y + half * (n / 2) * LABELS;
      OK(cp_loglinear_sums(s, &options, &block, &outputs, kind, request.linear, request.sums, 1, NULL, &bad_row, ERR));
    }
  }
  OK(cp_session_close(session, ERR));
  print_doubles("by_sums", by_sums.weights, q * PAIRS);

  cp_loglinear_model by_answers = fresh(q);
  OK(cp_loglinear_start(s, &options, &design, &targets, &by_answers, NULL, &session, 1, NULL, &bad_row, ERR));
  int64_t asked = 0;
  for (;; asked++) {
    OK(cp_session_next(session, &request, &bad_row, ERR));
    if (request.ask == CP_ASK_DONE) break;
    if (request.ask == CP_ASK_PSI) continue; /* nothing is drawn here */
    cp_scores scores = CP_SCORES;
    scores.n = request.n, scores.d = PAIRS, scores.linear = request.linear;
    OK(cp_log_partition(s, &scores, NULL, request.log_z, request.means, 1, NULL, &bad_row, ERR));
  }
  OK(cp_session_close(session, ERR));
  print_doubles("by_answers", by_answers.weights, q * PAIRS);
  if (asked == 0) return 3;

  double *kernel = room(n * n, sizeof *kernel), *curvature = room(n, sizeof *curvature);
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < n; j++) {
      for (int64_t k = 0; k < p; k++) kernel[i * n + j] += x[i * p + k] * x[j * p + k];
    }
  }
  cp_design features = CP_DESIGN;
  OK(cp_loglinear_kernel(kernel, n, NULL, 1, curvature, &features.p, 1, NULL, &bad_row, ERR));
  features.n = n, features.dense = kernel;
  cp_loglinear_model in_features = fresh(features.p);
  options.kernel = 1;
  OK(cp_loglinear_fit(s, &options, &features, &targets, &in_features, &info, 1, NULL, &bad_row, ERR));
  print_doubles("of_kernel", &info.objective, 1);
  cp_loglinear_features made = CP_LOGLINEAR_FEATURES;
  made.n = n, made.q = features.p, made.rows = kernel, made.curvature = curvature;
  double *dual = room(n * PAIRS, sizeof *dual), *from_dual = room(q * PAIRS, sizeof *from_dual);
  OK(cp_loglinear_kernel_weights(&made, "dual", in_features.weights, PAIRS, dual, ERR));
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < q; j++) {
      for (int64_t k = 0; k < PAIRS; k++) from_dual[j * PAIRS + k] += (j < p ? x[i * p + j] : 1) * dual[i * PAIRS + k];
    }
  }
  print_doubles("from_dual", from_dual, q * PAIRS);

  options.kernel = 0, options.solver = "sgd", options.distribution = "local", options.tol = 0.05, options.seed = 1;
  cp_loglinear_model drawn = fresh(q);
  drawn.chains = room(n * 2 * LABELS, sizeof *drawn.chains);
  OK(cp_loglinear_fit(s, &options, &design, &targets, &drawn, &info, 2, NULL, &bad_row, ERR));
  print_doubles("drawn", drawn.average, q * PAIRS);
  OK(cp_space_embed(s, drawn.chains, 2 * n, LABELS, 0, NULL, PAIRS, 1, NULL, &bad_row, ERR));

  /* What is not answered is refused, by its row. */
  options.solver = "lbfgs", options.distribution = "exact";
  OK(cp_loglinear_start(s, &options, &design, &targets, &by_answers, NULL, &session, 1, NULL, &bad_row, ERR));
  OK(cp_session_next(session, &request, &bad_row, ERR));
  int32_t status = cp_session_next(session, &request, &bad_row, ERR);
  printf("refused %d %d %s\n", (int)status, (int)bad_row, message);
  OK(cp_session_close(session, ERR));
  return 0;
}
