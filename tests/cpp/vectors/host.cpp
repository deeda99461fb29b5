#include "host.hpp"

#include "answers.hpp"
#include "options.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

using wellhead::Authorize, wellhead::Call, wellhead::Complete, wellhead::Contents, wellhead::Interest, wellhead::List,
    wellhead::Method, wellhead::Provider, wellhead::Read, wellhead::Resource;

Host::Host(const json_t *options)
    : server(optional_string(get(options, "name")).value_or("s"), optional_string(get(options, "version")).value_or("1"),
             options_of(options, [this](std::uint32_t, std::string_view line) { lines_.emplace_back(line); })) {
    if (get(options, "instance_name")) server.set_publish([this](std::string_view event) { published_.emplace_back(event); });
}

// ---- what is registered

// The name of a list, under which its items are kept and its calls noted.
static std::string list_name(const json_t *entry) {
    const json_t *uri_template = get(entry, "template");
    return optional_string(uri_template ? uri_template : get(entry, "list")).value_or("-");
}

static const json_t *pages_of(const json_t *entry) {
    const json_t *pages = get(entry, "pages");
    return pages ? pages : get(entry, "list");
}

Host::~Host() {
    for (const auto &folder : folders_) std::filesystem::remove_all(folder);
}

// Writes the files of skills into a folder of its own, and serves it.
void Host::add_skills(const json_t *entry) {
    std::string made = (std::filesystem::temp_directory_path() / "skills-XXXXXX").string();
    if (!mkdtemp(made.data())) throw Different("no folder can be made");
    const std::filesystem::path folder = folders_.emplace_back(made);
    for (const auto &[path, body] : members(get(entry, "skills"))) {
        std::filesystem::create_directories((folder / path).parent_path());
        std::ofstream(folder / path, std::ios::binary) << string_of(body);
    }
    wellhead::Skills skills(folder.string());
    skills.prefix = optional_string(get(entry, "prefix"));
    server.add_skills(skills);
}

void Host::add(const json_t *entry) {
    const auto [kind, what] = members(entry).front();
    if (kind == "skills") return add_skills(entry);
    const Resource resource = described(string_of(what), entry);
    if (kind == "text") server.add_text(resource, string_of(get(entry, "body")));
    else if (kind == "app" && get(entry, "read")) server.add_app(resource, provider(entry), *json_of(get(entry, "ui")));
    else if (kind == "app") server.add_app(resource, string_of(get(entry, "body")), *json_of(get(entry, "ui")));
    else if (kind == "blob") server.add_blob(resource, bytes_of(get(entry, "base64")));
    else if (kind == "resource") server.add_resource(resource, provider(entry));
    else if (kind == "template") server.add_template(resource, provider(entry));
    else if (kind == "list" && get(entry, "of")) server.add_skill_list(optional_string(what), provider(entry));
    else if (kind == "list") server.add_list(optional_string(what), provider(entry));
    else if (kind == "fallback") server.set_fallback(provider(entry));
    else if (kind == "method") {
        std::vector<std::string> revisions;
        for (const json_t *date : elements(get(entry, "revisions"))) revisions.push_back(string_of(date));
        server.add_method(
            string_of(what),
            [this, with = get(entry, "answer")](const Call &call, auto params, Method &r) { method(with, call, params, r); },
            revisions);
    } else if (kind == "search") {
        server.add_resource_search(
            [this, with = get(entry, "answer")](const Call &call, auto params, Method &r) { method(with, call, params, r); });
    } else if (kind == "tool" || kind == "prompt") {
        using Add = void (wellhead::Server::*)(std::string_view, std::string_view, wellhead::MethodCallback);
        const Add register_it =
            kind == "tool" ? static_cast<Add>(&wellhead::Server::add_tool) : static_cast<Add>(&wellhead::Server::add_prompt);
        (server.*register_it)(string_of(what), *json_of(get(entry, "members")),
                              [this, with = get(entry, "answer")](const Call &call, auto params, Method &r) {
                                  method(with, call, params, r);
                              });
        for (const auto &[argument, completion] : members(get(entry, "complete")))
            server.complete_prompt(string_of(what), argument,
                                   [this, with = completion](const Call &call, auto variable, auto value, Complete &r) {
                                       complete(with, call, variable, value, r);
                                   });
    } else if (kind == "authorize")
        server.set_authorize([this, rule = what](const Call &call, auto operation, auto uris, auto count, Authorize &r) {
            authorize(rule, call, operation, uris, count, r);
        });
    else if (kind == "around") server.around([this, entry](const Call &call, wellhead::Next &next) { around(entry, call, next); });
    else if (kind == "interest")
        server.set_interest([this, rule = what](const Call &call, bool wanted, Interest &r) {
            interest(rule, call, wanted, r);
        });
    else throw Different("there is no entry " + kind);
}

