// What the application does when it is called.
#include "answers.hpp"
#include "host.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>

using wellhead::Authorize, wellhead::Call, wellhead::Complete, wellhead::Interest, wellhead::List, wellhead::Method,
    wellhead::Read;

/* Makes named requests in turn. Returns how to go on, or nothing if one lacks an answer. */
template <class R> const json_t *Host::client_requests(R &r, const json_t *with) {
    bool all = true;
    for (const json_t *one : elements(get(with, "client_requests"))) {
        const std::string name = string_of(get(one, "name"));
        try {
            const auto told = r.require_input(name, string_of(get(one, "method")), json_of(get(one, "params")));
            calls_.push_back("answered " + name + " " + told);
        } catch (const wellhead::ClientRequestError &e) {
            if (e.response == WELLHEAD_RESPONSE_ERROR) {
                json_t *error = json_loads(e.json->c_str(), 0, nullptr);
                calls_.push_back("answered " + name + " error " + std::to_string(json_integer_value(get(error, "code"))) + " "
                                 + string_of(get(error, "message")));
                json_decref(error);
            } else if (e.response == WELLHEAD_RESPONSE_MISSING_CAPABILITY && get(with, "missing")) {
                return get(with, "missing");
            } else {
                all = false;
            }
        }
    }
    return all ? get(with, "then") : nullptr;
}

/* The header field of the HTTP request that `with` names, and its query; nothing if it names none. */
static std::string of_request(const Call &call, const json_t *with) {
    const auto name = optional_string(get(with, "header"));
    if (!name) return "";
    return " " + std::string(call.header(name->c_str()).value_or("-")) + " " + std::string(call.query().value_or("-"));
}

void Host::read(const json_t *entry, const Call &call, Read &r) {
    std::string line = "read " + std::string(call.uri());
    for (std::size_t i = 0; const auto name = call.var_name(i); i++) {
        const std::string zero(*name);
        line += (i ? ";" : " ") + zero + "=" + std::string(call.var(zero.c_str()).value_or(""));
    }
    const auto input = call.input_responses();
    if (input) line += " input=" + std::string(*input);
    if (const auto known = call.if_version()) line += " if_version=" + std::string(*known);
    calls_.push_back(line);
    const json_t *with = get(entry, "fallback");
    if (!with) with = get(entry, "read");
    if (const json_t *reports = get(with, "progress")) {
        for (const json_t *one : elements(reports)) report(call, one);
        with = get(with, "then");
    }
    while (const json_t *by = get(with, "by")) {
        const auto value = call.var(json_string_value(by));
        const json_t *found = get(get(with, "cases"), std::string(value.value_or("")).c_str());
        with = found ? found : get(with, "else");
    }
    const bool has_input = input || call.request_state();
    if (const json_t *seal = get(with, "seal")) {
        const auto time = [&](const char *name) { return static_cast<std::uint64_t>(json_integer_value(get(with, name))); };
        if (!has_input) {
            const auto state = call.seal_state(string_of(seal), time("until"));
            r.input_required("{\"requestState\":\"" + std::string(state.str()) + "\"}");
            return;
        }
        const wellhead::Text opened = call.open_state(time("now"));
        if (!opened || opened.str() != string_of(seal)) {
            r.invalid_state();
            return;
        }
        with = get(with, "then");
    } else if (get(with, "asks") && has_input && get(with, "then")) {
        with = get(with, "then");
    }
    if (get(with, "client_requests")) {
        const json_t *next = client_requests(r, with);
        if (next) answer(r, call, next);
        else r.wait();
        return;
    }
    if (get(with, "header")) {
        r.text(of_request(call, with).substr(1)); // without the space in front
        return;
    }
    if (const json_t *name = get(with, "hold")) held_.emplace(filled(call, name), r.keep());
    else if (string_of(with) != "none") answer(r, call, with);
}

