// Runs the scripts of tests/vectors/http that it is given through wellhead.hpp, as tests/c/http does it in C: on an endpoint
// without a socket, with bodies whole and byte by byte. An exchange is polled only when it has asked for it or its time has
// come, and the endpoint only when it was woken.
#include "../vectors/host.hpp"

extern "C" {
#include "../../c/http/stream.h"
#include "../../c/vectors/runner.h"
}

#include <atomic>
#include <cctype>
#include <list>

using wellhead::Endpoint, wellhead::Exchange, wellhead::Progress, wellhead::Response;

namespace {

// A request and its response, as far as it has come and no step asked for it.
struct Client {
    std::string name;
    std::atomic<bool> ready{true}; // raised from any thread
    std::uint64_t at = UINT64_MAX;
    std::optional<Response> head;
    text body = {};
    bool done = false;
    std::optional<Exchange> exchange;

    explicit Client(std::string on) : name(std::move(on)) {}
    Client(const Client &) = delete;
    Client &operator=(const Client &) = delete;
    ~Client() {
        exchange.reset(); // first: it may still tell that it is ready
        text_free(&body);
    }

    std::string_view said() const { return {body.at ? body.at : "", body.len}; }
};

bool same_name(std::string_view one, std::string_view other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](unsigned char a, unsigned char b) {
        return std::tolower(a) == std::tolower(b);
    });
}

// The bytes of the characters of a text in Latin-1.
std::string latin1(const std::string &utf8) {
    std::string bytes;
    for (std::size_t i = 0; i < utf8.size(); i++) {
        auto c = static_cast<unsigned char>(utf8[i]);
        if (c == 0xc2 || c == 0xc3) c = static_cast<unsigned char>((c & 3U) << 6 | (static_cast<unsigned char>(utf8[++i]) & 0x3fU));
        else if (c >= 0x80) throw Different("a field value is not Latin-1");
        bytes += static_cast<char>(c);
    }
    return bytes;
}

class Run {
public:
    Run(const json_t *script, bool bytes)
        : script_(script), bytes_(bytes), host_(get(script, "server")),
          endpoint_(host_.server, host_.endpoint_options(get(script, "http")), [this] { woken_ = true; }) {}

    // Throws what went otherwise.
    void steps() {
        for (const json_t *entry : elements(get(script_, "catalog"))) host_.add(entry);
        std::size_t number = 0;
        for (const json_t *step : elements(get(script_, "steps"))) {
            number++;
            try {
                act(step);
                settle();
            } catch (const std::runtime_error &different) {
                throw Different("step " + std::to_string(number) + ": " + different.what());
            }
        }
        for (Client &client : clients_) nothing_left(client);
    }

private:
    // ---- the endpoint

    // Takes what there is, if there may be something.
    bool receive(Client &client) {
        const bool due = client.at <= now_, ready = client.ready.exchange(false);
        if (client.done || !(ready || due)) return false;
        for (;;) {
            switch (client.exchange->poll(now_)) {
            case Progress::respond: client.head = client.exchange->response(); break;
            case Progress::data: {
                const std::string_view data = client.exchange->data();
                text_add(&client.body, data.data(), data.size());
                break;
            }
            case Progress::done: client.done = true; return true;
            case Progress::body:
            case Progress::wait: client.at = client.exchange->poll_timeout(); return true;
            }
        }
    }

    // Takes everything that there is by now.
    void settle() {
        for (bool any = true; any;) {
            any = woken_.exchange(false);
            if (any) endpoint_.poll_event(SIZE_MAX);
            for (Client &client : clients_) any = receive(client) || any;
        }
    }

    Client &find(const std::string &name) {
        const auto found = std::find_if(clients_.begin(), clients_.end(), [&](const Client &c) { return c.name == name; });
        if (found == clients_.end()) throw Different("there is no exchange " + name);
        return *found;
    }

    // ---- requests

    // The body of a request, and in which pieces it comes byte by byte.
    std::pair<std::string, std::size_t> body_of(const json_t *body) {
        if (get(body, "repeat")) return {repeated(string_of(get(body, "repeat")), get(body, "times")), 4096};
        if (get(body, "base64")) return {bytes_of(get(body, "base64")), 1};
        return {body ? sent(body) : std::string(), 1};
    }

    std::string sent(const json_t *message) {
        text line = {};
        if (!message_sent(message, kept_.get(), &line)) throw Different("a name has matched nothing yet");
        return taken(line);
    }

