/* The options of a script's server. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "text.h"

enum { SOME = 16 };

/* What the options of a server point to. */
typedef struct {
    wellhead_server_options server;
    wellhead_limits limits;
    text key, json[SOME];
    wellhead_pair capabilities[SOME], announces[SOME];
    wellhead_str versions[SOME];
    wellhead_error_code error_codes[SOME];
} options;

void options_read(options *o, const json_t *script);
void options_end(options *o);

#endif
