"""The host in Python: `ctypes` on the C library, without the package of bindings/python.

    host.py LIBRARY
"""

import ctypes
import sys
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p, sizeof

NAMES = [b"ada", b"ben"]
library = ctypes.CDLL(sys.argv[1])


class Str(Structure):
    _fields_ = [("ptr", c_void_p), ("len", c_size_t)]

    @staticmethod
    def from_bytes(text: bytes) -> "Str":
        """A string that borrows `text`."""
        return Str(ctypes.cast(text, c_void_p), len(text))

    def bytes(self) -> bytes | None:
        return None if self.ptr is None else ctypes.string_at(self.ptr, self.len)


Answer = CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)  # user_data, call, responder
Exists = CFUNCTYPE(c_int, c_void_p, POINTER(Str))
Log = CFUNCTYPE(None, c_void_p, c_uint32, POINTER(Str))


# A struct may end where its user knows no further fields: struct_size says so.
class Limits(Structure):
    _fields_ = [("struct_size", c_size_t), *((name, c_size_t) for name in ("message_bytes", "nesting", "id_bytes", "batch_length", "uri_bytes", "page_items"))]


class Options(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("flags", c_uint32),
        ("title", Str),
        ("instructions", Str),
        ("cursor_key", Str),
        ("limits", POINTER(Limits)),
        ("log", Log),
    ]


class Resource(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        *((name, Str) for name in ("uri", "name", "title", "description", "mime_type")),
        ("size", c_void_p),
        ("key", Str),
    ]


class Provider(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("user_data", c_void_p),
        ("destroy", c_void_p),
        ("read", Answer),
        ("list", Answer),
        ("complete", Answer),
        ("completed", POINTER(Str)),
        ("completed_count", c_size_t),
        ("exists", Exists),
    ]


def declare(result: object, name: str, *parameters: object):
    function = getattr(library, name)
    function.restype, function.argtypes = result, parameters
    return function


server_new = declare(c_void_p, "wellhead_server_new", Str, Str, POINTER(Options), c_void_p)
add_template = declare(c_uint32, "wellhead_server_add_template", c_void_p, POINTER(Resource), POINTER(Provider), c_void_p)
add_tool = declare(c_uint32, "wellhead_server_add_tool", c_void_p, Str, Str, Answer, c_void_p, c_void_p, c_void_p)
serve_stdio = declare(c_uint32, "wellhead_serve_stdio", c_void_p, c_void_p, c_void_p)
server_free = declare(None, "wellhead_server_free", c_void_p)
call_var = declare(Str, "wellhead_call_var", c_void_p, c_char_p)
call_after = declare(Str, "wellhead_call_after", c_void_p)
call_limit = declare(c_size_t, "wellhead_call_limit", c_void_p)
call_value = declare(Str, "wellhead_call_value", c_void_p)
argument_integer = declare(c_int, "wellhead_call_argument_integer", c_void_p, c_char_p, POINTER(c_int64))
read_text = declare(c_uint32, "wellhead_read_text", c_void_p, Str)
read_failed = declare(c_uint32, "wellhead_read_failed", c_void_p, Str)
list_add = declare(c_uint32, "wellhead_list_add", c_void_p, POINTER(Resource))
list_finish = declare(c_uint32, "wellhead_list_finish", c_void_p, c_int)
complete_add = declare(c_uint32, "wellhead_complete_add", c_void_p, Str)
complete_finish = declare(c_uint32, "wellhead_complete_finish", c_void_p, c_int, c_void_p)
method_text = declare(c_uint32, "wellhead_method_text", c_void_p, Str)


@Answer
def read(_user_data, call, responder):
    name = call_var(call, b"name").bytes()
    if name == b"nobody":
        read_failed(responder, Str.from_bytes(b"nobody is there"))
    else:
        read_text(responder, Str.from_bytes(b"Hello, " + name + b"!"))


@Answer
def list_names(_user_data, call, responder):
    after = call_after(call).bytes()
    rest = [name for name in NAMES if after is None or name > after]
    here = rest[: call_limit(call)]
    for name in here:
        uri = b"greet://" + name
        list_add(responder, byref(Resource(sizeof(Resource), Str.from_bytes(uri), Str.from_bytes(name), key=Str.from_bytes(name))))
    list_finish(responder, len(here) < len(rest))


@Answer
def complete(_user_data, call, responder):
    for name in NAMES:
        if name.startswith(call_value(call).bytes()):
            complete_add(responder, Str.from_bytes(name))
    complete_finish(responder, 0, None)


@Exists
def exists(_user_data, uri):
    return uri.contents.bytes().removeprefix(b"greet://") in NAMES


@Answer
def add(_user_data, call, responder):
    a, b = c_int64(), c_int64()
    argument_integer(call, b"a", byref(a))
    argument_integer(call, b"b", byref(b))
    method_text(responder, Str.from_bytes(b"%d" % (a.value + b.value)))


@Log
def log(_user_data, _level, line):
    print("logged:", line.contents.bytes().decode(), file=sys.stderr)


def main() -> int:
    limits = Limits(sizeof(Limits), page_items=1)
    options = Options(sizeof(Options), limits=ctypes.pointer(limits), log=log)
    server = server_new(Str.from_bytes(b"greetings"), Str.from_bytes(b"1.0.0"), byref(options), None)
    name = Str.from_bytes(b"name")
    template = Resource(sizeof(Resource), Str.from_bytes(b"greet://{name}"), Str.from_bytes(b"greeting"))
    provider = Provider(sizeof(Provider), read=read, list=list_names, complete=complete, completed=ctypes.pointer(name), completed_count=1, exists=exists)
    definition = b'{"inputSchema":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}}'
    failed = (
        add_template(server, byref(template), byref(provider), None)
        or add_tool(server, Str.from_bytes(b"add"), Str.from_bytes(definition), add, None, None, None)
        or serve_stdio(server, None, None)
    )
    server_free(server)
    return failed


sys.exit(main())
