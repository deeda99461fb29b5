// Tools in C++: arguments by path, and results as values.
#include "check.hpp"

using wellhead::Call, wellhead::Method, wellhead::TestClient;

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

void tools() {
    RUN(arguments_are_read_by_path_and_type);
}
