#define _POSIX_C_SOURCE 200809L
#include "answers.h"

#include <stdlib.h>
#include <string.h>

/* The tool, the prompt, the URI or the method that is called. */
static wellhead_str subject_of(const wellhead_call *call) {
    wellhead_str subject = wellhead_call_name(call);
    if (!subject.ptr) subject = wellhead_call_uri(call);
    return subject.ptr ? subject : wellhead_call_method(call);
}

/* What an around callback says of a subject. */
static const json_t *rule_of(const registration *own, const char *rule, const wellhead_call *call) {
    text name = {0};
    wellhead_str subject = subject_of(call);
    text_add(&name, subject.ptr, subject.len);
    const json_t *found = json_object_get(json_object_get(own->entry, rule), name.at);
    text_free(&name);
    return found;
}

static int fails(const registration *own, const wellhead_call *call, const char *when) {
    const char *at = json_string_value(rule_of(own, "fail", call));
    return at && strcmp(at, when) == 0;
}

/* Puts a text behind that of the first content. */
static void append(wellhead_outcome *outcome, const char *more) {
    wellhead_str found = wellhead_outcome_text(outcome), result = wellhead_outcome_result(outcome);
    text longer = {0};
    if (found.ptr) {
        text_say(&longer, "%.*s%s", (int)found.len, found.ptr, more);
        wellhead_outcome_set_text(outcome, view(&longer));
    } else if (result.ptr) {
        json_t *json = json_loadb(result.ptr, result.len, 0, NULL);
        json_t *first = json_array_get(json_object_get(json, "content"), 0);
        const char *before = json_string_value(json_object_get(first, "text"));
        if (before) {
            text_say(&longer, "%s%s", before, more);
            json_object_set_new(first, "text", json_stringn(longer.at, longer.len));
            text changed = text_of_json(json);
            wellhead_outcome_set_result(outcome, view(&changed));
            text_free(&changed);
        }
        json_decref(json);
    }
    text_free(&longer);
}

static void refuse(wellhead_outcome *outcome, const wellhead_call *call, const json_t *with) {
    const char *word = json_string_value(with);
    const json_t *error = json_object_get(with, "error");
    if (word && strcmp(word, "denied") == 0) wellhead_outcome_set_denied(outcome);
    else if (word && strcmp(word, "not_found") == 0) wellhead_outcome_set_not_found(outcome);
    else if (wellhead_call_uri(call).ptr) wellhead_outcome_set_text(outcome, member(with, "text"));
    else if (error)
        wellhead_outcome_set_error(outcome, (int32_t)json_integer_value(json_object_get(error, "code")),
                                   member(error, "message"), (wellhead_str){NULL, 0});
    else if (json_object_get(with, "tool_error")) wellhead_outcome_set_tool_error(outcome, member(with, "tool_error"));
    else {
        text result = text_of_json(json_object_get(with, "result"));
        wellhead_outcome_set_result(outcome, view(&result));
        text_free(&result);
    }
}

static void after(void *after_data, const wellhead_call *call, wellhead_outcome *outcome) {
    registration *own = after_data;
    const json_t *more = json_object_get(own->entry, "append");
    text line = {0};
    text_say(&line, "after %s", json_string_value(json_object_get(own->entry, "around")));
    note(own->host, &line);
    if (fails(own, call, "after")) wellhead_outcome_set_failed(outcome, WELLHEAD_STR(FAILURE));
    else if (more) append(outcome, json_string_value(more));
}

/* Replaces the arguments of a call. 0: they were refused, and the call fails. */
static int change(registration *seam, wellhead_next *next, const json_t *arguments) {
    wellhead_error *error = NULL;
    text json = text_of_json(arguments), line = {0};
    wellhead_status status = wellhead_next_set_arguments(next, view(&json), &error);
    text_free(&json);
    if (status == WELLHEAD_STATUS_OK) return 1;
    text_say(&line, "after %s", json_string_value(json_object_get(seam->entry, "around")));
    note(seam->host, &line);
    wellhead_outcome_set_failed(wellhead_next_answer_instead(next), wellhead_error_message(error));
    wellhead_error_free(error);
    return 0;
}

void around_callback(void *user_data, const wellhead_call *call, wellhead_next *next) {
    registration *seam = user_data;
    const json_t *header = json_object_get(seam->entry, "header"), *with = rule_of(seam, "refuse", call);
    const json_t *changed = rule_of(seam, "arguments", call);
    wellhead_str method = wellhead_call_method(call), subject = subject_of(call);
    text line = {0};
    text_say(&line, "around %s %.*s %.*s", json_string_value(json_object_get(seam->entry, "around")), (int)method.len,
             method.ptr, (int)subject.len, subject.ptr);
    if (header) {
        wellhead_str value = wellhead_call_header(call, json_string_value(header));
        text_say(&line, " %.*s", value.ptr ? (int)value.len : 1, value.ptr ? value.ptr : "-");
    }
    note(seam->host, &line);
    if (fails(seam, call, "before")) return; /* which fails the call */
    if (changed && !change(seam, next, changed)) return;
    if (with) refuse(wellhead_next_answer_instead(next), call, with);
    else wellhead_next_run(next, after, own(seam->host, seam->entry), forget);
}
