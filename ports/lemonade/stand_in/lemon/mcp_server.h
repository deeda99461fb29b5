// Stands for the header of the project as the port leaves it: the class, and tools of our own.
#pragma once

#include <memory>
#include <string>

#include <httplib.h>
#include <nlohmann/json.hpp>

namespace lemon {

using json = nlohmann::json;

class McpServer : public std::enable_shared_from_this<McpServer> {
public:
    void register_routes(httplib::Server& server);

private:
    json tool_chat(const json& arguments);
    json tool_transcribe_audio(const json& arguments);
    json tool_generate_image(const json& arguments);
    json tool_omni(const json& arguments);
    json tool_list_models(const json& arguments);
    static json text_content_block(const std::string& text);
    static json tools_descriptor();
};

}  // namespace lemon
