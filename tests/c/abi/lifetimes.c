/* What is destroyed, when, and how often. */
#include "check.h"

typedef struct { wellhead_server *server; int destroyed; int calls; wellhead_read *kept; } owner;

static void destroy(void *user_data) {
    owner *o = user_data;
    o->destroyed++;
    if (o->server) CHECK(wellhead_server_notify_updated(o->server, WELLHEAD_STR("n:1"), NULL) == WELLHEAD_STATUS_OK);
}

static void keep(void *user_data, const wellhead_call *call, wellhead_read *r) {
    owner *o = user_data;
    (void)call;
    CHECK(o->destroyed == 0);
    o->calls++;
    o->kept = wellhead_read_keep(r);
}

static void list_nothing(void *user_data, const wellhead_call *call, wellhead_list *r) {
    (void)user_data, (void)call;
    wellhead_list_finish(r, 0);
}

static wellhead_provider owned(owner *o) {
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    provider.user_data = o;
    provider.destroy = destroy;
    provider.read = keep;
    return provider;
}

static void user_data_is_destroyed_once_when_its_registration_is_removed(void) {
    owner o = {quiet_server(), 0, 0, NULL};
    CHECK(add_template(o.server, "n:{id}", owned(&o)) == WELLHEAD_STATUS_OK);
    CHECK(o.destroyed == 0);
    CHECK(wellhead_server_remove_resource(o.server, WELLHEAD_STR("n:{id}"), NULL) == WELLHEAD_STATUS_OK);
    CHECK(o.destroyed == 1);
    wellhead_server_free(o.server);
    CHECK(o.destroyed == 1);
}

