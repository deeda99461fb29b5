// Runs the scripts of tests/vectors that it is given, whole and byte by byte. Their README says what a script is.
#include "host.hpp"

#include "../../c/deadline.h"

#include <algorithm>
#include <cstdio>
#include <deque>

using wellhead::Connection;

// What C++ cannot say, as little as C: see tests/c/vectors/runner.c. Every other word of `needs` it reaches.
static const char *const UNSAYABLE[] = {"wrong_type", "verdict_count"};

// A connection, and the bytes that it has not accepted yet.
struct Client {
    std::string name;
    Connection connection;
    std::string unread;

    bool offer() {
        std::size_t taken = unread.size();
        try {
            if (!unread.empty()) taken = connection.receive(unread);
        } catch (const wellhead::Error &) {
            // closed: it is not read any more
        }
        unread.erase(0, taken);
        return taken > 0;
    }
};

class Run {
public:
    Run(const json_t *script, bool bytes) : script_(script), bytes_(bytes), host_(get(script, "server")) {}

    // Throws what went otherwise.
    void steps() {
        for (const json_t *entry : elements(get(script_, "catalog"))) host_.add(entry);
        find("a", nullptr);
        std::size_t number = 0;
        for (const json_t *step : elements(get(script_, "steps"))) {
            const std::string verb = verb_of(step);
            number++;
            try {
                act(find(optional_string(get(step, "on")).value_or("a"), get(step, "caller")), verb, step);
                settle();
            } catch (const std::runtime_error &different) {
                throw Different("step " + std::to_string(number) + ", " + verb + ": " + different.what());
            }
        }
        for (Client &client : clients_) check_output(client, nullptr);
    }

private:
    static std::string verb_of(const json_t *step) {
        const auto all = members(step);
        return all.front().first == "on" ? all.at(1).first : all.front().first;
    }

    // The connection of that name, which is made for a caller if there is none yet.
    Client &find(const std::string &name, const json_t *caller) {
        const auto found =
            std::find_if(clients_.begin(), clients_.end(), [&](const Client &client) { return client.name == name; });
        if (found != clients_.end()) return *found;
        wellhead::ConnectionOptions options;
        options.caller_id = optional_string(caller);
        return clients_.emplace_front(Client{name, Connection(host_.server, std::move(options)), {}});
    }

    void act(Client &client, const std::string &verb, const json_t *step) {
        const json_t *what = get(step, verb.c_str());
        if (verb == "handshake") handshake(client, string_of(what));
        else if (verb == "in") send(client, what);
        else if (verb == "out") check_output(client, what);
        else if (verb == "raw") feed(client, string_of(what), 1);
        else if (verb == "raw_base64") feed(client, bytes_of(what), 1);
        else if (verb == "raw_repeat") feed(client, repeated(string_of(get(what, "text")), get(what, "times")), 4096);
        else if (verb == "end") client.connection.end();
        else if (verb == "close") client.connection.close();
        else if (verb == "tick") client.connection.tick(static_cast<std::uint64_t>(json_integer_value(what)));
        else if (verb == "finished") {
            if (client.connection.finished() != is_true(what)) throw Different("it is otherwise");
        } else if (verb != "caller") host_.act(verb, step); // a caller's connection is made where it is mentioned
    }

    // Runs the callbacks of all events, until nothing happens any more.
    void settle() {
        for (bool any = true; any;) {
            any = false;
            for (Client &client : clients_) {
                const bool polled = client.connection.poll_event(SIZE_MAX) > 0, offered = client.offer();
                any = any || polled || offered;
            }
        }
    }

    void feed(Client &client, const std::string &bytes, std::size_t piece) {
        if (!bytes_) piece = bytes.size();
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            client.unread += bytes.substr(at, piece);
            client.offer();
            settle();
        }
    }

    std::string drained(Client &client) {
        std::string output;
        for (;;) {
            settle();
            const wellhead::Transmit piece = client.connection.poll_transmit(bytes_ ? 1 : SIZE_MAX);
            if (!piece) return output;
            output += piece.bytes();
        }
    }

    void handshake(Client &client, const std::string &version) {
        feed(client,
             R"({"jsonrpc":"2.0","id":"handshake","method":"initialize","params":{"protocolVersion":")" + version +
                 R"(","capabilities":{},"clientInfo":{"name":"c","version":"1"}}})" + "\n" +
                 R"({"jsonrpc":"2.0","method":"notifications/initialized"})" + "\n",
             1);
        const std::string begin =
            R"({"jsonrpc":"2.0","id":"handshake","result":{"protocolVersion":")" + version + "\",";
        const std::string output = drained(client);
        if (output.compare(0, begin.size(), begin) != 0 || output.find('\n') + 1 != output.size())
            throw Different("got " + output);
    }

    void send(Client &client, const json_t *messages) {
        std::string lines;
        for (const json_t *message : json_is_array(messages) ? elements(messages) : std::vector{messages}) {
            text line = {};
            if (!message_sent(message, kept_.get(), &line)) throw Different("a name has matched nothing yet");
            lines += taken(line) + "\n";
        }
        feed(client, lines, 1);
    }

    // Whether exactly these lines come out.
    void check_output(Client &client, const json_t *messages) {
        std::string output = drained(client);
        for (const json_t *message : elements(messages)) {
            const std::size_t end = output.find('\n');
            const std::string line = output.substr(0, end);
            if (end == std::string::npos || !message_matches(message, line.c_str(), kept_.get()))
                throw Different("\n    expected " + taken(message_shown(message)).substr(0, 600) + "\n    got      " +
                                line.substr(0, 600));
            output.erase(0, end + 1);
        }
        if (!output.empty()) throw Different("connection " + client.name + " also said " + output.substr(0, 600));
    }

    const json_t *script_;
    bool bytes_; // one at a time
    Json kept_{json_object()};
    Host host_;
    std::deque<Client> clients_;
};

static bool run(const char *path, const json_t *script, bool bytes) {
    try {
        Run(script, bytes).steps();
        return true;
    } catch (const std::exception &why) {
        std::printf("%s, %s, %s\n", path, bytes ? "byte by byte" : "whole", why.what());
        return false;
    }
}

// Whether the script shows what C++ cannot say.
static bool unsayable(const json_t *script) {
    const auto needs = elements(get(script, "needs"));
    return std::any_of(needs.begin(), needs.end(), [](const json_t *word) {
        return std::find(std::begin(UNSAYABLE), std::end(UNSAYABLE), string_of(word)) != std::end(UNSAYABLE);
    });
}

static int run_all(int argc, char **argv) {
    int passed = 0, failed = 0, beyond = 0;
    for (int i = 1; i < argc; i++) {
        json_error_t error;
        const Json script(json_load_file(argv[i], JSON_ALLOW_NUL, &error));
        if (!script) {
            std::printf("%s:%d: %s\n", argv[i], error.line, error.text);
            failed++;
        } else if (unsayable(script.get())) {
            beyond++;
        } else {
            deadline_start(argv[i]);
            const bool whole = run(argv[i], script.get(), false), bytes = run(argv[i], script.get(), true);
            ++(whole && bytes ? passed : failed);
        }
    }
    std::printf("vectors in C++: %d passed, %d failed, %d show what C++ cannot say\n", passed, failed, beyond);
    return failed != 0 || passed == 0;
}

int main(int argc, char **argv) {
    return deadline_run(argc, argv, run_all);
}
