#include "host.hpp"

#include <algorithm>
#include <cstring>

using wellhead::Authorize, wellhead::Call, wellhead::Complete, wellhead::Contents, wellhead::Interest, wellhead::List,
    wellhead::Method, wellhead::Provider, wellhead::Read, wellhead::Resource;

// What a callback throws that fails.
static const std::runtime_error FAILURE("the callback failed");

static wellhead_limits limits_of(const json_t *limits) {
    wellhead_limits all = WELLHEAD_LIMITS_INIT;
    const auto limit = [limits](const char *name) { return static_cast<std::size_t>(json_integer_value(get(limits, name))); };
    all.message_bytes = limit("message_bytes");
    all.nesting = limit("nesting");
    all.id_bytes = limit("id_bytes");
    all.batch_length = limit("batch_length");
    all.uri_bytes = limit("uri_bytes");
    all.page_items = limit("page_items");
    all.page_bytes = limit("page_bytes");
    all.calls_in_flight = limit("calls_in_flight");
    all.subscriptions = limit("subscriptions");
    all.subscriptions_total = limit("subscriptions_total");
    all.listen_streams = limit("listen_streams");
    all.output_bytes = limit("output_bytes");
    all.call_ms = limit("call_ms");
    return all;
}

static std::optional<wellhead::Cache> hint_of(const json_t *hint) {
    if (!hint) return std::nullopt;
    wellhead::Cache cache;
    if (const json_t *ttl_ms = get(hint, "ttl_ms")) cache.ttl_ms = static_cast<std::uint64_t>(json_integer_value(ttl_ms));
    cache.scope = optional_string(get(hint, "scope"));
    return cache;
}

static wellhead::ServerOptions options_of(const json_t *options, wellhead::LogCallback log) {
    wellhead::ServerOptions all;
    const json_t *key = get(options, "key");
    all.title = optional_string(get(options, "title"));
    all.instructions = optional_string(get(options, "instructions"));
    all.cursor_key = key ? taken(text_of_hex(json_string_value(key))) : std::string(32, '\7');
    if (json_is_false(get(options, "subscribe"))) all.flags |= WELLHEAD_NO_SUBSCRIBE;
    if (json_is_false(get(options, "list_changed"))) all.flags |= WELLHEAD_NO_LIST_CHANGED;
    if (json_is_false(get(options, "field_gating"))) all.flags |= WELLHEAD_NO_FIELD_GATING;
    for (const auto &[name, capability] : members(get(options, "capabilities"))) all.capabilities[name] = *json_of(capability);
    for (const auto &[kind, notification] : members(get(options, "announces"))) all.announces[kind] = string_of(notification);
    for (const json_t *version : elements(get(options, "versions"))) all.versions.push_back(string_of(version));
    for (const auto &[version, codes] : members(get(options, "error_codes")))
        for (const auto &[condition, code] : members(codes))
            all.error_codes.push_back({version, condition, static_cast<std::int32_t>(json_integer_value(code))});
    all.cache = hint_of(get(options, "cache"));
    for (const auto &[kind, hint] : members(get(options, "cache_of"))) all.cache_of[kind] = *hint_of(hint);
    all.origin = optional_string(get(options, "origin"));
    all.error_profile = optional_string(get(options, "error_profile"));
    all.permission_denied = optional_string(get(options, "permission_denied"));
    all.undeclared_lists = optional_string(get(options, "undeclared_lists"));
    all.contents_titles = optional_string(get(options, "contents_titles"));
    all.subscribe_unknown = optional_string(get(options, "subscribe_unknown"));
    all.dialect = optional_string(get(options, "dialect"));
    all.limits = limits_of(get(options, "limits"));
    all.log = std::move(log);
    return all;
}

Host::Host(const json_t *options)
    : server(optional_string(get(options, "name")).value_or("s"), optional_string(get(options, "version")).value_or("1"),
             options_of(options, [this](std::uint32_t, std::string_view line) { lines_.emplace_back(line); })) {
    if (get(options, "origin")) server.set_publish([this](std::string_view event) { published_.emplace_back(event); });
}

// ---- what is registered

