/* Fits structured ridge regression in the weights of features to rankings of 5 labels, all rows at once and in blocks that only the program
 * holds, and predicts for new rows. Reads n, m, p, alpha, the features[n, p], the rankings[n, 5] and the features[m, p] of new rows.
 * Argument: the loss. */
#include "check.h"

enum { LABELS = 5, BLOCK = 7 };

/* Trains on blocks of rows: the session says what it needs, and each block adds its part. */
static void by_blocks(cp_space s, const cp_ridge_options *options, const cp_features *x, const cp_outputs *y, double *coef) {
  cp_session session;
  OK(cp_ridge_primal_start(s, options, x->p, coef, y->d, NULL, &session, 1, NULL, ERR));
  cp_request request = CP_REQUEST;
  for (;;) {
    int64_t bad_row;
    OK(cp_session_next(session, &request, NULL, ERR));
    if (request.ask == CP_ASK_DONE) break;
    for (int64_t lo = 0; lo < x->n; lo += BLOCK) {
      cp_features features = *x;
      cp_outputs outputs = *y;
      features.n = outputs.n = lo + BLOCK < x->n ? BLOCK : x->n - lo;
      features.dense = (const double *)x->dense + lo * x->p;
      outputs.parts = y->parts + lo * y->part_len;
      if (request.ask == CP_ASK_SUMS) {
        OK(cp_ridge_sums(s, options, &features, &outputs, request.sums, 1, NULL, &bad_row, ERR));
      } else {
        OK(cp_ridge_product(s, options, &features, &outputs, request.linear, request.results, 1, NULL, &bad_row, ERR));
      }
    }
  }
  OK(cp_session_close(session, ERR));
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  double sizes[4];
  read_doubles(sizes, 4);
  int64_t n = (int64_t)sizes[0], m = (int64_t)sizes[1], p = (int64_t)sizes[2], part_len, d, bad_row;
  double *x = room(n * p, sizeof *x), *rankings = room(n * LABELS, sizeof *rankings), *fresh = room(m * p, sizeof *fresh);
  read_doubles(x, n * p);
  read_doubles(rankings, n * LABELS);
  read_doubles(fresh, m * p);

  cp_space s = opened("{\"name\":\"permutations\",\"n\":5}");
  shape(s, &part_len, &d);
  int32_t *parts = room(n * part_len, sizeof *parts);
  for (int64_t i = 0; i < n * part_len; i++) parts[i] = (int32_t)rankings[i];

  cp_features features = CP_FEATURES;
  features.n = n, features.p = p, features.dense = x;
  cp_outputs outputs = CP_OUTPUTS;
  outputs.n = n, outputs.d = d, outputs.part_len = part_len, outputs.parts = parts;
  cp_ridge_options options = CP_RIDGE_OPTIONS;
  options.loss = argv[1], options.alpha = sizes[3], options.shift = 1, options.precision = "double";
  double *coef = room((p + 1) * d, sizeof *coef), *again = room((p + 1) * d, sizeof *again);
  cp_fit_info info = CP_FIT_INFO;
  OK(cp_ridge_features(s, &options, &features, &outputs, 1 << 20, coef, &info, 1, NULL, &bad_row, ERR));
  print_doubles("coef", coef, (p + 1) * d);
  by_blocks(s, &options, &features, &outputs, again);
  print_doubles("blocks", again, (p + 1) * d);

  cp_features unseen = CP_FEATURES;
  unseen.n = m, unseen.p = p, unseen.dense = fresh;
  cp_model model = CP_MODEL;
  model.m = p + 1, model.d = d, model.coef = coef, model.shift = 1, model.loss = argv[1];
  cp_predictions found = CP_PREDICTIONS;
  found.n = m, found.part_len = part_len;
  found.outputs = room(m * part_len, sizeof *found.outputs);
  found.scores = room(m * d, sizeof *found.scores);
  OK(cp_predict(s, &model, NULL, NULL, &unseen, NULL, &found, 1, NULL, &bad_row, ERR));
  print_ints("predicted", found.outputs, m * part_len);
  print_doubles("scores", found.scores, m * d);

  parts[2 * part_len] = 9;
  int32_t status = cp_ridge_features(s, &options, &features, &outputs, 0, coef, &info, 1, NULL, &bad_row, ERR);
  printf("refused %d %" PRId64 " %s\n", (int)status, bad_row, message);
  return 0;
}
