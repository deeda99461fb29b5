// Mistakes with the handles and callbacks of wellhead.hpp, which C++ refuses or makes harmless.
#include "check.hpp"

#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
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
    RUN(an_empty_function_is_refused);
    RUN(an_exception_after_a_call_withholds_its_answer);
    RUN(an_object_that_was_moved_from_is_refused_or_empty);
}
