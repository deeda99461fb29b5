/* What an error says about each mistake: the whole text, since a person reads it. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

/* The error of the call that failed last. */
static wellhead_error *error;

/* Makes a call that fails, and compares what its error says. */
#define SAYS(call, text) ((void)(call), says(#call, text, __FILE__, __LINE__))

static void says(const char *call, const char *text, const char *file, int line) {
    wellhead_str message = wellhead_error_message(error);
    int same = error && message.len == strlen(text) && memcmp(message.ptr, text, message.len) == 0;
    if (!same) printf("of %s\n  said:     %.*s\n  expected: %s\n", call, (int)message.len, message.len ? message.ptr : "", text);
    check(same, "an error says what is expected", file, line);
    wellhead_error_free(error);
    error = NULL;
}

static void read_x(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    (void)call;
    wellhead_read_text(r, WELLHEAD_STR("x"));
}

static void no_list(void *user_data, const wellhead_call *call, wellhead_list *r) {
    (void)user_data;
    (void)call;
    wellhead_list_finish(r, 0);
}

static void no_values(void *user_data, const wellhead_call *call, wellhead_complete *r) {
    (void)user_data;
    (void)call;
    wellhead_complete_finish(r, 0, NULL);
}

static void no_result(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)user_data;
    (void)call;
    wellhead_method_result(r, WELLHEAD_STR("{}"));
}

static void no_token(void *verify_data, const wellhead_call *call, wellhead_verify *r) {
    (void)verify_data;
    (void)call;
    wellhead_verify_refused(r);
}

static wellhead_resource at(const char *uri) {
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    resource.uri = wellhead_cstr(uri);
    return resource;
}

static wellhead_provider reads(void) {
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    provider.read = read_x;
    return provider;
}

static void add_text(wellhead_server *server, wellhead_resource resource) {
    wellhead_server_add_text(server, &resource, WELLHEAD_STR("x"), &error);
}

static void add_matching(wellhead_server *server, const char *uri_template) {
    wellhead_resource resource = at(uri_template);
    wellhead_provider provider = reads();
    wellhead_server_add_template(server, &resource, &provider, &error);
}

static void add_provider(wellhead_server *server, const char *uri_template, wellhead_provider provider) {
    wellhead_resource resource = at(uri_template);
    wellhead_server_add_template(server, &resource, &provider, &error);
}

static void add_tool(wellhead_server *server, const char *name, const char *definition) {
    wellhead_server_add_tool(server, wellhead_cstr(name), wellhead_cstr(definition), no_result, NULL, NULL, &error);
}

static void the_error_for_an_invalid_uri_has_a_reason(void) {
    wellhead_server *s = quiet_server();
    SAYS(add_text(s, at("no uri")),
         "\"no uri\": not an absolute URI: it does not begin with a scheme and a colon, as in `notes:` (at byte 2)");
    SAYS(add_text(s, at("notes:a b")),
         "\"notes:a b\": the character ' ' is not allowed here in a URI; percent-encode it (at byte 7)");
    SAYS(add_text(s, at("notes:a\xc3\xa4")),
         "\"notes:a\xc3\xa4\": the character '\xc3\xa4' is not allowed here in a URI; percent-encode it (at byte 7)");
    SAYS(add_text(s, at("n:\xff")), "uri is not UTF-8 at byte 2");
    SAYS(add_text(s, at("")),
         "\"\": not an absolute URI: it does not begin with a scheme and a colon, as in `notes:` (at byte 0)");
    SAYS(add_text(s, at("notes://{id}")),
         "\"notes://{id}\": `{` is not allowed in a URI; a URI template was probably meant: register it as one (at byte 8)");
    SAYS(add_text(s, (wellhead_resource)WELLHEAD_RESOURCE_INIT), "uri is absent");
    SAYS(wellhead_server_notify_updated(s, WELLHEAD_STR("bad"), &error),
         "\"bad\": not an absolute URI: it does not begin with a scheme and a colon, as in `notes:` (at byte 3)");
    SAYS(wellhead_server_set_text(s, WELLHEAD_STR("bad"), NULL, WELLHEAD_STR("x"), &error), "nothing is registered as \"bad\"");
    add_text(s, at("n:1"));
    SAYS(add_text(s, at("n:1")), "\"n:1\" is registered already; set its contents, or remove it first");
    SAYS(wellhead_server_set_text(s, WELLHEAD_STR("n:2"), NULL, WELLHEAD_STR("x"), &error), "nothing is registered as \"n:2\"");
    SAYS(wellhead_server_remove_resource(s, WELLHEAD_STR("n:2"), &error), "nothing is registered as \"n:2\"");
    SAYS(wellhead_server_remove_list(s, WELLHEAD_STR("rows"), &error), "no list source is registered as \"rows\"");
    SAYS(wellhead_server_remove_method(s, WELLHEAD_STR("x/a"), &error), "no method is registered as \"x/a\"");
    SAYS(wellhead_server_notify_list_changed(s, WELLHEAD_STR("n:2"), &error), "no kind of lists is named \"n:2\"; there are resources, tools, prompts and those of `list_changed_methods`");
    CHECK(wellhead_server_add_tool(s, WELLHEAD_STR("show"), WELLHEAD_STR("{\"app\":\"ui://clock/view\"}"), no_result, NULL, NULL,
                                   NULL) == WELLHEAD_STATUS_OK);
    SAYS(wellhead_serve_stdio(s, NULL, &error),
         "the tool \"show\" opens the app \"ui://clock/view\", which is not registered; register the app, too");
    SAYS(wellhead_server_inject(s, WELLHEAD_STR("hello"), NULL, &error), "not JSON; give the text of one JSON object");
    wellhead_server_free(s);
}