static std::string key_of(const json_t *item) {
    return optional_string(get(item, "key")).value_or(string_of(get(item, "uri")));
}

static std::size_t first_behind(const std::vector<const json_t *> &items, std::optional<std::string_view> after) {
    const auto index = [&](auto where) { return static_cast<std::size_t>(where - items.begin()); };
    if (!after) return 0;
    const auto same = std::find_if(items.begin(), items.end(), [&](const json_t *item) { return key_of(item) == *after; });
    if (same != items.end()) return index(same) + 1;
    return index(std::find_if(items.begin(), items.end(), [&](const json_t *item) { return key_of(item) > *after; }));
}

void Host::list(const std::string &name, const json_t *pages, const Call &call, std::optional<std::string_view> after,
                std::size_t limit, List &r) {
    std::string line = "list " + name + " after=" + std::string(after.value_or("-")) + " limit=" + std::to_string(limit);
    if (const auto filter = call.filter()) line += " filter=" + std::string(*filter);
    const std::string uri(call.uri());
    if (!uri.empty()) line += " uri=" + uri;
    calls_.push_back(line + of_request(call, pages));
    if (const json_t *unlisted = get(pages, "unlisted"); unlisted && !uri.empty()) {
        for (const json_t *all : {get(pages, "items"), unlisted})
            for (const json_t *item : elements(all))
                if (string_of(get(item, "uri")) == uri) add_item(r, item);
        return r.finish();
    }
    if (const json_t *later = get(pages, "hold")) {
        held_.emplace(filled(call, later), r.keep());
    } else if (json_is_string(pages)) {
        throw FAILURE;
    } else if (is_true(get(pages, "more_without_items"))) {
        r.finish(true);
    } else {
        // Two unnamed sources have one name in the script, so their items stay their own.
        const auto items = elements(name == "-" ? get(pages, "items") : listings_.at(name));
        std::size_t at = first_behind(items, after), end = items.size();
        if (!is_true(get(pages, "ignore_limit"))) end = std::min(end, at + limit);
        for (; at < end; at++) add_item(r, items[at]);
        r.finish(end < items.size());
    }
}

void Host::complete(const json_t *with, const Call &call, std::string_view variable, std::string_view value, Complete &r) {
    std::string line = "complete " + std::string(call.uri()) + " " + std::string(variable) + "=" + std::string(value);
    for (std::size_t i = 0; const auto name = call.var_name(i); i++) {
        const std::string zero(*name);
        line += (i ? ";" : " with ") + zero + "=" + std::string(call.var(zero.c_str()).value_or(""));
    }
    calls_.push_back(line + of_request(call, with));
    if (const json_t *later = get(with, "hold")) held_.emplace(string_of(later), r.keep());
    else answer(r, with);
}

void Host::method(const json_t *with, const Call &call, std::string_view params, Method &r) {
    calls_.push_back("method " + std::string(call.method()) + " " + std::string(params));
    for (; const json_t *messages = get(with, "notify"); with = get(with, "then"))
        for (const json_t *message : elements(messages))
            r.notify(string_of(get(message, "method")), json_of(get(message, "params")));
    if (string_of(with) == "echo") {
        std::string echo = "{\"method\":\"" + std::string(call.method()) + "\",\"params\":" + std::string(params);
        if (const auto name = call.name())
            echo += ",\"name\":\"" + std::string(*name) + "\",\"arguments\":" + std::string(call.arguments())
                    + ",\"content\":[],\"messages\":[]";
        if (const auto client = call.client_capabilities()) echo += ",\"client\":" + std::string(*client);
        if (const auto level = call.log_level()) echo += ",\"level\":\"" + std::string(*level) + "\"";
        r.result(echo + "}");
    } else if (string_of(with) == "arguments") {
        r.text(call.arguments());
    } else if (string_of(with) != "none") {
        proceed(r.keep(), with);
    }
}

