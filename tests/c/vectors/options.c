#include "options.h"

static wellhead_limits limits_of(const json_t *limits) {
    wellhead_limits l = WELLHEAD_LIMITS_INIT;
    const struct { const char *name; size_t *place; } all[] = {
        {"message_bytes", &l.message_bytes},
        {"nesting", &l.nesting},
        {"id_bytes", &l.id_bytes},
        {"batch_length", &l.batch_length},
        {"uri_bytes", &l.uri_bytes},
        {"page_items", &l.page_items},
        {"page_bytes", &l.page_bytes},
        {"calls_in_flight", &l.calls_in_flight},
        {"subscriptions", &l.subscriptions},
        {"subscriptions_total", &l.subscriptions_total},
        {"listen_streams", &l.listen_streams},
        {"output_bytes", &l.output_bytes},
        {"buffer_bytes", &l.buffer_bytes},
        {"caller_percent", &l.caller_percent},
        {"session_streams", &l.session_streams},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i].place = (size_t)json_integer_value(json_object_get(limits, all[i].name));
    l.call_ms = (uint64_t)json_integer_value(json_object_get(limits, "call_ms"));
    return l;
}

const wellhead_cache *caching_read(caching *c, const json_t *hint) {
    const wellhead_cache init = WELLHEAD_CACHE_INIT;
    const json_t *ttl_ms = json_object_get(hint, "ttl_ms");
    *c = (caching){init, (uint64_t)json_integer_value(ttl_ms)};
    if (ttl_ms) c->cache.ttl_ms = &c->ttl_ms;
    c->cache.scope = member(hint, "scope");
    return hint ? &c->cache : NULL;
}

static uint32_t flag_of(const json_t *script, const char *name, uint32_t flag) {
    return json_is_false(json_object_get(script, name)) ? flag : 0;
}

void options_read(options *o, const json_t *script) {
    const wellhead_server_options init = WELLHEAD_SERVER_OPTIONS_INIT;
    const char *hex = json_string_value(json_object_get(script, "key")), *name, *condition;
    json_t *value, *codes;
    size_t i;
    *o = (options){.server = init, .limits = limits_of(json_object_get(script, "limits"))};
    wellhead_server_options *s = &o->server;
    o->key = hex ? text_of_hex(hex) : text_repeated("\7", 1, 32);
    s->flags = flag_of(script, "subscribe", WELLHEAD_NO_SUBSCRIBE)
               | flag_of(script, "list_changed", WELLHEAD_NO_LIST_CHANGED)
               | flag_of(script, "omit_newer_fields", WELLHEAD_SEND_NEWER_FIELDS)
               | flag_of(script, "handshake_extensions", WELLHEAD_NO_HANDSHAKE_EXTENSIONS)
               | (json_is_true(json_object_get(script, "resources_as_tools")) ? WELLHEAD_RESOURCES_AS_TOOLS : 0);
    s->title = member(script, "title");
    s->instructions = member(script, "instructions");
    s->description = member(script, "description");
    s->website_url = member(script, "website_url");
    if (json_object_get(script, "icons")) {
        o->icons = text_of_json(json_object_get(script, "icons"));
        s->icons = view(&o->icons);
    }
    s->cursor_key = view(&o->key);
    s->limits = &o->limits;
    s->capabilities = o->capabilities;
    json_object_foreach(json_object_get(script, "capabilities"), name, value) {
        o->json[s->capability_count] = text_of_json(value);
        o->capabilities[s->capability_count] = (wellhead_pair){wellhead_cstr(name), view(&o->json[s->capability_count])};
        s->capability_count++;
    }
    s->extensions = o->extensions;
    json_object_foreach(json_object_get(script, "extensions"), name, value) {
        text *settings = &o->settings[s->extension_count];
        *settings = text_of_json(value);
        o->extensions[s->extension_count++] = (wellhead_pair){wellhead_cstr(name), view(settings)};
    }
    s->result_type_extensions = o->result_type_extensions;
    json_object_foreach(json_object_get(script, "result_type_extensions"), name, value)
        o->result_type_extensions[s->result_type_extension_count++] = (wellhead_pair){wellhead_cstr(name), string(value)};
    s->list_changed_methods = o->list_changed_methods;
    json_object_foreach(json_object_get(script, "list_changed_methods"), name, value)
        o->list_changed_methods[s->list_changed_method_count++] = (wellhead_pair){wellhead_cstr(name), string(value)};
    s->revisions = o->revisions;
    json_array_foreach(json_object_get(script, "revisions"), i, value) o->revisions[s->revision_count++] = string(value);
    s->rpc_codes = o->rpc_codes;
    json_object_foreach(json_object_get(script, "rpc_codes"), name, codes)
        json_object_foreach(codes, condition, value)
            o->rpc_codes[s->rpc_code_count++] = (wellhead_rpc_code){
                wellhead_cstr(name), wellhead_cstr(condition), (int32_t)json_integer_value(value)};
    s->cache = caching_read(&o->cache, json_object_get(script, "cache"));
    s->cache_of = o->cache_of;
    json_object_foreach(json_object_get(script, "cache_of"), name, value) {
        const wellhead_cache *hint = caching_read(&o->caches[s->cache_of_count], value);
        o->cache_of[s->cache_of_count++] = (wellhead_cache_of){wellhead_cstr(name), hint};
    }
    s->instance_name = member(script, "instance_name");
    s->error_profile = member(script, "error_profile");
    s->denied_resources = member(script, "denied_resources");
    s->app_only_tools = member(script, "app_only_tools");
    s->undeclared_lists = member(script, "undeclared_lists");
    s->titles_in_contents = member(script, "titles_in_contents");
    s->subscribe_unknown = member(script, "subscribe_unknown");
    s->dialect = member(script, "dialect");
    s->unknown_tool = member(script, "unknown_tool");
    s->invalid_arguments = member(script, "invalid_arguments");
    s->tool_errors = member(script, "tool_errors");
    s->check_output = member(script, "check_output");
}

void options_end(options *o) {
    text_free(&o->key);
    text_free(&o->icons);
    for (size_t i = 0; i < SOME; i++) text_free(&o->json[i]);
    for (size_t i = 0; i < SOME; i++) text_free(&o->settings[i]);
}