static void the_error_for_an_unmatchable_template_names_the_place(void) {
    wellhead_server *s = quiet_server();
    wellhead_str y = WELLHEAD_STR_INIT("y");
    wellhead_provider completes = reads(), unnamed = reads(), lists = WELLHEAD_PROVIDER_INIT;
    completes.complete = no_values;
    completes.completed = &y;
    completes.completed_count = 1;
    unnamed.complete = no_values;
    lists.list = no_list;
    SAYS(add_matching(s, "n:{+x}{y}"),
         "\"n:{+x}{y}\": `{y}` cannot be matched: it follows `{+x}` at once, and nothing says where it begins; put a "
         "separator between (at byte 6)");
    SAYS(add_matching(s, "n:{a}{b}"),
         "\"n:{a}{b}\": `{b}` cannot be matched: it follows `{a}` at once, and nothing says where it begins; put a "
         "separator between (at byte 5)");
    SAYS(add_matching(s, "n:{a"), "\"n:{a\": this `{` has no closing `}` (at byte 2)");
    SAYS(add_matching(s, "n:{}"), "\"n:{}\": `{}` names no variable (at byte 2)");
    SAYS(add_matching(s, "n:{a:x}"), "\"n:{a:x}\": `{a:x}`: the prefix `:x` is not a number from 1 to 9999; variables have no types (at byte 3)");
    SAYS(add_matching(s, "n:{id:number}"),
         "\"n:{id:number}\": `{id:number}`: the prefix `:number` is not a number from 1 to 9999; variables have no types (at byte 3)");
    SAYS(add_matching(s, "n:{a?}"),
         "\"n:{a?}\": `{a?}`: `a?` is not a variable name; for a variable of the query write `{?a}` (at byte 3)");
    SAYS(add_matching(s, "n:x y{a}"),
         "\"n:x y{a}\": the character ' ' is not allowed in a URI template; percent-encode it (at byte 3)");
    SAYS(add_provider(s, "n:{x}", completes), "\"n:{x}\": a completer is for \"y\"; the variables are x");
    SAYS(add_provider(s, "n:{x}", unnamed), "provider->complete and provider->completed go together; set both or neither");
    SAYS(add_provider(s, "n:{x}", lists), "provider->read is NULL");
    add_matching(s, "n:{x}");
    SAYS(add_matching(s, "n:{x}"), "the URI template `n:{x}` is registered already; remove it first");
    SAYS(add_matching(s, "n:{y}"),
         "the URI templates `n:{y}` and `n:{x}` can match the same URI, and neither is more specific; make their fixed "
         "text differ");
    SAYS(wellhead_expand(WELLHEAD_STR("n:{a"), NULL, 0, &error), "\"n:{a\": this `{` has no closing `}` (at byte 2)");
    wellhead_server_free(s);
}

