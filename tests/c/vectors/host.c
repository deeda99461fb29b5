#define _XOPEN_SOURCE 700
#include "host.h"

#include "answers.h"
#include "options.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void log_line(void *user_data, uint32_t level, const wellhead_str *line) {
    host *h = user_data;
    (void)level;
    json_array_append_new(h->lines, json_stringn(line->ptr, line->len));
}

static void publish(void *user_data, const wellhead_str *event) {
    host *h = user_data;
    json_array_append_new(h->published, json_stringn(event->ptr, event->len));
}

/* Makes the server. Whatever it returns, host_stop frees. */
static wellhead_status make(host *h, const json_t *script) {
    wellhead_error *error = NULL;
    wellhead_str name = member(script, "name"), version = member(script, "version");
    options o;
    *h = (host){.calls = json_array(), .lines = json_array(), .published = json_array(), .listings = json_object(), .folders = json_array()};
    options_read(&o, script);
    o.server.log = log_line;
    o.server.log_data = h;
    h->server = wellhead_server_new(name.ptr ? name : WELLHEAD_STR("s"), version.ptr ? version : WELLHEAD_STR("1"),
                                    &o.server, &error);
    options_end(&o);
    wellhead_status status = wellhead_error_status(error);
    wellhead_error_free(error);
    return status;
}

void host_start(host *h, const json_t *script) {
    if (make(h, script) != WELLHEAD_STATUS_OK) abort();
    if (member(script, "instance_name").ptr) wellhead_server_set_publish(h->server, publish, h, NULL, NULL);
}

/* Frees what is held, unanswered. */
static void give_up(held *one) {
    wellhead_read_free(one->read);
    wellhead_list_free(one->list);
    wellhead_complete_free(one->completion);
    wellhead_method_free(one->method);
    wellhead_authorize_free(one->question);
    wellhead_interest_free(one->interest);
    wellhead_verify_free(one->token);
    free(one->name);
    free(one);
}

