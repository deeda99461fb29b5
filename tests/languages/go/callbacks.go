package main

// #include <stdlib.h>
// #include <wellhead.h>
import "C"

import (
	"fmt"
	"os"
	"strings"
	"unsafe"
)

var names = []string{"ada", "ben"}

// text copies a string of C's; false if it is absent.
func text(s C.wellhead_str) (string, bool) {
	return C.GoStringN(s.ptr, C.int(s.len)), s.ptr != nil
}

//export readGreeting
func readGreeting(_ unsafe.Pointer, call *C.wellhead_call, responder *C.wellhead_read) {
	variable := C.CString("name")
	defer C.free(unsafe.Pointer(variable))
	name, _ := text(C.wellhead_call_var(call, variable))
	if name == "nobody" {
		C.wellhead_read_failed(responder, borrowed("nobody is there"))
	} else {
		C.wellhead_read_text(responder, borrowed("Hello, "+name+"!"))
	}
}

//export listNames
func listNames(_ unsafe.Pointer, call *C.wellhead_call, responder *C.wellhead_list) {
	after, begun := text(C.wellhead_call_after(call))
	room, more := int(C.wellhead_call_limit(call)), C.int(0)
	for _, name := range names {
		if begun && name <= after {
			continue
		}
		if room--; room < 0 {
			more = 1
			break
		}
		item := C.wellhead_resource{struct_size: C.sizeof_wellhead_resource, uri: inC("greet://" + name), name: inC(name)}
		item.key = item.name
		C.wellhead_list_add(responder, &item)
		C.free(unsafe.Pointer(item.uri.ptr))
		C.free(unsafe.Pointer(item.name.ptr))
	}
	C.wellhead_list_finish(responder, more)
}

//export completeName
func completeName(_ unsafe.Pointer, call *C.wellhead_call, responder *C.wellhead_complete) {
	value, _ := text(C.wellhead_call_value(call))
	for _, name := range names {
		if strings.HasPrefix(name, value) {
			C.wellhead_complete_add(responder, borrowed(name))
		}
	}
	C.wellhead_complete_finish(responder, 0, nil)
}

//export nameExists
func nameExists(_ unsafe.Pointer, uri *C.wellhead_str) C.int {
	for _, name := range names {
		if asked, _ := text(*uri); asked == "greet://"+name {
			return 1
		}
	}
	return 0
}

//export addNumbers
func addNumbers(_ unsafe.Pointer, call *C.wellhead_call, responder *C.wellhead_method) {
	var terms [2]C.int64_t
	for i, name := range []string{"a", "b"} {
		path := C.CString(name)
		C.wellhead_call_argument_integer(call, path, &terms[i])
		C.free(unsafe.Pointer(path))
	}
	C.wellhead_method_text(responder, borrowed(fmt.Sprint(int64(terms[0])+int64(terms[1]))))
}

//export logLine
func logLine(_ unsafe.Pointer, level C.uint32_t, line *C.wellhead_str) {
	said, _ := text(*line)
	fmt.Fprintln(os.Stderr, "logged:", said)
}