static void an_invalid_definition_has_a_reason(void) {
    wellhead_server *s = quiet_server();
    wellhead_resource meta = at("n:1"), annotations = at("n:1"), icons = at("n:1"), flags = at("n:1");
    wellhead_cache cache = WELLHEAD_CACHE_INIT;
    wellhead_resource scope = at("n:1");
    meta.meta = WELLHEAD_STR("[]");
    annotations.annotations = WELLHEAD_STR("{\"priority\":2}");
    icons.icons = WELLHEAD_STR("[{}]");
    flags.flags = 64;
    cache.scope = WELLHEAD_STR("shared");
    scope.cache = &cache;
    SAYS(add_text(s, meta), "meta: not a JSON object; give text such as {\"a\":1}");
    SAYS(add_text(s, annotations), "annotations: priority 2 is outside 0 to 1");
    SAYS(add_text(s, icons), "an icon has no src; give an https:, http: or data: URI");
    SAYS(add_text(s, flags), "flags: 0x40 is no flag of this struct; leave it out");
    SAYS(add_text(s, scope), "cache: \"shared\" is none of public, private");
    SAYS(add_tool(s, "t", "hello"), "definition: not JSON; give the text of one JSON object");
    SAYS(add_tool(s, "t", "[]"), "definition: not a JSON object; give text such as {\"a\":1}");
    SAYS(add_tool(s, "t", "{\"inputSchema\":{\"type\":\"string\"}}"),
         "the tool \"t\" needs a schema whose type is \"object\" as \"inputSchema\" (got {\"type\":\"string\"})");
    SAYS(add_tool(s, "t", "{\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"strnig\"}}}}"),
         "the tool \"t\" has a wrong schema: properties.a.type must be one of \"array\", \"boolean\", \"integer\", "
         "\"null\", \"number\", \"object\", \"string\" (got \"strnig\")");
    SAYS(add_tool(s, "t", "{\"name\":\"u\"}"), "the tool \"t\" has a \"name\" among its members; leave it out");
    SAYS(add_tool(s, "", "{}"), "a tool needs a name");
    SAYS(wellhead_server_add_tool(s, WELLHEAD_STR("t"), WELLHEAD_STR("{}"), NULL, NULL, NULL, &error), "method is NULL");
    add_tool(s, "t", "{}");
    SAYS(add_tool(s, "t", "{}"), "the tool \"t\" is registered already; remove it first");
    SAYS(wellhead_server_remove_tool(s, WELLHEAD_STR("u"), &error), "nothing is registered as \"u\"");
    SAYS(wellhead_server_add_method(s, WELLHEAD_STR("ping"), NULL, no_result, NULL, NULL, &error),
         "\"ping\" is served already; register resources instead");
    SAYS(wellhead_server_add_prompt(s, WELLHEAD_STR("p"), WELLHEAD_STR("{\"arguments\":[{}]}"), no_result, NULL, NULL, &error),
         "the prompt \"p\" needs a \"name\" in \"arguments[0]\"");
    SAYS(wellhead_server_complete_prompt(s, WELLHEAD_STR("p"), WELLHEAD_STR("a"), no_values, NULL, NULL, &error),
         "no prompt is registered as \"p\"");
    wellhead_server_free(s);
}

static void the_error_names_the_required_value(void) {
    wellhead_server *s = quiet_server();
    wellhead_connection *c = connect_to(s);
    wellhead_str x = WELLHEAD_STR("x");
    wellhead_provider nothing = WELLHEAD_PROVIDER_INIT, reading = reads();
    wellhead_resource sized = at("n:1");
    SAYS(add_text(NULL, at("n:1")), "server is NULL");
    SAYS(wellhead_server_add_text(s, NULL, x, &error), "resource is NULL");
    SAYS(wellhead_server_add_text(s, &sized, wellhead_cstr(NULL), &error), "text is absent");
    SAYS(add_provider(s, "n:{x}", nothing), "provider->read is NULL");
    SAYS(wellhead_server_add_list(s, x, &reading, &error), "provider->list is NULL");
    SAYS(wellhead_server_add_template(s, &sized, NULL, &error), "provider is NULL");
    sized.struct_size = 0;
    SAYS(add_text(s, sized), "resource: struct_size is 0; start from its _INIT");
    sized.struct_size = 5000;
    SAYS(add_text(s, sized), "resource: struct_size is 5000; start from its _INIT");
    SAYS(wellhead_server_set_authorize(s, NULL, NULL, NULL, &error), "authorize is NULL");
    SAYS(wellhead_server_add_directory(s, NULL, &error), "directory is NULL");
    SAYS(wellhead_serve_stdio(NULL, NULL, &error), "server is NULL");
    SAYS(wellhead_connection_new(NULL, NULL, &error), "server is NULL");
    SAYS(wellhead_connection_receive(c, x, NULL, &error), "taken is NULL");
    SAYS(wellhead_connection_handle(c, x, 1, NULL, &error), "answer is NULL");
    SAYS(wellhead_endpoint_new(NULL, NULL, NULL, NULL, NULL, &error), "server is NULL");
    SAYS(wellhead_exchange_new(NULL, NULL, 0, NULL, NULL, NULL, &error), "endpoint is NULL");
    SAYS(wellhead_expand(WELLHEAD_STR("n:{a}"), NULL, 1, &error), "values is NULL, but has 1 elements");
    wellhead_connection_free(c);
    wellhead_server_close(s);
    SAYS(add_text(s, at("n:1")), "the server is closed; make a new one");
    wellhead_server_free(s);
}