static Resource described(const std::string &uri, const json_t *entry) {
    Resource resource(uri);
    resource.name = optional_string(get(entry, "name"));
    resource.title = optional_string(get(entry, "title"));
    resource.description = optional_string(get(entry, "description"));
    resource.mime_type = optional_string(get(entry, "mime_type"));
    if (const json_t *size = get(entry, "size")) resource.size = static_cast<std::uint64_t>(json_integer_value(size));
    resource.annotations = json_of(get(entry, "annotations"));
    resource.icons = json_of(get(entry, "icons"));
    resource.meta = json_of(get(entry, "meta"));
    resource.kind = optional_string(get(entry, "kind"));
    resource.version = optional_string(get(entry, "version"));
    resource.metadata = json_of(get(entry, "metadata"));
    resource.cache = hint_of(get(entry, "cache"));
    return resource;
}

// The name of a list, under which its items are kept and its calls noted.
static std::string list_name(const json_t *entry) {
    const json_t *uri_template = get(entry, "template");
    return optional_string(uri_template ? uri_template : get(entry, "list")).value_or("-");
}

static const json_t *pages_of(const json_t *entry) {
    const json_t *pages = get(entry, "pages");
    return pages ? pages : get(entry, "list");
}

void Host::add(const json_t *entry) {
    const auto [kind, what] = members(entry).front();
    const Resource resource = described(string_of(what), entry);
    if (kind == "text") server.add_text(resource, string_of(get(entry, "body")));
    else if (kind == "blob") server.add_blob(resource, bytes_of(get(entry, "base64")));
    else if (kind == "resource") server.add_resource(resource, provider(entry));
    else if (kind == "template") server.add_template(resource, provider(entry));
    else if (kind == "list") server.add_list(optional_string(what), provider(entry));
    else if (kind == "fallback") server.set_fallback(provider(entry));
    else if (kind == "method") {
        std::vector<std::string> revisions;
        for (const json_t *date : elements(get(entry, "revisions"))) revisions.push_back(string_of(date));
        server.add_method(
            string_of(what),
            [this, with = get(entry, "answer")](const Call &call, auto params, Method &r) { method(with, call, params, r); },
            revisions);
    } else if (kind == "tool" || kind == "prompt") {
        const auto add = kind == "tool" ? &wellhead::Server::add_tool : &wellhead::Server::add_prompt;
        (server.*add)(string_of(what), *json_of(get(entry, "members")),
                      [this, with = get(entry, "answer")](const Call &call, auto params, Method &r) {
                          method(with, call, params, r);
                      });
        for (const auto &[argument, completion] : members(get(entry, "complete")))
            server.complete_prompt(string_of(what), argument,
                                   [this, with = completion](const Call &call, auto variable, auto value, Complete &r) {
                                       complete(with, call, variable, value, r);
                                   });
    } else if (kind == "authorize")
        server.set_authorize([this, rule = what](const Call &, auto operation, auto uris, auto count, Authorize &r) {
            authorize(rule, operation, uris, count, r);
        });
    else if (kind == "interest")
        server.set_interest([this, rule = what](const Call &call, bool wanted, Interest &r) {
            interest(rule, call, wanted, r);
        });
    else throw Different("there is no entry " + kind);
}

Provider Host::provider(const json_t *entry) {
    Provider all;
    const json_t *pages = pages_of(entry);
    if (get(entry, "read") || get(entry, "fallback"))
        all.read = [this, entry](const Call &call, Read &r) { read(entry, call, r); };
    if (pages)
        all.list = [this, entry](const Call &call, auto after, std::size_t limit, List &r) {
            list(entry, call, after, limit, r);
        };
    if (const json_t *completions = get(entry, "complete")) {
        all.complete = [this, completions](const Call &call, auto variable, auto value, Complete &r) {
            complete(get(completions, std::string(variable).c_str()), call, variable, value, r);
        };
        for (const auto &[variable, values] : members(completions)) all.completed.push_back(variable);
    }
    if (const json_t *items = get(pages, "items")) listings_[list_name(entry)] = items;
    return all;
}

// ---- the callbacks

// `{v}` in a text stands for the value of the variable v.
static std::string filled(const Call &call, const json_t *value) {
    std::string whole = string_of(value);
    if (!call.capi()) return whole;
    for (std::size_t i = 0; const auto name = call.var_name(i); i++) {
        const std::string zero(*name), braced = "{" + zero + "}", by(call.var(zero.c_str()).value_or(""));
        for (std::size_t at = 0; (at = whole.find(braced, at)) != std::string::npos; at += by.size())
            whole.replace(at, braced.size(), by);
    }
    return whole;
}

