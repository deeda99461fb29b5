/* The options of a script's server. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "text.h"

enum { SOME = 16 };

/* A caching hint, and what it points to. */
typedef struct { wellhead_cache cache; uint64_t ttl_ms; } caching;

/* Reads a HINT; NULL if there is none. */
const wellhead_cache *caching_read(caching *c, const json_t *hint);

/* Storage that the options of a server point to. */
typedef struct {
    wellhead_server_options server;
    wellhead_limits limits;
    text key, icons, json[SOME], settings[SOME];
    wellhead_pair capabilities[SOME], extensions[SOME], result_type_extensions[SOME], list_changed_methods[SOME];
    wellhead_str revisions[SOME];
    wellhead_rpc_code rpc_codes[SOME];
    caching cache, caches[SOME];
    wellhead_cache_of cache_of[SOME];
} options;

void options_read(options *o, const json_t *script);
void options_end(options *o);

#endif
