// What is C++'s own: errors and exceptions, who owns a responder, callers, wakes, and what each method hands over. Behaviour
// is tested by the vectors.
#include "check.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <type_traits>
#include <unistd.h>
#include <vector>

using wellhead::Authorize, wellhead::Call, wellhead::Connection, wellhead::Error, wellhead::Interest, wellhead::List,
    wellhead::Method, wellhead::Read, wellhead::Server;

// Of leaks.cpp: a hundred thousand of each thing, for a library that is optimized.
void leaks();
// Of messages.cpp.
void messages();
// Of misuse.cpp.
void misuse();
// Of tools.cpp.
void tools();
// Of memory.cpp.
void memory();
void an_exception_that_reaches_the_library_ends_the_process();

static_assert(!std::is_copy_constructible_v<Server> && std::is_nothrow_move_constructible_v<Server>);
static_assert(!std::is_copy_constructible_v<Read> && std::is_nothrow_move_constructible_v<Read>);

static void an_error_has_its_text_its_status_and_the_word_for_it() {
    Server s = server();
    try {
        s.add_text("not a uri", "x");
        CHECK(false);
    } catch (const Error &error) {
        CHECK(error.status() == WELLHEAD_STATUS_INVALID_URI && error.code() == "invalid_uri");
        CHECK(has(error.what(), "not a uri"));
    }
}

static void the_error_for_a_refused_update_has_a_reason() {
    Server s = server();
    const auto thrown = [](const std::function<void()> &update) {
        try {
            update();
        } catch (const wellhead::Error &error) {
            return std::string(error.what());
        }
        return std::string("nothing");
    };
    CHECK(has(thrown([&s] { s.notify_updated("no uri"); }), "no uri"));
    CHECK(has(thrown([&s] { s.notify_sub_resource_updated("n:1", "no uri"); }), "no uri"));
    CHECK(has(thrown([&s] { s.notify_updated_with_resource(wellhead::Resource{"no uri"}); }), "no uri"));
    CHECK(has(thrown([&s] { s.notify_list_changed("n:1"); }), "n:1"));
    CHECK(has(thrown([&s] { s.inject("{}"); }), "not an event"));
    s.close();
    CHECK(has(thrown([&s] { s.notify_resource_list_changed(); }), "closed"));
    CHECK(has(thrown([&s] { s.access_changed("ann"); }), "closed"));
}

static void an_exception_of_a_callback_goes_to_the_log_and_not_to_the_client() {
    Server s = server();
    s.add_template("n:{id}", {[](const Call &call, Read &) {
                                  if (call.var("id") == "odd") throw 7;
                                  throw std::runtime_error("the disk is gone");
                              },
                              {}});
    Connection c(s);
    const std::string output = send_request(c, read_of("n:1"));
    CHECK(has(output, INTERNAL_ERROR) && !has(output, "disk"));
    CHECK(lines.size() == 1 && has(lines[0], "the disk is gone"));
    CHECK(has(send_request(c, read_of("n:odd")), INTERNAL_ERROR) && lines.size() == 2);
}

static void an_answer_given_before_the_exception_counts() {
    Server s = server();
    s.add_template("n:{id}", {[](const Call &, Read &r) {
                                  r.text("first");
                                  r.text("second");
                              },
                              {}});
    Connection c(s);
    CHECK(has(send_request(c, read_of("n:1")), "\"text\":\"first\""));
}

static void a_text_that_is_no_utf8_is_an_internal_error_and_throws() {
    Server s = server();
    std::string code;
    s.add_template("n:{id}", {[&code](const Call &, Read &r) {
                                  try {
                                      r.text("\xff");
                                  } catch (const Error &error) {
                                      code = error.code();
                                  }
                              },
                              {}});
    Connection c(s);
    CHECK(has(send_request(c, read_of("n:1")), INTERNAL_ERROR) && code == "invalid_utf8");
}

