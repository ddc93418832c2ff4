/* Trains structured support vector machines and a perceptron on rankings of 4 labels: the library's decoder, and one of its own
 * that looks at all rankings. Reads n, p, c, the features[n, p] and the rankings[n, 4]. */
#include "check.h"

enum { LABELS = 4, MEMBERS = 24 };

int main(void) {
  double sizes[3];
  read_doubles(sizes, 3);
  int64_t n = (int64_t)sizes[0], p = (int64_t)sizes[1], q = p + 1;
  double *features = room(n * p, sizeof *features), *rankings = room(n * LABELS, sizeof *rankings);
  read_doubles(features, n * p);
  read_doubles(rankings, n * LABELS);

  cp_space s = opened("{\"name\":\"permutations\",\"n\":4}");
  int64_t part_len, d, bad_row, count;
  shape(s, &part_len, &d);
  int32_t *y = room(n * part_len, sizeof *y), *all = room(MEMBERS * part_len, sizeof *all);
  for (int64_t i = 0; i < n * part_len; i++) y[i] = (int32_t)rankings[i];
  double *psi = room(n * d, sizeof *psi), *members = room(MEMBERS * d, sizeof *members);
  OK(cp_space_embed(s, y, n, part_len, 0, psi, d, 1, NULL, &bad_row, ERR));
  OK(cp_space_enumerate(s, 0, all, MEMBERS, part_len, &count, 1, NULL, ERR));
  if (count != MEMBERS) return 3;
  OK(cp_space_embed(s, all, MEMBERS, part_len, 0, members, d, 1, NULL, &bad_row, ERR));

  cp_design design = CP_DESIGN;
  design.n = n, design.p = p, design.dense = features, design.intercept = 1;
  cp_targets targets = CP_TARGETS;
  targets.n = n, targets.d = d, targets.psi = psi;
  cp_affine_loss loss = CP_AFFINE_LOSS;
  double *constant = room(n, sizeof *constant), *gradient = room(n * d, sizeof *gradient);
  OK(cp_affine_losses("signs", "kendall", psi, n, d, NULL, NULL, constant, gradient, NULL, ERR));
  loss.n = n, loss.d = d, loss.constant = constant, loss.gradient = gradient;

  double *coef = room(q * d, sizeof *coef), *curve = room(3 * 1000, sizeof *curve);
  cp_svm_solution solution = CP_SVM_SOLUTION;
  solution.q = q, solution.d = d, solution.coef = coef, solution.n_curve = 1000, solution.curve = curve;
  cp_svm_options options = CP_SVM_OPTIONS;
  options.c = sizes[2], options.tol = 1e-4;
  cp_svm_info info = CP_SVM_INFO;
  cp_control control = {0, 0, 0};
  OK(cp_svm_fit(s, &options, &design, &targets, &loss, &solution, &info, 2, &control, &bad_row, ERR));
  print_doubles("coef", coef, q * d);
  print_doubles("objective", &info.objective, 1);
  print_doubles("gap", &info.gap, 1);
  printf("passes %" PRId64 " %" PRId64 " %" PRId64 "\n", info.n_iter, info.n_curve, control.step);

  /* The same by a decoder of one's own. */
  cp_svm_info own = CP_SVM_INFO;
  cp_session session;
  OK(cp_svm_start(&options, &design, &targets, &loss, &solution, &own, &session, 1, NULL, &bad_row, ERR));
  cp_request asked = CP_REQUEST;
  int64_t decoded = 0;
  for (;;) {
    OK(cp_session_next(session, &asked, &bad_row, ERR));
    if (asked.ask == CP_ASK_DONE) break;
    for (int64_t i = 0; i < asked.n; i++, decoded++) {
      double best = -1e300;
      for (int64_t z = 0; z < MEMBERS; z++) {
        double value = 0;
        for (int64_t j = 0; j < d; j++) value += asked.linear[i * d + j] * members[z * d + j];
        if (value > best) {
          best = value;
          memcpy(asked.psi + i * d, members + z * d, (size_t)d * sizeof *asked.psi);
        }
      }
      asked.proven[i] = 1;
    }
  }
  OK(cp_session_close(session, ERR));
  print_doubles("own", &own.objective, 1);
  if (decoded != own.n_calls || !own.exact) return 4;

  cp_perceptron_options visits = CP_PERCEPTRON_OPTIONS;
  visits.max_iter = 3, visits.shuffle = 0;
  double *last = room(q * d, sizeof *last), *late = room(q * d, sizeof *late);
  cp_perceptron_solution weights = CP_PERCEPTRON_SOLUTION;
  weights.n = n, weights.q = q, weights.d = d, weights.last = last, weights.late = late;
  cp_perceptron_info ended = CP_PERCEPTRON_INFO;
  OK(cp_perceptron_fit(s, &visits, &design, &targets, NULL, &weights, &ended, 1, NULL, &bad_row, ERR));
  for (int64_t i = 0; i < q * d; i++) last[i] -= late[i] / (double)ended.visits;
  print_doubles("perceptron", last, q * d);
  printf("mistakes %" PRId64 "\n", ended.mistakes);

  /* A request without an answer. */
  OK(cp_svm_start(&options, &design, &targets, &loss, &solution, &own, &session, 1, NULL, &bad_row, ERR));
  OK(cp_session_next(session, &asked, &bad_row, ERR));
  int32_t status = cp_session_next(session, &asked, &bad_row, ERR);
  printf("refused %d %" PRId64 " %s\n", (int)status, bad_row, message);
  OK(cp_session_close(session, ERR));
  return 0;
}
