/* poll.c - a poll about lunch with a page of MCP Apps, over stdio: what the examples in Python and Node do. The argument is
 * the page. */
#include <wellhead.h>

#include <stdio.h>

#define S WELLHEAD_STR

static int votes[2]; /* Noodles, Pizza: one thread runs callbacks */

static void poll(void *user_data, const wellhead_call *call, wellhead_method *r) {
    char text[64];
    (void)user_data, (void)call;
    snprintf(text, sizeof text, "Noodles: %d, Pizza: %d", votes[0], votes[1]);
    wellhead_method_text(r, wellhead_cstr(text));
}

static void vote(void *user_data, const wellhead_call *call, wellhead_method *r) {
    votes[wellhead_str_equal(wellhead_call_argument_text(call, "dish"), S("Pizza"))]++;
    poll(user_data, call, r);
}

int main(int argc, char **argv) {
    static char html[65536];
    wellhead_resource page = WELLHEAD_RESOURCE_INIT;
    wellhead_status status;
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file) return 1;
    page.uri = S("ui://poll/page");
    const wellhead_str text = {html, fread(html, 1, sizeof html, file)};
    fclose(file);

    wellhead_server *server = wellhead_server_new(S("poll"), S("1.0.0"), NULL, NULL);
    if ((status = wellhead_server_add_app(server, &page, S("{\"prefersBorder\":true}"), text, NULL))
        || (status = wellhead_server_add_tool(server, S("poll"),
                S("{\"description\":\"Shows the poll about lunch, and the votes.\",\"inputSchema\":{\"type\":\"object\"},"
                  "\"app\":\"ui://poll/page\",\"annotations\":{\"readOnlyHint\":true}}"),
                poll, NULL, NULL, NULL))
        || (status = wellhead_server_add_tool(server, S("vote"),
                S("{\"description\":\"Votes for a dish.\",\"app\":\"ui://poll/page\",\"visibility\":[\"app\"],\"inputSchema\":{"
                  "\"type\":\"object\",\"properties\":{\"dish\":{\"type\":\"string\",\"enum\":[\"Noodles\",\"Pizza\"]}},"
                  "\"required\":[\"dish\"]}}"),
                vote, NULL, NULL, NULL))
        || (status = wellhead_serve_stdio(server, NULL, NULL)))
        fprintf(stderr, "poll: %s\n", wellhead_status_name(status));
    wellhead_server_free(server);
    return status != WELLHEAD_STATUS_OK;
}