static void a_kept_responder_answers_later_and_one_that_is_dropped_is_an_internal_error() {
    Server s = server();
    std::vector<Read> kept;
    s.add_template("n:{id}", {[&kept](const Call &, Read &r) { kept.push_back(r.keep()); }, {}});
    Connection c(s);
    CHECK(send_request(c, read_of("n:1")).empty());
    std::thread([&kept] { kept.at(0).text(kept.at(0).call().uri()); }).join();
    CHECK(has(drained(c), "\"text\":\"n:1\""));
    CHECK(!kept.at(0).capi());
    CHECK(send_request(c, read_of("n:2")).empty());
    kept.clear();
    CHECK(has(drained(c), INTERNAL_ERROR));
}

static void an_exception_after_keep_leaves_the_answer_to_the_kept_responder() {
    Server s = server();
    std::optional<Read> kept;
    s.add_template("n:{id}", {[&kept](const Call &, Read &r) {
                                  kept = r.keep();
                                  throw std::runtime_error("too late");
                              },
                              {}});
    Connection c(s);
    CHECK(send_request(c, read_of("n:1")).empty());
    kept->text("still");
    CHECK(has(drained(c), "\"text\":\"still\""));
}

static void an_exception_that_destroys_a_kept_responder_goes_to_the_log() {
    Server s = server();
    s.add_template("n:{id}", {[](const Call &, Read &r) {
        const Read kept = r.keep();
        throw std::runtime_error("no thread is free");
    }, {}});
    s.add_template("m:{id}", {[](const Call &, Read &r) {
        try {
            const Read kept = r.keep();
            throw std::runtime_error("not seen");
        } catch (const std::exception &) {
        }
    }, {}});
    Connection c(s);
    CHECK(has(send_request(c, read_of("n:1")), INTERNAL_ERROR));
    CHECK(lines.size() == 1 && has(lines[0], "no thread is free"));
    CHECK(has(send_request(c, read_of("m:1")), INTERNAL_ERROR));
    CHECK(lines.size() == 2);
}

static void owned_bodies_are_released() {
    Server s = server();
    s.add_template("n:{id}", {[](const Call &, Read &r) {
                                  r.add_text_owned(std::string(100000, 'a'));
                                  r.add_blob_owned(std::string(100000, 'b'), {"n:part", {}, {}});
                                  r.finish();
                              },
                              {}});
    Connection c(s);
    CHECK(send_request(c, read_of("n:1")).size() > 230000); // the sanitizer tells whether it was
}

static void the_caller_of_a_connection_reaches_callbacks() {
    Server s = server();
    auto name = std::make_shared<std::string>("Ada");
    const std::weak_ptr<std::string> watched = name;
    s.add_template("n:{id}", {[](const Call &call, Read &r) {
                                  CHECK(call.caller_id() == "ada" && call.revision() == "2026-07-28");
                                  r.text(*call.caller<std::string>());
                              },
                              {}});
    {
        Connection c(s, {{}, std::move(name), "ada"});
        CHECK(has(send_request(c, read_of("n:1")), "\"text\":\"Ada\""));
        CHECK(!watched.expired());
    }
    CHECK(watched.expired());
}

static void an_exception_in_an_authorizer_denies_access() {
    Server s = server();
    s.add_text("n:1", "x");
    s.set_authorize([](const Call &, std::uint32_t, const wellhead_str *, std::size_t, Authorize &) {
        throw std::runtime_error("no directory server");
    });
    Connection c(s);
    CHECK(has(send_request(c, read_of("n:1")), INTERNAL_ERROR));
    CHECK(lines.size() == 1 && has(lines[0], "no directory server"));
}

static void wake_is_called_and_ends_with_its_connection() {
    Server s = server();
    int woken = 0;
    const auto alive = std::make_shared<int>(0);
    std::optional<Read> kept;
    s.add_template("n:{id}", {[&kept](const Call &, Read &r) { kept = r.keep(); }, {}});
    {
        Connection c(s, {[&woken, alive] { woken++; }, {}, {}});
        send_request(c, read_of("n:1"));
        const int before = woken;
        kept->text("x");
        CHECK(woken == before + 1 && alive.use_count() == 2);
    }
    CHECK(alive.use_count() == 1);
}

