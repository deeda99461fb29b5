// Added to src/cpp/server: serves the tools of McpServer with Wellhead, on the HTTP server of the application.
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <wellhead.hpp>

#include "lemon/mcp_server.h"
#include "lemon/version.h"

namespace lemon {

void McpServer::register_routes(httplib::Server& server) {
    wellhead::ServerOptions options;
    options.unknown_tool = "result";
    options.tool_errors = "show";
    wellhead::Server mcp("lemonade-mcp", LEMON_VERSION_STRING, options);
    const std::map<std::string, json (McpServer::*)(const json&)> tools = {
        {"lemonade_chat", &McpServer::tool_chat},
        {"lemonade_transcribe_audio", &McpServer::tool_transcribe_audio},
        {"lemonade_generate_image", &McpServer::tool_generate_image},
        {"lemonade_omni", &McpServer::tool_omni},
        {"lemonade_list_models", &McpServer::tool_list_models},
    };
    for (json tool : tools_descriptor()) {
        const std::string name = tool["name"];
        tool.erase("name");
        auto run = [self = shared_from_this(), method = tools.at(name)](const wellhead::Call& call, auto, auto& answer) {
            answer.result(((*self).*method)(json::parse(std::string_view(call.arguments()))).dump());
        };
        mcp.add_tool(name, tool.dump(), wellhead::MethodCallback(run));
    }
    const wellhead::EndpointOptions open = {"/mcp", WELLHEAD_NO_SESSIONS, {"*"}, {"*"}};
    auto serve = [endpoint = std::make_shared<wellhead::Endpoint>(mcp, open)](const auto& req, auto& res) {
        const auto now = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
        const wellhead::Request request = {req.method, req.path, {req.headers.begin(), req.headers.end()}};
        const auto exchange = endpoint->handle(request, req.body, now, 0);
        const auto head = exchange.response();
        res.status = head.status();
        for (size_t i = 0; i < head.header_count(); i++) {
            res.set_header(std::string(head.header(i).first).c_str(), std::string(head.header(i).second));
        }
        res.body = exchange.data();
    };
    server.Post("/mcp", serve);
    server.Get("/mcp", serve);
}

}  // namespace lemon