static void user_data_is_destroyed_once_when_its_registration_fails(void) {
    owner o = {quiet_server(), 0, 0, NULL};
    wellhead_provider provider = owned(&o);
    CHECK(add_template(o.server, "n:{", provider) == WELLHEAD_STATUS_INVALID_TEMPLATE);
    CHECK(o.destroyed == 1);
    CHECK(wellhead_server_add_resource(o.server, NULL, &provider, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(o.destroyed == 2);
    CHECK(wellhead_server_set_fallback(NULL, &provider, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(o.destroyed == 3);
    CHECK(wellhead_server_add_list(o.server, WELLHEAD_STR("l"), &provider, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(o.destroyed == 4);
    wellhead_server_free(o.server);
}

static void user_data_of_a_duplicate_is_destroyed_and_the_first_stays(void) {
    owner first = {quiet_server(), 0, 0, NULL}, second = {first.server, 0, 0, NULL};
    CHECK(add_template(first.server, "n:{id}", owned(&first)) == WELLHEAD_STATUS_OK);
    CHECK(add_template(first.server, "n:{id}", owned(&second)) == WELLHEAD_STATUS_DUPLICATE);
    CHECK(first.destroyed == 0 && second.destroyed == 1);
    first.server = NULL; /* its destroy comes while the server goes */
    wellhead_server_free(second.server);
    CHECK(first.destroyed == 1 && second.destroyed == 1);
}

static void user_data_of_two_registrations_is_destroyed_once_for_each(void) {
    owner o = {NULL, 0, 0, NULL};
    wellhead_server *server = quiet_server();
    wellhead_provider provider = owned(&o);
    CHECK(add_template(server, "a:{id}", provider) == WELLHEAD_STATUS_OK);
    CHECK(add_template(server, "b:{id}", provider) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_server_remove_resource(server, WELLHEAD_STR("a:{id}"), NULL) == WELLHEAD_STATUS_OK && o.destroyed == 1);
    wellhead_server_free(server);
    CHECK(o.destroyed == 2);
}

static void *update_until_closed(void *server) {
    while (wellhead_server_notify_updated(server, WELLHEAD_STR("n:1"), NULL) == WELLHEAD_STATUS_OK) {}
    return NULL;
}

static void a_thread_that_updates_ends_when_the_server_is_closed(void) {
    pthread_t thread;
    wellhead_server *server = quiet_server();
    wellhead_connection *connection = connect_to(server);
    if (pthread_create(&thread, NULL, update_until_closed, server)) abort();
    wellhead_server_close(server);
    pthread_join(thread, NULL);
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

static void user_data_waits_for_kept_answers(void) {
    owner o = {quiet_server(), 0, 0, NULL};
    wellhead_connection *connection = connect_to(o.server);
    CHECK(add_template(o.server, "n:{id}", owned(&o)) == WELLHEAD_STATUS_OK);
    exchange(connection, READ(1, "n:1"));
    CHECK(wellhead_server_remove_resource(o.server, WELLHEAD_STR("n:{id}"), NULL) == WELLHEAD_STATUS_OK);
    CHECK(o.destroyed == 0);
    CHECK(wellhead_read_text(o.kept, WELLHEAD_STR("x")) == WELLHEAD_STATUS_OK);
    CHECK(o.destroyed == 1);
    CHECK(has(drain(connection), "\"text\":\"x\""));
    wellhead_connection_free(connection);
    wellhead_server_free(o.server);
}

/* No lock of theirs is held then, so this ends. */
static void a_change_that_a_destroy_function_announces_reaches_subscribers(void) {
    static const char told[] = "\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"n:1\"}";
    owner removed = {quiet_server(), 0, 0, NULL}, answered = {removed.server, 0, 0, NULL};
    wellhead_resource watched = WELLHEAD_RESOURCE_INIT;
    watched.uri = WELLHEAD_STR("n:1");
    CHECK(wellhead_server_add_text(removed.server, &watched, WELLHEAD_STR("x"), NULL) == WELLHEAD_STATUS_OK);
    CHECK(add_template(removed.server, "a:{id}", owned(&removed)) == WELLHEAD_STATUS_OK);
    CHECK(add_template(removed.server, "b:{id}", owned(&answered)) == WELLHEAD_STATUS_OK);
    wellhead_connection *connection = connect_to(removed.server);
    exchange(connection, INITIALIZE SUBSCRIBE(1, "n:1")
             "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/read\",\"params\":{\"uri\":\"b:1\"}}\n");
    CHECK(answered.calls == 1);
    CHECK(wellhead_server_remove_resource(removed.server, WELLHEAD_STR("a:{id}"), NULL) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_server_remove_resource(removed.server, WELLHEAD_STR("b:{id}"), NULL) == WELLHEAD_STATUS_OK);
    CHECK(removed.destroyed == 1 && answered.destroyed == 0);
    wellhead_connection_poll_event(connection, SIZE_MAX);
    CHECK(has(drain(connection), told));
    CHECK(wellhead_read_text(answered.kept, WELLHEAD_STR("y")) == WELLHEAD_STATUS_OK);
    CHECK(answered.destroyed == 1);
    wellhead_connection_poll_event(connection, SIZE_MAX);
    const char *output = drain(connection);
    CHECK(has(output, "\"text\":\"y\"") && has(output, told));
    wellhead_connection_free(connection);
    wellhead_server_free(removed.server);
}

/* Frees a server, a connection, a transmit and a kept responder in the order that `order` says. */
static void free_in_order(const char *order) {
    owner o = {NULL, 0, 0, NULL};
    int wakes = 0;
    wellhead_server *server = quiet_server();
    CHECK(add_template(server, "n:{id}", owned(&o)) == WELLHEAD_STATUS_OK);
    wellhead_connection *connection = connect_with(server, count, &wakes, NULL);
    feed(connection, READ(1, "n:1") READ(2, "other:1"));
    wellhead_connection_poll_event(connection, SIZE_MAX);
    wellhead_transmit *transmit = wellhead_connection_poll_transmit(connection, SIZE_MAX);
    CHECK(transmit && wellhead_connection_poll_transmit(connection, SIZE_MAX) == NULL);
    for (; *order; order++) {
        if (*order == 's') wellhead_server_free(server);
        if (*order == 'c') wellhead_connection_free(connection);
        if (*order == 'k') wellhead_read_free(o.kept);
        if (*order == 't') {
            CHECK(wellhead_transmit_bytes(transmit).ptr[0] == '{');
            wellhead_transmit_free(transmit);
        }
    }
    CHECK(o.destroyed == 1 && o.calls == 1);
}

static void handles_may_be_freed_in_any_order(void) {
    free_in_order("sckt");
    free_in_order("tkcs");
    free_in_order("sctk");
    free_in_order("cskt");
    free_in_order("kstc");
    free_in_order("tsck");
    free_in_order("ktcs");
    free_in_order("stkc");
}

typedef struct { int destroyed, woken; } wakes;

static void wake(void *wake_data) {
    wakes *w = wake_data;
    CHECK(w->destroyed == 0);
    w->woken++;
}

static void wake_gone(void *wake_data) {
    ((wakes *)wake_data)->destroyed++;
}

static void wake_data_is_destroyed_once_after_the_last_wake(void) {
    wakes w = {0, 0}, unused = {0, 0};
    owner o = {NULL, 0, 0, NULL};
    wellhead_server *server = quiet_server();
    CHECK(add_template(server, "n:{id}", owned(&o)) == WELLHEAD_STATUS_OK);
    wellhead_connection *connection = connect_with(server, wake, &w, wake_gone);
    exchange(connection, READ(1, "n:1"));
    int before = w.woken;
    wellhead_read_text(o.kept, WELLHEAD_STR("x"));
    CHECK(w.woken == before + 1);
    wellhead_connection_free(connection);
    wellhead_server_free(server);
    CHECK(w.destroyed == 1);
    CHECK(connect_with(NULL, wake, &unused, wake_gone) == NULL);
    CHECK(unused.destroyed == 1);
}

typedef struct { int destroyed, lines; } lines;

static void log_line(void *log_data, uint32_t severity, const wellhead_str *line) {
    lines *l = log_data;
    CHECK(l->destroyed == 0 && severity == WELLHEAD_SEVERITY_ERROR && line->len > 0);
    l->lines++;
}

static void log_gone(void *log_data) {
    ((lines *)log_data)->destroyed++;
}

static void say_why(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    (void)call;
    wellhead_read_failed(r, WELLHEAD_STR("the disk is gone"));
}

static void the_log_gets_failures_and_is_destroyed_once(void) {
    lines l = {0, 0}, unused = {0, 0};
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    options.log = log_line;
    options.log_data = &l;
    options.log_destroy = log_gone;
    wellhead_server *server = wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &options, NULL);
    provider.read = say_why;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    wellhead_connection *connection = connect_to(server);
    CHECK(!has(exchange(connection, READ(1, "n:1")), "disk"));
    CHECK(l.lines == 1);
    wellhead_server_free(server);
    CHECK(l.destroyed == 0);
    wellhead_connection_free(connection);
    CHECK(l.destroyed == 1);
    options.log_data = &unused;
    options.cursor_key = WELLHEAD_STR("too short");
    CHECK(wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &options, NULL) == NULL);
    CHECK(unused.destroyed == 1);
}

static wellhead_status removed(wellhead_server *server, const char *uri) {
    return wellhead_server_remove_resource(server, wellhead_cstr(uri), NULL);
}

static wellhead_status removed_list(wellhead_server *server, const char *name) {
    return wellhead_server_remove_list(server, wellhead_cstr(name), NULL);
}

static void one_name_is_removed_in_the_order_of_the_header(void) {
    owner resource = {NULL, 0, 0, NULL}, list = {NULL, 0, 0, NULL}, unnamed = {NULL, 0, 0, NULL};
    wellhead_provider lists = WELLHEAD_PROVIDER_INIT, reads = owned(&resource);
    wellhead_resource about = WELLHEAD_RESOURCE_INIT;
    wellhead_server *server = quiet_server();
    about.uri = WELLHEAD_STR("t://a");
    lists.list = list_nothing;
    lists.destroy = destroy;
    lists.user_data = &list;
    CHECK(wellhead_server_add_list(server, about.uri, &lists, NULL) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_server_add_resource(server, &about, &reads, NULL) == WELLHEAD_STATUS_OK);
    lists.user_data = &unnamed;
    CHECK(wellhead_server_add_list(server, wellhead_cstr(NULL), &lists, NULL) == WELLHEAD_STATUS_OK);
    CHECK(removed(server, "t://a") == WELLHEAD_STATUS_OK && resource.destroyed == 1 && list.destroyed == 0);
    CHECK(removed(server, "t://a") == WELLHEAD_STATUS_UNKNOWN && list.destroyed == 0);
    CHECK(removed_list(server, "t://a") == WELLHEAD_STATUS_OK && list.destroyed == 1);
    CHECK(removed_list(server, "t://a") == WELLHEAD_STATUS_UNKNOWN);
    CHECK(removed_list(server, "0") == WELLHEAD_STATUS_UNKNOWN && unnamed.destroyed == 0);
    CHECK(removed_list(server, "1") == WELLHEAD_STATUS_OK && unnamed.destroyed == 1);
    wellhead_server_free(server);
    CHECK(resource.destroyed == 1 && list.destroyed == 1 && unnamed.destroyed == 1);
}

typedef struct { pthread_t thread; int events; } published;

static void count_event(void *user_data, const wellhead_str *event) {
    published *p = user_data;
    CHECK(event->len > 0 && pthread_equal(p->thread, pthread_self()));
    p->events++;
}

static void changes_are_published_on_the_thread_that_reports_them(void) {
    published p = {pthread_self(), 0};
    wellhead_resource about = WELLHEAD_RESOURCE_INIT;
    wellhead_server *server = quiet_server();
    about.uri = WELLHEAD_STR("n:1");
    CHECK(wellhead_server_set_publish(server, count_event, &p, NULL, NULL) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_server_notify_updated(server, about.uri, NULL) == WELLHEAD_STATUS_OK && p.events == 1);
    CHECK(wellhead_server_notify_updated_with_resource(server, &about, NULL) == WELLHEAD_STATUS_OK && p.events == 2);
    CHECK(wellhead_server_notify_sub_resource_updated(server, WELLHEAD_STR("n:1/a"), about.uri, NULL) == WELLHEAD_STATUS_OK);
    CHECK(p.events == 3);
    CHECK(wellhead_server_notify_resource_list_changed(server, NULL) == WELLHEAD_STATUS_OK && p.events == 4);
    CHECK(wellhead_server_access_changed(server, WELLHEAD_STR("ann"), NULL) == WELLHEAD_STATUS_OK && p.events == 5);
    CHECK(wellhead_server_access_changed(server, (wellhead_str){NULL, 0}, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    wellhead_server_free(server);
    CHECK(p.events == 5);
}

void test_lifetimes(void) {
    RUN(user_data_is_destroyed_once_when_its_registration_is_removed);
    RUN(user_data_is_destroyed_once_when_its_registration_fails);
    RUN(user_data_of_a_duplicate_is_destroyed_and_the_first_stays);
    RUN(user_data_of_two_registrations_is_destroyed_once_for_each);
    RUN(a_thread_that_updates_ends_when_the_server_is_closed);
    RUN(user_data_waits_for_kept_answers);
    RUN(a_change_that_a_destroy_function_announces_reaches_subscribers);
    RUN(handles_may_be_freed_in_any_order);
    RUN(wake_data_is_destroyed_once_after_the_last_wake);
    RUN(the_log_gets_failures_and_is_destroyed_once);
    RUN(one_name_is_removed_in_the_order_of_the_header);
    RUN(changes_are_published_on_the_thread_that_reports_them);
}
