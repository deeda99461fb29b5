// Scripts: their JSON, and their messages as the runner in C has them.
#ifndef SCRIPT_HPP
#define SCRIPT_HPP

extern "C" {
#include "../../c/vectors/message.h"
#include "../../c/vectors/text.h"
}

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct JsonEnd {
    void operator()(json_t *value) const noexcept { json_decref(value); }
};
using Json = std::unique_ptr<json_t, JsonEnd>;

inline const json_t *get(const json_t *object, const char *name) {
    return json_object_get(object, name);
}

inline bool is_true(const json_t *value) {
    return json_is_true(value);
}

inline std::string string_of(const json_t *value) {
    const char *bytes = json_string_value(value);
    return bytes ? std::string(bytes, json_string_length(value)) : std::string();
}

inline std::optional<std::string> optional_string(const json_t *value) {
    return json_is_string(value) ? std::optional(string_of(value)) : std::nullopt;
}

// The elements of an array.
inline std::vector<const json_t *> elements(const json_t *array) {
    std::vector<const json_t *> all;
    for (std::size_t i = 0; i < json_array_size(array); i++) all.push_back(json_array_get(array, i));
    return all;
}

// The strings of an array.
inline std::vector<std::string> strings_of(const json_t *array) {
    std::vector<std::string> all;
    for (const json_t *one : elements(array)) all.push_back(string_of(one));
    return all;
}

inline bool lists(const json_t *uris, std::string_view uri) {
    const auto all = elements(uris);
    return std::any_of(all.begin(), all.end(), [uri](const json_t *one) { return string_of(one) == uri; });
}

// The members of an object, in their order.
inline std::vector<std::pair<std::string, const json_t *>> members(const json_t *object) {
    std::vector<std::pair<std::string, const json_t *>> all;
    auto *mutable_object = const_cast<json_t *>(object); // jansson's iterators can also write
    for (void *at = json_object_iter(mutable_object); at; at = json_object_iter_next(mutable_object, at))
        all.emplace_back(json_object_iter_key(at), json_object_iter_value(at));
    return all;
}

// Returns the contents of a growable text of C, and frees it.
inline std::string taken(text made) {
    std::string whole(made.at ? made.at : "", made.len);
    text_free(&made);
    return whole;
}

// The JSON of a value, compact; absent if there is none.
inline std::optional<std::string> json_of(const json_t *value) {
    return value ? std::optional(taken(text_of_json(value))) : std::nullopt;
}

inline std::string bytes_of(const json_t *base64) {
    return taken(text_of_base64(base64));
}

inline std::string repeated(const std::string &unit, const json_t *times) {
    return taken(text_repeated(unit.data(), unit.size(), static_cast<std::size_t>(json_integer_value(times))));
}

#endif
