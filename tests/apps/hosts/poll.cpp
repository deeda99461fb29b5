// poll.cpp - a poll about lunch with a page of MCP Apps, over stdio: what the examples in Python and Node do. The argument is
// the page.
#include <wellhead.hpp>

#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>

int main(int, char **argv) try {
    std::ifstream file(argv[1]);
    const std::string html{std::istreambuf_iterator<char>(file), {}};
    std::map<std::string, int, std::less<>> votes = {{"Noodles", 0}, {"Pizza", 0}}; // one thread runs callbacks
    const auto count = [&] {
        return "Noodles: " + std::to_string(votes["Noodles"]) + ", Pizza: " + std::to_string(votes["Pizza"]);
    };

    wellhead::Server server("poll", "1.0.0");
    server.add_app("ui://poll/page", html, R"({"prefersBorder":true})");
    const auto shown = R"({"description":"Shows the poll about lunch, and the votes.","inputSchema":{"type":"object"},
        "app":"ui://poll/page","annotations":{"readOnlyHint":true}})";
    server.add_tool("poll", shown, [&](const wellhead::Call &) { return count(); });
    const auto voted = R"({"description":"Votes for a dish.","app":"ui://poll/page","visibility":["app"],"inputSchema":{
        "type":"object","properties":{"dish":{"type":"string","enum":["Noodles","Pizza"]}},"required":["dish"]}})";
    server.add_tool("vote", voted, [&](const wellhead::Call &call) {
        votes.find(*call.arguments().text("dish"))->second++;
        return count();
    });
    server.serve_stdio();
    return 0;
} catch (const wellhead::Error &e) {
    std::cerr << "poll: " << e.what() << '\n';
    return 1;
}
