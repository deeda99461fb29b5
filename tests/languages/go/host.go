// The host in Go: cgo on the C library. Its callbacks are in callbacks.go, because a file that exports functions may define none in C.
package main

/*
#include <stdlib.h>
#include <wellhead.h>

// What Go exports has no const.
extern void readGreeting(void *, wellhead_call *, wellhead_read *);
extern void listNames(void *, wellhead_call *, wellhead_list *);
extern void completeName(void *, wellhead_call *, wellhead_complete *);
extern int nameExists(void *, wellhead_str *);
extern void addNumbers(void *, wellhead_call *, wellhead_method *);
extern void logLine(void *, uint32_t, wellhead_str *);

static wellhead_provider provider_of_names(const wellhead_str *completed) {
    wellhead_provider p = WELLHEAD_PROVIDER_INIT;
    p.read = (wellhead_read_callback)readGreeting;
    p.list = (wellhead_list_callback)listNames;
    p.complete = (wellhead_complete_callback)completeName;
    p.exists = (wellhead_exists_callback)nameExists;
    p.completed = completed;
    p.completed_count = 1;
    return p;
}

static wellhead_server *server_with_log(wellhead_str name, wellhead_str version, size_t page_items) {
    wellhead_limits limits = WELLHEAD_LIMITS_INIT;
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    limits.page_items = page_items;
    options.limits = &limits;
    options.log = (wellhead_log_callback)logLine;
    return wellhead_server_new(name, version, &options, NULL);
}

static wellhead_status add_tool(wellhead_server *server, wellhead_str name, wellhead_str definition) {
    return wellhead_server_add_tool(server, name, definition, (wellhead_method_callback)addNumbers, NULL, NULL, NULL);
}
*/
import "C"

import (
	"os"
	"unsafe"
)

const definition = `{"inputSchema":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}}`

// borrowed gives C a view of a string, which is to live until the function of C returns.
func borrowed(text string) C.wellhead_str {
	return C.wellhead_str{ptr: (*C.char)(unsafe.Pointer(unsafe.StringData(text))), len: C.size_t(len(text))}
}

// inC copies a string for structs, in which C may hold no pointer of Go's.
func inC(text string) C.wellhead_str { return C.wellhead_cstr(C.CString(text)) }

func main() {
	server := C.server_with_log(borrowed("greetings"), borrowed("1.0.0"), 1)
	completed := (*C.wellhead_str)(C.malloc(C.sizeof_wellhead_str))
	*completed = inC("name")
	provider := C.provider_of_names(completed)
	template := C.wellhead_resource{struct_size: C.sizeof_wellhead_resource, uri: inC("greet://{name}"), name: inC("greeting")}
	failed := C.wellhead_server_add_template(server, &template, &provider, nil)
	if failed == 0 {
		failed = C.add_tool(server, borrowed("add"), borrowed(definition))
	}
	if failed == 0 {
		failed = C.wellhead_serve_stdio(server, nil, nil)
	}
	C.wellhead_server_free(server)
	os.Exit(int(failed))
}
