// wide.cpp - everything that a client can ask for, on a small scale: see README.md one folder up.
#include <wellhead_http.hpp>

#include <chrono>
#include <iostream>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace std::string_literals;
using namespace std::string_view_literals;
using wellhead::Call, wellhead::Complete, wellhead::Contents, wellhead::Method, wellhead::Read, wellhead::Resource;

static const auto ICON = "https://example.com/icon.png"s;
static const auto PLAIN = R"({"inputSchema":{"type":"object"}})"s;

// The value of the first member of that name, as it stands in the JSON; empty without one.
static std::string_view member(std::string_view json, const std::string &name) {
    const auto quoted = '"' + name + "\":";
    const auto found = json.find(quoted);
    if (found == json.npos) return {};
    json.remove_prefix(found + quoted.size());
    json.remove_prefix(std::min(json.find_first_not_of(' '), json.size()));
    std::size_t end = 0;
    int depth = 0;
    for (bool in_string = false; end < json.size(); end++) {
        const char c = json[end];
        if (!in_string && depth == 0 && (c == ',' || c == '}' || c == ']')) break;
        if (in_string && c == '\\') end++;
        else if (c == '"') in_string = !in_string;
        else if (!in_string) depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    }
    return json.substr(0, end);
}

static std::string unquoted(std::string_view text) {
    return std::string(text.size() < 2 ? text : text.substr(1, text.size() - 2));
}

static std::string question(const std::string &method) {
    std::string params = "{}";
    if (method == "elicitation/create")
        params = R"({"mode":"form","message":"Your name?","requestedSchema":)"
                 R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}})";
    else if (method == "sampling/createMessage")
        params = R"({"maxTokens":16,"messages":[{"role":"user","content":{"type":"text","text":"Your name?"}}]})";
    return R"({"method":")" + method + R"(","params":)" + params + "}";
}

static std::string structured(std::string_view json) {
    return R"({"content":[],"structuredContent":)" + std::string(json) + "}";
}

static void add_beginning(Complete &r, std::initializer_list<std::string_view> all, std::string_view value) {
    for (const auto each : all)
        if (each.substr(0, value.size()) == value) r.add(each);
}

