#include "options.hpp"

static wellhead_limits limits_of(const json_t *limits) {
    wellhead_limits all = WELLHEAD_LIMITS_INIT;
    const auto limit = [limits](const char *name) { return static_cast<std::size_t>(json_integer_value(get(limits, name))); };
    all.message_bytes = limit("message_bytes");
    all.nesting = limit("nesting");
    all.id_bytes = limit("id_bytes");
    all.batch_length = limit("batch_length");
    all.uri_bytes = limit("uri_bytes");
    all.page_items = limit("page_items");
    all.page_bytes = limit("page_bytes");
    all.calls_in_flight = limit("calls_in_flight");
    all.subscriptions = limit("subscriptions");
    all.subscriptions_total = limit("subscriptions_total");
    all.listen_streams = limit("listen_streams");
    all.output_bytes = limit("output_bytes");
    all.call_ms = limit("call_ms");
    all.buffer_bytes = limit("buffer_bytes");
    all.caller_percent = limit("caller_percent");
    all.session_streams = limit("session_streams");
    return all;
}

std::optional<wellhead::Cache> hint_of(const json_t *hint) {
    if (!hint) return std::nullopt;
    wellhead::Cache cache;
    if (const json_t *ttl_ms = get(hint, "ttl_ms")) cache.ttl_ms = static_cast<std::uint64_t>(json_integer_value(ttl_ms));
    cache.scope = optional_string(get(hint, "scope"));
    return cache;
}

wellhead::ServerOptions options_of(const json_t *options, wellhead::LogCallback log) {
    wellhead::ServerOptions all;
    const json_t *key = get(options, "key");
    all.title = optional_string(get(options, "title"));
    all.instructions = optional_string(get(options, "instructions"));
    all.description = optional_string(get(options, "description"));
    all.website_url = optional_string(get(options, "website_url"));
    if (const json_t *icons = get(options, "icons")) all.icons = *json_of(icons);
    all.cursor_key = key ? taken(text_of_hex(json_string_value(key))) : std::string(32, '\7');
    if (json_is_false(get(options, "subscribe"))) all.flags |= WELLHEAD_NO_SUBSCRIBE;
    if (json_is_false(get(options, "list_changed"))) all.flags |= WELLHEAD_NO_LIST_CHANGED;
    if (json_is_false(get(options, "omit_newer_fields"))) all.flags |= WELLHEAD_SEND_NEWER_FIELDS;
    if (json_is_false(get(options, "handshake_extensions"))) all.flags |= WELLHEAD_NO_HANDSHAKE_EXTENSIONS;
    for (const auto &[id, settings] : members(get(options, "extensions"))) all.extensions[id] = *json_of(settings);
    for (const auto &[kind, extension] : members(get(options, "result_type_extensions"))) all.result_type_extensions[kind] = string_of(extension);
    if (json_is_true(get(options, "resources_as_tools"))) all.flags |= WELLHEAD_RESOURCES_AS_TOOLS;
    for (const auto &[name, capability] : members(get(options, "capabilities"))) all.capabilities[name] = *json_of(capability);
    for (const auto &[kind, notification] : members(get(options, "list_changed_methods"))) all.list_changed_methods[kind] = string_of(notification);
    for (const json_t *date : elements(get(options, "revisions"))) all.revisions.push_back(string_of(date));
    for (const auto &[revision, codes] : members(get(options, "rpc_codes")))
        for (const auto &[condition, code] : members(codes))
            all.rpc_codes.push_back({revision, condition, static_cast<std::int32_t>(json_integer_value(code))});
    all.cache = hint_of(get(options, "cache"));
    for (const auto &[kind, hint] : members(get(options, "cache_of"))) all.cache_of[kind] = *hint_of(hint);
    all.instance_name = optional_string(get(options, "instance_name"));
    all.error_profile = optional_string(get(options, "error_profile"));
    all.denied_resources = optional_string(get(options, "denied_resources"));
    all.app_only_tools = optional_string(get(options, "app_only_tools"));
    all.undeclared_lists = optional_string(get(options, "undeclared_lists"));
    all.titles_in_contents = optional_string(get(options, "titles_in_contents"));
    all.subscribe_unknown = optional_string(get(options, "subscribe_unknown"));
    all.dialect = optional_string(get(options, "dialect"));
    all.unknown_tool = optional_string(get(options, "unknown_tool"));
    all.invalid_arguments = optional_string(get(options, "invalid_arguments"));
    all.tool_errors = optional_string(get(options, "tool_errors"));
    all.check_output = optional_string(get(options, "check_output"));
    all.limits = limits_of(get(options, "limits"));
    all.log = std::move(log);
    return all;
}

wellhead::Resource described(const std::string &uri, const json_t *entry) {
    wellhead::Resource resource(uri);
    describe(resource, entry);
    resource.description = optional_string(get(entry, "description"));
    if (const json_t *size = get(entry, "size")) resource.size = static_cast<std::uint64_t>(json_integer_value(size));
    resource.annotations = json_of(get(entry, "annotations"));
    resource.icons = json_of(get(entry, "icons"));
    resource.version = optional_string(get(entry, "version"));
    return resource;
}
