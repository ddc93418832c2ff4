/* Finds the consensus of rankings. Reads n, k and the ranks[n, k]. */
#include "check.h"

int main(void) {
  double sizes[2];
  read_doubles(sizes, 2);
  int64_t n = (int64_t)sizes[0], k = (int64_t)sizes[1], bad_row;
  double *ranks = room(n * k, sizeof *ranks);
  read_doubles(ranks, n * k);
  cp_profile profile = CP_PROFILE;
  profile.n = n, profile.k = k, profile.ranks = ranks;
  int32_t *consensus = room(k, sizeof *consensus);
  static const char *const methods[] = {"exact", "pivot", "local-search", "borda", "footrule", "median-rank"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    cp_aggregate_options options = CP_AGGREGATE_OPTIONS;
    options.method = methods[i];
    cp_consensus_info info = CP_CONSENSUS_INFO;
    OK(cp_aggregate(&profile, NULL, &options, NULL, consensus, k, &info, 1, NULL, &bad_row, ERR));
    print_ints(methods[i], consensus, k);
    char name[64];
    snprintf(name, sizeof name, "%s_known", methods[i]);
    double known[] = {info.distance, info.lower_bound, info.ratio, (double)info.optimal};
    print_doubles(name, known, 4);
  }
  cp_aggregate_options ties = CP_AGGREGATE_OPTIONS;
  ties.method = "exact", ties.output = "weak", ties.penalty = 0.3;
  OK(cp_aggregate(&profile, NULL, &ties, NULL, consensus, k, NULL, 1, NULL, &bad_row, ERR));
  print_ints("ties", consensus, k);
  ranks[k] = -2;
  int32_t status = cp_aggregate(&profile, NULL, NULL, NULL, consensus, k, NULL, 1, NULL, &bad_row, ERR);
  printf("refused %d %" PRId64 " %s\n", (int)status, bad_row, message);
  return 0;
}