static void new_server(wellhead_server_options options) {
    wellhead_server *server = wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &options, &error);
    CHECK(!server);
}

static void the_error_for_an_option_names_its_bounds(void) {
    const wellhead_server_options none = WELLHEAD_SERVER_OPTIONS_INIT;
    wellhead_server_options options = none;
    wellhead_limits limits = WELLHEAD_LIMITS_INIT;
    wellhead_str version = WELLHEAD_STR("2020-01-01");
    wellhead_pair pair = {WELLHEAD_STR("resources"), WELLHEAD_STR("yes")};
    wellhead_cache cache = WELLHEAD_CACHE_INIT;
    wellhead_cache_of of = {WELLHEAD_STR("pages"), &cache};
    wellhead_rpc_code code = {WELLHEAD_STR("2025-06-18"), WELLHEAD_STR("gone"), 1};
    SAYS(wellhead_server_new(wellhead_cstr(NULL), WELLHEAD_STR("1"), NULL, &error), "name is absent");
    SAYS(wellhead_server_new(WELLHEAD_STR("s"), wellhead_cstr(NULL), NULL, &error), "version is absent");
    options.flags = 64;
    SAYS(new_server(options), "flags: 0x40 is no flag of this struct; leave it out");
    options = none;
    options.denied_resources = WELLHEAD_STR("hide");
    SAYS(new_server(options), "denied_resources: \"hide\" is none of error, mask");
    options = none;
    options.error_profile = WELLHEAD_STR("mine");
    SAYS(new_server(options), "error_profile: \"mine\" is none of official, variant-2024-11-05");
    options = none;
    options.cursor_key = WELLHEAD_STR("short");
    SAYS(new_server(options), "a cursor key has 32 bytes, this one has 5");
    options = none;
    options.revisions = &version;
    options.revision_count = 1;
    SAYS(new_server(options),
         "\"2020-01-01\" is no revision of MCP; there are 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05");
    options = none;
    options.revision_count = 1;
    SAYS(new_server(options), "revisions is NULL, but has 1 elements");
    options = none;
    options.capabilities = &pair;
    options.capability_count = 1;
    SAYS(new_server(options), "resources: not JSON; give the text of one JSON object");
    options = none;
    options.cache_of = &of;
    options.cache_of_count = 1;
    SAYS(new_server(options), "cache_of: \"pages\" is none of discover, resources, templates, tools, prompts, reads");
    options = none;
    options.rpc_codes = &code;
    options.rpc_code_count = 1;
    SAYS(new_server(options), "\"gone\" is none of not_found, denied, internal_error, not_modified");
    options = none;
    options.limits = &limits;
    limits.caller_percent = 101;
    SAYS(new_server(options), "`caller_percent` must be at most 100 (got 101)");
    options.struct_size = 0;
    SAYS(new_server(options), "options: struct_size is 0; start from its _INIT");
}

static void a_newer_struct_is_refused_by_its_name(void) {
    struct { wellhead_server_options known; size_t unknown; } newer = {WELLHEAD_SERVER_OPTIONS_INIT, 1};
    newer.known.struct_size = sizeof newer;
    SAYS(wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &newer.known, &error),
         "wellhead_server_options has members this library does not know: built with a newer header?");
}

