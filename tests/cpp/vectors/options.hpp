// The library's values, as a script describes them.
#ifndef OPTIONS_HPP
#define OPTIONS_HPP

#include "script.hpp"

#include <wellhead.hpp>

wellhead::ServerOptions options_of(const json_t *options, wellhead::LogCallback log);
// A HINT of the README, if there is one.
std::optional<wellhead::Cache> hint_of(const json_t *hint);
// Sets the fields that a Resource and Contents have in common.
template <class T> void describe(T &about, const json_t *said) {
    about.name = optional_string(get(said, "name"));
    about.title = optional_string(get(said, "title"));
    about.mime_type = optional_string(get(said, "mime_type"));
    about.kind = optional_string(get(said, "kind"));
    about.meta = json_of(get(said, "meta"));
    about.metadata = json_of(get(said, "metadata"));
    about.cache = hint_of(get(said, "cache"));
}
// A resource or a template, with the descriptor of an entry.
wellhead::Resource described(const std::string &uri, const json_t *entry);

#endif
