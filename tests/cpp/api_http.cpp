// What is C++'s own of HTTP: the listener, tokens, and callers that keep their type. Behaviour is tested by the vectors.
#include "check.hpp"

#include <arpa/inet.h>
#include <future>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using wellhead::Call, wellhead::Connection, wellhead::Endpoint, wellhead::Exchange, wellhead::Grant, wellhead::HttpOptions,
    wellhead::Progress, wellhead::Read, wellhead::Verify;

namespace {

struct User {
    std::string name;
};

// A listener on a port that the system chooses, until the server is closed.
class Serving {
public:
    Serving(Server &server, HttpOptions options) : server_(server) {
        std::promise<std::uint16_t> bound;
        auto port = bound.get_future();
        options.bound = [&bound](std::string_view address) {
            bound.set_value(static_cast<std::uint16_t>(std::stoul(std::string(address.substr(address.rfind(':') + 1)))));
        };
        thread_ = std::thread([this, options = std::move(options)]() mutable { server_.serve_http("127.0.0.1:0", std::move(options)); });
        port_ = port.get();
    }
    Serving(const Serving &) = delete;
    Serving &operator=(const Serving &) = delete;
    ~Serving() {
        server_.close();
        thread_.join();
    }

    // What a read is answered over a connection of its own.
    std::string read(const std::string &uri, const std::string &token = {}) const {
        const std::string body = read_of(uri);
        return over_tcp("POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
                        "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
                        "Mcp-Method: resources/read\r\nMcp-Name: " + uri + "\r\n" +
                        (token.empty() ? token : "Authorization: Bearer " + token + "\r\n") +
                        "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    }

private:
    std::string over_tcp(const std::string &request) const {
        sockaddr_in address = {};
        address.sin_family = AF_INET;
        address.sin_port = htons(port_);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const int fd = socket(AF_INET, SOCK_STREAM, 0);
        CHECK(connect(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0);
        CHECK(write(fd, request.data(), request.size()) == static_cast<ssize_t>(request.size()));
        std::string answer;
        char piece[4096];
        for (ssize_t got; (got = ::read(fd, piece, sizeof piece)) > 0;) answer.append(piece, static_cast<std::size_t>(got));
        close(fd);
        return answer;
    }

    Server &server_;
    std::thread thread_;
    std::uint16_t port_ = 0;
};

// Answers who asks, by each way in which that can be asked.
void add_who(Server &s) {
    s.add_resource("who://me", {[](const Call &call, Read &r) {
                                    const User *user = call.caller<const User>();
                                    const std::string *other = call.caller<std::string>();
                                    r.text((user ? user->name : "no user") + (other ? ", text " + *other : ", no text") +
                                           (call.caller_capi() ? ", somebody" : ", nobody"));
                                },
                                {}});
}

void a_server_is_served_until_it_is_closed() {
    Server s = server();
    s.add_template("n:{id}", {[](const Call &call, Read &r) { r.text("read " + std::string(call.uri())); }, {}});
    const Serving serving(s, {});
    const std::string answer = serving.read("n:1");
    CHECK(has(answer, "HTTP/1.1 200 ") && has(answer, "\"text\":\"read n:1\""));
}

void an_exception_of_on_listening_leaves_serve_http() {
    Server s = server();
    HttpOptions options;
    options.bound = [](std::string_view) { throw std::runtime_error("no place for the port"); };
    try {
        s.serve_http("127.0.0.1:0", std::move(options));
        CHECK(false);
    } catch (const std::runtime_error &error) {
        CHECK(has(error.what(), "no place for the port"));
    }
}

void an_invalid_address_throws() {
    Server s = server();
    try {
        s.serve_http("nowhere");
        CHECK(false);
    } catch (const wellhead::Error &error) {
        CHECK(error.status() == WELLHEAD_STATUS_IO || error.status() == WELLHEAD_STATUS_INVALID_ARGUMENT);
    }
}

void tokens_are_judged_by_functions_and_exceptions_refuse() {
    Server s = server();
    add_who(s);
    std::weak_ptr<User> watched;
    HttpOptions options;
    options.endpoint.verify = [&watched](const Call &call, std::string_view token, Verify &r) {
        CHECK(call.header("mcp-name") == "who://me");
        if (token == "ann") {
            const auto user = std::make_shared<User>(User{"Ann"});
            watched = user;
            Grant grant("ann", user);
            grant.scopes = {"read"};
            r.granted(std::move(grant));
        } else if (token == "text") {
            r.granted({"text", std::make_shared<std::string>("it is")});
        } else if (token == "later") {
            std::thread([kept = r.keep()]() mutable { kept.granted({"later"}); }).detach();
        } else if (token == "narrow") {
            r.insufficient_scope({"write"});
        } else if (token == "throw") {
            throw std::runtime_error("no directory of users");
        } else {
            r.refused();
        }
    };
    {
        const Serving serving(s, std::move(options));
        CHECK(has(serving.read("who://me", "ann"), "Ann, no text, somebody"));
        CHECK(has(serving.read("who://me", "text"), "no user, text it is, somebody"));
        CHECK(has(serving.read("who://me", "later"), "no user, no text, nobody"));
        CHECK(has(serving.read("who://me", "narrow"), "HTTP/1.1 403 "));
        CHECK(has(serving.read("who://me", "other"), "HTTP/1.1 401 "));
        const std::string thrown = serving.read("who://me", "throw");
        CHECK(has(thrown, "HTTP/1.1 500 ") && !has(thrown, "directory of users"));
    }
    CHECK(watched.expired());
    bool said = false;
    for (const std::string &line : lines) said = said || has(line, "no directory of users");
    CHECK(said);
}

// A user of wellhead_http.h and wellhead.hpp side by side.
void a_caller_from_c_is_no_object_of_cpp() {
    static char alice[] = "alice";
    Server s = server();
    add_who(s);
    wellhead_endpoint_options options = WELLHEAD_ENDPOINT_OPTIONS_INIT;
    options.verify = [](void *, const wellhead_call *, wellhead_verify *r) {
        wellhead_grant grant = WELLHEAD_GRANT_INIT;
        grant.caller_id = WELLHEAD_STR("alice");
        grant.caller = alice;
        wellhead_verify_granted(r, &grant);
    };
    wellhead_endpoint *endpoint = wellhead_endpoint_new(s.capi(), &options, nullptr, nullptr, nullptr, nullptr);
    const wellhead_pair headers[] = {{WELLHEAD_STR("host"), WELLHEAD_STR("localhost")},
                                     {WELLHEAD_STR("content-type"), WELLHEAD_STR("application/json")},
                                     {WELLHEAD_STR("accept"), WELLHEAD_STR("application/json, text/event-stream")},
                                     {WELLHEAD_STR("mcp-protocol-version"), WELLHEAD_STR("2026-07-28")},
                                     {WELLHEAD_STR("mcp-method"), WELLHEAD_STR("resources/read")},
                                     {WELLHEAD_STR("mcp-name"), WELLHEAD_STR("who://me")},
                                     {WELLHEAD_STR("authorization"), WELLHEAD_STR("Bearer t")}};
    wellhead_http_request request = WELLHEAD_HTTP_REQUEST_INIT;
    request.method = WELLHEAD_STR("POST");
    request.target = WELLHEAD_STR("/mcp");
    request.headers = headers;
    request.header_count = sizeof headers / sizeof *headers;
    wellhead_exchange *exchange = wellhead_exchange_new(endpoint, &request, 0, nullptr, nullptr, nullptr, nullptr);
    std::string body;
    for (bool over = false; !over;) {
        switch (wellhead_exchange_poll(exchange, 0)) {
        case WELLHEAD_PROGRESS_BODY:
            wellhead_exchange_body(exchange, wellhead::str(read_of("who://me")));
            wellhead_exchange_end(exchange, 0);
            break;
        case WELLHEAD_PROGRESS_DATA: body += wellhead::view(wellhead_exchange_data(exchange)); break;
        case WELLHEAD_PROGRESS_WAIT: wellhead_endpoint_poll_event(endpoint, SIZE_MAX); break;
        case WELLHEAD_PROGRESS_DONE: over = true; break;
        default: break;
        }
    }
    CHECK(has(body, "no user, no text, somebody"));
    wellhead_exchange_free(exchange);
    wellhead_endpoint_free(endpoint);
}

void a_caller_of_a_connection_keeps_its_type() {
    Server s = server();
    add_who(s);
    const auto send_request = [&s](wellhead::Caller caller) {
        Connection c(s, {{}, std::move(caller), "id"});
        const auto answer = c.handle(read_of("who://me"), 1000);
        return std::string(answer.bytes());
    };
    CHECK(has(send_request(std::make_shared<User>(User{"Bob"})), "Bob, no text, somebody"));
    CHECK(has(send_request(std::make_shared<const User>(User{"Eve"})), "Eve, no text, somebody"));
    CHECK(has(send_request(std::make_shared<std::string>("x")), "no user, text x, somebody"));
    CHECK(has(send_request(std::make_shared<int>(7)), "no user, no text, somebody"));
    CHECK(has(send_request(std::make_shared<const std::string>("x")), "no user, no text, somebody")); // it must not be changed
    CHECK(has(send_request({}), "no user, no text, nobody"));
}

void an_exchange_answers_without_a_socket() {
    Server s = server();
    s.add_text("n:1", "x");
    int woken = 0, ready = 0;
    Endpoint endpoint(s, {}, [&woken] { woken++; });
    CHECK(endpoint.serves("/mcp?x") && !endpoint.serves("/") && endpoint.sessions() == 0);
    Exchange exchange(endpoint, {"PUT", "/mcp", {{"Host", "localhost"}}}, 0, [&ready] { ready++; });
    try {
        (void)exchange.response();
        CHECK(false);
    } catch (const wellhead::Error &error) {
        CHECK(error.status() == WELLHEAD_STATUS_INVALID_ARGUMENT && has(error.what(), "poll"));
    }
    CHECK(exchange.poll(0) == Progress::respond);
    const auto head = exchange.response();
    CHECK(head.status() == 405 && head.header("allow") == "POST, GET, DELETE" && !head.header("x-none"));
    CHECK(head.length() == 0U || !head.length());
    exchange.end_stream(); // which changes nothing here
    CHECK(exchange.poll(0) == Progress::done);
}

// How many of 20 requests of that peer may keep 60 KiB of a body without its end.
int bodies_kept(const Endpoint &endpoint, const std::string &peer) {
    const std::string part(60 << 10, 'x');
    std::vector<Exchange> exchanges;
    for (int i = 0; i < 20; i++) {
        exchanges.emplace_back(
            endpoint, wellhead::Request{"POST", "/mcp", {{"Host", "localhost"}, {"Content-Type", "application/json"}}, peer}, 0U);
        exchanges.back().body(part);
    }
    int kept = 0;
    for (Exchange &exchange : exchanges) kept += exchange.poll(0) == Progress::body;
    return kept;
}

void requests_of_one_peer_share_a_part_of_the_buffer() {
    wellhead_limits limits = WELLHEAD_LIMITS_INIT;
    limits.buffer_bytes = 2 << 20;
    wellhead::ServerOptions options;
    options.limits = limits;
    Server s("s", "1", std::move(options));
    const Endpoint endpoint(s);
    CHECK(bodies_kept(endpoint, "127.0.0.1 5") == 5);
    CHECK(bodies_kept(endpoint, {}) > 10);
}

} // namespace

static int tests(int, char **) {
    RUN(a_server_is_served_until_it_is_closed);
    RUN(an_exception_of_on_listening_leaves_serve_http);
    RUN(an_invalid_address_throws);
    RUN(tokens_are_judged_by_functions_and_exceptions_refuse);
    RUN(a_caller_from_c_is_no_object_of_cpp);
    RUN(a_caller_of_a_connection_keeps_its_type);
    RUN(an_exchange_answers_without_a_socket);
    RUN(requests_of_one_peer_share_a_part_of_the_buffer);
    std::printf("tests of HTTP in C++: %d passed, %d failed\n", passed, failed);
    return failed != 0;
}

int main(int argc, char **argv) {
    return deadline_run(argc, argv, tests);
}
