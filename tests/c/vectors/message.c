#include "message.h"

#include <stdlib.h>
#include <string.h>

static const char STATELESS[] = "{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                             "\"io.modelcontextprotocol/clientCapabilities\":{}}";
static const char SERVER[] = "{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}";

text message_shown(const json_t *message) {
    text line = {0};
    if (json_is_string(message)) text_add(&line, json_string_value(message), json_string_length(message));
    else line = text_of_json(message);
    text_replace(&line, "\"$stateless\"", STATELESS, sizeof STATELESS - 1);
    text_replace(&line, "\"$server\"", SERVER, sizeof SERVER - 1);
    return line;
}

enum kind { END, LITERAL, NAME, ANY };

/* The next piece of a line: a literal in `piece`, or a name in it. */
static enum kind next(const char **rest, text *piece) {
    const char *open = strstr(*rest, "@{"), *close = open ? strchr(open, '}') : NULL;
    piece->len = 0;
    if (!**rest) return END;
    if (!close || open != *rest) {
        size_t len = close ? (size_t)(open - *rest) : strlen(*rest);
        text_add(piece, *rest, len);
        *rest += len;
        return LITERAL;
    }
    *rest = close + 1;
    const char *inner = open + 2, *star = close;
    while (star > inner && star[-1] != '*') star--;
    if (star == inner) {
        text_add(piece, inner, (size_t)(close - inner));
        return NAME;
    }
    size_t len = (size_t)(star - 1 - inner);
    if (len == 0) return ANY;
    for (unsigned long times = strtoul(star, NULL, 10); times--;) text_add(piece, inner, len);
    return LITERAL;
}

int message_sent(const json_t *message, const json_t *kept, text *line) {
    text shown = message_shown(message), piece = {0};
    const char *rest = shown.at;
    enum kind kind;
    while ((kind = next(&rest, &piece)) != END) {
        const json_t *value = kind == NAME ? json_object_get(kept, piece.at) : NULL;
        if (kind == LITERAL) text_add(line, piece.at, piece.len);
        else if (value) text_add(line, json_string_value(value), json_string_length(value));
        else break;
    }
    text_free(&shown);
    text_free(&piece);
    return kind == END;
}

int message_matches(const json_t *expected, const char *line, json_t *kept) {
    text shown = message_shown(expected), piece = {0};
    json_t *found = json_object();
    const char *rest = shown.at;
    enum kind kind;
    while ((kind = next(&rest, &piece)) != END) {
        const json_t *value = kind == NAME ? json_object_get(kept, piece.at) : NULL;
        const char *literal = value ? json_string_value(value) : piece.at;
        if (kind == LITERAL || value) {
            if (strncmp(line, literal, strlen(literal)) != 0) break;
            line += strlen(literal);
            continue;
        }
        size_t len = strcspn(line, "\"");
        if (len == 0 || !line[len]) break;
        if (kind == NAME) json_object_set_new(found, piece.at, json_stringn(line, len));
        line += len;
    }
    int matched = kind == END && !*line;
    if (matched) json_object_update(kept, found);
    json_decref(found);
    text_free(&shown);
    text_free(&piece);
    return matched;
}
