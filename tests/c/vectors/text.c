#include "text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(text *t, size_t more) {
    if (t->len + more < t->room) return;
    t->room = (t->len + more + 1) * 2;
    t->at = realloc(t->at, t->room);
    if (!t->at) abort();
}

void text_add(text *t, const char *bytes, size_t len) {
    need(t, len);
    if (len) memcpy(t->at + t->len, bytes, len);
    t->len += len;
    t->at[t->len] = '\0';
}

void text_say(text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    need(t, (size_t)len + 1);
    va_start(arguments, format);
    vsnprintf(t->at + t->len, (size_t)len + 1, format, arguments);
    va_end(arguments);
    t->len += (size_t)len;
}

void text_free(text *t) {
    free(t->at);
    *t = (text){0};
}

void text_drop(text *t, size_t len) {
    if (!len) return;
    t->len -= len;
    memmove(t->at, t->at + len, t->len + 1);
}

void text_replace(text *t, const char *what, const char *by, size_t len) {
    text whole = {0};
    const char *rest = t->at ? t->at : "", *found;
    while ((found = strstr(rest, what)) != NULL) {
        text_add(&whole, rest, (size_t)(found - rest));
        text_add(&whole, by, len);
        rest = found + strlen(what);
    }
    text_add(&whole, rest, strlen(rest));
    text_free(t);
    *t = whole;
}

text text_of_base64(const json_t *string) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text bytes = {0};
    unsigned bits = 0, count = 0;
    text_add(&bytes, "", 0);
    for (const char *c = json_string_value(string); c && *c && *c != '='; c++) {
        const char *digit = strchr(digits, *c);
        if (!digit) abort();
        bits = (bits << 6 | (unsigned)(digit - digits)) & 0xffffff;
        count += 6;
        if (count >= 8) {
            char byte = (char)(bits >> (count -= 8) & 0xff);
            text_add(&bytes, &byte, 1);
        }
    }
    return bytes;
}

text text_of_hex(const char *hex) {
    text bytes = {0};
    unsigned byte;
    for (; sscanf(hex, "%2x", &byte) == 1; hex += 2) {
        char c = (char)byte;
        text_add(&bytes, &c, 1);
    }
    return bytes;
}

text text_repeated(const char *unit, size_t len, size_t times) {
    text whole = {0};
    need(&whole, len * times);
    text_add(&whole, "", 0);
    while (times--) text_add(&whole, unit, len);
    return whole;
}

text text_of_json(const json_t *value) {
    text json = {0};
    char *dump = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    text_say(&json, "%s", dump ? dump : "");
    free(dump);
    for (char *c = json.at; (c = strchr(c, '\\')) != NULL; c += 2) /* escapes in small letters, as we write them */
        if (c[1] == 'u')
            for (int i = 2; i < 6; i++) c[i] = (char)tolower((unsigned char)c[i]);
    return json;
}

wellhead_str string(const json_t *value) {
    wellhead_str s = {json_string_value(value), json_string_length(value)};
    return s;
}

wellhead_str member(const json_t *object, const char *name) {
    return string(json_object_get(object, name));
}

wellhead_str view(const text *t) {
    wellhead_str s = {t->at, t->len};
    return s;
}
