#include "endpoint.h"

#include "answers.h"

#include <string.h>

static void verify_callback(void *user_data, const wellhead_call *call, wellhead_verify *r) {
    const wellhead_str token = wellhead_call_token(call);
    const registration *own = user_data;
    text name = {0};
    text_add(&name, token.ptr, token.len);
    const json_t *said = json_object_get(own->entry, name.at), *later = json_object_get(said, "hold");
    const char *word = json_string_value(said);
    text_free(&name);
    if (later) hold(own->host, filled(NULL, later))->token = wellhead_verify_keep(r);
    else if (!word || strcmp(word, "none") != 0) answer_token(r, said);
}

static size_t texts_of(const json_t *array, wellhead_str *all) {
    for (size_t i = 0; i < json_array_size(array); i++) all[i] = string(json_array_get(array, i));
    return json_array_size(array);
}

wellhead_endpoint *endpoint_new(host *h, const json_t *script, void (*wake)(void *), void *woken) {
    wellhead_endpoint_options o = WELLHEAD_ENDPOINT_OPTIONS_INIT;
    wellhead_protection protection = WELLHEAD_PROTECTION_INIT;
    wellhead_str origins[SOME], hosts[SOME], servers[SOME], scopes[SOME];
    const json_t *protect = json_object_get(script, "protect");
    const json_t *replay = json_object_get(script, "replay_bytes");
    size_t replay_bytes = (size_t)json_integer_value(replay);
    o.path = member(script, "path");
    if (json_is_false(json_object_get(script, "loopback_only"))) o.flags |= WELLHEAD_NOT_LOOPBACK_ONLY;
    if (json_is_false(json_object_get(script, "delete"))) o.flags |= WELLHEAD_NO_DELETE;
    if (json_is_true(json_object_get(script, "strict_accept"))) o.flags |= WELLHEAD_STRICT_ACCEPT;
    if (json_is_true(json_object_get(script, "cors"))) o.flags |= WELLHEAD_CORS;
    if (json_is_false(json_object_get(script, "sessions"))) o.flags |= WELLHEAD_NO_SESSIONS;
    if (json_is_false(json_object_get(script, "token_required"))) o.flags |= WELLHEAD_TOKEN_NOT_REQUIRED;
    o.allowed_origins = origins;
    o.allowed_origin_count = texts_of(json_object_get(script, "allowed_origins"), origins);
    o.allowed_hosts = hosts;
    o.allowed_host_count = texts_of(json_object_get(script, "allowed_hosts"), hosts);
    o.session_ms = (uint64_t)json_integer_value(json_object_get(script, "session_ms"));
    o.keep_alive_ms = (uint64_t)json_integer_value(json_object_get(script, "keep_alive_ms"));
    o.body_ms = (uint64_t)json_integer_value(json_object_get(script, "body_ms"));
    o.session_limit = (size_t)json_integer_value(json_object_get(script, "session_limit"));
    o.head_ms = (uint64_t)json_integer_value(json_object_get(script, "head_ms"));
    o.idle_ms = (uint64_t)json_integer_value(json_object_get(script, "idle_ms"));
    o.replay_bytes = replay ? &replay_bytes : NULL;
    if (protect) {
        o.protection = &protection;
        protection.resource = member(protect, "resource");
        protection.authorization_servers = servers;
        protection.authorization_server_count = texts_of(json_object_get(protect, "authorization_servers"), servers);
        protection.scopes = scopes;
        protection.scope_count = texts_of(json_object_get(protect, "scopes"), scopes);
    }
    if (json_object_get(script, "verify")) {
        o.verify = verify_callback;
        o.verify_data = own(h, json_object_get(script, "verify"));
        o.verify_destroy = forget;
    }
    return wellhead_endpoint_new(h->server, &o, wake, woken, NULL, NULL);
}
