// The library's values, as a script describes them.
#ifndef OPTIONS_HPP
#define OPTIONS_HPP

#include "script.hpp"

#include <wellhead.hpp>

wellhead::ServerOptions options_of(const json_t *options, wellhead::LogCallback log);
// A HINT of the README, if there is one.
std::optional<wellhead::Cache> hint_of(const json_t *hint);
// A resource or a template, with the descriptor of an entry.
wellhead::Resource described(const std::string &uri, const json_t *entry);

#endif
