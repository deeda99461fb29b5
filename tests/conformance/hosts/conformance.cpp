// conformance.cpp - what the official conformance suite asks of a server, over Streamable HTTP. Prints its URL, and serves
// until SIGTERM.
#include <wellhead_http.hpp>

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using nlohmann::json;
using wellhead::Call, wellhead::ClientRequestError, wellhead::Complete, wellhead::Method, wellhead::Read, wellhead::Resource;

static const auto PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="; // one pixel
static const auto WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="; // no sound
static const json PLAIN = {{"description", "For the conformance suite"}, {"inputSchema", {{"type", "object"}}}};

/* ---- JSON */

static json text(const std::string &said) {
    return {{"type", "text"}, {"text", said}};
}

static json says(const std::string &said) {
    return {{"content", json::array({text(said)})}};
}

static json image() {
    return {{"type", "image"}, {"data", PNG}, {"mimeType", "image/png"}};
}

static json embedded(const std::string &uri, const std::string &mime_type, const std::string &said) {
    return {{"type", "resource"}, {"resource", {{"uri", uri}, {"mimeType", mime_type}, {"text", said}}}};
}

static json messages(const std::vector<json> &contents) {
    json all = json::array();
    for (const json &content : contents) all.push_back({{"role", "user"}, {"content", content}});
    return {{"messages", all}};
}

static json described(const std::string &description, const json &properties) {
    return {{"description", description}, {"inputSchema", {{"type", "object"}, {"properties", properties}}}};
}

static json arguments(const Call &call) {
    return json::parse(std::string_view(call.arguments()), nullptr, false);
}

/* ---- resources */

static Resource listed(const std::string &uri, const std::string &name, const std::string &description,
                       std::optional<std::string> mime_type = {}) {
    Resource resource(uri);
    resource.name = name;
    resource.description = description;
    resource.mime_type = std::move(mime_type);
    return resource;
}

static wellhead::CompleteCallback completing(std::vector<std::string> all) {
    return [all = std::move(all)](const Call &, std::string_view, std::string_view value, Complete &r) {
        for (const auto &each : all)
            if (each.compare(0, value.size(), value) == 0) r.add(each);
        r.finish();
    };
}

