/* Shared code of the programs that run scripts. */
#ifndef RUNNER_H
#define RUNNER_H

#include "text.h"

/* Runs one script, with the client's bytes whole or one at a time. 0: something went otherwise, and `why` says what. */
typedef int script_run(const json_t *script, int bytes, text *why);

/* Runs the scripts at the paths of `argv` in both ways, and says how many passed. The status to exit with. */
int run_scripts(int argc, char **argv, const char *title, script_run *run);

#endif