static void add_part(Read &r, const Call &call, const json_t *part) {
    Contents about;
    if (const json_t *uri = get(part, "uri")) about.uri = filled(call, uri);
    about.mime_type = optional_string(get(part, "mime_type"));
    about.meta = json_of(get(part, "meta"));
    about.name = optional_string(get(part, "name"));
    about.title = optional_string(get(part, "title"));
    about.kind = optional_string(get(part, "kind"));
    if (const json_t *version = get(part, "version")) about.version = filled(call, version);
    about.metadata = json_of(get(part, "metadata"));
    about.cache = hint_of(get(part, "cache"));
    if (const json_t *base64 = get(part, "base64")) r.add_blob(bytes_of(base64), about);
    else r.add_text_owned(filled(call, get(part, "text")), about);
}

// Gives an ANSWER of the README, its texts filled with the variables of `call`, if there is one.
static void answer(Read &r, const Call &call, const json_t *with) {
    const std::string word = string_of(with);
    const json_t *times = get(with, "times");
    if (!with || word == "not_found") {
        r.not_found();
    } else if (word == "denied") {
        r.denied();
    } else if (const auto input = json_of(get(with, "asks"))) {
        r.needs_input(*input);
    } else if (word == "invalid_state") {
        r.invalid_state();
    } else if (word == "not_modified") {
        r.not_modified();
    } else if (word == "busy") {
        r.busy();
    } else if (const json_t *busy = get(with, "busy")) {
        r.busy(static_cast<std::uint64_t>(json_integer_value(busy)));
    } else if (word == "fail") {
        throw FAILURE;
    } else if (const json_t *parts = get(with, "parts")) {
        for (const json_t *part : elements(parts)) add_part(r, call, part);
        r.finish();
    } else if (const json_t *unit = get(with, "repeat")) {
        r.text_owned(repeated(string_of(unit), times));
    } else if (const json_t *bytes = get(with, "repeat_base64")) {
        r.blob_owned(repeated(bytes_of(bytes), times));
    } else if (json_object_size(with) > 1) { // it says something of the contents, too
        add_part(r, call, with);
        r.finish();
    } else if (const json_t *base64 = get(with, "base64")) {
        r.blob(bytes_of(base64));
    } else {
        r.text(filled(call, get(with, "text")));
    }
}