static void handles_are_destroyed_in_callbacks_that_they_run() {
    std::optional<Connection> c;
    std::optional<wellhead::TestClient> client;
    Server s = server();
    s.add_template("n:{id}", {[&](const Call &call, Read &r) {
        c.reset();
        client.reset();
        r.text(call.uri());
    }, {}});
    const auto alive = std::make_shared<int>(0);
    c.emplace(s, wellhead::ConnectionOptions{[alive] {}, {}, {}});
    CHECK(c->receive(read_of("n:1")) > 0 && c->poll_event(SIZE_MAX) == 1);
    CHECK(!c && alive.use_count() == 1);
    client.emplace(s);
    try {
        client->read("n:1");
        CHECK(false);
    } catch (const Error &error) {
        CHECK(error.code() == "closed" && !client);
    }
}

static void a_connection_is_destroyed_in_its_wake() {
    Server s = server();
    std::optional<Read> kept;
    std::optional<Connection> c;
    bool armed = false;
    s.add_template("n:{id}", {[&kept](const Call &, Read &r) { kept = r.keep(); }, {}});
    const auto alive = std::make_shared<int>(0);
    c.emplace(s, wellhead::ConnectionOptions{[&c, &armed, alive] {
        if (armed) c.reset();
        CHECK(alive.use_count() == 2);
    }, {}, {}});
    send_request(*c, read_of("n:1"));
    armed = true;
    kept->text("x");
    CHECK(!c && alive.use_count() == 1);
}

static void a_client_in_memory_lists_reads_and_gets_changes() {
    Server s = server();
    s.add_text("n:1", "one");
    wellhead::TestClient client(s);
    CHECK(client.list() == std::vector<std::string>{"n:1"} && client.read("n:1") == "one");
    CHECK(client.request("ping") == "{}" && client.list_changes() == 0);
    client.subscribe("n:1");
    s.set_text("n:1", "two");
    CHECK(client.next_update() == "n:1");
    try {
        client.read("n:9");
        CHECK(false);
    } catch (const Error &error) {
        CHECK(error.code() == "response" && has(error.what(), "not found"));
    }
}

static void a_client_in_memory_has_a_version_and_a_caller_and_calls_tools() {
    Server s = server();
    s.add_text("n:1", "one");
    s.add_template("n:{id}", {[](const Call &, Read &r) { r.not_found(); }, {}});
    s.add_tool("t", "{}", {[](const Call &call, std::string_view, Method &m) {
        m.result(std::string(R"({"content":[{"type":"text","text":")") + *call.caller<std::string>() + "\"}]}");
    }});
    s.add_prompt("p", "{}", {[](const Call &call, std::string_view, Method &m) {
        m.result(std::string(R"({"messages":[],"description":")") + std::string(call.revision()) + "\"}");
    }});
    s.complete_prompt("p", "a", [](const Call &, std::string_view, std::string_view value, wellhead::Complete &c) {
        c.add(value);
        c.finish();
    });
    wellhead::TestClient client(s, {"2026-07-28", R"({"sampling":{}})", std::make_shared<std::string>("ann"), "ann"});
    CHECK(client.templates() == std::vector<std::string>{"n:{id}"});
    CHECK(has(client.call_tool("t"), "ann") && has(client.get_prompt("p", "{}"), "2026-07-28"));
    CHECK(client.complete("p", "a", "x") == std::vector<std::string>{"x"});
    client.subscribe("n:1");
    client.unsubscribe("n:1");
}

static void an_error_of_a_tool_reaches_the_model() {
    Server s = server();
    s.add_tool("throws", "{}", [](const Call &, std::string_view, Method &) { throw wellhead::ToolError("try b"); });
    s.add_tool("keeps", "{}", [](const Call &, std::string_view, Method &m) {
        const Method kept = m.keep();
        throw wellhead::ToolError("try c");
    });
    s.add_resource("n:1", {[](const Call &, Read &) { throw wellhead::ToolError("no tool"); }, {}});
    wellhead::TestClient client(s);
    CHECK(client.call_tool("throws") == R"({"content":[{"type":"text","text":"try b"}],"isError":true})");
    CHECK(client.call_tool("keeps") == R"({"content":[{"type":"text","text":"try c"}],"isError":true})");
    CHECK(lines.empty());
    try {
        client.read("n:1");
        CHECK(false);
    } catch (const Error &) {
        CHECK(lines.size() == 1 && has(lines[0], "no tool"));
    }
}

