#include "answers.hpp"

#include "options.hpp"

using wellhead::Authorize, wellhead::Call, wellhead::Complete, wellhead::Contents, wellhead::Interest, wellhead::List,
    wellhead::Method, wellhead::Read, wellhead::Resource;

std::string filled(const Call &call, const json_t *value) {
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
    describe(about, part);
    if (const json_t *version = get(part, "version")) about.version = filled(call, version);
    if (const json_t *base64 = get(part, "base64")) r.add_blob(bytes_of(base64), about);
    else r.add_text_owned(filled(call, get(part, "text")), about);
}

void answer(Read &r, const Call &call, const json_t *with) {
    const std::string word = string_of(with);
    const json_t *times = get(with, "times");
    if (!with || word == "not_found") {
        r.not_found();
    } else if (word == "denied") {
        r.denied();
    } else if (const auto input = json_of(get(with, "asks"))) {
        r.input_required(*input);
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

void report(const Call &call, const json_t *progress) {
    const json_t *total = get(progress, "total");
    call.progress(json_number_value(get(progress, "progress")),
                  total ? std::optional(json_number_value(total)) : std::nullopt, optional_string(get(progress, "message")));
}

void answer(Complete &r, const json_t *with) {
    if (json_is_string(with)) throw FAILURE;
    const json_t *total = get(with, "total");
    for (const json_t *value : elements(get(with, "values"))) r.add(string_of(value));
    for (json_int_t i = 0; i < json_integer_value(get(with, "count")); i++) r.add(std::to_string(i));
    r.finish(is_true(get(with, "more")), total ? std::optional(static_cast<std::uint64_t>(json_integer_value(total)))
                                               : std::nullopt);
}

void answer(Method &r, const json_t *with) {
    if (const auto result = json_of(get(with, "result"))) r.result(*result);
    else if (const auto input = json_of(get(with, "input_required"))) r.input_required(*input);
    else if (const auto lacking = json_of(get(with, "missing_capability"))) r.missing_capability(*lacking);
    else if (const auto refusal = optional_string(get(with, "tool_error"))) r.tool_error(*refusal);
    else if (const json_t *error = get(with, "error"))
        r.error(static_cast<std::int32_t>(json_integer_value(get(error, "code"))), string_of(get(error, "message")),
                json_of(get(error, "data")));
    else throw FAILURE;
}

void add_item(List &r, const json_t *item) {
    if (get(item, "frontmatter")) return r.add_skill(*json_of(item));
    Resource resource = described(string_of(get(item, "uri")), item);
    resource.key = optional_string(get(item, "key"));
    r.add(resource);
}

void answer(Read &r, const json_t *with) {
    answer(r, Call(nullptr), with);
}

void answer(List &r, const json_t *with) {
    if (json_is_string(with)) throw FAILURE;
    for (const json_t *item : elements(get(with, "items"))) add_item(r, item);
    r.finish(is_true(get(with, "more")));
}

void answer(Authorize &r, const json_t *with) {
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

void answer(Interest &r, const json_t *with) {
    if (!is_true(get(with, "ok"))) throw FAILURE;
    r.done();
}

void answer(wellhead::Verify &r, const json_t *with) {
    const json_t *insufficient = get(with, "insufficient_scope"), *ms = get(with, "expires_in_ms");
    if (insufficient) {
        r.insufficient_scope(strings_of(insufficient));
    } else if (json_is_object(with)) {
        wellhead::Grant grant(string_of(get(with, "caller")));
        grant.audience = strings_of(get(with, "audience"));
        grant.scopes = strings_of(get(with, "scopes"));
        if (ms) grant.expires_in_ms = static_cast<std::uint64_t>(json_integer_value(ms));
        r.granted(std::move(grant));
    } else if (string_of(with) == "fail") {
        throw FAILURE;
    } else {
        r.refused();
    }
}
