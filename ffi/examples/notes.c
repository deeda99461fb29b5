/* notes.c - an in-memory notes application: pages, a template, edits that notify, one answer given later.
 *
 * `notes FIFO`: a second thread takes `set ID TEXT`, `add ID TEXT` and `del ID` lines from the FIFO. */
#define _DEFAULT_SOURCE
#include <wellhead.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES = 1000, ID = 32, URI = ID + 8 };

typedef struct { char id[ID]; char *text; } note;

/* The notes, ordered by id. */
typedef struct {
    pthread_mutex_t lock;
    size_t count;
    note notes[NOTES];
    wellhead_server *server;
    const char *fifo;
} store;

static int compare(wellhead_str a, const char *b) {
    size_t length = strlen(b);
    int order = memcmp(a.ptr, b, a.len < length ? a.len : length);
    return order ? order : (a.len > length) - (a.len < length);
}

/* The first note that is not before `id`; whether it is that one. */
static size_t find(const store *s, wellhead_str id, int *found) {
    size_t at = 0;
    while (at < s->count && compare(id, s->notes[at].id) > 0) at++;
    *found = at < s->count && compare(id, s->notes[at].id) == 0;
    return at;
}

static void put(store *s, const char *id, const char *text) {
    int found;
    size_t at = find(s, wellhead_cstr(id), &found);
    char *copy = strdup(text);
    if (!copy || strlen(id) >= ID || (!found && s->count == NOTES)) { free(copy); return; }
    if (found) free(s->notes[at].text);
    else memmove(&s->notes[at + 1], &s->notes[at], (s->count++ - at) * sizeof *s->notes);
    strcpy(s->notes[at].id, id);
    s->notes[at].text = copy;
}

static void drop(store *s, const char *id) {
    int found;
    size_t at = find(s, wellhead_cstr(id), &found);
    if (!found) return;
    free(s->notes[at].text);
    memmove(&s->notes[at], &s->notes[at + 1], (--s->count - at) * sizeof *s->notes);
}

static void read_note(void *user_data, const wellhead_call *call, wellhead_read *r) {
    store *s = user_data;
    int found;
    pthread_mutex_lock(&s->lock);
    size_t at = find(s, wellhead_call_var(call, "id"), &found);
    if (found) wellhead_read_text(r, wellhead_cstr(s->notes[at].text));
    else wellhead_read_not_found(r);
    pthread_mutex_unlock(&s->lock);
}

static void list_notes(void *user_data, const wellhead_call *call, wellhead_list *r) {
    const wellhead_str after = wellhead_call_after(call);
    size_t limit = wellhead_call_limit(call);
    store *s = user_data;
    int found = 0;
    pthread_mutex_lock(&s->lock);
    size_t at = after.ptr ? find(s, after, &found) : 0;
    if (found) at++;
    for (; at < s->count && limit > 0; at++, limit--) {
        char uri[URI];
        wellhead_resource item = WELLHEAD_RESOURCE_INIT;
        snprintf(uri, sizeof uri, "notes://%s", s->notes[at].id);
        item.uri = wellhead_cstr(uri);
        item.name = item.key = wellhead_cstr(s->notes[at].id);
        item.mime_type = WELLHEAD_STR("text/markdown");
        wellhead_list_add(r, &item);
    }
    int more = at < s->count;
    pthread_mutex_unlock(&s->lock);
    wellhead_list_finish(r, more);
}

static void *answer_later(void *kept) {
    wellhead_read_text(kept, WELLHEAD_STR("answered by another thread"));
    return NULL;
}

static void read_slow(void *user_data, const wellhead_call *call, wellhead_read *r) {
    pthread_t thread;
    (void)user_data;
    (void)call;
    wellhead_read_keep(r);
    if (pthread_create(&thread, NULL, answer_later, r) == 0) pthread_detach(thread);
    else wellhead_read_failed(r, WELLHEAD_STR("no thread"));
}

