/* shelf.c - resources as tools, and skills: see README.md one folder up. */
#include <wellhead.h>

#include <stdio.h>
#include <string.h>

#define S WELLHEAD_STR
#define TRY(call) if ((status = (call))) return status

static wellhead_resource described(const char *uri, const char *mime_type) {
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    resource.uri = wellhead_cstr(uri);
    resource.mime_type = wellhead_cstr(mime_type);
    return resource;
}

/* ---- skills by a callback */

static void skill_list(void *user_data, const wellhead_call *call, wellhead_list *r) {
    const wellhead_str after = wellhead_call_after(call);
    size_t added = 0;
    (void)user_data;
    for (int n = 0; n < 5; n++) {
        char uri[64], entry[256];
        const int length = snprintf(uri, sizeof uri, "skill://team/skill-%d/SKILL.md", n);
        if (after.ptr && (size_t)length == after.len && memcmp(uri, after.ptr, after.len) <= 0) continue;
        if (added == 2 || added == wellhead_call_limit(call)) {
            wellhead_list_finish(r, 1);
            return;
        }
        snprintf(entry, sizeof entry,
                 "{\"uri\":\"%s\",\"frontmatter\":{\"name\":\"skill-%d\",\"description\":\"One of five.\"}}", uri, n);
        wellhead_list_add_skill(r, wellhead_cstr(entry));
        added++;
    }
    wellhead_list_finish(r, 0);
}

static void read_skill(void *user_data, const wellhead_call *call, wellhead_read *r) {
    const wellhead_str name = wellhead_call_var(call, "name");
    (void)user_data;
    if (name.len > 6 && memcmp(name.ptr, "skill-", 6) == 0) wellhead_read_text(r, name);
    else wellhead_read_not_found(r);
}

static wellhead_status add_skills(wellhead_server *server) {
    const wellhead_resource file = described("skill://team/{name}/SKILL.md", "text/markdown");
    wellhead_provider library = WELLHEAD_PROVIDER_INIT, files = WELLHEAD_PROVIDER_INIT;
    wellhead_status status;
    library.list = skill_list;
    files.read = read_skill;
    TRY(wellhead_server_add_skill_list(server, S("library"), &library, NULL));
    return wellhead_server_add_template(server, &file, &files, NULL);
}

/* ---- resources as tools */

static void read_profile(void *user_data, const wellhead_call *call, wellhead_read *r) {
    const wellhead_str user = wellhead_call_var(call, "user"), lang = wellhead_call_var(call, "lang");
    char text[256];
    (void)user_data;
    snprintf(text, sizeof text, "Profile of %.*s in %.*s", (int)user.len, user.ptr, lang.ptr ? (int)lang.len : 2,
             lang.ptr ? lang.ptr : "en");
    wellhead_read_text(r, wellhead_cstr(text));
}

static void own(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)user_data, (void)call;
    wellhead_method_text(r, S("own answer"));
}

static void authorize(void *user_data, const wellhead_call *call, uint32_t operation, const wellhead_str *uris, size_t count,
                      wellhead_authorize *r) {
    (void)user_data, (void)call, (void)operation;
    for (size_t i = 0; i < count; i++)
        wellhead_authorize_set(r, i, wellhead_str_equal(uris[i], S("shelf://hidden")) ? WELLHEAD_VERDICT_HIDE
                               : wellhead_str_equal(uris[i], S("shelf://denied")) ? WELLHEAD_VERDICT_DENY
                                                                                   : WELLHEAD_VERDICT_ALLOW);
    wellhead_authorize_finish(r);
}

static wellhead_status add_shelf(wellhead_server *server) {
    wellhead_resource open = described("shelf://open", "text/plain");
    wellhead_resource profile = described("shelf://users/{user}/profile{?lang}", NULL);
    const wellhead_resource bytes = described("shelf://bytes", "application/octet-stream");
    const wellhead_resource logo = described("shelf://logo", "image/png");
    const wellhead_resource hidden = described("shelf://hidden", NULL), denied = described("shelf://denied", NULL);
    wellhead_provider profiles = WELLHEAD_PROVIDER_INIT;
    wellhead_status status;
    open.name = S("open");
    open.description = S("For all");
    profile.name = S("profile");
    profile.description = S("Says who that is");
    profiles.read = read_profile;
    TRY(wellhead_server_add_text(server, &open, S("open content"), NULL));
    TRY(wellhead_server_add_blob(server, &bytes, S("\x00\x01\x02\x03"), NULL));
    TRY(wellhead_server_add_blob(server, &logo, S("\x89PNG\r\n\x1a\n"), NULL));
    TRY(wellhead_server_add_text(server, &hidden, S("hidden content"), NULL));
    TRY(wellhead_server_add_text(server, &denied, S("denied content"), NULL));
    TRY(wellhead_server_add_template(server, &profile, &profiles, NULL));
    TRY(wellhead_server_add_tool(server, S("own"),
                                 S("{\"description\":\"Answers by itself\",\"inputSchema\":{\"type\":\"object\"}}"), own, NULL, NULL,
                                 NULL));
    return wellhead_server_set_authorize(server, authorize, NULL, NULL, NULL);
}

static wellhead_status add(wellhead_server *server, int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    wellhead_skills skills = WELLHEAD_SKILLS_INIT;
    if (strcmp(mode, "--empty") == 0) return WELLHEAD_STATUS_OK;
    if (strcmp(mode, "--skills") != 0) return add_shelf(server);
    if (argc == 2) return add_skills(server);
    skills.path = wellhead_cstr(argv[2]);
    return wellhead_server_add_skills(server, &skills, NULL);
}

int main(int argc, char **argv) {
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    wellhead_status status;
    options.flags = WELLHEAD_RESOURCES_AS_TOOLS;
    wellhead_server *server = wellhead_server_new(S("shelf"), S("1.0.0"), &options, NULL);
    if (!server) return 1;
    status = add(server, argc, argv);
    if (!status) status = wellhead_serve_stdio(server, NULL, NULL);
    if (status) fprintf(stderr, "shelf: %s\n", wellhead_status_name(status));
    wellhead_server_free(server);
    return status != WELLHEAD_STATUS_OK;
}
