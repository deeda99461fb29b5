/* smallest.c - one template, served over standard input and output. */
#include <wellhead.h>

static void greet(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    wellhead_read_text(r, wellhead_call_var(call, "name"));
}

int main(void) {
    wellhead_server *server = wellhead_server_new(WELLHEAD_STR("greeter"), WELLHEAD_STR("1.0.0"), NULL, NULL);
    wellhead_resource greeting = WELLHEAD_RESOURCE_INIT;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    greeting.uri = WELLHEAD_STR("hello://{name}");
    provider.read = greet;
    int failed = wellhead_server_add_template(server, &greeting, &provider, NULL) != WELLHEAD_STATUS_OK
              || wellhead_serve_stdio(server, NULL, NULL) != WELLHEAD_STATUS_OK;
    wellhead_server_free(server);
    return failed;
}
