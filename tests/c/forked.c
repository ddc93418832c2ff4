/* Forks after the library was loaded, before anything was computed and after it: the child is refused at once. */
#define _POSIX_C_SOURCE 200809L
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int in_child(void) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    cp_structure s = described("{\"name\":\"permutations\",\"n\":5}");
    int64_t needed;
    alarm(20); /* a child that hangs is killed */
    int32_t status = cp_structure_count(&s, NULL, 0, &needed, ERR);
    _exit(strlen(message) > 20 ? (int)status : 100);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

int main(void) {
  printf("before %d\n", in_child());
  cp_structure s = described("{\"name\":\"permutations\",\"n\":5}");
  int32_t y[5 * 1000];
  OK(cp_structure_sample(&s, 1, y, 1000, 5, 2, NULL, ERR));
  printf("after %d\n", in_child());
  OK(cp_structure_sample(&s, 1, y, 1000, 5, 2, NULL, ERR)); /* the parent goes on */
  return 0;
}
