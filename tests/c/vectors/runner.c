#include "runner.h"
#include "../deadline.h"

#include <stdio.h>
#include <string.h>

/* What C cannot say: a callback that returns nothing and sets verdicts one by one returns neither a wrong type nor a wrong
 * number of verdicts. Every other word of `needs` it reaches. */
static const char *const UNSAYABLE[] = {"wrong_type", "verdict_count"};

static int unsayable(const json_t *script) {
    const json_t *needs = json_object_get(script, "needs");
    for (size_t i = 0; i < json_array_size(needs); i++)
        for (size_t j = 0; j < sizeof UNSAYABLE / sizeof *UNSAYABLE; j++)
            if (strcmp(json_string_value(json_array_get(needs, i)), UNSAYABLE[j]) == 0) return 1;
    return 0;
}

static const char *title;
static script_run *run;

static int run_once(const char *path, const json_t *script, int bytes) {
    text why = {0};
    int passed = run(script, bytes, &why);
    if (!passed) printf("%s, %s, %s\n", path, bytes ? "byte by byte" : "whole", why.at);
    text_free(&why);
    return passed;
}

static int run_all(int argc, char **argv) {
    int passed = 0, failed = 0, beyond = 0;
    for (int i = 1; i < argc; i++) {
        json_error_t error;
        json_t *script = json_load_file(argv[i], JSON_ALLOW_NUL, &error);
        if (!script) {
            printf("%s:%d: %s\n", argv[i], error.line, error.text);
            failed++;
        } else if (unsayable(script)) {
            beyond++;
        } else {
            deadline_start(argv[i]);
            int whole = run_once(argv[i], script, 0), bytes = run_once(argv[i], script, 1);
            if (whole && bytes) passed++;
            else failed++;
        }
        json_decref(script);
    }
    printf("%s: %d passed, %d failed, %d show what C cannot say\n", title, passed, failed, beyond);
    return failed != 0 || passed == 0;
}

int run_scripts(int argc, char **argv, const char *of, script_run *one) {
    title = of;
    run = one;
    return deadline_run(argc, argv, run_all);
}
