// Stands for the application: tools of our own under the names of the project, on an HTTP server whose port goes to standard output.
#include <iostream>
#include <stdexcept>

#include "lemon/mcp_server.h"

namespace lemon {

static json answer(json content, bool failed = false) {
    return {{"content", std::move(content)}, {"isError", failed}};
}

json McpServer::tool_chat(const json& arguments) {
    if (!arguments.contains("messages")) throw std::runtime_error("there are no messages");
    return answer({text_content_block(arguments["messages"].dump())});
}

json McpServer::tool_transcribe_audio(const json& arguments) {
    return answer({text_content_block(arguments.value("audio_path", "?")), text_content_block("said \"é\"\n")});
}

json McpServer::tool_generate_image(const json&) {
    return answer({{{"type", "image"}, {"data", "aW1hZ2U="}, {"mimeType", "image/png"}}});
}

json McpServer::tool_omni(const json&) {
    throw std::runtime_error("the engine is out of order");
}

json McpServer::tool_list_models(const json&) {
    return answer({text_content_block("no model is here")}, true);
}

json McpServer::tools_descriptor() {
    const json any = {{"type", "object"}};
    const json chat = {{"type", "object"},
                       {"required", {"messages"}},
                       {"properties", {{"messages", {{"type", "array"}}}, {"seed", {{"type", "integer"}}}}}};
    return json::array({
        {{"name", "lemonade_list_models"}, {"description", "Lists models."}, {"inputSchema", any}},
        {{"name", "lemonade_chat"}, {"description", "Says something."}, {"inputSchema", chat}},
        {{"name", "lemonade_transcribe_audio"}, {"description", "Writes down what it hears."}, {"inputSchema", any}},
        {{"name", "lemonade_generate_image"}, {"description", "Makes an image."}, {"inputSchema", any}},
        {{"name", "lemonade_omni"}, {"description", "Does anything."}, {"inputSchema", any}},
    });
}

json McpServer::text_content_block(const std::string& text) {
    return {{"type", "text"}, {"text", text}};
}

}  // namespace lemon

int main() {
    httplib::Server server;
    std::make_shared<lemon::McpServer>()->register_routes(server);
    std::cout << server.bind_to_any_port("127.0.0.1") << std::endl;
    server.listen_after_bind();
}