static void report(const Call &call, const json_t *progress) {
    const json_t *total = get(progress, "total");
    call.progress(json_number_value(get(progress, "progress")),
                  total ? std::optional(json_number_value(total)) : std::nullopt, optional_string(get(progress, "message")));
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
            r.needs_input("{\"requestState\":\"" + std::string(state.str()) + "\"}");
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

static void add_item(List &r, const json_t *item) {
    Resource resource = described(string_of(get(item, "uri")), item);
    resource.key = optional_string(get(item, "key"));
    r.add(resource);
}

void Host::list(const json_t *entry, const Call &call, std::optional<std::string_view> after, std::size_t limit, List &r) {
    const std::string name = list_name(entry);
    const json_t *pages = pages_of(entry);
    std::string line = "list " + name + " after=" + std::string(after.value_or("-")) + " limit=" + std::to_string(limit);
    if (const auto filter = call.filter()) line += " filter=" + std::string(*filter);
    calls_.push_back(line);
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

static void answer(Complete &r, const json_t *with) {
    if (json_is_string(with)) throw FAILURE;
    const json_t *total = get(with, "total");
    for (const json_t *value : elements(get(with, "values"))) r.add(string_of(value));
    for (json_int_t i = 0; i < json_integer_value(get(with, "count")); i++) r.add(std::to_string(i));
    r.finish(is_true(get(with, "more")), total ? std::optional(static_cast<std::uint64_t>(json_integer_value(total)))
                                               : std::nullopt);
}

void Host::complete(const json_t *with, const Call &call, std::string_view variable, std::string_view value, Complete &r) {
    std::string line = "complete " + std::string(call.uri()) + " " + std::string(variable) + "=" + std::string(value);
    for (std::size_t i = 0; const auto name = call.var_name(i); i++) {
        const std::string zero(*name);
        line += (i ? ";" : " with ") + zero + "=" + std::string(call.var(zero.c_str()).value_or(""));
    }
    calls_.push_back(line);
    if (const json_t *later = get(with, "hold")) held_.emplace(string_of(later), r.keep());
    else answer(r, with);
}

static void answer(Method &r, const json_t *with) {
    if (const auto result = json_of(get(with, "result"))) r.result(*result);
    else if (const auto input = json_of(get(with, "needs_input"))) r.needs_input(*input);
    else if (const auto lacking = json_of(get(with, "missing_capability"))) r.missing_capability(*lacking);
    else if (const json_t *error = get(with, "error"))
        r.error(static_cast<std::int32_t>(json_integer_value(get(error, "code"))), string_of(get(error, "message")),
                json_of(get(error, "data")));
    else throw FAILURE;
}

void Host::method(const json_t *with, const Call &call, std::string_view params, Method &r) {
    calls_.push_back("method " + std::string(call.method()) + " " + std::string(params));
    for (; const json_t *messages = get(with, "notify"); with = get(with, "then"))
        for (const json_t *message : elements(messages))
            r.notify(string_of(get(message, "method")), json_of(get(message, "params")));
    if (string_of(with) == "echo") {
        std::string echo = "{\"method\":\"" + std::string(call.method()) + "\",\"params\":" + std::string(params);
        if (const auto name = call.name())
            echo += ",\"name\":\"" + std::string(*name) + "\",\"arguments\":" + std::string(call.arguments());
        if (const auto client = call.client_capabilities()) echo += ",\"client\":" + std::string(*client);
        if (const auto level = call.log_level()) echo += ",\"level\":\"" + std::string(*level) + "\"";
        r.result(echo + "}");
    } else if (string_of(with) != "none") {
        go_on(r.keep(), with);
    }
}

// Answers a kept responder, now or later.
void Host::go_on(Method r, const json_t *with) {
    const json_t *then = get(with, "then");
    if (const json_t *messages = get(with, "notify")) {
        for (const json_t *message : elements(messages))
            r.notify(string_of(get(message, "method")), json_of(get(message, "params")));
        go_on(std::move(r), then);
    } else if (const json_t *reports = get(with, "progress")) {
        for (const json_t *one : elements(reports)) report(r.call(), one);
        go_on(std::move(r), then);
    } else if (get(with, "request")) {
        request(std::move(r), with);
    } else if (const json_t *later = get(with, "hold")) {
        held_.emplace(string_of(later), std::move(r));
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
        r.request(string_of(get(message, "method")), json_of(get(message, "params")),
                  [this, kept, then](std::uint32_t response, std::string_view json) {
                      const char *const words[] = {"", "error ", "given up"};
                      calls_.push_back("response " + std::string(words[response]) + std::string(json));
                      auto taken = std::exchange(*kept, std::nullopt);
                      if (taken && response != WELLHEAD_RESPONSE_GIVEN_UP) go_on(std::move(*taken), then);
                  });
    } catch (const wellhead::Error &error) {
        code = error.code();
    }
    if (code != refused.value_or("ok")) calls_.push_back("a request was answered by " + code);
    if (refused) go_on(std::move(r), then);
    else if (later) held_.emplace(*later, std::move(r));
    else *kept = std::move(r);
}

static bool lists(const json_t *uris, wellhead_str uri) {
    const auto all = elements(uris);
    return std::any_of(all.begin(), all.end(), [&](const json_t *one) { return string_of(one) == wellhead::view(uri); });
}

void Host::authorize(const json_t *rule, std::uint32_t operation, const wellhead_str *uris, std::size_t count,
                     Authorize &r) {
    static const char *const operations[] = {"", "list", "read", "subscribe", "complete", "list_tools",
                                             "call_tool", "list_prompts", "get_prompt"};
    std::string line = "authorize " + std::string(operations[operation]) + " ";
    for (std::size_t i = 0; i < count; i++) line += (i ? "," : "") + std::string(wellhead::view(uris[i]));
    calls_.push_back(line);
    if (const json_t *later = get(rule, "hold")) {
        held_.emplace(string_of(later), r.keep());
        return;
    }
    for (std::size_t i = 0; i < count; i++)
        if (!lists(get(rule, "deny"), uris[i]))
            r.set(i, lists(get(rule, "hide"), uris[i]) ? WELLHEAD_VERDICT_HIDE : WELLHEAD_VERDICT_ALLOW);
    r.finish();
}

void Host::interest(const json_t *rule, const Call &call, bool wanted, Interest &r) {
    calls_.push_back("interest " + std::string(call.uri()) + (wanted ? " true" : " false"));
    if (const json_t *later = get(rule, "hold")) held_.emplace(string_of(later), r.keep());
    else if (get(rule, "fail")) throw FAILURE;
    else r.done();
}

// ---- the steps

static void finish(Read &r, const json_t *with) {
    answer(r, Call(nullptr), with);
}

static void finish(Complete &r, const json_t *with) {
    answer(r, with);
}

static void finish(Method &r, const json_t *with) {
    answer(r, with);
}

static void finish(List &r, const json_t *with) {
    if (json_is_string(with)) throw FAILURE;
    for (const json_t *item : elements(get(with, "items"))) add_item(r, item);
    r.finish(is_true(get(with, "more")));
}

static void finish(Authorize &r, const json_t *with) {
    if (json_is_string(with)) throw FAILURE;
    std::size_t i = 0;
    for (const json_t *verdict : elements(get(with, "verdicts"))) {
        const std::string word = string_of(verdict);
        r.set(i++, word == "allow"  ? WELLHEAD_VERDICT_ALLOW
                   : word == "hide" ? WELLHEAD_VERDICT_HIDE
                                    : WELLHEAD_VERDICT_DENY);
    }
    r.finish();
}

static void finish(Interest &r, const json_t *with) {
    if (!is_true(get(with, "ok"))) throw FAILURE;
    r.done();
}

void Host::finish(const std::string &name, const json_t *with) {
    const auto found = held_.extract(name);
    if (found.empty()) throw Different("nothing is held as " + name);
    if (string_of(with) == "drop") return;
    std::visit(
        [with](auto &responder) {
            try {
                ::finish(responder, with);
            } catch (const std::runtime_error &failure) {
                responder.failed(failure.what());
            }
        },
        found.mapped());
}

void Host::expect_cancelled(const std::string &name, bool is) const {
    const auto found = held_.find(name);
    if (found == held_.end()) throw Different("nothing is held as " + name);
    const bool now = std::visit([](const auto &responder) { return responder.call().cancelled(); }, found->second);
    if (now != is) throw Different(now ? "it was cancelled" : "it was not cancelled");
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
        if (is && told != is_true(is)) throw Different(told ? "clients were told" : "nobody was told");
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

void Host::act(const std::string &verb, const json_t *step) {
    const json_t *what = get(step, verb.c_str());
    const std::string name = string_of(what);
    if (verb == "finish") finish(name, get(step, "with"));
    else if (verb == "cancelled") expect_cancelled(name, is_true(get(step, "is")));
    else if (verb == "calls") expect_calls(what);
    else if (verb == "log") expect_log(name);
    else if (verb == "set" && get(step, "text"))
        outcome(step, [&] { server.set_text(name, string_of(get(step, "text")), versioned(step)); });
    else if (verb == "set") outcome(step, [&] { server.set_blob(name, bytes_of(get(step, "base64")), versioned(step)); });
    else if (verb == "remove") outcome(step, [&] { server.remove(name); });
    else if (verb == "add") outcome(step, [&] { add(what); });
    else if (verb == "update" && get(step, "below"))
        outcome(step, [&] { server.updated_below(name, string_of(get(step, "below"))); });
    else if (verb == "update" && get(step, "as"))
        outcome(step, [&] { server.updated_as(described(name, get(step, "as"))); });
    else if (verb == "update") outcome(step, [&] { server.updated(name); });
    else if (verb == "access_changed") outcome(step, [&] { server.access_changed(name); });
    else if (verb == "list_changed") outcome(step, [&] { server.list_changed(); });
    else if (verb == "published") expect_published(what);
    else if (verb == "inject") inject(step);
    else if (verb == "remove_tool") outcome(step, [&] { server.remove_tool(name); });
    else if (verb == "remove_prompt") outcome(step, [&] { server.remove_prompt(name); });
    else if (verb == "progress") {
        const auto found = held_.find(name);
        if (found == held_.end()) throw Different("nothing is held as " + name);
        std::visit([&](const auto &responder) { report(responder.call(), get(step, "report")); }, found->second);
    } else if (verb == "announce") outcome(step, [&] { server.announce(name); });
    else if (verb == "notify") notify(step);
    else if (verb == "expand") outcome(step, [&] { expand(step); });
    else if (verb == "explain") {
        const wellhead::Text found = server.explain(name);
        if (found.str() != json_of(get(step, "is"))) throw Different("got " + std::string(found.str()));
    } else if (verb == "listing") listings_[name] = get(step, "items");
    else if (verb == "shutdown") server.close();
    else throw Different("there is no such step");
}
