#define _POSIX_C_SOURCE 200809L
#include "answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static wellhead_status notify(wellhead_method *r, const json_t *message, int *sent) {
    const json_t *params = json_object_get(message, "params");
    text json = {0};
    if (params) json = text_of_json(params);
    wellhead_status status = wellhead_method_notify(r, member(message, "method"), view(&json), sent);
    text_free(&json);
    return status;
}

/* Gives one JSON object to one of the final functions. */
static void give(wellhead_method *r, const json_t *object, wellhead_status (*final)(wellhead_method *, wellhead_str)) {
    text json = text_of_json(object);
    final(r, view(&json));
    text_free(&json);
}

void answer_method(wellhead_method *r, const json_t *with) {
    const json_t *result = json_object_get(with, "result"), *error = json_object_get(with, "error");
    const json_t *input = json_object_get(with, "input_required"), *lacking = json_object_get(with, "missing_capability");
    if (result) {
        give(r, result, wellhead_method_result);
    } else if (input) {
        give(r, input, wellhead_method_input_required);
    } else if (lacking) {
        give(r, lacking, wellhead_method_missing_capability);
    } else if (json_object_get(with, "tool_error")) {
        wellhead_method_tool_error(r, member(with, "tool_error"));
    } else if (error) {
        text data = {0};
        if (json_object_get(error, "data")) data = text_of_json(json_object_get(error, "data"));
        wellhead_method_error(r, (int32_t)json_integer_value(json_object_get(error, "code")), member(error, "message"),
                              view(&data));
        text_free(&data);
    } else {
        wellhead_method_failed(r, WELLHEAD_STR(FAILURE));
    }
}

static void echo(wellhead_method *r, const wellhead_call *call, wellhead_str params) {
    wellhead_str method = wellhead_call_method(call), client = wellhead_call_client_capabilities(call);
    wellhead_str level = wellhead_call_log_level(call);
    text json = {0};
    wellhead_str name = wellhead_call_name(call), arguments = wellhead_call_arguments(call);
    text_say(&json, "{\"method\":\"%.*s\",\"params\":%.*s", (int)method.len, method.ptr, (int)params.len, params.ptr);
    if (name.ptr)
        text_say(&json, ",\"name\":\"%.*s\",\"arguments\":%.*s,\"content\":[],\"messages\":[]", (int)name.len, name.ptr,
                 (int)arguments.len, arguments.ptr);
    if (client.ptr) text_say(&json, ",\"client\":%.*s", (int)client.len, client.ptr);
    if (level.ptr) text_say(&json, ",\"level\":\"%.*s\"", (int)level.len, level.ptr);
    text_say(&json, "}");
    wellhead_method_result(r, view(&json));
    text_free(&json);
}

static void proceed(host *h, wellhead_method *r, const json_t *with);

/* What goes on when the client has answered. `kept`: NULL if a step answers the call. */
typedef struct { host *host; wellhead_method *kept; const json_t *then; } asked;

static void answered(void *then_data, uint32_t response, const wellhead_str *json) {
    asked *a = then_data;
    text line = {0};
    wellhead_method *kept = a->kept;
    if (response == WELLHEAD_RESPONSE_GIVEN_UP) text_say(&line, "response given up");
    else
        text_say(&line, "response %s%.*s", response == WELLHEAD_RESPONSE_ERROR ? "error " : "", (int)json->len, json->ptr);
    note(a->host, &line);
    a->kept = NULL;
    if (response == WELLHEAD_RESPONSE_GIVEN_UP) wellhead_method_free(kept);
    else if (kept) proceed(a->host, kept, a->then);
}

static void never_answered(void *then_data) {
    asked *a = then_data;
    wellhead_method_free(a->kept);
    a->host->registrations--;
    free(a);
}

/* Asks the client, for a responder that is kept. */
static void request(host *h, wellhead_method *r, const json_t *with) {
    const json_t *message = json_object_get(with, "request"), *params = json_object_get(message, "params");
    const json_t *name = json_object_get(with, "hold"), *refused = json_object_get(with, "refused");
    asked *a = malloc(sizeof *a);
    text json = {0};
    if (!a) abort();
    *a = (asked){h, name || refused ? NULL : r, json_object_get(with, "then")};
    h->registrations++;
    if (params) json = text_of_json(params);
    wellhead_status status =
        wellhead_method_send_request(r, member(message, "method"), view(&json), answered, a, never_answered, NULL);
    text_free(&json);
    if (strcmp(wellhead_status_name(status), refused ? json_string_value(refused) : "ok") != 0) {
        fprintf(stderr, "a request was answered by %s\n", wellhead_status_name(status));
        abort();
    }
    if (name) hold(h, filled(NULL, name))->method = r;
    if (refused) proceed(h, r, json_object_get(with, "then"));
}

