/* Shared code of the tests of the C ABI. A test is a function whose name says what holds. */
#ifndef CHECK_H
#define CHECK_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wellhead.h>
#include <wellhead_http.h>

#define CHECK(condition) check((condition) != 0, #condition, __FILE__, __LINE__)
#define RUN(test) run(#test, test)

void check(int holds, const char *what, const char *file, int line);
void run(const char *name, void (*test)(void));
/* In the running test, so far. */
int checks_failed(void);

void test_arguments(void);
void test_answers(void);
void test_lifetimes(void);
void test_freeing(void);
void test_bounds(void);
void test_access(void);
void test_directory(void);
void test_observe(void);
void test_connection(void);
void test_client(void);
void test_stdio(void);
/* How much memory it takes, which a sanitizer and valgrind add to. */
void test_memory(void);
/* A hundred thousand of each thing, for a library that is optimized. */
void test_leaks(void);
void test_http(void);
void test_handle(void);
void test_messages(void);
void test_tools(void);

#define META "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define READ(id, uri) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"resources/read\",\"params\":{\"uri\":\"" uri "\"," META "}}\n"
#define LIST(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"resources/list\",\"params\":{" META "}}\n"
#define CANCEL(id) "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" #id "," META "}}\n"
#define INITIALIZE "{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\"," \
                   "\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}\n" \
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
#define SUBSCRIBE(id, uri) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"" uri "\"}}\n"
#define INTERNAL_ERROR "\"code\":-32603"

/* A server named "s" that logs nowhere. */
wellhead_server *quiet_server(void);
/* A connection without a wake. */
wellhead_connection *connect_to(wellhead_server *server);
wellhead_connection *connect_with(wellhead_server *server, void (*wake)(void *), void *wake_data,
                                  void (*wake_destroy)(void *));
wellhead_status add_template(wellhead_server *server, const char *uri_template, wellhead_provider provider);

void feed(wellhead_connection *connection, const char *bytes);
/* All output that there is now; valid until the next call. */
const char *drain(wellhead_connection *connection);
/* Feeds, polls and drains. */
const char *exchange(wellhead_connection *connection, const char *bytes);
int has(const char *text, const char *part);
/* A request over HTTP that reads n:1, whose body is to come. */
wellhead_exchange *post(wellhead_endpoint *endpoint, wellhead_wake_callback ready, void *ready_data,
                        wellhead_destroy_callback ready_destroy);

/* A request over HTTP that reads n:1 with a bearer token, whose body is to come. */
wellhead_exchange *post_with_token(wellhead_endpoint *endpoint, wellhead_wake_callback ready, void *ready_data,
                                   wellhead_destroy_callback ready_destroy);

/* Something that one thread waits for and another says. */
typedef struct { pthread_mutex_t lock; pthread_cond_t said; int is; } flag;
#define FLAG_INIT { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 }
void say(flag *f);
void await(flag *f);

/* For `destroy`, `release` and `wake`: counts in an int. */
void count(void *counter);

#endif
