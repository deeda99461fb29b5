// notes.cpp - an in-memory notes application: pages, a template, edits that notify, one answer given later.
//
// `notes FIFO`: a second thread takes `set ID TEXT`, `add ID TEXT` and `del ID` lines from the FIFO.
#include <wellhead.hpp>

#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

using wellhead::Call, wellhead::List, wellhead::Read, wellhead::Resource, wellhead::Server;

class Notes {
public:
    Notes() {
        for (int n = 1; n <= 250; n++) {
            const std::string id = std::to_string(1000 + n).substr(1);
            notes_[id] = "# Note " + id;
        }
    }

    void read(const Call &call, Read &r) {
        const std::lock_guard lock(mutex_);
        const auto note = notes_.find(call.var("id").value());
        if (note == notes_.end()) r.not_found();
        else r.text(note->second);
    }

    void list(std::optional<std::string_view> after, std::size_t limit, List &r) {
        const std::lock_guard lock(mutex_);
        auto note = after ? notes_.upper_bound(*after) : notes_.begin();
        for (; note != notes_.end() && limit > 0; ++note, --limit) {
            Resource item("notes://" + note->first);
            item.name = item.key = note->first;
            item.mime_type = "text/markdown";
            r.add(item);
        }
        r.finish(note != notes_.end());
    }

    /* Carries out what a line of the FIFO says. */
    void edit(const std::string &line, Server &server) {
        std::istringstream words(line);
        std::string verb, id, text;
        if (!(words >> verb >> id)) return;
        std::getline(words >> std::ws, text);
        {
            const std::lock_guard lock(mutex_);
            if (verb == "del") notes_.erase(id);
            else notes_[id] = text;
        }
        server.notify_updated("notes://" + id);
        if (verb != "set") server.notify_resource_list_changed();
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::string, std::less<>> notes_;
};

static void read_slow(const Call &, Read &r) {
    std::thread([kept = r.keep()]() mutable {
        try {
            kept.text("answered by another thread");
        } catch (const wellhead::Error &) {
            // The library has answered the call with an error.
        }
    }).detach();
}

static void edits(const char *path, Notes &notes, Server &server) {
    std::fstream fifo(path); // for writing too, so that it does not end when a writer goes
    for (std::string line; std::getline(fifo, line);) try {
            notes.edit(line, server);
        } catch (const wellhead::Error &e) {
            std::cerr << "notes: " << e.what() << '\n';
        }
}

int main(int argc, char **argv) try {
    static Notes &notes = *new Notes; // neither is destroyed: the thread of edits may outlive main
    wellhead::ServerOptions options;
    options.limits.page_items = 100;
    static Server &server = *new Server("notes", "1.0.0", std::move(options));

    Resource about("notes://about"), logo("notes://logo"), slow("notes://slow"), any("notes://{id}");
    slow.name = "slow";
    about.mime_type = "text/plain";
    logo.mime_type = "image/png";
    any.name = "note";
    any.mime_type = "text/markdown";
    server.add_text(about, "Notes.");
    server.add_blob(logo, "\x89PNG\r\n\x1a\n");
    server.add_resource(slow, {read_slow});
    server.add_template(any, {[](const Call &call, Read &r) { notes.read(call, r); }});
    server.add_list("notes", {{}, [](const Call &, auto after, std::size_t limit, List &r) { notes.list(after, limit, r); }});

    if (argc > 1) std::thread(edits, argv[1], std::ref(notes), std::ref(server)).detach();
    server.serve_stdio();
    return 0;
} catch (const wellhead::Error &e) {
    std::cerr << "notes: " << e.what() << '\n';
    return 1;
}
