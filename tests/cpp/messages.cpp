// What an exception says about each mistake: the whole what(), which is the message of C.
#include "check.hpp"

#include <arpa/inet.h>
#include <cstdlib>
#include <sys/socket.h>
#include <unistd.h>

using wellhead::Call, wellhead::HttpOptions, wellhead::Method, wellhead::Read, wellhead::Resource, wellhead::TestClient;

namespace {

struct Mistake {
    void (*made)(Server &);
    const char *what;
};

void read_x(const Call &, Read &r) {
    r.text("x");
}

void no_result(const Call &, std::string_view, Method &r) {
    r.result("{}");
}

void listens(Server &s, const char *address, HttpOptions options = {}) {
    s.serve_http(address, std::move(options));
}

void with_options(wellhead::ServerOptions options) {
    const Server made("s", "1", std::move(options));
}

const Mistake mistakes[] = {
    {[](Server &s) { s.add_text("no uri", "x"); },
     "\"no uri\": not an absolute URI: it does not begin with a scheme and a colon, as in `notes:` (at byte 2)"},
    {[](Server &s) { s.add_text("notes:a b", "x"); },
     "\"notes:a b\": the character ' ' is not allowed here in a URI; percent-encode it (at byte 7)"},
    {[](Server &s) { s.add_text("n:\xff", "x"); }, "uri is not UTF-8 at byte 2"},
    {[](Server &s) { s.add_text("notes://{id}", "x"); },
     "\"notes://{id}\": `{` is not allowed in a URI; a URI template was probably meant: register it as one (at byte 8)"},
    {[](Server &s) { s.notify_updated("bad"); },
     "\"bad\": not an absolute URI: it does not begin with a scheme and a colon, as in `notes:` (at byte 3)"},
    {[](Server &s) { s.add_text("n:1", "x"), s.add_text("n:1", "x"); },
     "\"n:1\" is registered already; set its contents, or remove it first"},
    {[](Server &s) { s.set_text("n:2", "x"); }, "nothing is registered as \"n:2\""},
    {[](Server &s) { s.remove_resource("n:2"); }, "nothing is registered as \"n:2\""},
    {[](Server &s) { s.add_template("n:{+x}{y}", {read_x, {}}); },
     "\"n:{+x}{y}\": `{y}` cannot be matched: it follows `{+x}` at once, and nothing says where it begins; put a separator "
     "between (at byte 6)"},
    {[](Server &s) { s.add_template("n:{a", {read_x, {}}); }, "\"n:{a\": this `{` has no closing `}` (at byte 2)"},
    {[](Server &s) { s.add_template("n:{a}", {}); }, "provider->read is NULL"},
    {[](Server &s) { s.add_template("n:{a}", {read_x, {}}), s.add_template("n:{b}", {read_x, {}}); },
     "the URI templates `n:{b}` and `n:{a}` can match the same URI, and neither is more specific; make their fixed text differ"},
    {[](Server &) { wellhead::expand("n:{a", {}); }, "\"n:{a\": this `{` has no closing `}` (at byte 2)"},
    {[](Server &s) { s.add_tool("t", "hello", no_result); }, "definition: not JSON; give the text of one JSON object"},
    {[](Server &s) { s.add_tool("t", R"({"inputSchema":{"type":"string"}})", no_result); },
     "the tool \"t\" needs a schema whose type is \"object\" as \"inputSchema\" (got {\"type\":\"string\"})"},
    {[](Server &s) { s.add_tool("t", "{}", wellhead::MethodCallback()); }, "method is NULL"},
    {[](Server &s) { s.add_tool("show", R"({"app":"ui://clock/view"})", no_result), s.serve_stdio(); },
     "the tool \"show\" opens the app \"ui://clock/view\", which is not registered; register the app, too"},
    {[](Server &s) { s.add_directory({"/no/such/folder"}); },
     "the folder \"/no/such/folder\", which must exist and be readable, cannot be opened: No such file or directory (os error 2)"},
    {[](Server &s) { s.close(), s.add_text("n:1", "x"); }, "the server is closed; make a new one"},
    {[](Server &s) { const Server other = std::move(s); s.add_text("n:1", "x"); }, "server is NULL"},
    {[](Server &) {
         wellhead::ServerOptions options;
         options.flags = 64;
         with_options(std::move(options));
     },
     "flags: 0x40 is no flag of this struct; leave it out"},
    {[](Server &) {
         wellhead::ServerOptions options;
         options.denied_resources = "hide";
         with_options(std::move(options));
     },
     "denied_resources: \"hide\" is none of error, mask"},
    {[](Server &s) { listens(s, "nowhere"); },
     "the address \"nowhere\" cannot be bound; write it as 127.0.0.1:8000: invalid socket address"},
    {[](Server &s) {
         HttpOptions options;
         options.callback_threads = -2;
         listens(s, "127.0.0.1:0", std::move(options));
     },
     "`callback_threads` must be at least 0, or WELLHEAD_CALLBACKS_INLINE (got -2)"},
    {[](Server &s) {
         HttpOptions options;
         options.endpoint.path = "mcp";
         listens(s, "127.0.0.1:0", std::move(options));
     },
     "`path` must begin with `/` (got \"mcp\")"},
    {[](Server &s) {
         s.add_text("n:1", "x");
         TestClient(s).read("m:1");
     },
     "the server answered -32002: Resource not found"},
};

// The what() of the error that is thrown.
template <class F> std::string what_of(F &&does) {
    try {
        does();
        return "nothing";
    } catch (const wellhead::Error &error) {
        return error.what();
    }
}

void says(const std::string &said, const std::string &expected) {
    if (said != expected) std::printf("said:     %s\nexpected: %s\n", said.c_str(), expected.c_str());
    CHECK(said == expected);
}

void an_exception_has_the_text_of_the_error_in_c() {
    for (const Mistake &mistake : mistakes) {
        Server s = server();
        says(what_of([&] { mistake.made(s); }), mistake.what);
    }
}

void an_address_in_use_is_named() {
    Server s = server();
    sockaddr_in taken = {};
    socklen_t size = sizeof taken;
    taken.sin_family = AF_INET;
    taken.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto *const place = reinterpret_cast<sockaddr *>(&taken);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(fd, place, size) || listen(fd, 1) || getsockname(fd, place, &size)) std::abort();
    const std::string address = "127.0.0.1:" + std::to_string(ntohs(taken.sin_port));
    says(what_of([&] { s.serve_http(address); }),
         "the address " + address + " cannot be bound: Address already in use (os error 98)");
    close(fd);
}

} // namespace

void messages() {
    RUN(an_exception_has_the_text_of_the_error_in_c);
    RUN(an_address_in_use_is_named);
}
