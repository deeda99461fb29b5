#define _POSIX_C_SOURCE 200809L
#include "answers.h"

#include <stdlib.h>
#include <string.h>

void *own(host *h, json_t *entry) {
    registration *new = malloc(sizeof *new);
    if (!new) abort();
    *new = (registration){h, json_incref(entry)};
    h->registrations++;
    return new;
}

void forget(void *user_data) {
    registration *own = user_data;
    own->host->registrations--;
    json_decref(own->entry);
    free(own);
}

held *hold(host *h, text name) {
    held *new = calloc(1, sizeof *new);
    if (!new) abort();
    new->next = h->held;
    new->name = name.at;
    return h->held = new;
}

void note(host *h, text *line) {
    json_array_append_new(h->calls, json_stringn(line->at, line->len));
    text_free(line);
}

/* The header field of the HTTP request that `with` names, and its query; nothing if it names none. */
static void say_request(text *line, const wellhead_call *call, const json_t *with) {
    const char *name = json_string_value(json_object_get(with, "header"));
    if (!name) return;
    wellhead_str header = wellhead_call_header(call, name), query = wellhead_call_query(call);
    if (!header.ptr) header = WELLHEAD_STR("-");
    if (!query.ptr) query = WELLHEAD_STR("-");
    text_say(line, " %.*s %.*s", (int)header.len, header.ptr, (int)query.len, query.ptr);
}

/* The value of a variable by a name that is not NUL-terminated. */
static wellhead_str var(const wellhead_call *call, wellhead_str name) {
    text zero = {0};
    text_add(&zero, name.ptr, name.len);
    wellhead_str value = wellhead_call_var(call, zero.at);
    text_free(&zero);
    return value;
}

text filled(const wellhead_call *call, const json_t *value) {
    text whole = {0};
    wellhead_str name;
    text_add(&whole, json_string_value(value), json_string_length(value));
    for (size_t i = 0; (name = wellhead_call_var_name(call, i)).ptr != NULL; i++) {
        text braced = {0};
        wellhead_str by = var(call, name);
        text_say(&braced, "{%.*s}", (int)name.len, name.ptr);
        text_replace(&whole, braced.at, by.ptr, by.len);
        text_free(&braced);
    }
    return whole;
}

static void note_read(host *h, const wellhead_call *call) {
    wellhead_str uri = wellhead_call_uri(call), name;
    text line = {0};
    text_say(&line, "read %.*s", (int)uri.len, uri.ptr);
    for (size_t i = 0; (name = wellhead_call_var_name(call, i)).ptr != NULL; i++) {
        wellhead_str value = var(call, name);
        text_say(&line, "%s%.*s=%.*s", i ? ";" : " ", (int)name.len, name.ptr, (int)value.len, value.ptr);
    }
    wellhead_str known = wellhead_call_if_version(call);
    wellhead_str input = wellhead_call_input_responses(call);
    if (input.ptr) text_say(&line, " input=%.*s", (int)input.len, input.ptr);
    if (known.ptr) text_say(&line, " if_version=%.*s", (int)known.len, known.ptr);
    note(h, &line);
}

int report(const wellhead_call *call, const json_t *progress) {
    const json_t *total = json_object_get(progress, "total");
    double all = json_number_value(total);
    return wellhead_call_progress(call, json_number_value(json_object_get(progress, "progress")), total ? &all : NULL,
                                  member(progress, "message"));
}

