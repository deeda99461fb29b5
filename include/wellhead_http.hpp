/* wellhead_http.hpp - Streamable HTTP for wellhead.hpp, which includes this header.
 *
 *   server.serve_http("127.0.0.1:8000");                 // until the server is closed
 *
 * With bearer tokens:
 *
 *   wellhead::HttpOptions options;
 *   options.endpoint.verify = [](const wellhead::Call &, std::string_view token, wellhead::Verify &r) {
 *       if (auto user = find_user(token)) r.granted({user->name, user});   // callbacks get it by call.caller<User>()
 *       else r.refused();
 *   };
 *   server.serve_http("127.0.0.1:8000", options);
 *
 * If a verify callback throws, the client gets a 500, and what() is logged. Endpoint and Exchange are for programs with their
 * own HTTP server. Names are those of wellhead_http.h without their prefix. The comment there says what a function does, when
 * it fails and which thread may call it.
 */
#ifndef WELLHEAD_HPP
#  include <wellhead.hpp> /* ends with this header */
#elif !defined(WELLHEAD_HTTP_HPP)
#define WELLHEAD_HTTP_HPP

#include <wellhead_http.h>

namespace wellhead {

/* ---- bearer tokens ---- */

/* The rights that a valid token grants: see wellhead_grant. */
struct Grant {
    Grant(std::string id, Caller grant_caller = {}) : caller_id(std::move(id)), caller(std::move(grant_caller)) {}

    std::string caller_id;
    /* The caller, which Call::caller returns. */
    Caller caller;
    std::vector<std::string> audience, scopes;
    std::optional<std::uint64_t> expires_in_ms;
};

/* Metadata of an endpoint that requires tokens: see wellhead_protection. */
struct Protection {
    std::optional<std::string> resource = {};
    std::vector<std::string> authorization_servers = {}, scopes = {};
};

/* The responder of a verify callback. */
class Verify : public detail::Responder<Verify, wellhead_verify, wellhead_verify_keep, wellhead_verify_free,
                                        wellhead_verify_call, wellhead_verify_failed> {
public:
    using Responder::Responder;

    void granted(Grant grant) {
        const auto audience = detail::strs(grant.audience), scopes = detail::strs(grant.scopes);
        wellhead_grant c = WELLHEAD_GRANT_INIT;
        c.caller_id = str(grant.caller_id);
        detail::borrow(audience, c.audience, c.audience_count);
        detail::borrow(scopes, c.scopes, c.scope_count);
        c.expires_in_ms = grant.expires_in_ms ? &*grant.expires_in_ms : nullptr;
        std::move(grant.caller).move_to(c);
        detail::check(wellhead_verify_granted(take(), &c));
    }
    void refused() { detail::check(wellhead_verify_refused(take())); }
    void insufficient_scope(const std::vector<std::string> &scopes) {
        const auto needed = detail::strs(scopes);
        detail::check(wellhead_verify_insufficient_scope(take(), needed.data(), needed.size()));
    }
};

using VerifyCallback = Callback<void(const Call &call, std::string_view token, Verify &responder)>;

/* ---- what an endpoint answers to ---- */

/* Options of an endpoint: see wellhead_endpoint_options. A field that is 0 or empty has its default. */
struct EndpointOptions {
    std::optional<std::string> path = {};
    std::uint32_t flags = 0;
    std::vector<std::string> allowed_origins = {}, allowed_hosts = {};
    std::uint64_t session_ms = 0, keep_alive_ms = 0, body_ms = 0, head_ms = 0, idle_ms = 0;
    std::optional<std::size_t> replay_bytes = {};
    std::size_t session_limit = 0;
    VerifyCallback verify = {};
    std::optional<Protection> protection = {};
};

/* Options of the HTTP listener: see wellhead_http_options. A field that is 0 has its default. */
struct HttpOptions {
    EndpointOptions endpoint = {};
    std::int32_t callback_threads = 0;
    std::uint32_t io_threads = 0;
    std::size_t tcp_connection_limit = 0;
    std::uint32_t shutdown_ms = 0, flags = 0;
    /* Called once with the address that is bound, before the first request is accepted. If it throws, the server closes and
     * serve_http throws the exception. */
    Callback<void(std::string_view address)> bound = {};
};

namespace detail {

/* The options of an endpoint as C has them. They borrow from `options`, and own `verify` until give(). */
class EndpointOptionsOfC {
public:
    explicit EndpointOptionsOfC(EndpointOptions &options)
        : origins_(strs(options.allowed_origins)), hosts_(strs(options.allowed_hosts)),
          verify_(std::move(options.verify), run_verify) {
        c_.path = optional_str(options.path);
        c_.flags = options.flags;
        borrow(origins_, c_.allowed_origins, c_.allowed_origin_count);
        borrow(hosts_, c_.allowed_hosts, c_.allowed_host_count);
        c_.session_ms = options.session_ms;
        c_.keep_alive_ms = options.keep_alive_ms;
        c_.body_ms = options.body_ms;
        c_.head_ms = options.head_ms;
        c_.idle_ms = options.idle_ms;
        c_.replay_bytes = options.replay_bytes ? &*options.replay_bytes : nullptr;
        c_.session_limit = options.session_limit;
        if (options.protection) {
            servers_ = strs(options.protection->authorization_servers);
            scopes_ = strs(options.protection->scopes);
            protection_.resource = optional_str(options.protection->resource);
            borrow(servers_, protection_.authorization_servers, protection_.authorization_server_count);
            borrow(scopes_, protection_.scopes, protection_.scope_count);
            c_.protection = &protection_;
        }
    }
    EndpointOptionsOfC(const EndpointOptionsOfC &) = delete;
    EndpointOptionsOfC &operator=(const EndpointOptionsOfC &) = delete;

