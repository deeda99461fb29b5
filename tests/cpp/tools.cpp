// Tools in C++: arguments by path, and results as values.
#include "check.hpp"

#include <functional>
#include <memory>
#include <stdexcept>
#include <tuple>

using wellhead::Call, wellhead::ContentBlock, wellhead::Method, wellhead::TestClient, wellhead::ToolResult;

static std::string greet(const Call &, const std::string &name) {
    return "Hello, " + name;
}

// Calls a tool once.
template <class F> static std::string result_of(F &&tool, const std::string &arguments = "{}") {
    Server s = server();
    s.add_tool("t", "{}", std::forward<F>(tool));
    return TestClient(s).call_tool("t", arguments);
}

static void arguments_are_read_by_path_and_type() {
    const auto tool = [](const Call &call, std::string_view, Method &r) {
        const auto arguments = call.arguments();
        CHECK(arguments.text("model") == "m" && !arguments.text("/edits") && !arguments.text("none"));
        CHECK(arguments.integer("/edits/0/line") == 5 && !arguments.integer("half"));
        CHECK(arguments.number("half") > 0.4 && !arguments.number("model"));
        CHECK(arguments.boolean("yes") == true && !arguments.boolean("half"));
        CHECK(arguments.count("edits") == 1 && arguments.count("") == 4);
        CHECK(arguments.name("", 0) == "model" && !arguments.name("", 4));
        CHECK(arguments.json("edits") == R"([{"line":5}])" && !arguments.json("edits/1"));
        CHECK(std::string_view(arguments) == R"({"model":"m","edits":[{"line":5}],"half":0.5,"yes":true})");
        r.result(R"({"content":[]})");
    };
    CHECK(has(result_of(tool, R"({"model":"m","edits":[{"line":5}],"half":0.5,"yes":true})"), "content"));
}

// row: TA-15
static void an_integer_is_exact_or_absent() {
    const auto tool = [](const Call &call, std::string_view, Method &r) {
        const auto arguments = call.arguments();
        CHECK(arguments.integer("id") == 9007199254740993 && arguments.json("big") == "123456789012345678901234567890");
        CHECK(!arguments.integer("big") && !arguments.integer("fraction") && !arguments.integer("tiny"));
        CHECK(arguments.number("tiny") == 0 && arguments.json("tiny") == "0.1e-400");
        r.result(R"({"content":[]})");
    };
    CHECK(has(result_of(tool, R"({"id":9007199254740993,"big":123456789012345678901234567890,"fraction":9007199254740992.5,)"
                              R"("tiny":0.1e-400})"), "content"));
}

static std::string text_result(const std::string &text) {
    return R"({"content":[{"type":"text","text":")" + text + R"("}]})";
}

// row: TR-11
static void a_tool_returns_its_result() {
    const std::string greeting = "Hello";
    CHECK(result_of([&](const Call &call) { return greeting + ", " + std::string(call.arguments().text("name").value()); },
                    R"({"name":"Ada"})") == text_result("Hello, Ada"));
    CHECK(result_of([](const Call &) { return "literal"; }) == text_result("literal"));
    CHECK(result_of([](const Call &) -> ToolResult { return std::string_view("view"); }) == text_result("view"));
    CHECK(result_of([](const Call &) { return ToolResult(); }) == R"({"content":[]})");
    CHECK(result_of([](const Call &) { return ContentBlock::text("one"); }) == text_result("one"));
    CHECK(result_of([](const Call &) { return ToolResult::from_json(R"({"n":1})"); }) ==
          R"({"structuredContent":{"n":1},"content":[{"type":"text","text":"{\"n\":1}"}]})");
}

static void a_function_that_takes_any_arguments_returns_a_result() {
    const auto bound = std::bind(greet, std::placeholders::_1, "Ada");
    const auto any = [](auto &&...) { return "any"; };
    const auto forwards = [](auto &&...arguments) { return greet(arguments..., "Ada"); }; // ill-formed for a Method
    CHECK(result_of(bound) == text_result("Hello, Ada") && result_of(any) == text_result("any"));
    CHECK(result_of(forwards) == text_result("Hello, Ada"));
    CHECK(result_of([](auto &&...arguments) -> std::enable_if_t<sizeof...(arguments) == 3> {
              std::get<2>(std::tie(arguments...)).text("answered");
          }) == text_result("answered"));
    Server s = server();
    s.add_prompt("bound", "{}", bound);
    s.add_prompt("any", "{}", any);
    TestClient client(s);
    CHECK(has(client.get_prompt("bound"), "Hello, Ada") && has(client.get_prompt("any"), "any"));
}

