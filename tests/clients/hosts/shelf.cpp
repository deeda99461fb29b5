// shelf.cpp - resources as tools, and skills: see README.md one folder up.
#include <wellhead.hpp>

#include <iostream>
#include <string>
#include <string_view>

using namespace std::string_literals;
using namespace std::string_view_literals;
using wellhead::Call, wellhead::Read, wellhead::Resource;

static Resource described(const std::string &uri, const std::string &mime_type) {
    Resource resource(uri);
    resource.mime_type = mime_type;
    return resource;
}

static void add_skills(wellhead::Server &server) {
    wellhead::Provider library, files;
    library.list = [](const Call &, std::optional<std::string_view> after, std::size_t limit, wellhead::List &r) {
        std::size_t added = 0;
        for (int n = 0; n < 5; n++) {
            const auto name = "skill-" + std::to_string(n), uri = "skill://team/" + name + "/SKILL.md";
            if (after && uri <= *after) continue;
            if (added == std::min<std::size_t>(limit, 2)) return r.finish(true);
            r.add_skill(R"({"uri":")" + uri + R"(","frontmatter":{"name":")" + name + R"(","description":"One of five."}})");
            added++;
        }
        r.finish();
    };
    server.add_skill_list("library", std::move(library));
    files.read = [](const Call &call, Read &r) {
        const auto name = call.var("name").value();
        if (name.substr(0, 6) == "skill-") r.text(name);
        else r.not_found();
    };
    server.add_template(described("skill://team/{name}/SKILL.md", "text/markdown"), std::move(files));
}

static void add_shelf(wellhead::Server &server) {
    auto open = described("shelf://open", "text/plain");
    open.name = "open";
    open.description = "For all";
    server.add_text(open, "open content");
    server.add_blob(described("shelf://bytes", "application/octet-stream"), "\x00\x01\x02\x03"sv);
    server.add_blob(described("shelf://logo", "image/png"), "\x89PNG\r\n\x1a\n");
    server.add_text("shelf://hidden", "hidden content");
    server.add_text("shelf://denied", "denied content");
    Resource profile("shelf://users/{user}/profile{?lang}");
    profile.name = "profile";
    profile.description = "Says who that is";
    wellhead::Provider profiles;
    profiles.read = [](const Call &call, Read &r) {
        const auto user = std::string(call.var("user").value()), lang = std::string(call.var("lang").value_or("en"));
        r.text("Profile of " + user + " in " + lang);
    };
    server.add_template(profile, std::move(profiles));
    const auto about = R"({"description":"Answers by itself","inputSchema":{"type":"object"}})";
    server.add_tool("own", about, [](const Call &) { return "own answer"; });
    server.set_authorize([](const Call &, std::uint32_t, const wellhead_str *uris, std::size_t count, wellhead::Authorize &r) {
        for (std::size_t i = 0; i < count; i++) {
            const auto uri = wellhead::view(uris[i]);
            r.set(i, uri == "shelf://hidden" ? WELLHEAD_VERDICT_HIDE
                     : uri == "shelf://denied" ? WELLHEAD_VERDICT_DENY : WELLHEAD_VERDICT_ALLOW);
        }
        r.finish();
    });
}

int main(int argc, char **argv) try {
    wellhead::ServerOptions options;
    options.flags = WELLHEAD_RESOURCES_AS_TOOLS;
    wellhead::Server server("shelf", "1.0.0", std::move(options));
    const auto mode = argc > 1 ? argv[1] : ""sv;
    if (mode == "--skills" && argc > 2) server.add_skills(argv[2]);
    else if (mode == "--skills") add_skills(server);
    else if (mode != "--empty") add_shelf(server);
    server.serve_stdio();
    return 0;
} catch (const wellhead::Error &e) {
    std::cerr << "shelf: " << e.what() << '\n';
    return 1;
}
