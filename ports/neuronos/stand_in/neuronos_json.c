/* Stands for the JSON helpers of the project: what the port uses of them. */
#include "neuronos/neuronos_json.h"

#include <stdlib.h>
#include <string.h>

char * nj_escape(const char * text) {
    char *escaped = malloc(2 * strlen(text) + 1), *to = escaped;
    for (; *text; text++) {
        const char * special = strchr("\"\\\n\t", *text);
        if (special) {
            *to++ = '\\';
            *to++ = *text == '\n' ? 'n' : *text == '\t' ? 't' : *text;
        } else {
            *to++ = *text;
        }
    }
    *to = 0;
    return escaped;
}