static void a_client_in_memory_answers_requests_of_the_server() {
    Server s = server();
    s.add_resource("n:1", {[](const Call &call, Read &r) {
                               if (const auto responses = call.input_responses()) return r.text(*responses);
                               r.input_required(R"({"inputRequests":{"k":{"method":"elicitation/create","params":{"message":"Who?",)"
                                             R"("requestedSchema":{"type":"object","properties":{}}}}}})");
                           },
                           {}});
    int asked = 0;
    wellhead::TestOptions options;
    options.revision = "2026-07-28";
    options.capabilities = R"({"elicitation":{}})";
    options.on_request = [&asked](std::string_view method, std::string_view params, wellhead::TestRequest &request) {
        CHECK(method == "elicitation/create" && has(std::string(params), "Who?"));
        if (++asked == 1) request.result(R"({"action":"accept"})");
        if (asked == 2) request.error(7, "not now", R"({"d":1})");
        if (asked == 3) throw std::runtime_error("no answer at all");
    };
    wellhead::TestClient client(s, std::move(options));
    CHECK(client.read("n:1") == R"({"k":{"action":"accept"}})");
    for (int i = 0; i < 2; i++) {
        try {
            client.read("n:1");
            CHECK(false);
        } catch (const Error &error) {
            CHECK(error.code() == "response" && has(error.what(), "the client refused the input"));
        }
    }
    CHECK(asked == 3);
}

static void a_uri_that_the_provider_does_not_know_has_no_subscribers() {
    Server s = server();
    wellhead::Provider provider;
    provider.read = [](const Call &call, Read &r) { r.text(call.uri()); };
    provider.exists = [](std::string_view uri) {
        if (uri == "n:odd") throw std::runtime_error("cannot tell");
        return uri == "n:1";
    };
    s.add_template("n:{id}", std::move(provider));
    wellhead::TestClient client(s);
    client.subscribe("n:1");
    client.subscribe("n:odd");
    try {
        client.subscribe("n:2");
        CHECK(false);
    } catch (const Error &error) {
        CHECK(error.code() == "response");
    }
}

static void handles_move_and_can_be_given_away() {
    Server s = server(), t = std::move(s);
    CHECK(!s && t);
    t.add_text("n:1", "x");
    wellhead_server *raw = t.capi_release();
    CHECK(raw && !t);
    wellhead_server_free(raw);
}

static void one_message_is_handled_apart_from_other_output() {
    Server s = server();
    s.add_text("n:1", "one");
    Connection c(s);
    const auto answer = c.handle(read_of("n:1"), 0);
    CHECK(has(std::string(answer.bytes()), "\"text\":\"one\"") && drained(c).empty());
    c.close();
    CHECK(code_of([&c] { c.handle(read_of("n:1"), 0); }) == "closed");
}

static void a_handled_message_that_no_callback_answers_in_time_is_an_internal_error() {
    Server s = server();
    std::optional<Read> kept;
    s.add_template("n:{id}", {[&kept](const Call &, Read &r) { kept = r.keep(); }, {}});
    Connection c(s);
    CHECK(has(std::string(c.handle(read_of("n:1"), 1).bytes()), INTERNAL_ERROR));
    CHECK(kept->call().cancelled());
}

static void a_tick_ends_a_call_at_the_time_of_poll_timeout() {
    wellhead::ServerOptions options;
    options.limits.call_ms = 500;
    options.log = [](std::uint32_t, std::string_view) {};
    Server s("s", "1", std::move(options));
    std::optional<Read> kept;
    s.add_template("n:{id}", {[&kept](const Call &, Read &r) { kept = r.keep(); }, {}});
    Connection c(s);
    CHECK(c.poll_timeout() == UINT64_MAX);
    CHECK(send_request(c, read_of("n:1")).empty() && c.poll_timeout() == 500);
    c.tick(499);
    CHECK(drained(c).empty());
    c.tick(500);
    CHECK(has(drained(c), INTERNAL_ERROR) && c.poll_timeout() == UINT64_MAX);
}