const json_t *client_requests(host *h, wellhead_read *read, wellhead_method *r, const json_t *with) {
    const json_t *requests = json_object_get(with, "client_requests"), *missing = json_object_get(with, "missing");
    int all = 1;
    for (size_t i = 0; i < json_array_size(requests); i++) {
        const json_t *one = json_array_get(requests, i), *params = json_object_get(one, "params");
        text given = {0}, line = {0};
        if (params) given = text_of_json(params);
        wellhead_str name = member(one, "name"), told = {NULL, 0};
        wellhead_str method = member(one, "method");
        uint32_t response = read ? wellhead_read_require_input(read, name, method, view(&given), &told)
                                 : wellhead_method_require_input(r, name, method, view(&given), &told);
        text_free(&given);
        if (response == WELLHEAD_RESPONSE_RESULT) {
            text_say(&line, "answered %.*s %.*s", (int)name.len, name.ptr, (int)told.len, told.ptr);
            note(h, &line);
        } else if (response == WELLHEAD_RESPONSE_ERROR) {
            json_t *error = json_loadb(told.ptr, told.len, 0, NULL);
            text_say(&line, "answered %.*s error %d %s", (int)name.len, name.ptr,
                     (int)json_integer_value(json_object_get(error, "code")),
                     json_string_value(json_object_get(error, "message")));
            json_decref(error);
            note(h, &line);
        } else if (response == WELLHEAD_RESPONSE_MISSING_CAPABILITY && missing) {
            return missing;
        } else {
            all = 0;
        }
    }
    return all ? json_object_get(with, "then") : NULL;
}

/* Keeps the session of a call under a name, and answers what it says of itself. */
static void keep_session(host *h, wellhead_method *r, const char *name) {
    wellhead_session *session = wellhead_call_session(wellhead_method_call(r));
    const wellhead_str id = wellhead_session_id(session), client = wellhead_session_client(session);
    const wellhead_str capabilities = wellhead_session_client_capabilities(session);
    text json = {0};
    text_say(&json, id.ptr ? "{\"id\":\"%.*s\"" : "{\"id\":null%.*s", (int)id.len, id.ptr ? id.ptr : "");
    text_say(&json, ",\"client\":%.*s", client.ptr ? (int)client.len : 4, client.ptr ? client.ptr : "null");
    text_say(&json, ",\"capabilities\":%.*s}", capabilities.ptr ? (int)capabilities.len : 4,
             capabilities.ptr ? capabilities.ptr : "null");
    for (size_t i = 0; session && i < SESSIONS; i++) {
        kept_session *kept = &h->sessions[i];
        if (kept->name && strcmp(kept->name, name) != 0) continue;
        wellhead_session_free(kept->session);
        *kept = (kept_session){name, session};
        break;
    }
    wellhead_method_result(r, view(&json));
    text_free(&json);
}

int session_step(host *h, const json_t *step, const char *name, text *why) {
    const json_t *expected = json_object_get(step, "sent"), *closed = json_object_get(step, "closed");
    const wellhead_session *session = NULL;
    for (size_t i = 0; i < SESSIONS && h->sessions[i].name; i++)
        if (strcmp(h->sessions[i].name, name) == 0) session = h->sessions[i].session;
    text json = {0};
    if (json_object_get(step, "params")) json = text_of_json(json_object_get(step, "params"));
    int sent = -1;
    wellhead_status status =
        json_object_get(step, "level")
            ? wellhead_session_log(session, member(step, "level"), member(step, "data"), member(step, "logger"), &sent)
            : wellhead_session_notify(session, member(step, "method"), view(&json), &sent);
    text_free(&json);
    if (closed && wellhead_session_closed(session) != json_is_true(closed)) {
        text_say(why, "closed: got %d", !json_is_true(closed));
        return 0;
    }
    if (!expected || status != WELLHEAD_STATUS_OK) return outcome(step, status, why);
    if (sent != json_is_true(expected)) text_say(why, "got %d", sent);
    return sent == json_is_true(expected);
}

