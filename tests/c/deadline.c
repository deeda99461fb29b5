/* The parent waits in poll. A signal handler or a thread of the child would not do: ThreadSanitizer holds a signal back
 * while its thread sleeps in a futex, and it does not support threads before a fork. */
#define _POSIX_C_SOURCE 200809L
#include "deadline.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAME = 256 };

static int names; /* the end of the pipe that the child writes to */

void deadline_start(const char *test) {
    char name[NAME] = "";
    strncpy(name, test, NAME - 1);
    if (write(names, name, NAME) != NAME) abort();
}

/* Reads names until the child has ended. Returns 0 if no name comes in time. */
static int wait_for_end(int from, char *name) {
    struct pollfd next = {from, POLLIN, 0};
    for (;;) {
        int ready = poll(&next, 1, DEADLINE_S * 1000);
        if (ready == 0) return 0;
        if (ready > 0 && read(from, name, NAME) == 0) return 1;
    }
}

int deadline_run(int argc, char **argv, int (*tests)(int argc, char **argv)) {
    int ends[2], status = -1;
    char name[NAME] = "the first test";
    if (pipe(ends)) abort();
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        close(ends[0]);
        names = ends[1];
        return tests(argc, argv);
    }
    close(ends[1]);
    int in_time = wait_for_end(ends[0], name);
    close(ends[0]);
    if (!in_time) {
        printf("HUNG for %d seconds: %s\n", DEADLINE_S, name);
        kill(child, SIGKILL);
    }
    if (waitpid(child, &status, 0) != child) abort();
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    if (in_time) printf("ended by signal %d: %s\n", WTERMSIG(status), name);
    return 1;
}