static void the_error_for_a_path_that_is_no_folder_names_it(void) {
    wellhead_server *s = quiet_server();
    wellhead_directory directory = WELLHEAD_DIRECTORY_INIT;
    wellhead_str pattern = WELLHEAD_STR("[");
    SAYS(wellhead_server_add_directory(s, &directory, &error), "path is absent");
    directory.path = WELLHEAD_STR("/no/such/folder");
    SAYS(wellhead_server_add_directory(s, &directory, &error),
         "the folder \"/no/such/folder\", which must exist and be readable, cannot be opened: No such file or directory "
         "(os error 2)");
    directory.path = WELLHEAD_STR("/dev/null");
    SAYS(wellhead_server_add_directory(s, &directory, &error), "\"/dev/null\" is not a folder; give the folder that it is in");
    directory.path = WELLHEAD_STR("/");
    directory.include = &pattern;
    directory.include_count = 1;
    SAYS(wellhead_server_add_directory(s, &directory, &error),
         "\"[\" is no pattern for files (error parsing glob '[': unclosed character class; missing ']'); write one such "
         "as \"*.md\" or \"drafts/\"");
    directory.include_count = 0;
    directory.flags = 64;
    SAYS(wellhead_server_add_directory(s, &directory, &error), "flags: 0x40 is no flag of this struct; leave it out");
    wellhead_server_free(s);
}

static void an_address_that_cannot_be_bound_is_named(void) {
    wellhead_server *s = quiet_server();
    struct sockaddr_in taken = {.sin_family = AF_INET};
    socklen_t size = sizeof taken;
    char address[64], text[256];
    taken.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&taken, size) || listen(fd, 1) || getsockname(fd, (struct sockaddr *)&taken, &size)) abort();
    snprintf(address, sizeof address, "127.0.0.1:%d", ntohs(taken.sin_port));
    snprintf(text, sizeof text, "the address %s cannot be bound: Address already in use (os error 98)", address);
    SAYS(wellhead_serve_http(s, wellhead_cstr(address), NULL, &error), text);
    close(fd);
    SAYS(wellhead_serve_http(s, WELLHEAD_STR("nowhere"), NULL, &error),
         "the address \"nowhere\" cannot be bound; write it as 127.0.0.1:8000: invalid socket address");
    SAYS(wellhead_serve_http(s, WELLHEAD_STR("127.0.0.1:70000"), NULL, &error),
         "the address \"127.0.0.1:70000\" cannot be bound; write it as 127.0.0.1:8000: invalid port value");
    SAYS(wellhead_serve_http(s, WELLHEAD_STR("127.0.0.1:http"), NULL, &error),
         "the address \"127.0.0.1:http\" cannot be bound; write it as 127.0.0.1:8000: invalid port value");
    SAYS(wellhead_serve_http(s, WELLHEAD_STR("192.0.2.1:0"), NULL, &error),
         "the address 192.0.2.1:0 cannot be bound: Cannot assign requested address (os error 99)");
    SAYS(wellhead_serve_http(s, wellhead_cstr(NULL), NULL, &error), "address is absent");
    wellhead_server_free(s);
}