static int remove_it(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static void remove_folders(host *h) {
    for (size_t i = 0; i < json_array_size(h->folders); i++)
        nftw(json_string_value(json_array_get(h->folders, i)), remove_it, 8, FTW_DEPTH | FTW_PHYS);
    json_decref(h->folders);
}

int host_stop(host *h, text *why) {
    while (h->held) {
        held *next = h->held->next;
        give_up(h->held);
        h->held = next;
    }
    wellhead_server_free(h->server);
    json_decref(h->calls);
    json_decref(h->lines);
    json_decref(h->published);
    json_decref(h->listings);
    for (size_t i = 0; i < SESSIONS; i++) wellhead_session_free(h->sessions[i].session);
    remove_folders(h);
    int given_back = h->registrations == 0 && h->bodies == 0;
    if (!given_back) text_say(why, "\n    user data or a body was not given back");
    return given_back;
}

/* Writes the files of skills into a folder of its own, and serves it. */
static wellhead_status add_skills(host *h, const json_t *entry, wellhead_error **error) {
    char folder[] = "/tmp/skills-XXXXXX";
    const char *path;
    json_t *body;
    wellhead_skills skills = WELLHEAD_SKILLS_INIT;
    if (!mkdtemp(folder)) abort();
    json_array_append_new(h->folders, json_string(folder));
    json_object_foreach(json_object_get(entry, "skills"), path, body) {
        text name = {0};
        text_say(&name, "%s/%s", folder, path);
        text_add(&name, "", 1);
        for (char *slash = name.at + sizeof folder; (slash = strchr(slash, '/')); *slash++ = '/') {
            *slash = 0;
            mkdir(name.at, 0777);
        }
        FILE *file = fopen(name.at, "wb");
        if (!file) abort();
        fwrite(json_string_value(body), 1, json_string_length(body), file);
        fclose(file);
        text_free(&name);
    }
    skills.path = wellhead_cstr(folder);
    skills.prefix = member(entry, "prefix");
    return wellhead_server_add_skills(h->server, &skills, error);
}

wellhead_status host_add(host *h, json_t *entry, wellhead_error **error) {
    const char *kind = json_object_iter_key(json_object_iter(entry));
    if (strcmp(kind, "skills") == 0) return add_skills(h, entry, error);
    wellhead_provider p = WELLHEAD_PROVIDER_INIT;
    wellhead_str completed[SOME];
    wellhead_status status;
    description d;
    describe(&d, entry, member(entry, kind));
    if (strcmp(kind, "text") == 0) {
        status = wellhead_server_add_text(h->server, &d.resource, member(entry, "body"), error);
    } else if (strcmp(kind, "app") == 0) {
        text ui = text_of_json(json_object_get(entry, "ui"));
        if (json_object_get(entry, "read")) {
            provide(&p, h, entry, completed);
            status = wellhead_server_add_app_with_provider(h->server, &d.resource, view(&ui), &p, error);
        } else {
            status = wellhead_server_add_app(h->server, &d.resource, view(&ui), member(entry, "body"), error);
        }
        text_free(&ui);
    } else if (strcmp(kind, "blob") == 0) {
        text bytes = text_of_base64(json_object_get(entry, "base64"));
        status = wellhead_server_add_blob(h->server, &d.resource, view(&bytes), error);
        text_free(&bytes);
    } else if (strcmp(kind, "method") == 0 || strcmp(kind, "search") == 0 || strcmp(kind, "tool") == 0 || strcmp(kind, "prompt") == 0) {
        status = add_method(h, entry, error);
    } else if (strcmp(kind, "authorize") == 0) {
        status = wellhead_server_set_authorize(h->server, authorize_callback, own(h, entry), forget, error);
    } else if (strcmp(kind, "around") == 0) {
        status = wellhead_server_around(h->server, around_callback, own(h, entry), forget, error);
    } else if (strcmp(kind, "interest") == 0) {
        status = wellhead_server_set_interest(h->server, interest_callback, own(h, entry), forget, error);
    } else {
        provide(&p, h, entry, completed);
        if (strcmp(kind, "resource") == 0) status = wellhead_server_add_resource(h->server, &d.resource, &p, error);
        else if (strcmp(kind, "template") == 0)
            status = wellhead_server_add_template(h->server, &d.resource, &p, error);
        else if (strcmp(kind, "list") == 0 && json_object_get(entry, "of"))
            status = wellhead_server_add_skill_list(h->server, member(entry, kind), &p, error);
        else if (strcmp(kind, "list") == 0) status = wellhead_server_add_list(h->server, member(entry, kind), &p, error);
        else status = wellhead_server_set_fallback(h->server, &p, error);
    }
    describe_end(&d);
    return status;
}

static int finish(host *h, const char *name, const json_t *with) {
    held **at = &h->held, *found;
    const char *word = json_string_value(with);
    while (*at && strcmp((*at)->name, name) != 0) at = &(*at)->next;
    if (!(found = *at)) return 0;
    *at = found->next;
    if (word && strcmp(word, "drop") == 0) {
        give_up(found);
        return 1;
    }
    if (found->read) answer(h, found->read, NULL, with);
    if (found->list) answer_page(found->list, with);
    if (found->completion) answer_completion(found->completion, with);
    if (found->method) answer_method(found->method, with);
    if (found->question) answer_question(found->question, with);
    if (found->token) answer_token(found->token, with);
    if (found->interest) answer_interest(found->interest, json_is_true(json_object_get(with, "ok")));
    free(found->name);
    free(found);
    return 1;
}

int outcome(const json_t *step, wellhead_status status, text *why) {
    const char *wanted = json_string_value(json_object_get(step, "error"));
    const char *got = wellhead_status_name(status);
    if (strcmp(wanted ? wanted : "ok", got) == 0) return 1;
    text_say(why, "got %s", got);
    return 0;
}

held *find_held(host *h, const char *name, text *why) {
    held *found = h->held;
    while (found && strcmp(found->name, name) != 0) found = found->next;
    if (!found) text_say(why, "nothing is held as %s", name);
    return found;
}

static const wellhead_call *call_of(const held *one) {
    return one->read         ? wellhead_read_call(one->read)
           : one->list       ? wellhead_list_call(one->list)
           : one->completion ? wellhead_complete_call(one->completion)
           : one->method     ? wellhead_method_call(one->method)
           : one->question   ? wellhead_authorize_call(one->question)
           : one->token      ? wellhead_verify_call(one->token)
                             : wellhead_interest_call(one->interest);
}

static int cancelled(host *h, const char *name, const json_t *is, text *why) {
    const held *found = find_held(h, name, why);
    if (!found) return 0;
    int now = wellhead_call_cancelled(call_of(found));
    if (now != json_is_true(is)) text_say(why, "got %d", now);
    return now == json_is_true(is);
}

typedef struct hook {
    host *of;
    text line;
} hook;

static void run_hook(void *user_data) {
    hook *own = user_data;
    note(own->of, &own->line);
}

static void forget_hook(void *user_data) {
    hook *own = user_data;
    text_free(&own->line);
    free(own);
}

static int on_cancel(host *h, const char *name, text *why) {
    const held *found = find_held(h, name, why);
    hook *new = calloc(1, sizeof *new);
    if (!new) abort();
    new->of = h;
    text_say(&new->line, "cancelled %s", name);
    if (found && wellhead_call_on_cancel(call_of(found), run_hook, new, forget_hook) == WELLHEAD_STATUS_OK) return 1;
    if (!found) forget_hook(new);
    return 0;
}

static int logged(host *h, const char *wanted, text *why) {
    int found = 0;
    for (size_t i = 0; i < json_array_size(h->lines); i++) {
        const char *line = json_string_value(json_array_get(h->lines, i));
        found = found || strstr(line, wanted);
        text_say(why, "\n    %s", line);
    }
    json_array_clear(h->lines);
    return found;
}

static int called(host *h, const json_t *expected, text *why) {
    int same = json_equal(h->calls, expected);
    text calls = text_of_json(h->calls);
    text_say(why, "got %s", calls.at);
    text_free(&calls);
    json_array_clear(h->calls);
    return same;
}

static int says(wellhead_text *got, const char *expected, size_t len, text *why) {
    wellhead_str str = wellhead_text_str(got);
    int same = str.len == len && memcmp(str.ptr, expected, len) == 0;
    if (!same) text_say(why, "got %.*s", (int)str.len, str.ptr);
    wellhead_text_free(got);
    return same;
}

static int explained(host *h, const json_t *step, text *why) {
    text expected = text_of_json(json_object_get(step, "is"));
    int same = says(wellhead_server_explain(h->server, member(step, "explain"), NULL), expected.at, expected.len, why);
    text_free(&expected);
    return same;
}

/* A URI of a template. In C several values of one name are a list, with keys they are pairs. */
static int expanded(const json_t *step, text *why) {
    json_t *values = json_object_get(step, "values"), *value, *one;
    const json_t *is = json_object_get(step, "is");
    const char *name, *key;
    size_t count = 0, i;
    wellhead_value all[64];
    wellhead_error *error = NULL;
    json_object_foreach(values, name, value) {
        wellhead_value each = {wellhead_cstr(name), {NULL, 0}, string(value), json_is_array(value) ? WELLHEAD_VALUE_LIST : 0};
        if (json_is_string(value)) all[count++] = each;
        json_array_foreach(value, i, one) {
            each.value = string(one);
            all[count++] = each;
        }
        json_object_foreach(value, key, one) {
            each.key = wellhead_cstr(key);
            each.value = string(one);
            all[count++] = each;
        }
    }
    wellhead_text *uri = wellhead_expand(member(step, "expand"), all, count, &error);
    wellhead_status status = wellhead_error_status(error);
    wellhead_error_free(error);
    if (uri && is) return says(uri, json_string_value(is), json_string_length(is), why);
    wellhead_text_free(uri);
    return outcome(step, status, why);
}

/* A further server. */
static int made(const json_t *step, text *why) {
    host further;
    wellhead_status status = make(&further, json_object_get(step, "make"));
    return host_stop(&further, why) && outcome(step, status, why);
}

const char *verb_of(json_t *step) {
    void *at = json_object_iter(step);
    const char *verb = json_object_iter_key(at);
    return strcmp(verb, "on") ? verb : json_object_iter_key(json_object_iter_next(step, at));
}

static int published(host *h, const json_t *expected, text *why) {
    int same = json_array_size(h->published) == json_array_size(expected);
    for (size_t i = 0; i < json_array_size(h->published); i++) {
        text wanted = text_of_json(json_array_get(expected, i));
        const char *got = json_string_value(json_array_get(h->published, i));
        same = same && strcmp(wanted.at, got) == 0;
        text_say(why, "\n    got %s", got);
        text_free(&wanted);
    }
    json_array_clear(h->published);
    return same;
}

static int update_named(host *h, const json_t *step, int tool, text *why) {
    char *changes = json_dumps(json_object_get(step, "members"), JSON_COMPACT);
    const wellhead_str name = string(json_object_get(step, tool ? "update_tool" : "update_prompt"));
    const wellhead_str members = wellhead_cstr(changes);
    const wellhead_status status = tool ? wellhead_server_update_tool(h->server, name, members, NULL)
                                        : wellhead_server_update_prompt(h->server, name, members, NULL);
    free(changes);
    return outcome(step, status, why);
}

static int limit_tool(host *h, const json_t *step, text *why) {
    const json_t *limits = json_object_get(step, "limits");
    wellhead_tool_limits set = WELLHEAD_TOOL_LIMITS_INIT;
    set.calls_in_flight = (size_t)json_integer_value(json_object_get(limits, "calls_in_flight"));
    set.caller_calls_in_flight = (size_t)json_integer_value(json_object_get(limits, "caller_calls_in_flight"));
    set.caller_calls_per_minute = (size_t)json_integer_value(json_object_get(limits, "caller_calls_per_minute"));
    set.call_ms = (uint64_t)json_integer_value(json_object_get(limits, "call_ms"));
    return outcome(step, wellhead_server_limit_tool(h->server, string(json_object_get(step, "limit_tool")), &set, NULL), why);
}

static int inject(host *h, const json_t *step, text *why) {
    const json_t *event = json_object_get(step, "inject"), *is = json_object_get(step, "is");
    text json = {0};
    int told = -1;
    if (json_is_object(event)) json = text_of_json(event);
    wellhead_status status = wellhead_server_inject(h->server, json.at ? view(&json) : string(event), &told, NULL);
    text_free(&json);
    if (!is || status != WELLHEAD_STATUS_OK) return outcome(step, status, why);
    if (told != json_is_true(is)) text_say(why, "got %d", told);
    return told == json_is_true(is);
}

static wellhead_status set(host *h, const json_t *step) {
    wellhead_contents about = WELLHEAD_CONTENTS_INIT;
    wellhead_str uri = member(step, "set");
    about.version = member(step, "version");
    if (json_object_get(step, "text"))
        return wellhead_server_set_text(h->server, uri, about.version.ptr ? &about : NULL, member(step, "text"), NULL);
    text bytes = text_of_base64(json_object_get(step, "base64"));
    wellhead_status status = wellhead_server_set_blob(h->server, uri, &about, view(&bytes), NULL);
    text_free(&bytes);
    return status;
}

static int close_event_stream(host *h, const json_t *step, text *why) {
    const held *found = find_held(h, json_string_value(json_object_get(step, "close_event_stream")), why);
    if (!found) return 0;
    const json_t *retry_ms = json_object_get(step, "retry_ms");
    int closed = wellhead_call_close_event_stream(call_of(found), (uint64_t)json_integer_value(retry_ms));
    int same = closed == json_is_true(json_object_get(step, "is"));
    if (!same) text_say(why, "got %d", closed);
    return same;
}

int host_act(host *h, json_t *step, text *why) {
    const char *verb = verb_of(step);
    json_t *what = json_object_get(step, verb);
    if (strcmp(verb, "finish") == 0) return finish(h, json_string_value(what), json_object_get(step, "with"));
    if (strcmp(verb, "cancelled") == 0)
        return cancelled(h, json_string_value(what), json_object_get(step, "is"), why);
    if (strcmp(verb, "on_cancel") == 0) return on_cancel(h, json_string_value(what), why);
    if (strcmp(verb, "calls") == 0) return called(h, what, why);
    if (strcmp(verb, "log") == 0) return logged(h, json_string_value(what), why);
    if (strcmp(verb, "set") == 0) return outcome(step, set(h, step), why);
    if (strcmp(verb, "remove_resource") == 0)
        return outcome(step, wellhead_server_remove_resource(h->server, string(what), NULL), why);
    if (strcmp(verb, "remove_list") == 0)
        return outcome(step, wellhead_server_remove_list(h->server, string(what), NULL), why);
    if (strcmp(verb, "remove_method") == 0)
        return outcome(step, wellhead_server_remove_method(h->server, string(what), NULL), why);
    if (strcmp(verb, "add") == 0) return outcome(step, host_add(h, what, NULL), why);
    if (strcmp(verb, "update") == 0 && json_object_get(step, "below"))
        return outcome(step, wellhead_server_notify_sub_resource_updated(h->server, string(what), member(step, "below"), NULL), why);
    if (strcmp(verb, "update") == 0 && json_object_get(step, "as")) {
        description d;
        describe(&d, json_object_get(step, "as"), string(what));
        wellhead_status status = wellhead_server_notify_updated_with_resource(h->server, &d.resource, NULL);
        describe_end(&d);
        return outcome(step, status, why);
    }
    if (strcmp(verb, "update") == 0) return outcome(step, wellhead_server_notify_updated(h->server, string(what), NULL), why);
    if (strcmp(verb, "list_changed") == 0) return outcome(step, wellhead_server_notify_resource_list_changed(h->server, NULL), why);
    if (strcmp(verb, "access_changed") == 0)
        return outcome(step, wellhead_server_access_changed(h->server, string(what), NULL), why);
    if (strcmp(verb, "notify_list_changed") == 0) return outcome(step, wellhead_server_notify_list_changed(h->server, string(what), NULL), why);
    if (strcmp(verb, "published") == 0) return published(h, what, why);
    if (strcmp(verb, "inject") == 0) return inject(h, step, why);
    if (strcmp(verb, "remove_tool") == 0)
        return outcome(step, wellhead_server_remove_tool(h->server, string(what), NULL), why);
    if (strcmp(verb, "remove_prompt") == 0)
        return outcome(step, wellhead_server_remove_prompt(h->server, string(what), NULL), why);
    if (strcmp(verb, "enable_tool") == 0)
        return outcome(step, wellhead_server_enable_tool(h->server, string(what), NULL), why);
    if (strcmp(verb, "disable_tool") == 0)
        return outcome(step, wellhead_server_disable_tool(h->server, string(what), NULL), why);
    if (strcmp(verb, "enable_prompt") == 0)
        return outcome(step, wellhead_server_enable_prompt(h->server, string(what), NULL), why);
    if (strcmp(verb, "disable_prompt") == 0)
        return outcome(step, wellhead_server_disable_prompt(h->server, string(what), NULL), why);
    if (strcmp(verb, "limit_tool") == 0) return limit_tool(h, step, why);
    if (strcmp(verb, "update_tool") == 0 || strcmp(verb, "update_prompt") == 0)
        return update_named(h, step, strcmp(verb, "update_tool") == 0, why);
    if (strcmp(verb, "progress") == 0) {
        const held *found = find_held(h, json_string_value(what), why);
        if (found) report(call_of(found), json_object_get(step, "report"));
        return found != NULL;
    }
    if (strcmp(verb, "close_event_stream") == 0) return close_event_stream(h, step, why);
    if (strcmp(verb, "notify") == 0) return notify_step(h, step, why);
    if (strcmp(verb, "session_notify") == 0 || strcmp(verb, "session_log") == 0)
        return session_step(h, step, json_string_value(what), why);
    if (strcmp(verb, "explain") == 0) return explained(h, step, why);
    if (strcmp(verb, "expand") == 0) return expanded(step, why);
    if (strcmp(verb, "make") == 0) return made(step, why);
    if (strcmp(verb, "listing") == 0) {
        json_object_set(h->listings, json_string_value(what), json_object_get(step, "items"));
        return 1;
    }
    if (strcmp(verb, "shutdown") == 0) {
        wellhead_server_close(h->server);
        return 1;
    }
    text_say(why, "no such step");
    return 0;
}
