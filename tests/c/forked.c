/* Forks after the library was loaded, before anything was computed and after it: the child is refused at once. */
#define _POSIX_C_SOURCE 200809L
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* What the child is told, by a handle of the parent's or, where that is 0, when it opens a space. */
static int in_child(cp_space of_parent) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    int64_t needed;
    cp_space own;
    alarm(20); /* a child that hangs is killed */
    int32_t status = of_parent ? cp_space_count(of_parent, NULL, 0, &needed, ERR) : open_space("{}", NULL, &own);
    if (of_parent && cp_space_close(of_parent, NULL, 0) != status) _exit(101);
    _exit(strlen(message) > 20 ? (int)status : 100);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

int main(void) {
  printf("before %d\n", in_child(0));
  cp_space s = opened("{\"name\":\"permutations\",\"n\":5}");
  int32_t y[5 * 1000];
  OK(cp_space_sample(s, 1, y, 1000, 5, 2, NULL, ERR));
  printf("after %d\n", in_child(s));
  OK(cp_space_sample(s, 1, y, 1000, 5, 2, NULL, ERR)); /* the parent goes on */
  return 0;
}