static void the_error_for_an_option_of_the_listener_names_its_bounds(void) {
    wellhead_server *s = quiet_server();
    wellhead_str address = WELLHEAD_STR("127.0.0.1:0"), pattern = WELLHEAD_STR("a*b"), path = WELLHEAD_STR("mcp"),
                 server = WELLHEAD_STR("https://auth.example");
    const wellhead_endpoint_options none = WELLHEAD_ENDPOINT_OPTIONS_INIT;
    wellhead_endpoint_options endpoint = none;
    wellhead_protection protection = WELLHEAD_PROTECTION_INIT;
    wellhead_http_options options = WELLHEAD_HTTP_OPTIONS_INIT;
    wellhead_stdio_options stdio = WELLHEAD_STDIO_OPTIONS_INIT;
    options.callback_threads = -2;
    SAYS(wellhead_serve_http(s, address, &options, &error),
         "`callback_threads` must be at least 0, or WELLHEAD_CALLBACKS_INLINE (got -2)");
    options.callback_threads = 2000;
    SAYS(wellhead_serve_http(s, address, &options, &error),
         "`callback_threads` must be at most 1024 (got 2000); one for each callback that waits at the same time is enough");
    options.callback_threads = 0;
    options.io_threads = 2000;
    SAYS(wellhead_serve_http(s, address, &options, &error),
         "`io_threads` must be at most 1024 (got 2000); one for each processor is enough");
    options.io_threads = 0;
    options.flags = 64;
    SAYS(wellhead_serve_http(s, address, &options, &error), "flags: 0x40 is no flag of this struct; leave it out");
    stdio.flags = 64;
    SAYS(wellhead_serve_stdio(s, &stdio, &error), "flags: 0x40 is no flag of this struct; leave it out");
    stdio.flags = 0;
    stdio.callback_threads = 2000;
    SAYS(wellhead_serve_stdio(s, &stdio, &error),
         "`callback_threads` must be at most 1024 (got 2000); one for each callback that waits at the same time is enough");
    options.flags = 0;
    options.endpoint = &endpoint;
    endpoint.flags = 64;
    SAYS(wellhead_serve_http(s, address, &options, &error), "flags: 0x40 is no flag of this struct; leave it out");
    endpoint = none;
    endpoint.path = path;
    SAYS(wellhead_serve_http(s, address, &options, &error), "`path` must begin with `/` (got \"mcp\")");
    endpoint = none;
    endpoint.allowed_hosts = &pattern;
    endpoint.allowed_host_count = 1;
    SAYS(wellhead_serve_http(s, address, &options, &error),
         "no request can match \"a*b\" in `allowed_hosts`; write it as `mcp.example`, `mcp.example:8443`, `*.example.com` "
         "(any subdomain, any port) or `*`");
    endpoint = none;
    endpoint.allowed_origins = &pattern;
    endpoint.allowed_origin_count = 1;
    SAYS(wellhead_serve_http(s, address, &options, &error),
         "no request can match \"a*b\" in `allowed_origins`; write it as `https://app.example`, "
         "`https://app.example:8443`, `https://*.example.com` (any subdomain, any port) or `*`");
    endpoint = none;
    endpoint.protection = &protection;
    SAYS(wellhead_serve_http(s, address, &options, &error), "protection is of no use without verify, which judges the tokens");
    endpoint.verify = no_token;
    protection.resource = WELLHEAD_STR("mcp");
    SAYS(wellhead_serve_http(s, address, &options, &error), "\"mcp\" is no absolute URL; write it as https://example.com/mcp");
    protection.resource = WELLHEAD_STR("https://example.com/mcp");
    SAYS(wellhead_serve_http(s, address, &options, &error),
         "name at least one authorization server, where clients get their tokens");
    protection.resource = wellhead_cstr(NULL);
    protection.authorization_servers = &server;
    protection.authorization_server_count = 1;
    SAYS(wellhead_serve_http(s, address, &options, &error),
         "authorization_servers go with resource, the URL that clients know");
    wellhead_server_close(s);
    SAYS(wellhead_serve_http(s, address, NULL, &error), "the server is closed; make a new one");
    SAYS(wellhead_serve_stdio(s, NULL, &error), "the server is closed; make a new one");
    wellhead_server_free(s);
}

static void a_test_client_returns_the_reason_of_a_failure(void) {
    wellhead_server *s = quiet_server();
    wellhead_test_options options = WELLHEAD_TEST_OPTIONS_INIT;
    options.revision = WELLHEAD_STR("2020-01-01");
    SAYS(wellhead_test_client_new_with(s, &options, &error),
         "the server does not serve the revision \"2020-01-01\"; it serves 2026-07-28, 2025-11-25, 2025-06-18, "
         "2025-03-26, 2024-11-05");
    options.revision = wellhead_cstr(NULL);
    options.capabilities = WELLHEAD_STR("[]");
    SAYS(wellhead_test_client_new_with(s, &options, &error), "capabilities: not a JSON object; give text such as {\"a\":1}");
    add_matching(s, "n:{x}");
    wellhead_test_client *c = wellhead_test_client_new(s, NULL);
    SAYS(wellhead_test_client_read(c, WELLHEAD_STR("m:1"), NULL, &error),
         "the server answered -32002: Resource not found");
    SAYS(wellhead_test_client_request(c, WELLHEAD_STR("no/method"), WELLHEAD_STR("{}"), &error),
         "the server answered -32601: Method not found");
    SAYS(wellhead_test_client_request(c, WELLHEAD_STR("ping"), WELLHEAD_STR("[]"), &error),
         "params: not a JSON object; give text such as {\"a\":1}");
    wellhead_test_client_free(c);
    wellhead_server_free(s);
}

void test_messages(void) {
    RUN(the_error_for_an_invalid_uri_has_a_reason);
    RUN(the_error_for_an_unmatchable_template_names_the_place);
    RUN(an_invalid_definition_has_a_reason);
    RUN(the_error_names_the_required_value);
    RUN(the_error_for_an_option_names_its_bounds);
    RUN(a_newer_struct_is_refused_by_its_name);
    RUN(the_error_for_a_path_that_is_no_folder_names_it);
    RUN(an_address_that_cannot_be_bound_is_named);
    RUN(the_error_for_an_option_of_the_listener_names_its_bounds);
    RUN(a_test_client_returns_the_reason_of_a_failure);
}