    wellhead::Request request_of(const json_t *step, const std::string &body) {
        wellhead::Request r{string_of(get(step, "send")), optional_string(get(step, "path")).value_or("/mcp"), {{"Host", "localhost"}}};
        if (r.method == "POST") {
            r.headers.emplace_back("Content-Type", "application/json");
            r.headers.emplace_back("Accept", "application/json, text/event-stream");
        }
        if (get(step, "body") && !is_true(get(step, "unfinished")))
            r.headers.emplace_back("Content-Length", std::to_string(body.size()));
        for (const auto &[name, value] : members(get(step, "headers"))) {
            const auto is_it = [named = name](const auto &line) { return same_name(line.first, named); };
            r.headers.erase(std::remove_if(r.headers.begin(), r.headers.end(), is_it), r.headers.end());
            for (const json_t *one : json_is_array(value) ? elements(value) : std::vector{value})
                if (!json_is_null(one)) r.headers.emplace_back(name, latin1(sent(one)));
        }
        return r;
    }

    // Whether a request is handled by one function: it comes whole, and so does its response, which needs no further step.
    bool is_whole(const json_t *step) const {
        const json_t *expected = get(step, "response");
        for (const json_t *other : elements(get(script_, "steps")))
            if (get(other, "advance")) return false; // no other clock may do so then
        return !bytes_ && expected && !is_true(get(step, "unfinished")) && (!get(expected, "events") || is_true(get(expected, "end")));
    }

    void send(const std::string &on, const json_t *step) {
        for (const Client &client : clients_)
            if (client.name == on && (!client.done || client.body.len)) throw Different("the exchange " + on + " is not over");
        const auto [body, small] = body_of(get(step, "body"));
        const wellhead::Request request = request_of(step, body);
        clients_.remove_if([&](const Client &client) { return client.name == on; });
        Client &client = clients_.emplace_front(on);
        if (is_whole(step)) {
            client.exchange = endpoint_.handle(request, body, now_, UINT64_MAX);
            client.head = client.exchange->response();
            const std::string_view data = client.exchange->data();
            text_add(&client.body, data.data(), data.size());
            client.done = true;
        } else {
            client.exchange.emplace(endpoint_, request, now_, [&client] { client.ready = true; });
            const std::size_t piece = bytes_ ? small : std::max<std::size_t>(body.size(), 1);
            for (std::size_t at = 0; at < body.size(); at += piece) client.exchange->body(std::string_view(body).substr(at, piece));
            if (!is_true(get(step, "unfinished"))) client.exchange->end(now_);
        }
        if (const json_t *expected = get(step, "response")) response(on, expected);
    }

    // ---- responses

    void has_header(const Response &head, const char *name, const json_t *expected) {
        const auto got = head.header(name);
        const std::string value(got.value_or(""));
        const char *wanted = json_string_value(expected);
        if (!wanted != !got || (wanted && !fits(wanted, value.c_str(), kept_.get())))
            throw Different(std::string(name) + ": expected " + (wanted ? wanted : "none") + ", got " + (got ? value : "none"));
    }

    void has_header(const Response &head, const char *name, const char *expected) {
        const Json text(expected ? json_string(expected) : nullptr);
        has_header(head, name, text.get());
    }

    // Checks that nothing has come that no step asked for.
    void nothing_left(Client &client) {
        settle();
        if (client.head || client.body.len)
            throw Different("of the exchange " + client.name + " something has come that no step asked for: " + std::string(client.said()));
    }

    void events(const std::string &on, const json_t *expected, bool end) {
        Client &client = find(on);
        settle();
        for (const json_t *one : elements(expected)) {
            const std::string whole(client.said());
            event e;
            text why = {};
            const int taken_one = event_take(&e, &client.body, &why);
            const bool good = taken_one > 0 && event_matches(one, &e, kept_.get());
            event_free(&e);
            const std::string reason = taken(why);
            if (!good) throw Different(reason + "expected the event " + *json_of(one) + "\n    got " + whole);
        }
        nothing_left(client);
        if (client.done != end) throw Different(client.done ? "the response is over" : "the response goes on");
    }

    void whole_body(Client &client, const json_t *message) {
        const std::string body(client.said());
        if (!client.done || !(message ? message_matches(message, body.c_str(), kept_.get()) : body.empty()))
            throw Different("expected " + (message ? taken(message_shown(message)) : std::string("nothing")) + ", and the end\n    got " + body);
        const auto length = client.head->header("content-length");
        if (length && *length != std::to_string(body.size())) throw Different("content-length is not " + std::to_string(body.size()));
        if (client.head->length() && *client.head->length() != body.size()) throw Different("the length is not that of the body");
        text_free(&client.body);
        client.head.reset();
    }