// row: PR-06
static void a_prompt_returns_messages() {
    Server s = server();
    s.add_prompt("one", "{}", [](const Call &) { return "Review this."; });
    s.add_prompt("more", "{}", [](const Call &) -> ToolResult {
        auto answer = ContentBlock::text("Which?");
        answer.role = "assistant";
        return {ContentBlock::image(std::string("\0\xff", 2), "image/png"), answer};
    });
    s.add_prompt("linked", "{}", [](const Call &) {
        auto link = ContentBlock::link("n:1");
        link.role = "assistant";
        link.annotations = R"({"priority":0.5})";
        link.meta = R"({"a/b":1})";
        return link;
    });
    TestClient client(s);
    CHECK(client.get_prompt("one") == R"({"messages":[{"role":"user","content":{"type":"text","text":"Review this."}}]})");
    CHECK(client.get_prompt("more") ==
          R"({"messages":[{"role":"user","content":{"type":"image","data":"AP8=","mimeType":"image/png"}},)"
          R"({"role":"assistant","content":{"type":"text","text":"Which?"}}]})");
    CHECK(client.get_prompt("linked") ==
          R"({"messages":[{"role":"assistant","content":{"type":"resource_link","uri":"n:1","name":"n:1",)"
          R"("annotations":{"priority":0.5},"_meta":{"a/b":1}}}]})");
}

// row: TR-04
static void a_result_has_each_kind_of_content() {
    const auto tool = [](const Call &) -> ToolResult {
        auto text = ContentBlock::text("t");
        text.annotations = R"({"priority":0.5})";
        text.meta = R"({"a/b":1})";
        wellhead::Resource linked = "n:1";
        linked.name = "one";
        ToolResult result = {text,
                             ContentBlock::image(std::string("\0\xff", 2), "image/png"),
                             ContentBlock::audio("abc", "audio/wav"),
                             ContentBlock::link(linked),
                             ContentBlock::resource_text({"n:2"}, "x"),
                             ContentBlock::resource_blob({"n:3", "image/png"}, "abc")};
        result.structured = R"({"n":1})";
        result.meta = R"({"c/d":2})";
        result.is_error = true;
        return result;
    };
    CHECK(result_of(tool) ==
          R"({"content":[{"type":"text","text":"t","annotations":{"priority":0.5},"_meta":{"a/b":1}},)"
          R"({"type":"image","data":"AP8=","mimeType":"image/png"},{"type":"audio","data":"YWJj","mimeType":"audio/wav"},)"
          R"({"type":"resource_link","uri":"n:1","name":"one"},{"type":"resource","resource":{"uri":"n:2","text":"x"}},)"
          R"({"type":"resource","resource":{"uri":"n:3","mimeType":"image/png","blob":"YWJj"}}],)"
          R"("structuredContent":{"n":1},"isError":true,"_meta":{"c/d":2}})");
}

// row: TR-04
static void base64_has_padding_and_no_line_breaks() {
    const std::string bytes(100, '\xff'), data = std::string(133, '/') + "w==";
    CHECK(result_of([&](const Call &) -> ToolResult {
              return {ContentBlock::image(bytes, "image/png"), ContentBlock::audio(bytes, "audio/wav")};
          }) == R"({"content":[{"type":"image","data":")" + data + R"(","mimeType":"image/png"},{"type":"audio","data":")" + data
                    + R"(","mimeType":"audio/wav"}]})");
}

static const char FAILED[] = R"({"content":[{"type":"text","text":"The tool failed"}],"isError":true})";

static void an_exception_of_a_tool_is_logged_unless_it_is_for_the_model() {
    CHECK(result_of([](const Call &) -> ToolResult { throw wellhead::ToolError("try b"); }) ==
          R"({"content":[{"type":"text","text":"try b"}],"isError":true})");
    CHECK(lines.empty());
    CHECK(result_of([](const Call &) -> ToolResult { throw std::invalid_argument("secret"); }) == FAILED);
    CHECK(lines.size() == 1 && has(lines[0], "secret"));
    CHECK(result_of([](const Call &call) { return std::string(call.arguments().text("none").value()); }) == FAILED);
    CHECK(result_of([](const Call &) { return ContentBlock::image("", "png"); }) == FAILED);
    CHECK(lines.size() == 1 && has(lines[0], "is no MIME type"));
}

static void a_kept_responder_is_answered_with_a_result() {
    Server s = server();
    std::vector<Method> kept;
    s.add_tool("t", "{}", [&](const Call &, std::string_view, Method &r) { kept.push_back(r.keep()); });
    Connection c(s);
    const std::string params = R"({"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                               R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
    for (int i = 0; i < 3; i++)
        send_request(c, R"({"jsonrpc":"2.0","id":)" + std::to_string(i) + R"(,"method":"tools/call","params":)" + params + "\n");
    CHECK(kept.size() == 3);
    kept[0].finish({ContentBlock::text("later"), ContentBlock::text("too")});
    kept[1].text("one");
    kept[2].structured("[1]");
    const std::string output = drained(c);
    CHECK(has(output, R"([{"type":"text","text":"later"},{"type":"text","text":"too"}])") && has(output, "\"one\""));
    CHECK(has(output, R"("structuredContent":[1])"));
}

