/* A callback that prints by C's own means: nothing of it may reach the client. Afterwards standard output is the program's. */
#include <stdio.h>
#include <wellhead.h>

static void greet(void *user_data, const wellhead_call *call, wellhead_read *read) {
    (void)user_data;
    puts("a stray print");
    wellhead_read_text(read, wellhead_call_var(call, "name"));
}

int main(void) {
    wellhead_server *server = wellhead_server_new(WELLHEAD_STR("hello"), WELLHEAD_STR("1"), NULL, NULL);
    wellhead_resource people = WELLHEAD_RESOURCE_INIT;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    people.uri = WELLHEAD_STR("hello://{name}");
    provider.read = greet;
    if (wellhead_server_add_template(server, &people, &provider, NULL) != WELLHEAD_STATUS_OK) return 1;
    wellhead_status status = wellhead_serve_stdio(server, NULL, NULL);
    wellhead_server_free(server);
    puts("served");
    return status != WELLHEAD_STATUS_OK;
}
