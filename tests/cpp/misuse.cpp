// Mistakes with the handles and callbacks of wellhead.hpp, which C++ refuses or makes harmless.
#include "check.hpp"

#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using wellhead::Call, wellhead::Method, wellhead::Read;

static void a_responder_that_is_moved_out_of_its_callback_is_kept() {
    Server s = server();
    std::optional<Read> made;
    Read assigned(nullptr);
    s.add_template("n:{id}", {[&made](const Call &, Read &r) { made.emplace(std::move(r)); }, {}});
    s.add_template("m:{id}", {[&assigned](const Call &, Read &r) { assigned = std::move(r); }, {}});
    Connection c(s);
    CHECK(send_request(c, read_of("n:1")).empty());
    made->text("later");
    CHECK(has(drained(c), "\"text\":\"later\""));
    CHECK(send_request(c, read_of("m:1")).empty());
    assigned.text("later, too");
    CHECK(has(drained(c), "\"text\":\"later, too\""));
    CHECK(send_request(c, read_of("m:2")).empty());
    assigned = Read(nullptr);
    CHECK(has(drained(c), INTERNAL_ERROR));
}

// Fails a kept responder in the way that its call names, and destroys it.
template <class R> static void fail_as(std::string_view way, R responder) {
    const wellhead::ClientRequestError unanswered(WELLHEAD_RESPONSE_WAITING, {});
    if (way == "why") responder.fail("the disk is gone");
    if (way == "tool_error") responder.fail(wellhead::ToolError("try b"));
    if (way == "client_request_error") responder.fail(unanswered);
    CHECK(!responder.capi());
    responder.fail("again"); // of a call that was answered already: no effect
}

static void a_kept_responder_that_fails_is_consumed() {
    Server s = server();
    s.add_template("n:{way}", {[](const Call &call, Read &r) { fail_as(call.var("way").value(), r.keep()); }, {}});
    s.add_method("x/fail", [](const Call &call, std::string_view, Method &r) {
        fail_as(call.arguments().text("way").value(), r.keep());
    });
    Connection c(s);
    for (const std::string way : {"why", "tool_error", "client_request_error"}) {
        CHECK(has(send_request(c, read_of("n:" + way)), "\"error\":"));
        const auto params = R"({"arguments":{"way":")" + way + R"("}})";
        CHECK(code_of([&] { wellhead::TestClient(s).request("x/fail", params); }) == "response");
    }
    CHECK(lines.size() == 5 && has(lines[0], "the disk is gone") && has(lines[1], "the disk is gone"));
}

// As a worker does that was given the responder, after the callback returned.
static void a_kept_responder_fails_on_another_thread() {
    Server s = server();
    std::optional<Read> kept;
    s.add_template("n:{id}", {[&kept](const Call &, Read &r) { kept.emplace(r.keep()); }, {}});
    Connection c(s);
    CHECK(send_request(c, read_of("n:1")).empty());
    std::thread([&kept] {
        kept->fail("the worker failed");
        kept.reset();
    }).join();
    CHECK(has(drained(c), INTERNAL_ERROR) && lines.size() == 1 && has(lines[0], "the worker failed"));
}

static void an_empty_function_is_refused() {
    Server s = server();
    const std::string refused = "invalid_argument";
    CHECK(code_of([&s] { s.set_authorize(nullptr); }) == refused);
    CHECK(code_of([&s] { s.set_interest(nullptr); }) == refused);
    CHECK(code_of([&s] { s.set_publish(nullptr); }) == refused);
    CHECK(code_of([&s] { s.add_method("x/y", nullptr); }) == refused);
    CHECK(code_of([&s] { s.add_tool("t", "{}", wellhead::MethodCallback()); }) == refused);
    CHECK(code_of([&s] { s.add_prompt("p", "{}", wellhead::MethodCallback()); }) == refused);
    CHECK(code_of([&s] { s.add_template("n:{id}", {}); }) == refused);
    CHECK(code_of([&s] { s.add_tool("t", "{}", std::function<std::string(const Call &)>()); }) == refused);
    CHECK(code_of([&s] { s.add_tool("t", "{}", wellhead::Callback<std::string(const Call &)>()); }) == refused);
    s.add_prompt("p", R"({"arguments":[{"name":"a"}]})", [](const Call &, std::string_view, Method &r) { r.result("{}"); });
    CHECK(code_of([&s] { s.complete_prompt("p", "a", nullptr); }) == refused);
    std::string code;
    s.add_method("x/z", [&code](const Call &, std::string_view, Method &r) {
        code = code_of([&r] { r.send_request("roots/list", {}, nullptr); });
        r.result("{}");
    });
    wellhead::TestClient(s).request("x/z");
    CHECK(code == refused);
}

