/* A deadline for each test of a program, so that a test that hangs fails and names itself. */
#ifndef DEADLINE_H
#define DEADLINE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Far more than a test takes under valgrind on a busy machine. */
enum { DEADLINE_S = 300 };

/* Runs all tests of a program in a child process and returns what main returns. If a test takes longer than the deadline,
 * kills the child and prints the name of that test. */
int deadline_run(int argc, char **argv, int (*tests)(int argc, char **argv));

/* Starts the time of the next test. */
void deadline_start(const char *test);

#ifdef __cplusplus
}
#endif
#endif