static void add_resources(wellhead::Server &server) {
    server.add_text(listed("test://static-text", "static-text", "A text", "text/plain"),
                    "This is the content of the static text resource.");
    server.add_blob(listed("test://static-binary", "static-binary", "An image", "image/png"), "\x89PNG\r\n\x1a\n");
    server.add_text(listed("test://watched-resource", "watched-resource", "To be watched"), "Watched.");
    wellhead::Provider by_id;
    by_id.read = [](const Call &call, Read &r) {
        const auto id = std::string(call.var("id").value());
        r.text(json{{"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}}.dump());
    };
    by_id.completed = {"id"};
    by_id.complete = completing({"123"});
    server.add_template(listed("test://template/{id}/data", "data", "By its id", "application/json"), std::move(by_id));
}

/* ---- requests to the client, in every revision */

static json elicits(const std::string &said, const std::string &name, const std::string &type = "string") {
    const json schema = {{"type", "object"}, {"properties", {{name, {{"type", type}}}}}, {"required", {name}}};
    return {{"method", "elicitation/create"}, {"params", {{"mode", "form"}, {"message", said}, {"requestedSchema", schema}}}};
}

static json samples(const std::string &prompt, int most) {
    const json message = {{"role", "user"}, {"content", text(prompt)}};
    return {{"method", "sampling/createMessage"}, {"params", {{"messages", {message}}, {"maxTokens", most}}}};
}

/* Asks the client these requests together, and returns its answers by their names. */
static json answers(Method &r, const json &requests) {
    json given = json::object();
    std::optional<ClientRequestError> missing;
    for (const auto &[name, request] : requests.items()) {
        try {
            given[name] = json::parse(r.require_input(name, request["method"].get<std::string>(), request["params"].dump()));
        } catch (const ClientRequestError &e) {
            missing = e;
        }
    }
    if (missing) throw *missing;
    return given;
}

static const json NAME = {{"user_name", elicits("What is your name?", "name")}};
static const json CAPITAL = {{"capital_question", samples("What is the capital of France?", 100)}};
static const json GREETING = {{"greeting", samples("Generate a greeting", 50)}};
static const json ROOTS = {{"client_roots", {{"method", "roots/list"}, {"params", json::object()}}}};

/* A tool that asks these requests, one round after the other, and answers with what `describe` makes of the answers to the last. */
template <class F> void add_requesting_tool(wellhead::Server &server, const std::string &name, std::vector<json> rounds, F describe) {
    server.add_tool(name, PLAIN.dump(), [rounds = std::move(rounds), describe](const Call &, std::string_view, Method &r) {
        json given;
        for (const json &round : rounds) given = answers(r, round);
        r.result(says(describe(given)).dump());
    });
}

static bool is_able(const Call &call, const std::string &capability) {
    return json::parse(call.client_capabilities().value_or("{}")).contains(capability);
}

static void add_tools_that_ask(wellhead::Server &server) {
    const auto hello = [](const json &given) { return "Hello, " + given["user_name"]["content"]["name"].get<std::string>(); };
    const auto say = [](const char *said) { return [said](const json &) { return std::string(said); }; };
    json several = NAME;
    several.update(GREETING);
    several.update(ROOTS);
    const json confirm = {{"confirm", elicits("Please confirm", "ok", "boolean")}};
    const json step1 = {{"step1", elicits("Step 1: What is your name?", "name")}};
    const json step2 = {{"step2", elicits("Step 2: What is your favorite color?", "color")}};
    add_requesting_tool(server, "test_input_required_result_elicitation", {NAME}, hello);
    add_requesting_tool(server, "test_streaming_elicitation", {NAME}, hello);
    add_requesting_tool(server, "test_input_required_result_sampling", {CAPITAL},
           [](const json &given) { return given["capital_question"]["content"]["text"].get<std::string>(); });
    add_requesting_tool(server, "test_input_required_result_list_roots", {ROOTS},
           [](const json &given) { return "The roots are " + given["client_roots"]["roots"].dump(); });
    add_requesting_tool(server, "test_input_required_result_request_state", {confirm}, say("state-ok"));
    add_requesting_tool(server, "test_input_required_result_tampered_state", {confirm}, say("state-ok"));
    add_requesting_tool(server, "test_input_required_result_multiple_inputs", {several}, say("all answered"));
    add_requesting_tool(server, "test_input_required_result_multi_round", {step1, step2}, say("both answered"));
    server.add_tool("test_input_required_result_capabilities", PLAIN.dump(), [](const Call &call, std::string_view, Method &r) {
        json wanted = json::object();
        if (is_able(call, "elicitation")) wanted.update(NAME);
        if (is_able(call, "sampling")) wanted.update(GREETING);
        r.result(says(answers(r, wanted).dump()).dump());
    });
    server.add_tool("test_missing_capability", PLAIN.dump(), [](const Call &, std::string_view, Method &r) {
        answers(r, GREETING);
        r.result(says("The client can sample.").dump());
    });
    server.add_tool("test_sampling", described("Samples", {{"prompt", {{"type", "string"}}}}).dump(),
                    [](const Call &call, std::string_view, Method &r) {
                        const json wanted = {{"it", samples(arguments(call)["prompt"], 100)}};
                        r.result(says("LLM response: " + answers(r, wanted)["it"]["content"]["text"].get<std::string>()).dump());
                    });
    server.add_tool("test_elicitation", described("Elicits", {{"message", {{"type", "string"}}}}).dump(),
                    [](const Call &call, std::string_view, Method &r) {
                        const json schema = json::parse(R"({"type": "object", "required": ["username", "email"], "properties": {
                            "username": {"type": "string", "description": "User's response"},
                            "email": {"type": "string", "description": "User's email address"}}})");
                        const json params = {{"message", arguments(call)["message"]}, {"requestedSchema", schema}};
                        r.result(says("User response: " + r.require_input("it", "elicitation/create", params.dump())).dump());
                    });
    const auto eliciting = [&server](const std::string &name, const char *properties) {
        const json schema = {{"type", "object"}, {"properties", json::parse(properties)}, {"required", json::array()}};
        const json params = {{"message", "Please fill in"}, {"requestedSchema", schema}};
        server.add_tool(name, PLAIN.dump(), [asked = params.dump()](const Call &, std::string_view, Method &r) {
            const json given = json::parse(r.require_input("it", "elicitation/create", asked));
            r.result(says("Elicitation completed: action=" + given["action"].get<std::string>()
                          + ", content=" + given.value("content", json()).dump()).dump());
        });
    };
    eliciting("test_elicitation_sep1034_defaults", R"({
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true}})");
    eliciting("test_elicitation_sep1330_enums", R"({
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": [
            {"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}]},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {"type": "array", "items": {"anyOf": [
            {"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"}]}}})");
}

/* ---- prompts */

static void answering_prompt(wellhead::Server &server, const std::string &name, const json &definition, const json &result) {
    server.add_prompt(name, definition.dump(), [said = result.dump()](const Call &, std::string_view, Method &r) { r.result(said); });
}

static json argument(const std::string &name) {
    return {{"name", name}, {"description", "Any text"}, {"required", true}};
}