static void an_exception_after_a_call_withholds_its_answer() {
    Server s = server();
    s.add_tool("t", "{}", [](const Call &) { return "a secret"; });
    s.around([](const Call &, wellhead::Next &next) {
        next.run([](const Call &, wellhead::Outcome &) { throw std::runtime_error("no UTF-8: \xff"); });
    });
    const std::string result = wellhead::TestClient(s).call_tool("t");
    CHECK(has(result, "The tool failed") && !has(result, "secret"));
}

static void texts_of_a_temporary_outlive_it() {
    Server s = server();
    s.add_text("n:1", "one");
    const auto explained = s.explain("n:1").str();
    CHECK(has(explained, "n:1"));
    static_assert(std::is_same_v<decltype(s.explain("n:1").str()), std::string>);
    static_assert(std::is_same_v<decltype(std::declval<const Call &>().session().id()), std::string>);
    static_assert(std::is_same_v<decltype(std::declval<const Call &>().session().client()), std::optional<std::string>>);
}

static void an_object_that_was_moved_from_is_refused_or_empty() {
    Server s = server();
    s.add_text("n:1", "one");
    Connection c(s);
    const Server other_server = std::move(s);
    const Connection other = std::move(c);
    CHECK(code_of([&s] { s.add_text("n:2", "two"); }) == "invalid_argument");
    CHECK(code_of([&s] { const Connection made(s); }) == "invalid_argument");
    CHECK(code_of([&c] { c.receive("x"); }) == "invalid_argument");
    CHECK(c.poll_event(1) == 0 && !c.poll_transmit(1) && c.poll_timeout() == UINT64_MAX && c.finished());
    auto block = wellhead::ContentBlock::text("one");
    const auto other_block = std::move(block);
    CHECK(code_of([&block] { block.add_to(nullptr); }) == "invalid_argument");
    Read r(nullptr);
    CHECK(code_of([&r] { r.text("x"); }) == "invalid_argument" && code_of([&r] { (void)r.keep(); }) == "invalid_argument");
    const Call call = r.call();
    CHECK(call.uri().empty() && !call.var("id") && !call.caller<int>() && !call.cancelled() && !call.open_state(0));
}

// Its callback is a function of C, which must not throw.
void an_exception_that_reaches_the_library_ends_the_process() {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        std::freopen("/dev/null", "w", stderr);
        Server s = server();
        wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
        wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
        resource.uri = WELLHEAD_STR("n:{id}");
        provider.read = [](void *, const wellhead_call *, wellhead_read *) { throw std::runtime_error("not caught"); };
        wellhead_server_add_template(s.capi(), &resource, &provider, nullptr);
        Connection c(s);
        try {
            send_request(c, read_of("n:1"));
        } catch (...) {
        }
        _exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

void misuse() {
    RUN(a_responder_that_is_moved_out_of_its_callback_is_kept);
    RUN(a_kept_responder_that_fails_is_consumed);
    RUN(a_kept_responder_fails_on_another_thread);
    RUN(an_empty_function_is_refused);
    RUN(an_exception_after_a_call_withholds_its_answer);
    RUN(texts_of_a_temporary_outlive_it);
    RUN(an_object_that_was_moved_from_is_refused_or_empty);
}