static void calls_are_observed_and_counted_even_if_the_observer_throws() {
    std::vector<std::string> seen;
    wellhead::ServerOptions options;
    options.observe = [&seen](const wellhead_observed &observed) {
        const auto outcome = wellhead::optional_view(observed.outcome).value_or("begins");
        seen.push_back(std::string(wellhead::view(observed.registered_as)) + " " + std::string(outcome));
        throw std::runtime_error("no disk for metrics");
    };
    Server s("s", "1", std::move(options));
    s.add_template("n:{id}", {[](const Call &call, Read &r) { r.text(call.uri()); }, {}});
    CHECK(s.counters().connections == 0);
    {
        Connection c(s);
        CHECK(has(send_request(c, read_of("n:1")), "\"text\":\"n:1\""));
        CHECK(s.counters().connections_open == 1);
    }
    CHECK((seen == std::vector<std::string>{"n:{id} begins", "n:{id} found"}));
    const wellhead_counters counted = s.counters();
    CHECK(counted.connections == 1 && counted.connections_open == 0);
    CHECK(counted.calls == 1 && counted.calls_answered == 1 && counted.calls_failed == 0);
}

static void the_values_of_a_list_are_read_by_their_index() {
    Server s = server();
    std::vector<std::string> values;
    s.add_template("n:{/ids*}", {[&values](const Call &call, Read &r) {
                                     for (std::size_t i = 0; const auto value = call.var_at("ids", i); i++)
                                         values.emplace_back(*value);
                                     CHECK(!call.var_at("others", 0));
                                     r.not_found();
                                 },
                                 {}});
    Connection c(s);
    send_request(c, read_of("n:/a/b%20c"));
    CHECK((values == std::vector<std::string>{"a", "b c"}));
}

static void a_folder_is_served_by_its_patterns() {
    namespace fs = std::filesystem;
    std::string made = (fs::temp_directory_path() / "wellhead-cpp-XXXXXX").string();
    if (!mkdtemp(made.data())) throw std::runtime_error("no folder for temporary files");
    const fs::path folder = fs::canonical(made);
    for (const char *name : {"a.md", "b.md", "c.txt"}) std::ofstream(folder / name) << "in " << name;
    Server s = server();
    wellhead::Directory directory(folder.string());
    directory.include = {"*.md"};
    directory.exclude = {"b.md"};
    s.add_directory(directory);
    CHECK(code_of([&] { s.add_directory(directory); }) == "duplicate");
    wellhead::TestClient client(s);
    const std::string uri = "file://" + folder.string() + "/";
    CHECK(client.read(uri + "a.md") == "in a.md");
    for (const char *name : {"b.md", "c.txt"}) CHECK(code_of([&] { client.read(uri + name); }) == "response");
    fs::remove_all(folder);
    CHECK(code_of([&] { s.add_directory(directory); }) == "io");
}

// row: SK-51
static void a_change_of_a_skill_reaches_its_subscribers() {
    namespace fs = std::filesystem;
    std::string made = (fs::temp_directory_path() / "wellhead-cpp-XXXXXX").string();
    if (!mkdtemp(made.data())) throw std::runtime_error("no folder for temporary files");
    const fs::path folder = fs::canonical(made), skill = folder / "pdf" / "SKILL.md";
    fs::create_directory(folder / "pdf");
    std::ofstream(skill) << "---\nname: pdf\ndescription: Reads PDF.\n---\n";
    Server s = server();
    wellhead::Skills skills(folder.string());
    skills.settle_ms = 1;
    s.add_skills(skills);
    wellhead::TestClient client(s);
    client.subscribe("skill://pdf/SKILL.md");
    std::ofstream(skill, std::ios::app) << "More.";
    CHECK(client.next_update() == "skill://pdf/SKILL.md");
    fs::remove_all(folder);
}