static void add_prompts(wellhead::Server &server) {
    answering_prompt(server, "test_simple_prompt", {{"description", "Simple"}},
                     messages({text("This is a simple prompt for testing.")}));
    server.add_prompt("test_prompt_with_arguments",
                      json{{"description", "With arguments"}, {"arguments", {argument("arg1"), argument("arg2")}}}.dump(),
                      [](const Call &call, std::string_view, Method &r) {
                          const auto given = arguments(call);
                          r.result(messages({text("Prompt with arguments: arg1='" + given["arg1"].get<std::string>() + "', arg2='"
                                                  + given["arg2"].get<std::string>() + "'")}).dump());
                      });
    server.complete_prompt("test_prompt_with_arguments", "arg1", completing({"paris", "park", "party"}));
    server.add_prompt("test_prompt_with_embedded_resource",
                      json{{"description", "With a resource"}, {"arguments", json::array({argument("resourceUri")})}}.dump(),
                      [](const Call &call, std::string_view, Method &r) {
                          const json resource = embedded(arguments(call)["resourceUri"], "text/plain",
                                                         "Embedded resource content for testing.");
                          r.result(messages({resource, text("Please process the embedded resource above.")}).dump());
                      });
    answering_prompt(server, "test_prompt_with_image", {{"description", "With an image"}},
                     messages({image(), text("Please analyze the image above.")}));
    server.add_prompt("test_input_required_result_prompt", R"({"description": "Needs input"})",
                      [](const Call &, std::string_view, Method &r) {
                          const json wanted = {{"user_context", elicits("What context should the prompt use?", "context")}};
                          r.result(messages({text(answers(r, wanted)["user_context"].dump())}).dump());
                      });
}

/* ---- tools that only answer */

static void answering(wellhead::Server &server, const std::string &name, const json &result, const json &definition = PLAIN) {
    server.add_tool(name, definition.dump(), [said = result.dump()](const Call &, std::string_view, Method &r) { r.result(said); });
}

static void add_plain_tools(wellhead::Server &server) {
    const auto content = [](const std::vector<json> &blocks) { return json{{"content", blocks}}; };
    answering(server, "test_simple_text", says("This is a simple text response for testing."));
    answering(server, "test_image_content", content({image()}));
    answering(server, "test_audio_content", content({{{"type", "audio"}, {"data", WAV}, {"mimeType", "audio/wav"}}}));
    answering(server, "test_embedded_resource",
              content({embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")}));
    answering(server, "test_multiple_content_types",
              content({text("Multiple content types test:"), image(),
                       embedded("test://mixed-content-resource", "application/json", R"({"test":"data","value":123})")}));
    json failure = says("This tool intentionally returns an error for testing");
    failure["isError"] = true;
    answering(server, "test_error_handling", failure);
    answering(server, "test_custom_header", says("The field and the argument agree."),
              described("Has an argument that a header field repeats", {{"region", {{"type", "string"}, {"x-mcp-header", "Region"}}}}));
    answering(server, "json_schema_2020_12_tool", says("not validated"), json::parse(R"({
        "description": "JSON Schema 2020-12", "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
            }},
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"}
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": false
        }})"));
}

/* ---- tools that tell */

static void add_tools_that_tell(wellhead::Server &server) {
    for (const auto name : {"test_tool_with_logging", "test_logging_tool"}) {
        server.add_tool(name, PLAIN.dump(), [](const Call &, std::string_view, Method &r) {
            for (const auto said : {"Tool execution started", "Tool processing data", "Tool execution completed"}) {
                r.log("info", said, "conformance");
                std::this_thread::sleep_for(50ms);
            }
            r.text("logged");
        });
    }
    server.add_tool("test_tool_with_progress", PLAIN.dump(), [](const Call &call, std::string_view, Method &r) {
        for (const int done : {0, 50, 100}) {
            call.progress(done, 100);
            std::this_thread::sleep_for(50ms);
        }
        r.text("done");
    });
    server.add_tool("test_reconnection", PLAIN.dump(), [](const Call &call, std::string_view, Method &r) {
        call.close_event_stream(500);
        std::this_thread::sleep_for(100ms); // the client is away
        r.text("here again");
    });
}

/* ---- tools that change lists */

static void add_tools_that_change(wellhead::Server &server) {
    server.add_tool("test_trigger_tool_change", PLAIN.dump(), [&server](const Call &, std::string_view, Method &r) {
        answering(server, "test_passing", says("gone soon"));
        server.remove_tool("test_passing");
        r.text("changed");
    });
    server.add_tool("test_trigger_prompt_change", PLAIN.dump(), [&server](const Call &, std::string_view, Method &r) {
        answering_prompt(server, "test_passing", json::object(), messages({}));
        server.remove_prompt("test_passing");
        r.text("changed");
    });
}

int main() try {
    wellhead::ServerOptions options;
    options.capabilities = {{"tools", R"({"listChanged":true})"}, {"prompts", R"({"listChanged":true})"}, {"logging", "{}"}};
    wellhead::Server server("conformance", "1.0.0", std::move(options));
    add_resources(server);
    add_prompts(server);
    add_plain_tools(server);
    add_tools_that_tell(server);
    add_tools_that_ask(server);
    add_tools_that_change(server);
    wellhead::HttpOptions http;
    http.callback_threads = 4;
    http.flags = WELLHEAD_HTTP_HANDLE_SIGTERM;
    http.bound = [](std::string_view address) { std::cout << "http://" << address << "/mcp" << std::endl; };
    server.serve_http("127.0.0.1:0", std::move(http));
    return 0;
} catch (const wellhead::Error &e) {
    std::cerr << "conformance: " << e.what() << '\n';
    return 1;
}