// Answers a kept responder, now or later.
void Host::proceed(Method r, const json_t *with) {
    const json_t *then = get(with, "then");
    if (const json_t *messages = get(with, "notify")) {
        for (const json_t *message : elements(messages))
            r.notify(string_of(get(message, "method")), json_of(get(message, "params")));
        proceed(std::move(r), then);
    } else if (const json_t *reports = get(with, "progress")) {
        for (const json_t *one : elements(reports)) report(r.call(), one);
        proceed(std::move(r), then);
    } else if (const json_t *lines = get(with, "logs")) {
        for (const json_t *line : elements(lines))
            r.log(string_of(get(line, "level")), string_of(get(line, "data")), optional_string(get(line, "logger")));
        proceed(std::move(r), then);
    } else if (const json_t *kept = get(with, "session")) {
        wellhead::Session session = r.call().session();
        const std::string id(session.id());
        r.result("{\"id\":" + (session ? "\"" + id + "\"" : "null") + ",\"client\":" + std::string(session.client().value_or("null"))
                 + ",\"capabilities\":" + std::string(session.client_capabilities().value_or("null")) + "}");
        if (session) sessions_.insert_or_assign(string_of(kept), std::move(session));
    } else if (get(with, "client_requests")) {
        const json_t *next = client_requests(r, with);
        if (next) proceed(std::move(r), next);
        else r.wait();
    } else if (get(with, "request")) {
        request(std::move(r), with);
    } else if (const json_t *later = get(with, "hold")) {
        held_.emplace(string_of(later), std::move(r));
    } else if (const json_t *name = get(with, "header")) {
        const auto quoted = [](std::optional<std::string_view> told) {
            return told ? "\"" + std::string(*told) + "\"" : std::string("null");
        };
        r.result("{\"content\":[],\"messages\":[],\"header\":" + quoted(r.call().header(json_string_value(name))) + ",\"query\":"
                 + quoted(r.call().query()) + "}");
    } else if (const json_t *id = get(with, "extension")) {
        const auto settings = r.call().extension(string_of(id));
        r.result("{\"extension\":" + std::string(settings.value_or("null")) + ",\"apps\":"
                 + (r.call().client_supports_apps() ? "true}" : "false}"));
    } else if (string_of(with) != "none") {
        try {
            answer(r, with);
        } catch (const std::runtime_error &failure) {
            r.failed(failure.what());
        }
    }
}

// Asks the client; what it answers is noted, and goes on as the script says.
void Host::request(Method r, const json_t *with) {
    const json_t *message = get(with, "request"), *then = get(with, "then");
    const auto refused = optional_string(get(with, "refused")), later = optional_string(get(with, "hold"));
    const auto kept = std::make_shared<std::optional<Method>>();
    std::string code = "ok";
    try {
        r.send_request(string_of(get(message, "method")), json_of(get(message, "params")),
                  [this, kept, then](std::uint32_t response, std::string_view json) {
                      const char *const words[] = {"", "error ", "given up"};
                      calls_.push_back("response " + std::string(words[response]) + std::string(json));
                      auto taken = std::exchange(*kept, std::nullopt);
                      if (taken && response != WELLHEAD_RESPONSE_GIVEN_UP) proceed(std::move(*taken), then);
                  });
    } catch (const wellhead::Error &error) {
        code = error.code();
    }
    if (code != refused.value_or("ok")) {
        std::cerr << "a request was answered by " << code << '\n';
        std::abort();
    }
    if (refused) proceed(std::move(r), then);
    else if (later) held_.emplace(*later, std::move(r));
    else *kept = std::move(r);
}