// A callback that catches the error finds a call that failed, and no first parts that a second answer would add to.
static void a_result_with_a_part_that_is_refused_fails_its_call() {
    const auto tool = [](const Call &, std::string_view, Method &r) {
        CHECK(code_of([&r] { r.finish({ContentBlock::text("first"), ContentBlock::image("", "png")}); }) == "invalid_argument");
        CHECK(code_of([&r] { r.text("second"); }) == "invalid_argument");
    };
    CHECK(result_of(tool) == FAILED);
    CHECK(lines.size() == 1 && has(lines[0], "is no MIME type"));
    const auto keeps = [](const Call &, std::string_view, Method &r) {
        Method kept = r.keep();
        ToolResult result = "first";
        result.structured = "{";
        CHECK(code_of([&] { kept.finish(result); }) == "invalid_argument" && !kept.capi());
    };
    CHECK(result_of(keeps) == FAILED);
}

static void a_tool_without_a_function_is_refused() {
    Server s = server();
    CHECK(code_of([&] { s.add_tool("t", "{}", wellhead::ToolCallback()); }) == "invalid_argument");
    CHECK(code_of([&] { s.add_tool("t", "{}", nullptr); }) == "invalid_argument");
}

static void a_callback_owns_what_cannot_be_copied() {
    const auto alive = std::make_shared<int>(0);
    {
        Server s = server();
        auto owned = std::make_unique<std::pair<std::string, std::shared_ptr<int>>>("mine", alive);
        s.add_tool("t", "{}", [owned = std::move(owned)](const Call &) { return owned->first; });
        wellhead::Provider provider;
        provider.read = [kept = std::make_unique<std::shared_ptr<int>>(alive)](const Call &, wellhead::Read &r) { r.text("read"); };
        s.add_resource("n:1", provider);
        TestClient client(s);
        CHECK(client.call_tool("t", "{}") == text_result("mine") && has(client.request("resources/read", R"({"uri":"n:1"})"), "read"));
        CHECK(alive.use_count() == 3); /* copies of a callback share it */
    }
    CHECK(alive.use_count() == 1);
    wellhead::ToolCallback none = nullptr, empty = std::function<ToolResult(const Call &)>();
    CHECK(!none && !empty);
}

static void a_text_is_a_number_as_a_whole_or_not_at_all() {
    CHECK(wellhead::to_integer("-12") == -12 && !wellhead::to_integer("12.5") && !wellhead::to_integer(""));
    CHECK(wellhead::to_number("12.5") == 12.5 && !wellhead::to_number("12.5x"));
    char text[16];
    const wellhead_str absent = {nullptr, 0};
    std::snprintf(text, sizeof text, "<" WELLHEAD_FMT WELLHEAD_FMT ">", WELLHEAD_ARG(wellhead::str("a")), WELLHEAD_ARG(absent));
    CHECK(std::string(text) == "<a>");
}

static void one_call_answers_a_body_with_its_details() {
    Server s = server();
    s.add_resource("n:1", {[](const Call &, wellhead::Read &r) { r.text("one", {{}, "text/markdown"}); }, {}});
    s.add_resource("n:2", {[](const Call &, wellhead::Read &r) { r.blob("two", {{}, "image/png"}); }, {}});
    TestClient client(s);
    CHECK(has(client.request("resources/read", R"({"uri":"n:1"})"), R"("mimeType":"text/markdown","text":"one")"));
    CHECK(has(client.request("resources/read", R"({"uri":"n:2"})"), R"("mimeType":"image/png","blob":"dHdv")"));
}

static void a_call_has_the_name_of_its_client() {
    const auto named = result_of([](const Call &call) { return std::string(call.client().value_or("nobody")); });
    CHECK(has(named, R"(\"name\":)") && has(named, R"(\"version\":)"));
}

void tools() {
    RUN(arguments_are_read_by_path_and_type);
    RUN(an_integer_is_exact_or_absent);
    RUN(a_tool_returns_its_result);
    RUN(a_function_that_takes_any_arguments_returns_a_result);
    RUN(a_prompt_returns_messages);
    RUN(a_result_has_each_kind_of_content);
    RUN(base64_has_padding_and_no_line_breaks);
    RUN(an_exception_of_a_tool_is_logged_unless_it_is_for_the_model);
    RUN(a_kept_responder_is_answered_with_a_result);
    RUN(a_result_with_a_part_that_is_refused_fails_its_call);
    RUN(a_tool_without_a_function_is_refused);
    RUN(a_callback_owns_what_cannot_be_copied);
    RUN(a_text_is_a_number_as_a_whole_or_not_at_all);
    RUN(one_call_answers_a_body_with_its_details);
    RUN(a_call_has_the_name_of_its_client);
}
