/* serve_on_microhttpd.h - serves MCP at /mcp, and a page everywhere else, by GNU libmicrohttpd. */
#ifndef SERVE_ON_MICROHTTPD_H
#define SERVE_ON_MICROHTTPD_H

#include <wellhead_http.h>

/* Serves on that port of 127.0.0.1 (0: any; the address is printed) until SIGTERM or SIGINT, then closes the server.
 * `every_second`, which may be NULL, is called on a thread of its own. Both signals are blocked, also in threads that are
 * started afterwards: start none before. Returns 0 when it has ended, 1 if the port cannot be had. */
int serve_on_microhttpd(wellhead_server *server, unsigned port, void (*every_second)(wellhead_server *server));

#endif