    /* The options as C has them, for one call, which owns the data of `verify` from then on. */
    const wellhead_endpoint_options *give() noexcept {
        c_.verify = verify_.function();
        c_.verify_data = verify_.give();
        c_.verify_destroy = verify_.destroy_data();
        return &c_;
    }

private:
    static void run_verify(void *verify_data, const wellhead_call *call, wellhead_verify *r) noexcept {
        respond<Verify>(r, as<VerifyCallback>(verify_data), Call(call), view(wellhead_call_token(call)));
    }

    std::vector<wellhead_str> origins_, hosts_, servers_, scopes_;
    CallbackOfC<VerifyCallback, wellhead_verify_callback> verify_;
    wellhead_protection protection_ = WELLHEAD_PROTECTION_INIT;
    wellhead_endpoint_options c_ = WELLHEAD_ENDPOINT_OPTIONS_INIT;
};

} // namespace detail

/* ---- the native listener ---- */

inline void Server::serve_http(std::string_view address, HttpOptions options) {
    struct Bound {
        Server *server;
        Callback<void(std::string_view)> callback;
        std::exception_ptr thrown;
    } bound = {this, std::move(options.bound), nullptr};
    detail::EndpointOptionsOfC endpoint(options.endpoint);
    wellhead_http_options c = WELLHEAD_HTTP_OPTIONS_INIT;
    c.callback_threads = options.callback_threads;
    c.io_threads = options.io_threads;
    c.tcp_connection_limit = options.tcp_connection_limit;
    c.shutdown_ms = options.shutdown_ms;
    c.flags = options.flags;
    if (bound.callback) {
        c.bound = [](void *bound_data, const wellhead_str *listened_on) noexcept {
            auto *it = static_cast<Bound *>(bound_data);
            try {
                it->callback(view(*listened_on));
            } catch (...) {
                it->thrown = std::current_exception();
                it->server->close();
            }
        };
        c.bound_data = &bound;
    }
    c.endpoint = endpoint.give();
    detail::call(wellhead_serve_http, capi(), str(address), &c);
    if (bound.thrown) std::rethrow_exception(bound.thrown);
}

inline void Server::serve_http(std::string_view address) {
    serve_http(address, HttpOptions());
}

/* ---- an endpoint without a socket ---- */

class Exchange;
struct Request;

class Endpoint : public detail::Handle<wellhead_endpoint, wellhead_endpoint_free> {
public:
    /* Makes an endpoint. wake: see wellhead_endpoint_new; may be empty if the program polls after each step and never answers
     * later. */
    explicit Endpoint(const Server &server, EndpointOptions options = {}, Callback<void()> wake = {})
        : Handle(make(server, options, std::move(wake))) {}

    std::size_t poll_event(std::size_t max) noexcept { return wellhead_endpoint_poll_event(capi(), max); }
    std::uint64_t poll_timeout() const noexcept { return wellhead_endpoint_poll_timeout(capi()); }
    void tick(std::uint64_t now_ms) noexcept { wellhead_endpoint_tick(capi(), now_ms); }
    bool serves(std::string_view target) const noexcept { return wellhead_endpoint_serves(capi(), str(target)) != 0; }
    std::size_t sessions() const noexcept { return wellhead_endpoint_sessions(capi()); }
    /* Handles a whole request, and returns its exchange with the whole response: see wellhead_endpoint_handle. */
    Exchange handle(const Request &request, std::string_view body, std::uint64_t now_ms, std::uint64_t stream_ms);

private:
    static wellhead_endpoint *make(const Server &server, EndpointOptions &options, Callback<void()> wake) {
        detail::EndpointOptionsOfC c(options);
        detail::CallbackOfC w(std::move(wake), detail::run<Callback<void()>>);
        return detail::call(wellhead_endpoint_new, server.capi(), c.give(), w.function(), w.give(),
                            w.destroy_data());
    }
};

/* ---- one request and its response ---- */

/* The head of a request, as the program's HTTP server has read it: see wellhead_http_request. */
struct Request {
    std::string method, target;
    /* The header fields, names and values, in the order in which they came. */
    std::vector<std::pair<std::string, std::string>> headers;
    /* The connection that the request came over: see wellhead_http_request. Empty if that is unknown. */
    std::string peer = {};
};

namespace detail {

/* A request as C has it, borrowed. */
class RequestOfC {
public:
    explicit RequestOfC(const Request &request) {
        for (const auto &[name, value] : request.headers) headers_.push_back({str(name), str(value)});
        c_.method = str(request.method);
        c_.target = str(request.target);
        borrow(headers_, c_.headers, c_.header_count);
        c_.peer = str(request.peer);
    }
    RequestOfC(const RequestOfC &) = delete;
    RequestOfC &operator=(const RequestOfC &) = delete;