    void response(const std::string &on, const json_t *expected) {
        Client &client = find(on);
        const json_t *message = get(expected, "json"), *stream = get(expected, "events");
        settle();
        if (!client.head) throw Different("no head has come");
        const Response head = *client.head;
        if (json_integer_value(get(expected, "status")) != static_cast<json_int_t>(head.status()))
            throw Different("got status " + std::to_string(head.status()) + ": " + std::string(client.said()));
        has_header(head, "content-type", message ? "application/json" : stream ? "text/event-stream" : nullptr);
        if (stream) {
            has_header(head, "cache-control", "no-cache, no-transform");
            has_header(head, "x-accel-buffering", "no");
        }
        for (const auto &[name, value] : members(get(expected, "headers"))) {
            std::string lower = name;
            for (char &c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            has_header(head, lower.c_str(), value);
        }
        if (!stream) return whole_body(client, message);
        client.head.reset();
        events(on, stream, is_true(get(expected, "end")));
    }

    void session(const json_t *step) {
        const std::string version = string_of(get(step, "session"));
        const std::string name = optional_string(get(step, "as")).value_or("session");
        const std::string capabilities = json_of(get(step, "capabilities")).value_or("{}");
        const auto parsed = [](const std::string &script) { return Json(json_loads(script.c_str(), 0, nullptr)); };
        send("handshake", parsed(R"({"send":"POST","body":{"jsonrpc":"2.0","id":"handshake","method":"initialize","params":{"protocolVersion":")" +
                                 version + R"(","capabilities":)" + capabilities + R"(,"clientInfo":{"name":"c","version":"1"}}}})").get());
        settle();
        Client &client = find("handshake");
        const std::string begin = R"({"jsonrpc":"2.0","id":"handshake","result":{"protocolVersion":")" + version + "\",";
        const auto id = client.head ? client.head->header("mcp-session-id") : std::nullopt;
        if (!client.done || !id || client.head->status() != 200 || client.said().substr(0, begin.size()) != begin)
            throw Different("no handshake: " + std::string(client.said()));
        const std::string session_id(*id);
        json_object_set_new(kept_.get(), name.c_str(), json_stringn(session_id.data(), session_id.size()));
        client.head.reset();
        text_free(&client.body);
        send("handshake", parsed(R"({"send":"POST","headers":{"Mcp-Session-Id":")" + session_id +
                                 R"("},"body":{"jsonrpc":"2.0","method":"notifications/initialized"},"response":{"status":202}})").get());
    }

    // ---- scripts

    void act(const json_t *step) {
        const std::string on = optional_string(get(step, "on")).value_or("a");
        if (get(step, "send")) {
            send(on, step);
        } else if (get(step, "response")) {
            response(on, get(step, "response"));
        } else if (get(step, "events")) {
            events(on, get(step, "events"), is_true(get(step, "end")));
        } else if (get(step, "session")) {
            session(step);
        } else if (const auto held = optional_string(get(step, "held"))) {
            if (!host_.holds(*held)) throw Different("nothing is held as " + *held);
        } else if (const auto waiting = optional_string(get(step, "waiting"))) {
            if (find(*waiting).head) throw Different("a head has come");
        } else if (const auto dropped = optional_string(get(step, "drop"))) {
            find(*dropped);
            clients_.remove_if([&](const Client &client) { return client.name == *dropped; });
        } else if (const json_t *advance = get(step, "advance")) {
            now_ += static_cast<std::uint64_t>(json_integer_value(advance));
            endpoint_.tick(now_);
        } else {
            const auto all = members(step);
            host_.act(all.front().first == "on" ? all.at(1).first : all.front().first, step);
        }
    }

    const json_t *script_;
    bool bytes_; // one at a time
    std::atomic<bool> woken_{true}; // raised from any thread
    std::uint64_t now_ = 0;
    Json kept_{json_object()};
    Host host_;
    Endpoint endpoint_;
    std::list<Client> clients_;
};

int run_script(const json_t *script, int bytes, text *why) {
    try {
        Run(script, bytes != 0).steps();
        return 1;
    } catch (const std::exception &different) {
        text_say(why, "%s", different.what());
        return 0;
    }
}

} // namespace

int main(int argc, char **argv) {
    return run_scripts(argc, argv, "vectors of HTTP in C++", run_script);
}
