// The application of a script: the catalogue, the callbacks, and what the script does to the server.
#ifndef HOST_HPP
#define HOST_HPP

#include "script.hpp"

#include <wellhead.hpp>

#include <map>
#include <string>
#include <variant>
#include <vector>

// A difference between what a step expects and what came.
struct Different : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// An answer that a `finish` step gives.
using Held = std::variant<wellhead::Read, wellhead::List, wellhead::Complete, wellhead::Method, wellhead::Authorize,
                          wellhead::Interest, wellhead::Verify>;

class Host {
public:
    explicit Host(const json_t *options);
    ~Host();

    void add(const json_t *entry);
    // Returns the options of an endpoint that verifies tokens as the script says.
    wellhead::EndpointOptions endpoint_options(const json_t *script);
    // Says whether something is held under a name.
    bool holds(const std::string &name) const { return held_.count(name) != 0; }
    // Carries out a step that concerns the server or its callbacks.
    void act(const std::string &verb, const json_t *step);

    wellhead::Server server;

private:
    void add_skills(const json_t *entry);
    wellhead::Provider provider(const json_t *entry);
    void read(const json_t *entry, const wellhead::Call &call, wellhead::Read &r);
    void list(const std::string &name, const json_t *pages, const wellhead::Call &call,
              std::optional<std::string_view> after, std::size_t limit, wellhead::List &r);
    void complete(const json_t *with, const wellhead::Call &call, std::string_view variable, std::string_view value,
                  wellhead::Complete &r);
    void method(const json_t *with, const wellhead::Call &call, std::string_view params, wellhead::Method &r);
    void authorize(const json_t *rule, const wellhead::Call &call, std::uint32_t operation, const wellhead_str *uris,
                   std::size_t count, wellhead::Authorize &r);
    void around(const json_t *entry, const wellhead::Call &call, wellhead::Next &next);
    void interest(const json_t *rule, const wellhead::Call &call, bool wanted, wellhead::Interest &r);
    void verify(const json_t *tokens, std::string_view token, wellhead::Verify &r);
    void finish(const std::string &name, const json_t *with);
    // Of what is held under a name.
    wellhead::Call held_call(const std::string &name) const;
    void expect_published(const json_t *events);
    void inject(const json_t *step);
    void expect_calls(const json_t *calls);
    void expect_log(const std::string &line);
    void proceed(wellhead::Method r, const json_t *with);
    template <class R> const json_t *client_requests(R &r, const json_t *with);
    void request(wellhead::Method r, const json_t *with);
    void notify(const json_t *step);
    static void say_in_session(const wellhead::Session &session, const json_t *step);
    static void expand(const json_t *step);

    std::vector<std::string> calls_, lines_, published_; // since the last step that asked
    std::vector<std::string> folders_;                   // that entries made
    std::map<std::string, const json_t *> listings_;
    std::map<std::string, wellhead::Session> sessions_;
    std::map<std::string, Held> held_;
};

#endif
