/* A folder as resources, and one of skills. */
#define _DEFAULT_SOURCE
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0);
    if (file) fclose(file);
}

static void a_folder_is_listed_and_read_by_its_options(void) {
    char folder[] = "wellhead-c-XXXXXX", path[64];
    size_t count_of = 0;
    wellhead_directory directory = WELLHEAD_DIRECTORY_INIT;
    wellhead_str include[] = {WELLHEAD_STR("*.md")}, exclude[] = {WELLHEAD_STR("b.md")};
    wellhead_server *server = quiet_server();
    if (!mkdtemp(folder)) abort();
    const char *const names[] = {"a.md", "b.md", "c.txt"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        write_file(path, "some text");
    }
    directory.path = wellhead_cstr(folder);
    directory.include = include;
    directory.include_count = 1;
    directory.exclude = exclude;
    directory.exclude_count = 1;
    directory.settle_ms = 60001;
    CHECK(wellhead_server_add_directory(server, &directory, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    directory.settle_ms = 1;
    directory.flags = 2;
    CHECK(wellhead_server_add_directory(server, &directory, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    directory.flags = WELLHEAD_NO_WATCH;
    CHECK(wellhead_server_add_directory(server, &directory, NULL) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_server_add_directory(server, &directory, NULL) == WELLHEAD_STATUS_DUPLICATE);
    wellhead_connection *connection = connect_to(server);
    const char *output = exchange(connection, LIST(1));
    CHECK(has(output, "a.md") && !has(output, "b.md") && !has(output, "c.txt"));
    wellhead_connection_free(connection);
    wellhead_test_client *client = wellhead_test_client_new(server, NULL);
    CHECK(wellhead_test_client_templates(client, &count_of, NULL) == WELLHEAD_STATUS_OK && count_of == 1);
    CHECK(wellhead_server_remove_resource(server, wellhead_test_client_template(client, 0), NULL) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_test_client_list(client, &count_of, NULL) == WELLHEAD_STATUS_OK && count_of == 0);
    wellhead_test_client_free(client);
    CHECK(wellhead_server_add_directory(server, &directory, NULL) == WELLHEAD_STATUS_OK);
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
    CHECK(wellhead_server_add_directory(server, &directory, NULL) == WELLHEAD_STATUS_IO);
    wellhead_server_free(server);
}

static void read_nothing(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data, (void)call;
    wellhead_read_not_found(r);
}

/* A template of the application that matches the URIs of a folder, too. */
static void a_folder_whose_uris_a_template_matches_is_ambiguous(void) {
    char folder[] = "wellhead-c-XXXXXX", here[4096], uris[8192];
    wellhead_directory directory = WELLHEAD_DIRECTORY_INIT;
    wellhead_skills skills = WELLHEAD_SKILLS_INIT;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_server *server = quiet_server();
    if (!mkdtemp(folder) || !getcwd(here, sizeof here)) abort();
    snprintf(uris, sizeof uris, "file://%s/%s/{+rest}", here, folder);
    provider.read = read_nothing;
    CHECK(add_template(server, uris, provider) == WELLHEAD_STATUS_OK);
    CHECK(add_template(server, "skill://{+rest}", provider) == WELLHEAD_STATUS_OK);
    directory.path = skills.path = wellhead_cstr(folder);
    CHECK(wellhead_server_add_directory(server, &directory, NULL) == WELLHEAD_STATUS_AMBIGUOUS);
    CHECK(wellhead_server_add_skills(server, &skills, NULL) == WELLHEAD_STATUS_AMBIGUOUS);
    wellhead_server_free(server);
    rmdir(folder);
}

/* row: SK-51 */
static void a_change_of_a_skill_reaches_its_subscribers(void) {
    char folder[] = "wellhead-c-XXXXXX", below[64], path[80];
    const wellhead_str uri = WELLHEAD_STR("skill://pdf/SKILL.md");
    wellhead_str updated = {NULL, 0};
    wellhead_skills skills = WELLHEAD_SKILLS_INIT;
    wellhead_server *server = quiet_server();
    if (!mkdtemp(folder)) abort();
    snprintf(below, sizeof below, "%s/pdf", folder);
    snprintf(path, sizeof path, "%s/SKILL.md", below);
    if (mkdir(below, 0700) != 0) abort();
    write_file(path, "---\nname: pdf\ndescription: Reads PDF.\n---\n");
    skills.path = wellhead_cstr(folder);
    skills.settle_ms = 1;
    CHECK(wellhead_server_add_skills(server, &skills, NULL) == WELLHEAD_STATUS_OK);
    wellhead_test_client *client = wellhead_test_client_new(server, NULL);
    CHECK(wellhead_test_client_subscribe(client, uri, NULL) == WELLHEAD_STATUS_OK);
    write_file(path, "---\nname: pdf\ndescription: Reads and writes PDF.\n---\n");
    CHECK(wellhead_test_client_next_update(client, &updated, NULL) == WELLHEAD_STATUS_OK);
    CHECK(updated.len == uri.len && memcmp(updated.ptr, uri.ptr, uri.len) == 0);
    wellhead_test_client_free(client);
    wellhead_server_free(server);
    unlink(path);
    rmdir(below);
    rmdir(folder);
}

void test_directory(void) {
    RUN(a_folder_is_listed_and_read_by_its_options);
    RUN(a_folder_whose_uris_a_template_matches_is_ambiguous);
    RUN(a_change_of_a_skill_reaches_its_subscribers);
}