static int compare(wellhead_str a, wellhead_str b) {
    int order = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* What comes before the answer if the client is to be asked first: 1 if it was answered by that. */
static int asked_first(const wellhead_call *call, wellhead_read *r, const json_t **read) {
    const json_t *seal = json_object_get(*read, "seal"), *then = json_object_get(*read, "then");
    int has_input = wellhead_call_input_responses(call).ptr || wellhead_call_request_state(call).ptr;
    if (seal && !has_input) {
        uint64_t until = (uint64_t)json_integer_value(json_object_get(*read, "until"));
        wellhead_text *sealed = wellhead_call_seal_state(call, string(seal), until);
        wellhead_str state = wellhead_text_str(sealed);
        text input = {0};
        text_say(&input, "{\"requestState\":\"%.*s\"}", (int)state.len, state.ptr);
        wellhead_read_input_required(r, view(&input));
        text_free(&input);
        wellhead_text_free(sealed);
        return 1;
    }
    if (seal) {
        uint64_t now = (uint64_t)json_integer_value(json_object_get(*read, "now"));
        wellhead_text *opened = wellhead_call_open_state(call, now);
        int same = opened && compare(wellhead_text_str(opened), string(seal)) == 0;
        wellhead_text_free(opened);
        if (!same) wellhead_read_invalid_state(r);
        *read = then;
        return !same;
    }
    if (json_object_get(*read, "asks") && has_input && then) *read = then;
    return 0;
}

/* The answer that the variables choose, after progress was reported; NULL: not found. */
static const json_t *chosen(const wellhead_call *call, const json_t *read) {
    const char *by;
    const json_t *reports = json_object_get(read, "progress");
    if (reports) {
        for (size_t i = 0; i < json_array_size(reports); i++) report(call, json_array_get(reports, i));
        return chosen(call, json_object_get(read, "then"));
    }
    while ((by = json_string_value(json_object_get(read, "by"))) != NULL) {
        wellhead_str value = wellhead_call_var(call, by);
        text name = {0};
        text_add(&name, value.ptr, value.len);
        const json_t *found = json_object_get(json_object_get(read, "cases"), name.at);
        read = found ? found : json_object_get(read, "else");
        text_free(&name);
    }
    return read;
}

static void read_callback(void *user_data, const wellhead_call *call, wellhead_read *r) {
    registration *own = user_data;
    const json_t *read = json_object_get(own->entry, "fallback");
    note_read(own->host, call);
    read = chosen(call, read ? read : json_object_get(own->entry, "read"));
    if (asked_first(call, r, &read)) return;
    if (json_object_get(read, "client_requests")) {
        read = client_requests(own->host, r, NULL, read);
        if (read) answer(own->host, r, call, read);
        else wellhead_read_wait(r);
        return;
    }
    if (json_object_get(read, "header")) {
        text told = {0};
        say_request(&told, call, read);
        wellhead_read_text(r, wellhead_cstr(told.at + 1)); /* without the space in front */
        text_free(&told);
        return;
    }
    const char *word = json_string_value(read);
    const json_t *name = json_object_get(read, "hold");
    if (name) hold(own->host, filled(call, name))->read = wellhead_read_keep(r);
    else if (!word || strcmp(word, "none") != 0) answer(own->host, r, call, read);
}

/* The name of a list, under which its items are kept and its calls noted. */
static const char *list_name(const json_t *entry) {
    const json_t *name = json_object_get(entry, "template");
    name = name ? name : json_object_get(entry, "list");
    return json_is_string(name) ? json_string_value(name) : "-";
}

static const json_t *list_pages(const json_t *entry) {
    const json_t *pages = json_object_get(entry, "pages");
    return pages ? pages : json_object_get(entry, "list");
}

static wellhead_str key_of(const json_t *item) {
    wellhead_str key = member(item, "key");
    return key.ptr ? key : member(item, "uri");
}

static size_t first_behind(const json_t *items, wellhead_str after) {
    size_t at;
    if (!after.ptr) return 0;
    for (at = 0; at < json_array_size(items); at++)
        if (compare(key_of(json_array_get(items, at)), after) == 0) return at + 1;
    for (at = 0; at < json_array_size(items); at++)
        if (compare(key_of(json_array_get(items, at)), after) > 0) break;
    return at;
}

static void add_item(wellhead_list *r, const json_t *item);

static void list_callback(void *user_data, const wellhead_call *call, wellhead_list *r) {
    const wellhead_str after = wellhead_call_after(call);
    const size_t limit = wellhead_call_limit(call);
    registration *own = user_data;
    const char *name = list_name(own->entry);
    const json_t *pages = list_pages(own->entry), *later = json_object_get(pages, "hold");
    text line = {0};
    text_say(&line, "list %s after=%.*s limit=%zu", name, after.ptr ? (int)after.len : 1, after.ptr ? after.ptr : "-",
             limit);
    wellhead_str filter = wellhead_call_filter(call);
    if (filter.ptr) text_say(&line, " filter=%.*s", (int)filter.len, filter.ptr);
    wellhead_str uri = wellhead_call_uri(call);
    if (uri.ptr) text_say(&line, " uri=%.*s", (int)uri.len, uri.ptr);
    say_request(&line, call, pages);
    note(own->host, &line);
    if (later) {
        hold(own->host, filled(call, later))->list = wellhead_list_keep(r);
    } else if (uri.ptr && json_object_get(pages, "unlisted")) {
        static const char *const all[] = {"items", "unlisted"};
        for (size_t which = 0; which < 2; which++) {
            const json_t *items = json_object_get(pages, all[which]);
            for (size_t at = 0; at < json_array_size(items); at++)
                if (compare(member(json_array_get(items, at), "uri"), uri) == 0) add_item(r, json_array_get(items, at));
        }
        wellhead_list_finish(r, 0);
    } else if (json_is_string(pages)) {
        wellhead_list_failed(r, WELLHEAD_STR(FAILURE));
    } else if (json_is_true(json_object_get(pages, "more_without_items"))) {
        wellhead_list_finish(r, 1);
    } else {
        /* Two unnamed sources have one name in the script, so their items stay their own. */
        const json_t *kept = strcmp(name, "-") ? json_object_get(own->host->listings, name) : NULL;
        const json_t *items = kept ? kept : json_object_get(pages, "items");
        size_t at = first_behind(items, after), end = json_array_size(items);
        if (!json_is_true(json_object_get(pages, "ignore_limit")) && end - at > limit) end = at + limit;
        for (; at < end; at++) add_item(r, json_array_get(items, at));
        wellhead_list_finish(r, end < json_array_size(items));
    }
}

void complete_callback(void *user_data, const wellhead_call *call, wellhead_complete *r) {
    const wellhead_str variable = wellhead_call_variable(call);
    const wellhead_str value = wellhead_call_value(call);
    registration *own = user_data;
    text line = {0}, key = {0};
    wellhead_str uri = wellhead_call_uri(call), other;
    text_say(&line, "complete %.*s %.*s=%.*s", (int)uri.len, uri.ptr, (int)variable.len, variable.ptr, (int)value.len,
             value.ptr);
    for (size_t i = 0; (other = wellhead_call_var_name(call, i)).ptr != NULL; i++) {
        wellhead_str has = var(call, other);
        text_say(&line, "%s%.*s=%.*s", i ? ";" : " with ", (int)other.len, other.ptr, (int)has.len, has.ptr);
    }
    text_add(&key, variable.ptr, variable.len);
    const json_t *with = json_object_get(json_object_get(own->entry, "complete"), key.at);
    say_request(&line, call, with);
    note(own->host, &line);
    const json_t *later = json_object_get(with, "hold");
    if (later) hold(own->host, filled(NULL, later))->completion = wellhead_complete_keep(r);
    else answer_completion(r, with);
    text_free(&key);
}

void answer_completion(wellhead_complete *r, const json_t *with) {
    const json_t *values = json_object_get(with, "values"), *total = json_object_get(with, "total");
    uint64_t all = (uint64_t)json_integer_value(total);
    json_int_t count = json_integer_value(json_object_get(with, "count"));
    if (json_is_string(with)) {
        wellhead_complete_failed(r, WELLHEAD_STR(FAILURE));
        return;
    }
    for (size_t i = 0; i < json_array_size(values); i++) wellhead_complete_add(r, string(json_array_get(values, i)));
    for (json_int_t i = 0; i < count; i++) {
        text number = {0};
        text_say(&number, "%lld", (long long)i);
        wellhead_complete_add(r, view(&number));
        text_free(&number);
    }
    wellhead_complete_finish(r, json_is_true(json_object_get(with, "more")), total ? &all : NULL);
}

static int lists(const json_t *uris, wellhead_str uri) {
    for (size_t i = 0; i < json_array_size(uris); i++)
        if (compare(string(json_array_get(uris, i)), uri) == 0) return 1;
    return 0;
}

void authorize_callback(void *user_data, const wellhead_call *call, uint32_t operation, const wellhead_str *uris,
                        size_t uri_count, wellhead_authorize *r) {
    static const char *const operations[] = {"", "list", "read", "subscribe", "complete", "list_tools",
                                             "call_tool", "list_prompts", "get_prompt"};
    registration *own = user_data;
    const json_t *rule = json_object_get(own->entry, "authorize"), *later = json_object_get(rule, "hold");
    text line = {0};
    text_say(&line, "authorize %s ", operations[operation]);
    for (size_t i = 0; i < uri_count; i++) text_say(&line, "%s%.*s", i ? "," : "", (int)uris[i].len, uris[i].ptr);
    say_request(&line, call, rule);
    note(own->host, &line);
    if (later) {
        hold(own->host, filled(call, later))->question = wellhead_authorize_keep(r);
        return;
    }
    for (size_t i = 0; i < uri_count; i++) {
        int deny = lists(json_object_get(rule, "deny"), uris[i]), hide = lists(json_object_get(rule, "hide"), uris[i]);
        if (!deny) wellhead_authorize_set(r, i, hide ? WELLHEAD_VERDICT_HIDE : WELLHEAD_VERDICT_ALLOW);
    }
    wellhead_authorize_finish(r);
}

void interest_callback(void *user_data, const wellhead_call *call, int wanted, wellhead_interest *r) {
    registration *own = user_data;
    const json_t *rule = json_object_get(own->entry, "interest"), *later = json_object_get(rule, "hold");
    wellhead_str uri = wellhead_call_uri(call);
    text line = {0};
    text_say(&line, "interest %.*s %s", (int)uri.len, uri.ptr, wanted ? "true" : "false");
    note(own->host, &line);
    if (later) hold(own->host, filled(call, later))->interest = wellhead_interest_keep(r);
    else answer_interest(r, !json_object_get(rule, "fail"));
}

static int exists_callback(void *user_data, const wellhead_str *uri) {
    registration *own = user_data;
    text line = {0};
    text_say(&line, "exists %.*s", (int)uri->len, uri->ptr);
    note(own->host, &line);
    return lists(json_object_get(own->entry, "exists"), *uri);
}

void provide(wellhead_provider *p, host *h, json_t *entry, wellhead_str *completed) {
    json_t *value;
    const char *variable;
    const json_t *pages = list_pages(entry), *items = json_object_get(pages, "items");
    p->user_data = own(h, entry);
    p->destroy = forget;
    if (json_object_get(entry, "read") || json_object_get(entry, "fallback")) p->read = read_callback;
    if (pages) p->list = list_callback;
    if (json_object_get(entry, "complete")) p->complete = complete_callback;
    if (json_object_get(entry, "exists")) p->exists = exists_callback;
    p->completed = completed;
    json_object_foreach(json_object_get(entry, "complete"), variable, value)
        completed[p->completed_count++] = wellhead_cstr(variable);
    if (items) json_object_set(h->listings, list_name(entry), json_object_get(pages, "items"));
}

/* A body that is lent, and counted until it is released. */
typedef struct { host *host; text bytes; } lent;

static void release(void *release_data) {
    lent *body = release_data;
    body->host->bodies--;
    text_free(&body->bytes);
    free(body);
}

static lent *lend(host *h, text bytes) {
    lent *body = malloc(sizeof *body);
    if (!body) abort();
    *body = (lent){h, bytes};
    h->bodies++;
    return body;
}

static void add_part(host *h, wellhead_read *r, const wellhead_call *call, const json_t *part) {
    wellhead_contents about = WELLHEAD_CONTENTS_INIT;
    const json_t *base64 = json_object_get(part, "base64");
    caching cache;
    text uri = {0}, meta = {0}, metadata = {0}, version = {0};
    if (json_object_get(part, "uri")) uri = filled(call, json_object_get(part, "uri"));
    if (json_object_get(part, "meta")) meta = text_of_json(json_object_get(part, "meta"));
    if (json_object_get(part, "metadata")) metadata = text_of_json(json_object_get(part, "metadata"));
    if (json_object_get(part, "version")) version = filled(call, json_object_get(part, "version"));
    about.uri = view(&uri);
    about.meta = view(&meta);
    about.metadata = view(&metadata);
    about.name = member(part, "name");
    about.title = member(part, "title");
    about.kind = member(part, "kind");
    about.version = view(&version);
    about.cache = caching_read(&cache, json_object_get(part, "cache"));
    about.mime_type = member(part, "mime_type");
    lent *body = lend(h, base64 ? text_of_base64(base64) : filled(call, json_object_get(part, "text")));
    if (base64) wellhead_read_add_blob_owned(r, &about, view(&body->bytes), release, body);
    else wellhead_read_add_text_owned(r, &about, view(&body->bytes), release, body);
    text_free(&uri);
    text_free(&meta);
    text_free(&metadata);
    text_free(&version);
}

void answer(host *h, wellhead_read *r, const wellhead_call *call, const json_t *with) {
    const char *word = json_string_value(with);
    const json_t *parts = json_object_get(with, "parts"), *unit = json_object_get(with, "repeat");
    const json_t *bytes = json_object_get(with, "repeat_base64"), *base64 = json_object_get(with, "base64");
    size_t times = (size_t)json_integer_value(json_object_get(with, "times"));
    if (!with || (word && strcmp(word, "not_found") == 0)) {
        wellhead_read_not_found(r);
    } else if (word && strcmp(word, "denied") == 0) {
        wellhead_read_denied(r);
    } else if (json_object_get(with, "asks")) {
        text input = text_of_json(json_object_get(with, "asks"));
        wellhead_read_input_required(r, view(&input));
        text_free(&input);
    } else if (word && strcmp(word, "invalid_state") == 0) {
        wellhead_read_invalid_state(r);
    } else if (word && strcmp(word, "not_modified") == 0) {
        wellhead_read_not_modified(r);
    } else if (json_object_get(with, "busy") || (word && strcmp(word, "busy") == 0)) {
        wellhead_read_busy(r, word ? UINT64_MAX : (uint64_t)json_integer_value(json_object_get(with, "busy")));
    } else if (word) {
        wellhead_read_failed(r, WELLHEAD_STR(FAILURE));
    } else if (parts) {
        for (size_t i = 0; i < json_array_size(parts); i++) add_part(h, r, call, json_array_get(parts, i));
        wellhead_read_finish(r);
    } else if (!unit && !bytes && json_object_size(with) > 1) { /* it says something of the contents, too */
        add_part(h, r, call, with);
        wellhead_read_finish(r);
    } else if (unit) {
        lent *body = lend(h, text_repeated(json_string_value(unit), json_string_length(unit), times));
        wellhead_read_text_owned(r, view(&body->bytes), release, body);
    } else if (bytes) {
        text one = text_of_base64(bytes);
        lent *body = lend(h, text_repeated(one.at, one.len, times));
        wellhead_read_blob_owned(r, view(&body->bytes), release, body);
        text_free(&one);
    } else {
        text body = base64 ? text_of_base64(base64) : filled(call, json_object_get(with, "text"));
        if (base64) wellhead_read_blob(r, view(&body));
        else wellhead_read_text(r, view(&body));
        text_free(&body);
    }
}

void answer_question(wellhead_authorize *r, const json_t *with) {
    const json_t *verdicts = json_object_get(with, "verdicts");
    if (json_is_string(with)) {
        wellhead_authorize_failed(r, WELLHEAD_STR(FAILURE));
        return;
    }
    for (size_t i = 0; i < json_array_size(verdicts); i++) {
        const char *word = json_string_value(json_array_get(verdicts, i));
        wellhead_authorize_set(r, i, strcmp(word, "allow") == 0  ? WELLHEAD_VERDICT_ALLOW
                                     : strcmp(word, "hide") == 0 ? WELLHEAD_VERDICT_HIDE
                                                                 : WELLHEAD_VERDICT_DENY);
    }
    wellhead_authorize_finish(r);
}

void answer_interest(wellhead_interest *r, int done) {
    if (done) wellhead_interest_done(r);
    else wellhead_interest_failed(r, WELLHEAD_STR(FAILURE));
}

/* The strings of an array, at most SOME. */
static size_t strings(const json_t *array, wellhead_str *all) {
    for (size_t i = 0; i < json_array_size(array); i++) all[i] = string(json_array_get(array, i));
    return json_array_size(array);
}

void answer_token(wellhead_verify *r, const json_t *with) {
    wellhead_grant grant = WELLHEAD_GRANT_INIT;
    wellhead_str audience[SOME], scopes[SOME];
    const json_t *insufficient = json_object_get(with, "insufficient_scope"), *ms = json_object_get(with, "expires_in_ms");
    uint64_t expires_in_ms = (uint64_t)json_integer_value(ms);
    if (insufficient) {
        wellhead_verify_insufficient_scope(r, scopes, strings(insufficient, scopes));
    } else if (json_is_object(with)) {
        grant.caller_id = member(with, "caller");
        grant.audience = audience;
        grant.audience_count = strings(json_object_get(with, "audience"), audience);
        grant.scopes = scopes;
        grant.scope_count = strings(json_object_get(with, "scopes"), scopes);
        grant.expires_in_ms = ms ? &expires_in_ms : NULL;
        wellhead_verify_granted(r, &grant);
    } else if (with && strcmp(json_string_value(with), "fail") == 0) {
        wellhead_verify_failed(r, WELLHEAD_STR(FAILURE));
    } else {
        wellhead_verify_refused(r);
    }
}

void answer_page(wellhead_list *r, const json_t *with) {
    const json_t *items = json_object_get(with, "items");
    if (json_is_string(with)) {
        wellhead_list_failed(r, WELLHEAD_STR(FAILURE));
        return;
    }
    for (size_t i = 0; i < json_array_size(items); i++) add_item(r, json_array_get(items, i));
    wellhead_list_finish(r, json_is_true(json_object_get(with, "more")));
}

static void add_item(wellhead_list *r, const json_t *item) {
    description d;
    if (json_object_get(item, "frontmatter")) {
        text entry = text_of_json(item);
        wellhead_list_add_skill(r, view(&entry));
        text_free(&entry);
        return;
    }
    describe(&d, item, member(item, "uri"));
    d.resource.key = member(item, "key");
    wellhead_list_add(r, &d.resource);
    describe_end(&d);
}

void describe(description *d, const json_t *entry, wellhead_str uri) {
    const wellhead_resource init = WELLHEAD_RESOURCE_INIT;
    const json_t *size = json_object_get(entry, "size"), *annotations = json_object_get(entry, "annotations");
    const json_t *icons = json_object_get(entry, "icons"), *meta = json_object_get(entry, "meta");
    *d = (description){.resource = init};
    if (annotations) d->annotations = text_of_json(annotations);
    if (icons) d->icons = text_of_json(icons);
    if (meta) d->meta = text_of_json(meta);
    if (json_object_get(entry, "metadata")) d->metadata = text_of_json(json_object_get(entry, "metadata"));
    d->size = (uint64_t)json_integer_value(size);
    d->resource.uri = uri;
    d->resource.name = member(entry, "name");
    d->resource.title = member(entry, "title");
    d->resource.description = member(entry, "description");
    d->resource.mime_type = member(entry, "mime_type");
    d->resource.size = size ? &d->size : NULL;
    d->resource.annotations = view(&d->annotations);
    d->resource.icons = view(&d->icons);
    d->resource.meta = view(&d->meta);
    d->resource.kind = member(entry, "kind");
    d->resource.version = member(entry, "version");
    d->resource.metadata = view(&d->metadata);
    d->resource.cache = caching_read(&d->cache, json_object_get(entry, "cache"));
}

void describe_end(description *d) {
    text_free(&d->annotations);
    text_free(&d->icons);
    text_free(&d->meta);
    text_free(&d->metadata);
}
