/* Uses libwellhead.a and a second static library of Rust in one program. */
#include <stdint.h>
#include <string.h>
#include <wellhead.h>

uint64_t second_sum(uint64_t n);

int main(void) {
    wellhead_server *server = wellhead_server_new(WELLHEAD_STR("two"), WELLHEAD_STR("1.0.0"), NULL, NULL);
    wellhead_resource world = WELLHEAD_RESOURCE_INIT;
    wellhead_str text = {NULL, 0};
    world.uri = WELLHEAD_STR("hello://world");
    if (wellhead_server_add_text(server, &world, WELLHEAD_STR("Hello, world!"), NULL)) return 1;
    if (second_sum(100) != 4950 || second_sum(13) != UINT64_MAX) return 2;
    wellhead_test_client *client = wellhead_test_client_new(server, NULL);
    if (wellhead_test_client_read(client, world.uri, &text, NULL)) return 3;
    if (text.len != strlen("Hello, world!") || memcmp(text.ptr, "Hello, world!", text.len) != 0) return 4;
    wellhead_test_client_free(client);
    wellhead_server_free(server);
    return 0;
}