Provider Host::provider(const json_t *entry) {
    Provider all;
    const std::string name = list_name(entry);
    const json_t *pages = pages_of(entry);
    if (get(entry, "read") || get(entry, "fallback"))
        all.read = [this, entry](const Call &call, Read &r) { read(entry, call, r); };
    if (pages)
        all.list = [this, name, pages](const Call &call, auto after, std::size_t limit, List &r) {
            list(name, pages, call, after, limit, r);
        };
    if (const json_t *completions = get(entry, "complete")) {
        all.complete = [this, completions](const Call &call, auto variable, auto value, Complete &r) {
            complete(get(completions, std::string(variable).c_str()), call, variable, value, r);
        };
        for (const auto &[variable, values] : members(completions)) all.completed.push_back(variable);
    }
    if (const json_t *known = get(entry, "exists"))
        all.exists = [this, known](std::string_view uri) {
            calls_.push_back("exists " + std::string(uri));
            return lists(known, uri);
        };
    if (const json_t *items = get(pages, "items")) listings_[name] = items;
    return all;
}

// ---- the steps

void Host::finish(const std::string &name, const json_t *with) {
    const auto found = held_.extract(name);
    if (found.empty()) throw Different("nothing is held as " + name);
    if (string_of(with) == "drop") return;
    std::visit(
        [with](auto &responder) {
            try {
                answer(responder, with);
            } catch (const std::runtime_error &failure) {
                responder.failed(failure.what());
            }
        },
        found.mapped());
}

wellhead::Call Host::held_call(const std::string &name) const {
    const auto found = held_.find(name);
    if (found == held_.end()) throw Different("nothing is held as " + name);
    return std::visit([](const auto &responder) { return responder.call(); }, found->second);
}

static void expect_is(const json_t *step, bool got) {
    if (got != is_true(get(step, "is"))) throw Different(got ? "it is" : "it is not");
}

void Host::expect_published(const json_t *events) {
    std::string expected, got;
    for (const json_t *event : elements(events)) expected += "\n    " + *json_of(event);
    for (const std::string &event : published_) got += "\n    " + event;
    published_.clear();
    if (got != expected) throw Different("got" + got);
}

void Host::expect_calls(const json_t *calls) {
    std::string expected, got;
    for (const json_t *call : elements(calls)) expected += "\n    " + string_of(call);
    for (const std::string &call : calls_) got += "\n    " + call;
    calls_.clear();
    if (got != expected) throw Different("got" + got);
}

void Host::expect_log(const std::string &line) {
    std::string got;
    for (const std::string &one : lines_) got += "\n    " + one;
    lines_.clear();
    if (got.find(line) == std::string::npos) throw Different("got" + got);
}

void Host::expand(const json_t *step) {
    std::vector<std::string> kept; // what the values borrow
    std::vector<wellhead_value> values;
    const auto all = members(get(step, "values"));
    for (const auto &[name, value] : all) {
        wellhead_value each = {wellhead::str(name), {nullptr, 0}, string(value), 0};
        if (json_is_string(value)) values.push_back(each);
        each.flags = json_is_array(value) ? WELLHEAD_VALUE_LIST : 0;
        for (const json_t *one : elements(value)) {
            each.value = string(one);
            values.push_back(each);
        }
        if (!json_is_object(value)) continue;
        for (const auto &[key, one] : members(value)) {
            each.key = wellhead_cstr(json_object_iter_key(json_object_iter_at(const_cast<json_t *>(value), key.c_str())));
            each.value = string(one);
            values.push_back(each);
        }
    }
    const wellhead::Text uri = wellhead::expand(string_of(get(step, "expand")), values);
    if (uri.str() != string_of(get(step, "is"))) throw Different("got " + std::string(uri.str()));
}

static Contents versioned(const json_t *step) {
    Contents about;
    about.version = optional_string(get(step, "version"));
    return about;
}

// Whether a step that may fail went as it says.
template <class F> static void outcome(const json_t *step, F &&run) {
    std::string got = "ok";
    try {
        run();
    } catch (const wellhead::Error &error) {
        got = error.code();
    }
    if (got != optional_string(get(step, "error")).value_or("ok")) throw Different("got " + got);
}

void Host::inject(const json_t *step) {
    const json_t *event = get(step, "inject"), *is = get(step, "is");
    outcome(step, [&] {
        const bool told = server.inject(json_is_object(event) ? *json_of(event) : string_of(event));
        if (is && told != is_true(is)) throw Different(told ? "clients were told" : "no client was told");
    });
}

void Host::notify(const json_t *step) {
    const auto found = held_.find(string_of(get(step, "notify")));
    const json_t *expected = get(step, "sent");
    if (found == held_.end()) throw Different("no method is held under that name");
    outcome(step, [&] {
        const bool sent = std::get<Method>(found->second).notify(string_of(get(step, "method")), json_of(get(step, "params")));
        if (expected && sent != is_true(expected)) throw Different(sent ? "it was sent" : "it was not sent");
    });
}