static void a_request_to_the_client_is_cancelled_once() {
    Server s = server();
    std::optional<Method> kept;
    std::vector<std::uint32_t> responses;
    std::uint64_t number = 0;
    s.add_method("x/roots", [&](const Call &, std::string_view, Method &r) {
        kept = r.keep();
        number = kept->send_request("roots/list", {}, [&](std::uint32_t response, std::string_view) {
            responses.push_back(response);
        });
    });
    Connection c(s);
    send_request(c, R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
           R"("capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}})" "\n"
           R"({"jsonrpc":"2.0","method":"notifications/initialized"})" "\n");
    CHECK(has(send_request(c, R"({"jsonrpc":"2.0","id":2,"method":"x/roots"})" "\n"), "\"method\":\"roots/list\""));
    CHECK(kept->cancel_request(number) && !kept->cancel_request(number));
    CHECK(has(drained(c), "\"method\":\"notifications/cancelled\""));
    CHECK(responses == std::vector<std::uint32_t>{WELLHEAD_RESPONSE_GIVEN_UP});
    kept->result(R"({"roots":"unknown"})");
    CHECK(has(drained(c), R"("roots":"unknown")"));
}

// How many checks fail there. What is thrown ends the child, which the parent sees.
static int in_child(Server &s, Connection &before) noexcept {
    s.after_fork();
    CHECK(code_of([&before] { before.receive("x"); }) == "forked");
    Connection after(s);
    CHECK(has(send_request(after, read_of("n:1")), "\"text\":\"one\""));
    std::fflush(stdout);
    return failures;
}

static void after_fork_the_child_serves_new_connections_and_the_parent_its_own() {
    Server s = server();
    s.add_text("n:1", "one");
    Connection c(s);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(in_child(s, c));
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(has(send_request(c, read_of("n:1")), "\"text\":\"one\""));
}

static void the_library_is_the_one_of_the_header() {
    CHECK(wellhead::version() == WELLHEAD_VERSION && wellhead::abi_version() == WELLHEAD_ABI_VERSION);
}

static void test_all() {
    // First, while there is one thread: what others hold is lost in a child, which memcheck reports.
    RUN(after_fork_the_child_serves_new_connections_and_the_parent_its_own);
    RUN(an_exception_that_reaches_the_library_ends_the_process);
    RUN(an_error_has_its_text_its_status_and_the_word_for_it);
    RUN(the_error_for_a_refused_update_has_a_reason);
    RUN(an_exception_of_a_callback_goes_to_the_log_and_not_to_the_client);
    RUN(an_answer_given_before_the_exception_counts);
    RUN(a_text_that_is_no_utf8_is_an_internal_error_and_throws);
    RUN(a_kept_responder_answers_later_and_one_that_is_dropped_is_an_internal_error);
    RUN(an_exception_after_keep_leaves_the_answer_to_the_kept_responder);
    RUN(an_exception_that_destroys_a_kept_responder_goes_to_the_log);
    misuse();
    messages();
    tools();
    memory();
    RUN(owned_bodies_are_released);
    RUN(the_caller_of_a_connection_reaches_callbacks);
    RUN(an_exception_in_an_authorizer_denies_access);
    RUN(wake_is_called_and_ends_with_its_connection);
    RUN(handles_are_destroyed_in_callbacks_that_they_run);
    RUN(a_connection_is_destroyed_in_its_wake);
    RUN(a_client_in_memory_lists_reads_and_gets_changes);
    RUN(a_client_in_memory_has_a_version_and_a_caller_and_calls_tools);
    RUN(an_error_of_a_tool_reaches_the_model);
    RUN(a_client_in_memory_answers_requests_of_the_server);
    RUN(a_uri_that_the_provider_does_not_know_has_no_subscribers);
    RUN(handles_move_and_can_be_given_away);
    RUN(one_message_is_handled_apart_from_other_output);
    RUN(a_handled_message_that_no_callback_answers_in_time_is_an_internal_error);
    RUN(a_tick_ends_a_call_at_the_time_of_poll_timeout);
    RUN(calls_are_observed_and_counted_even_if_the_observer_throws);
    RUN(the_values_of_a_list_are_read_by_their_index);
    RUN(a_folder_is_served_by_its_patterns);
    RUN(a_change_of_a_skill_reaches_its_subscribers);
    RUN(a_request_to_the_client_is_cancelled_once);
    RUN(the_library_is_the_one_of_the_header);
}

static int tests(int argc, char **argv) {
    if (argc > 1 && std::string_view(argv[1]) == "leaks") leaks();
    else test_all();
    std::printf("tests of C++: %d passed, %d failed\n", passed, failed);
    return failed != 0;
}

int main(int argc, char **argv) {
    return deadline_run(argc, argv, tests);
}
