-- The host in LuaJIT: `ffi` on the C library, with the declarations of the header as the preprocessor gives them.
--
--     host.lua LIBRARY HEADER

local ffi = require("ffi")
local library_path, header = ...
ffi.cdef(header)
local library = ffi.load(library_path)
local names = { "ada", "ben" }

local function str(text) return ffi.new("wellhead_str", text, #text) end -- borrows `text`
local function text(s) return s.ptr ~= nil and ffi.string(s.ptr, s.len) or nil end
local function sized(name) -- a struct as its _INIT makes it
    local all = ffi.new(name)
    all.struct_size = ffi.sizeof(name)
    return all
end

local function read(_, call, responder)
    local name = text(library.wellhead_call_var(call, "name"))
    if name == "nobody" then
        library.wellhead_read_failed(responder, str("nobody is there"))
    else
        library.wellhead_read_text(responder, str("Hello, " .. name .. "!"))
    end
end

local function list(_, call, responder)
    local after, room = text(library.wellhead_call_after(call)), tonumber(library.wellhead_call_limit(call))
    local more = 0
    for _, name in ipairs(names) do
        if not after or name > after then
            if room == 0 then
                more = 1
                break
            end
            local item, uri = sized("wellhead_resource"), "greet://" .. name
            item.uri, item.name = str(uri), str(name)
            item.key = str(name)
            library.wellhead_list_add(responder, item)
            room = room - 1
        end
    end
    library.wellhead_list_finish(responder, more)
end

local function complete(_, call, responder)
    local value = text(library.wellhead_call_value(call))
    for _, name in ipairs(names) do
        if name:sub(1, #value) == value then library.wellhead_complete_add(responder, str(name)) end
    end
    library.wellhead_complete_finish(responder, 0, nil)
end

local function exists(_, uri)
    for _, name in ipairs(names) do
        if text(uri) == "greet://" .. name then return 1 end
    end
    return 0
end

local function add(_, call, responder)
    local a, b = ffi.new("int64_t[1]"), ffi.new("int64_t[1]")
    library.wellhead_call_argument_integer(call, "a", a)
    library.wellhead_call_argument_integer(call, "b", b)
    local sum = tostring(a[0] + b[0]):gsub("LL$", "")
    library.wellhead_method_text(responder, str(sum))
end

local function log(_, _, line) io.stderr:write("logged: ", text(line), "\n") end

local limits, options = sized("wellhead_limits"), sized("wellhead_server_options")
limits.page_items = 1
options.limits, options.log = limits, log
local server = library.wellhead_server_new(str("greetings"), str("1.0.0"), options, nil)
local template, provider = sized("wellhead_resource"), sized("wellhead_provider")
local completed = ffi.new("wellhead_str[1]", { str("name") })
template.uri, template.name = str("greet://{name}"), str("greeting")
provider.read, provider.list, provider.complete, provider.exists = read, list, complete, exists
provider.completed, provider.completed_count = completed, 1
local definition =
    '{"inputSchema":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}}'
assert(library.wellhead_server_add_template(server, template, provider, nil) == 0)
assert(library.wellhead_server_add_tool(server, str("add"), str(definition), add, nil, nil, nil) == 0)
local stdio = sized("wellhead_stdio_options")
stdio.callback_threads = -1 -- WELLHEAD_CALLBACKS_INLINE: Lua can be called on this thread only
assert(library.wellhead_serve_stdio(server, stdio, nil) == 0)
library.wellhead_server_free(server)