void Host::authorize(const json_t *rule, const Call &call, std::uint32_t operation, const wellhead_str *uris,
                     std::size_t count, Authorize &r) {
    static const char *const operations[] = {"", "list", "read", "subscribe", "complete", "list_tools",
                                             "call_tool", "list_prompts", "get_prompt"};
    std::string line = "authorize " + std::string(operations[operation]) + " ";
    for (std::size_t i = 0; i < count; i++) line += (i ? "," : "") + std::string(wellhead::view(uris[i]));
    calls_.push_back(line + of_request(call, rule));
    if (const json_t *later = get(rule, "hold")) {
        held_.emplace(string_of(later), r.keep());
        return;
    }
    for (std::size_t i = 0; i < count; i++)
        if (!lists(get(rule, "deny"), wellhead::view(uris[i])))
            r.set(i, lists(get(rule, "hide"), wellhead::view(uris[i])) ? WELLHEAD_VERDICT_HIDE : WELLHEAD_VERDICT_ALLOW);
    r.finish();
}

void Host::interest(const json_t *rule, const Call &call, bool wanted, Interest &r) {
    calls_.push_back("interest " + std::string(call.uri()) + (wanted ? " true" : " false"));
    if (const json_t *later = get(rule, "hold")) held_.emplace(string_of(later), r.keep());
    else if (get(rule, "fail")) throw FAILURE;
    else r.done();
}

void Host::verify(const json_t *tokens, std::string_view token, wellhead::Verify &r) {
    const json_t *said = get(tokens, std::string(token).c_str());
    if (const json_t *later = get(said, "hold")) held_.emplace(string_of(later), r.keep());
    else if (string_of(said) != "none") answer(r, said);
}

// The outcome with a text behind that of its first content.
static void append(wellhead::Outcome &outcome, const std::string &more) {
    if (const auto found = outcome.text()) return outcome.set_text(std::string(*found) + more);
    const auto result = outcome.result();
    if (!result) return;
    const Json json(json_loadb(result->data(), result->size(), 0, nullptr));
    json_t *first = json_array_get(json_object_get(json.get(), "content"), 0);
    if (!get(first, "text")) return;
    const std::string longer = string_of(get(first, "text")) + more;
    json_object_set_new(first, "text", json_stringn(longer.data(), longer.size()));
    outcome.set_result(*json_of(json.get()));
}

static void refuse(wellhead::Outcome outcome, const Call &call, const json_t *with) {
    const std::string word = string_of(with);
    if (word == "denied") outcome.set_denied();
    else if (word == "not_found") outcome.set_not_found();
    else if (!call.uri().empty()) outcome.set_text(string_of(get(with, "text")));
    else if (const json_t *error = get(with, "error"))
        outcome.set_error(static_cast<std::int32_t>(json_integer_value(get(error, "code"))), string_of(get(error, "message")));
    else if (const json_t *message = get(with, "tool_error")) throw wellhead::ToolError(string_of(message));
    else outcome.set_result(*json_of(get(with, "result")));
}

void Host::around(const json_t *entry, const Call &call, wellhead::Next &next) {
    const std::string name = string_of(get(entry, "around"));
    const std::string subject(call.name() ? *call.name() : call.uri().empty() ? call.method() : call.uri());
    std::string line = "around " + name + " " + std::string(call.method()) + " " + subject;
    if (const json_t *header = get(entry, "header"))
        line += " " + std::string(call.header(json_string_value(header)).value_or("-"));
    calls_.push_back(line);
    const std::string fails = string_of(get(get(entry, "fail"), subject.c_str()));
    if (fails == "before") throw FAILURE;
    if (const json_t *with = get(get(entry, "refuse"), subject.c_str())) return refuse(next.answer_instead(), call, with);
    if (const json_t *changed = get(get(entry, "arguments"), subject.c_str())) {
        try {
            next.set_arguments(json_of(changed).value());
        } catch (const wellhead::Error &) {
            calls_.push_back("after " + name);
            throw;
        }
    }
    next.run([this, name, fails, more = string_of(get(entry, "append"))](const Call &, wellhead::Outcome &outcome) {
        calls_.push_back("after " + name);
        if (fails == "after") throw FAILURE;
        if (!more.empty()) append(outcome, more);
    });
}