void Host::say_in_session(const wellhead::Session &session, const json_t *step) {
    const json_t *expected = get(step, "sent"), *closed = get(step, "closed");
    outcome(step, [&] {
        const bool sent = get(step, "level") ? session.log(string_of(get(step, "level")), string_of(get(step, "data")),
                                                           optional_string(get(step, "logger")))
                                             : session.notify(string_of(get(step, "method")), json_of(get(step, "params")));
        if (expected && sent != is_true(expected)) throw Different(sent ? "it was sent" : "it was not sent");
    });
    if (closed && session.closed() != is_true(closed)) throw Different("the session is in another state");
}

void Host::act(const std::string &verb, const json_t *step) {
    const json_t *what = get(step, verb.c_str());
    const std::string name = string_of(what);
    if (verb == "finish") finish(name, get(step, "with"));
    else if (verb == "cancelled") expect_is(step, held_call(name).cancelled());
    else if (verb == "on_cancel") held_call(name).on_cancel([this, name] { calls_.push_back("cancelled " + name); });
    else if (verb == "close_event_stream")
        expect_is(step, held_call(name).close_event_stream(static_cast<std::uint64_t>(json_integer_value(get(step, "retry_ms")))));
    else if (verb == "calls") expect_calls(what);
    else if (verb == "log") expect_log(name);
    else if (verb == "set" && get(step, "text"))
        outcome(step, [&] { server.set_text(name, string_of(get(step, "text")), versioned(step)); });
    else if (verb == "set") outcome(step, [&] { server.set_blob(name, bytes_of(get(step, "base64")), versioned(step)); });
    else if (verb == "remove_resource") outcome(step, [&] { server.remove_resource(name); });
    else if (verb == "remove_list") outcome(step, [&] { server.remove_list(name); });
    else if (verb == "remove_method") outcome(step, [&] { server.remove_method(name); });
    else if (verb == "add") outcome(step, [&] { add(what); });
    else if (verb == "update" && get(step, "below"))
        outcome(step, [&] { server.notify_sub_resource_updated(name, string_of(get(step, "below"))); });
    else if (verb == "update" && get(step, "as"))
        outcome(step, [&] { server.notify_updated_with_resource(described(name, get(step, "as"))); });
    else if (verb == "update") outcome(step, [&] { server.notify_updated(name); });
    else if (verb == "access_changed") outcome(step, [&] { server.access_changed(name); });
    else if (verb == "list_changed") outcome(step, [&] { server.notify_resource_list_changed(); });
    else if (verb == "published") expect_published(what);
    else if (verb == "inject") inject(step);
    else if (verb == "remove_tool") outcome(step, [&] { server.remove_tool(name); });
    else if (verb == "remove_prompt") outcome(step, [&] { server.remove_prompt(name); });
    else if (verb == "enable_tool") outcome(step, [&] { server.enable_tool(name); });
    else if (verb == "disable_tool") outcome(step, [&] { server.disable_tool(name); });
    else if (verb == "limit_tool") {
        const auto limit = [limits = get(step, "limits")](const char *of) { return json_integer_value(get(limits, of)); };
        wellhead::ToolLimits limits;
        limits.calls_in_flight = static_cast<std::size_t>(limit("calls_in_flight"));
        limits.caller_calls_in_flight = static_cast<std::size_t>(limit("caller_calls_in_flight"));
        limits.caller_calls_per_minute = static_cast<std::size_t>(limit("caller_calls_per_minute"));
        limits.call_ms = static_cast<std::uint64_t>(limit("call_ms"));
        outcome(step, [&] { server.limit_tool(name, limits); });
    } else if (verb == "update_tool") outcome(step, [&] { server.update_tool(name, json_of(get(step, "members")).value()); });
    else if (verb == "enable_prompt") outcome(step, [&] { server.enable_prompt(name); });
    else if (verb == "disable_prompt") outcome(step, [&] { server.disable_prompt(name); });
    else if (verb == "update_prompt") outcome(step, [&] { server.update_prompt(name, json_of(get(step, "members")).value()); });
    else if (verb == "progress") report(held_call(name), get(step, "report"));
    else if (verb == "notify_list_changed") outcome(step, [&] { server.notify_list_changed(name); });
    else if (verb == "notify") notify(step);
    else if (verb == "session_notify" || verb == "session_log") say_in_session(sessions_.at(name), step);
    else if (verb == "expand") outcome(step, [&] { expand(step); });
    else if (verb == "make") outcome(step, [&] { Host further(get(step, "make")); });
    else if (verb == "explain") {
        const wellhead::Text found = server.explain(name);
        if (found.str() != json_of(get(step, "is"))) throw Different("got " + std::string(found.str()));
    } else if (verb == "listing") listings_[name] = get(step, "items");
    else if (verb == "shutdown") server.close();
    else throw Different("there is no such step");
}