static void add_resources(wellhead::Server &server) {
    Resource described("wide://described"), place("wide://{city}/{street}");
    described.name = "described";
    described.title = "All there is to say";
    described.description = "A resource of which everything is said.";
    described.mime_type = "text/plain";
    described.size = 10;
    described.annotations = R"({"audience":["user","assistant"],"priority":0.5,"lastModified":"2026-01-12T15:00:58Z"})";
    described.icons = R"([{"src":")" + ICON + R"(","mimeType":"image/png","sizes":["48x48"],"theme":"dark"}])";
    described.meta = R"({"example.com/colour":"green"})";
    described.cache = wellhead::Cache{60000};
    server.add_text(described, "Described.");

    server.add_resource("wide://parts", {[](const Call &, Read &r) {
        Contents one{"wide://parts/1", "text/plain"};
        Contents two{"wide://parts/2", "application/octet-stream", R"({"example.com/part":2})"};
        r.add_text("one", one);
        r.add_blob("\x00\xff"sv, two);
        r.finish();
    }});

    // wide://steps is answered once a client reads wide://enough.
    static std::mutex lock;
    static std::vector<Read> waiting;
    server.add_resource("wide://steps", {[](const Call &call, Read &r) {
        const std::lock_guard held(lock); // a client reads wide://enough at the last progress
        int done = 0;
        for (const auto message : {"one", "two", "three"}) call.progress(++done, 3, message);
        waiting.push_back(r.keep());
    }});
    server.add_resource("wide://enough", {[](const Call &, Read &r) {
        const std::lock_guard held(lock);
        for (Read &each : waiting) each.text("done");
        waiting.clear();
        r.text("enough");
    }});

    // What becomes of wide://endless is told in wide://cancelled.
    server.add_text("wide://cancelled", "no");
    server.add_resource("wide://endless", {[&server](const Call &call, Read &r) {
        call.progress(1);
        std::thread([&server, kept = r.keep()] {
            while (!kept.call().cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
            server.set_text("wide://cancelled", "yes");
        }).detach();
    }});

    server.add_resource("wide://denied", {[](const Call &, Read &r) { r.denied(); }});
    server.add_resource("wide://asks", {[](const Call &call, Read &r) {
        const auto name = unquoted(member(member(call.input_responses().value_or("{}"), "content"), "name"));
        if (name.empty()) r.input_required(R"({"inputRequests":{"name":)" + question("elicitation/create") + "}}");
        else r.text("Hello, " + name + ".");
    }});

    place.name = "place";
    place.title = "A place";
    place.description = "A street of a city.";
    place.mime_type = "text/plain";
    place.annotations = R"({"priority":1})";
    place.icons = R"([{"src":")" + ICON + R"("}])";
    place.meta = R"({"example.com/colour":"red"})";
    wellhead::Provider places;
    places.read = [](const Call &call, Read &r) {
        r.text(std::string(call.var("street").value()) + " in " + std::string(call.var("city").value()));
    };
    places.completed = {"city", "street"};
    places.complete = [](const Call &call, std::string_view variable, std::string_view value, Complete &r) {
        if (variable == "city") {
            add_beginning(r, {"aarhus", "antwerpen", "bern"}, value);
            return r.finish();
        }
        if (call.var("city") == "aarhus") add_beginning(r, {"bredgade", "brogade"}, value);
        else add_beginning(r, {"meir"}, value);
        r.finish(true, 12);
    };
    server.add_template(place, std::move(places));
}

/* Asks the client for the feature that the argument `method` names, and gives back what it answers. */
static void send_client_request(const Call &call, std::string_view, Method &r) {
    const auto method = std::string(call.arguments().text("method").value_or(""));
    r.result(structured(r.require_input("it", method, std::string(member(question(method), "params")))));
}

static void add_methods(wellhead::Server &server) {
    server.add_tool("ask", R"({"inputSchema":{"type":"object","properties":{"method":{"type":"string"}}}})", send_client_request);

    server.add_tool("log", PLAIN, [](const Call &, std::string_view, Method &r) {
        r.log("debug", "what is going on", "wide");
        r.log("error", "what went wrong", "wide");
        r.text("logged");
    });
    const auto sum = R"({"inputSchema":{"required":["a","b"],"properties":{"a":{"type":"integer"},"b":{"type":"integer"}}},)"
                     R"("outputSchema":{"type":"object","required":["sum"],"properties":{"sum":{"type":"integer"}}}})";
    server.add_tool("add", sum, [](const Call &call) {
        auto arguments = call.arguments();
        const auto added = *arguments.integer("a") + *arguments.integer("b");
        return wellhead::ToolResult::from_json(R"({"sum":)" + std::to_string(added) + "}");
    });
    server.add_tool("grow", PLAIN, [&server](const Call &) {
        server.add_tool("grown", PLAIN, [](const Call &) { return "grown"; });
        return "there is a further tool";
    });

    const auto greeting = R"({"title":"A greeting","arguments":[{"name":"name","required":true}]})";
    server.add_prompt("greet", greeting, [](const Call &call, std::string_view, Method &r) {
        const auto name = std::string(call.arguments().text("name").value_or(""));
        r.result(R"({"description":"A greeting","messages":[{"role":"user","content":{"type":"text","text":"Greet )" + name
                 + R"(."}}]})");
    });
    server.complete_prompt("greet", "name", [](const Call &, std::string_view, std::string_view value, Complete &r) {
        add_beginning(r, {"Ada", "Alan", "Grace"}, value);
        r.finish();
    });
}

int main(int argc, char **argv) try {
    wellhead::ServerOptions options;
    options.title = "All there is";
    options.instructions = "Ask for anything.";
    options.capabilities = {{"tools", R"({"listChanged":true})"}, {"logging", "{}"}};
    static wellhead::Server &server = *new wellhead::Server("wide", "1.0.0", std::move(options)); // a thread may outlive main
    add_resources(server);
    add_methods(server);
    if (argc < 2 || argv[1] != "--http"sv) {
        server.serve_stdio();
        return 0;
    }
    wellhead::HttpOptions http;
    http.flags = WELLHEAD_HTTP_HANDLE_SIGTERM;
    http.bound = [](std::string_view address) { std::cout << "http://" << address << "/mcp" << std::endl; };
    server.serve_http("127.0.0.1:0", std::move(http));
    return 0;
} catch (const wellhead::Error &e) {
    std::cerr << "wide: " << e.what() << '\n';
    return 1;
}
