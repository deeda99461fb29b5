#define _POSIX_C_SOURCE 200809L
#include "answers.h"

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
    const json_t *input = json_object_get(with, "needs_input"), *lacking = json_object_get(with, "missing_capability");
    if (result) {
        give(r, result, wellhead_method_result);
    } else if (input) {
        give(r, input, wellhead_method_needs_input);
    } else if (lacking) {
        give(r, lacking, wellhead_method_missing_capability);
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
    text_say(&json, "{\"method\":\"%.*s\",\"params\":%.*s", (int)method.len, method.ptr, (int)params.len, params.ptr);
    if (client.ptr) text_say(&json, ",\"client\":%.*s", (int)client.len, client.ptr);
    if (level.ptr) text_say(&json, ",\"level\":\"%.*s\"", (int)level.len, level.ptr);
    text_say(&json, "}");
    wellhead_method_result(r, view(&json));
    text_free(&json);
}

void method_callback(void *user_data, const wellhead_call *call, wellhead_str params, wellhead_method *r) {
    registration *own = user_data;
    const json_t *with = json_object_get(own->entry, "answer"), *messages;
    wellhead_str method = wellhead_call_method(call);
    text line = {0};
    text_say(&line, "method %.*s %.*s", (int)method.len, method.ptr, (int)params.len, params.ptr);
    note(own->host, &line);
    for (; (messages = json_object_get(with, "notify")) != NULL; with = json_object_get(with, "then"))
        for (size_t i = 0; i < json_array_size(messages); i++) notify(r, json_array_get(messages, i), NULL);
    const char *word = json_string_value(with);
    const json_t *name = json_object_get(with, "hold");
    if (name) hold(own->host, filled(NULL, name))->method = wellhead_method_keep(r);
    else if (word && strcmp(word, "echo") == 0) echo(r, call, params);
    else if (!word || strcmp(word, "none") != 0) answer_method(r, with);
}

wellhead_status add_method(host *h, json_t *entry, wellhead_error **error) {
    wellhead_method_options options = WELLHEAD_METHOD_OPTIONS_INIT;
    const json_t *revisions = json_object_get(entry, "revisions");
    wellhead_str dates[16];
    for (size_t i = 0; i < json_array_size(revisions); i++) dates[i] = string(json_array_get(revisions, i));
    options.revisions = dates;
    options.revision_count = json_array_size(revisions);
    return wellhead_server_add_method(h->server, member(entry, "method"), &options, method_callback, own(h, entry), forget,
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