/* Carries out what the lines of the FIFO say. */
static void *edits(void *user_data) {
    store *s = user_data;
    char line[4096], uri[URI];
    FILE *fifo = fopen(s->fifo, "r+"); /* for writing too, so that it does not end when a writer goes */
    while (fifo && fgets(line, sizeof line, fifo)) {
        line[strcspn(line, "\n")] = '\0';
        char *verb = strtok(line, " "), *id = strtok(NULL, " "), *rest = strtok(NULL, "");
        if (!id) continue;
        pthread_mutex_lock(&s->lock);
        if (strcmp(verb, "del") == 0) drop(s, id);
        else put(s, id, rest ? rest : "");
        pthread_mutex_unlock(&s->lock);
        snprintf(uri, sizeof uri, "notes://%s", id);
        wellhead_error *error = NULL;
        if (wellhead_server_notify_updated(s->server, wellhead_cstr(uri), &error) != WELLHEAD_STATUS_OK) {
            wellhead_str message = wellhead_error_message(error);
            fprintf(stderr, "notes: " WELLHEAD_FMT "\n", WELLHEAD_ARG(message));
            wellhead_error_free(error);
        } else if (strcmp(verb, "set") != 0)
            wellhead_server_notify_resource_list_changed(s->server, NULL);
    }
    return NULL;
}

static wellhead_status serve(store *s, wellhead_error **error) {
    wellhead_resource about = WELLHEAD_RESOURCE_INIT, logo = about, slow = about, any = about;
    wellhead_provider slowly = WELLHEAD_PROVIDER_INIT, reads = slowly, lists = slowly;
    wellhead_status status;
    about.uri = WELLHEAD_STR("notes://about");
    about.mime_type = WELLHEAD_STR("text/plain");
    logo.uri = WELLHEAD_STR("notes://logo");
    logo.mime_type = WELLHEAD_STR("image/png");
    slow.uri = WELLHEAD_STR("notes://slow");
    slow.name = WELLHEAD_STR("slow");
    slowly.read = read_slow;
    any.uri = WELLHEAD_STR("notes://{id}");
    any.name = WELLHEAD_STR("note");
    any.mime_type = WELLHEAD_STR("text/markdown");
    reads.user_data = lists.user_data = s;
    reads.read = read_note;
    lists.list = list_notes;
    if ((status = wellhead_server_add_text(s->server, &about, WELLHEAD_STR("Notes."), error))
        || (status = wellhead_server_add_blob(s->server, &logo, WELLHEAD_STR("\x89PNG\r\n\x1a\n"), error))
        || (status = wellhead_server_add_resource(s->server, &slow, &slowly, error))
        || (status = wellhead_server_add_template(s->server, &any, &reads, error))
        || (status = wellhead_server_add_list(s->server, WELLHEAD_STR("notes"), &lists, error)))
        return status;
    pthread_t thread;
    if (s->fifo && pthread_create(&thread, NULL, edits, s) == 0) pthread_detach(thread);
    return wellhead_serve_stdio(s->server, NULL, error);
}

int main(int argc, char **argv) {
    static store s = {.lock = PTHREAD_MUTEX_INITIALIZER};
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    wellhead_limits limits = WELLHEAD_LIMITS_INIT;
    wellhead_error *error = NULL;
    s.fifo = argc > 1 ? argv[1] : NULL;
    for (int n = 1; n <= 250; n++) {
        char id[ID], text[ID];
        snprintf(id, sizeof id, "%03d", n);
        snprintf(text, sizeof text, "# Note %03d", n);
        put(&s, id, text);
    }
    limits.page_items = 100;
    options.limits = &limits;
    s.server = wellhead_server_new(WELLHEAD_STR("notes"), WELLHEAD_STR("1.0.0"), &options, &error);
    if (!s.server || serve(&s, &error) != WELLHEAD_STATUS_OK) {
        wellhead_str why = wellhead_error_message(error);
        fprintf(stderr, "notes: " WELLHEAD_FMT "\n", WELLHEAD_ARG(why));
        wellhead_error_free(error);
        return 1;
    }
    return 0; /* the thread of edits may still use the server */
}