    const wellhead_http_request *get() const noexcept { return &c_; }

private:
    std::vector<wellhead_pair> headers_;
    wellhead_http_request c_ = WELLHEAD_HTTP_REQUEST_INIT;
};

} // namespace detail

/* The head of a response; borrowed until the exchange is freed. */
class Response {
public:
    explicit Response(const wellhead_http_response *response) noexcept : response_(response) {}

    std::uint32_t status() const noexcept { return response_->status; }
    std::size_t header_count() const noexcept { return response_->header_count; }
    /* Returns a header field: its name in lower case, and its value. */
    std::pair<std::string_view, std::string_view> header(std::size_t index) const noexcept {
        return {view(response_->headers[index].name), view(response_->headers[index].value)};
    }
    std::optional<std::string_view> header(std::string_view name) const noexcept {
        for (std::size_t i = 0; i < header_count(); i++)
            if (header(i).first == name) return header(i).second;
        return std::nullopt;
    }
    /* Returns the number of bytes that follow, or std::nullopt if it is not known. */
    std::optional<std::uint64_t> length() const noexcept {
        return response_->length == UINT64_MAX ? std::nullopt : std::optional(response_->length);
    }

private:
    const wellhead_http_response *response_;
};

/* The next step of an exchange. */
enum class Progress : std::uint32_t {
    done = WELLHEAD_PROGRESS_DONE,
    body = WELLHEAD_PROGRESS_BODY,
    respond = WELLHEAD_PROGRESS_RESPOND,
    data = WELLHEAD_PROGRESS_DATA,
    wait = WELLHEAD_PROGRESS_WAIT
};

class Exchange : public detail::Handle<wellhead_exchange, wellhead_exchange_free> {
public:
    /* Begins an exchange. now_ms: milliseconds of one monotonic clock. ready: see wellhead_exchange_new. */
    Exchange(const Endpoint &endpoint, const Request &request, std::uint64_t now_ms, Callback<void()> ready = {})
        : Handle(make(endpoint, request, now_ms, std::move(ready))) {}
    /* Takes ownership of an exchange of C. */
    explicit Exchange(wellhead_exchange *exchange) noexcept : Handle(exchange) {}

    void body(std::string_view bytes) noexcept { wellhead_exchange_body(capi(), str(bytes)); }
    void end(std::uint64_t now_ms) noexcept { wellhead_exchange_end(capi(), now_ms); }
    /* Ends an event stream that has no end of its own: see wellhead_exchange_end_stream. */
    void end_stream() noexcept { wellhead_exchange_end_stream(capi()); }
    Progress poll(std::uint64_t now_ms) noexcept { return static_cast<Progress>(wellhead_exchange_poll(capi(), now_ms)); }
    std::uint64_t poll_timeout() const noexcept { return wellhead_exchange_poll_timeout(capi()); }
    /* Returns the head to send. Throws before poll has returned Progress::respond. */
    Response response() const {
        const wellhead_http_response *head = wellhead_exchange_response(capi());
        if (!head) throw Error(WELLHEAD_STATUS_INVALID_ARGUMENT, "there is no response yet; poll until Progress::respond");
        return Response(head);
    }
    /* Returns the bytes to send, after poll has returned Progress::data; borrowed until the next poll. */
    std::string_view data() const noexcept { return view(wellhead_exchange_data(capi())); }

private:
    static wellhead_exchange *make(const Endpoint &endpoint, const Request &request, std::uint64_t now_ms,
                                   Callback<void()> ready) {
        const detail::RequestOfC c(request);
        detail::CallbackOfC r(std::move(ready), detail::run<Callback<void()>>);
        return detail::call(wellhead_exchange_new, endpoint.capi(), c.get(), now_ms, r.function(), r.give(),
                            r.destroy_data());
    }
};

inline Exchange Endpoint::handle(const Request &request, std::string_view body, std::uint64_t now_ms, std::uint64_t stream_ms) {
    const detail::RequestOfC c(request);
    return Exchange(detail::call(wellhead_endpoint_handle, capi(), c.get(), str(body), now_ms, stream_ms));
}

} // namespace wellhead

#endif
