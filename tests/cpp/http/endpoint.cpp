// The endpoint that a script wants.
#include "../vectors/host.hpp"

static std::uint64_t number(const json_t *script, const char *name) {
    return static_cast<std::uint64_t>(json_integer_value(get(script, name)));
}

wellhead::EndpointOptions Host::endpoint_options(const json_t *script) {
    wellhead::EndpointOptions o;
    o.path = optional_string(get(script, "path"));
    if (json_is_false(get(script, "loopback_only"))) o.flags |= WELLHEAD_NOT_LOOPBACK_ONLY;
    if (json_is_false(get(script, "delete"))) o.flags |= WELLHEAD_NO_DELETE;
    if (is_true(get(script, "strict_accept"))) o.flags |= WELLHEAD_STRICT_ACCEPT;
    if (is_true(get(script, "cors"))) o.flags |= WELLHEAD_CORS;
    if (json_is_false(get(script, "sessions"))) o.flags |= WELLHEAD_NO_SESSIONS;
    if (json_is_false(get(script, "token_required"))) o.flags |= WELLHEAD_TOKEN_NOT_REQUIRED;
    o.allowed_origins = strings_of(get(script, "allowed_origins"));
    o.allowed_hosts = strings_of(get(script, "allowed_hosts"));
    o.session_ms = number(script, "session_ms");
    o.keep_alive_ms = number(script, "keep_alive_ms");
    o.body_ms = number(script, "body_ms");
    o.head_ms = number(script, "head_ms");
    o.idle_ms = number(script, "idle_ms");
    o.session_limit = number(script, "session_limit");
    if (get(script, "replay_bytes")) o.replay_bytes = number(script, "replay_bytes");
    if (const json_t *protect = get(script, "protect"))
        o.protection = wellhead::Protection{optional_string(get(protect, "resource")),
                                            strings_of(get(protect, "authorization_servers")),
                                            strings_of(get(protect, "scopes"))};
    if (const json_t *tokens = get(script, "verify"))
        o.verify = [this, tokens](const wellhead::Call &, std::string_view token, wellhead::Verify &r) {
            verify(tokens, token, r);
        };
    return o;
}