/* Answers a responder that is kept, now or later. */
static void proceed(host *h, wellhead_method *r, const json_t *with) {
    const char *word = json_string_value(with);
    const json_t *messages = json_object_get(with, "notify"), *name = json_object_get(with, "hold");
    const json_t *reports = json_object_get(with, "progress"), *lines = json_object_get(with, "logs");
    if (lines) {
        for (size_t i = 0; i < json_array_size(lines); i++) {
            const json_t *line = json_array_get(lines, i);
            wellhead_method_log(r, member(line, "level"), member(line, "data"), member(line, "logger"), NULL);
        }
        proceed(h, r, json_object_get(with, "then"));
    } else if (messages) {
        for (size_t i = 0; i < json_array_size(messages); i++) notify(r, json_array_get(messages, i), NULL);
        proceed(h, r, json_object_get(with, "then"));
    } else if (reports) {
        for (size_t i = 0; i < json_array_size(reports); i++)
            report(wellhead_method_call(r), json_array_get(reports, i));
        proceed(h, r, json_object_get(with, "then"));
    } else if (json_object_get(with, "client_requests")) {
        const json_t *then = client_requests(h, NULL, r, with);
        if (then) proceed(h, r, then);
        else wellhead_method_wait(r);
    } else if (json_object_get(with, "request")) {
        request(h, r, with);
    } else if (name) {
        hold(h, filled(NULL, name))->method = r;
    } else if (json_object_get(with, "header")) {
        const wellhead_call *call = wellhead_method_call(r);
        const wellhead_str header = wellhead_call_header(call, json_string_value(json_object_get(with, "header")));
        const wellhead_str query = wellhead_call_query(call);
        json_t *told = json_object();
        json_object_set_new(told, "content", json_array());
        json_object_set_new(told, "messages", json_array());
        json_object_set_new(told, "header", header.ptr ? json_stringn(header.ptr, header.len) : json_null());
        json_object_set_new(told, "query", query.ptr ? json_stringn(query.ptr, query.len) : json_null());
        text json = text_of_json(told);
        wellhead_method_result(r, view(&json));
        text_free(&json);
        json_decref(told);
    } else if (json_object_get(with, "session")) {
        keep_session(h, r, json_string_value(json_object_get(with, "session")));
    } else if (json_object_get(with, "extension")) {
        const wellhead_call *call = wellhead_method_call(r);
        wellhead_str settings = wellhead_call_extension(call, member(with, "extension"));
        if (!settings.ptr) settings = WELLHEAD_STR("null");
        text json = {0};
        text_say(&json, "{\"extension\":%.*s,\"apps\":%s}", (int)settings.len, settings.ptr,
                 wellhead_call_client_supports_apps(call) ? "true" : "false");
        wellhead_method_result(r, view(&json));
        text_free(&json);
    } else if (word && strcmp(word, "none") == 0) {
        wellhead_method_free(r);
    } else {
        answer_method(r, with);
    }
}

void method_callback(void *user_data, const wellhead_call *call, wellhead_method *r) {
    const wellhead_str params = wellhead_call_params(call);
    registration *own = user_data;
    const json_t *with = json_object_get(own->entry, "answer");
    const json_t *last = with;
    wellhead_str method = wellhead_call_method(call);
    text line = {0};
    text_say(&line, "method %.*s %.*s", (int)method.len, method.ptr, (int)params.len, params.ptr);
    note(own->host, &line);
    while (json_object_get(last, "notify")) last = json_object_get(last, "then");
    const char *word = json_string_value(last);
    if (word && strcmp(word, "none") == 0) return;
    if (word && strcmp(word, "echo") == 0) {
        for (; json_object_get(with, "notify"); with = json_object_get(with, "then")) {
            const json_t *messages = json_object_get(with, "notify");
            for (size_t i = 0; i < json_array_size(messages); i++) notify(r, json_array_get(messages, i), NULL);
        }
        echo(r, call, params);
        return;
    }
    if (word && strcmp(word, "arguments") == 0) {
        wellhead_method_text(r, wellhead_call_arguments(call));
        return;
    }
    proceed(own->host, wellhead_method_keep(r), with);
}

wellhead_status add_method(host *h, json_t *entry, wellhead_error **error) {
    wellhead_method_options how = WELLHEAD_METHOD_OPTIONS_INIT;
    const json_t *revisions = json_object_get(entry, "revisions"), *members = json_object_get(entry, "members");
    wellhead_str dates[16];
    const char *argument;
    json_t *value;
    for (size_t i = 0; i < json_array_size(revisions); i++) dates[i] = string(json_array_get(revisions, i));
    if (members) {
        text json = text_of_json(members);
        wellhead_str tool = member(entry, "tool"), prompt = member(entry, "prompt");
        wellhead_status status =
            tool.ptr ? wellhead_server_add_tool(h->server, tool, view(&json), method_callback, own(h, entry), forget, error)
                     : wellhead_server_add_prompt(h->server, prompt, view(&json), method_callback, own(h, entry), forget,
                                                  error);
        text_free(&json);
        json_object_foreach(json_object_get(entry, "complete"), argument, value)
            if (status == WELLHEAD_STATUS_OK)
                status = wellhead_server_complete_prompt(h->server, prompt, wellhead_cstr(argument), complete_callback,
                                                         own(h, entry), forget, error);
        return status;
    }
    if (!json_object_get(entry, "method"))
        return wellhead_server_add_resource_search(h->server, method_callback, own(h, entry), forget, error);
    how.revisions = dates;
    how.revision_count = json_array_size(revisions);
    return wellhead_server_add_method(h->server, member(entry, "method"), &how, method_callback, own(h, entry), forget,
                                      error);
}

int notify_step(host *h, const json_t *step, text *why) {
    const json_t *expected = json_object_get(step, "sent");
    held *found = find_held(h, json_string_value(json_object_get(step, "notify")), why);
    int sent = -1;
    if (!found) return 0;
    wellhead_status status = notify(found->method, step, &sent);
    if (!expected || status != WELLHEAD_STATUS_OK) return outcome(step, status, why);
    if (sent != json_is_true(expected)) text_say(why, "got %d", sent);
    return sent == json_is_true(expected);
}
