# The host in Ruby: the gem `ffi` on the C library.
#
#     host.rb LIBRARY
require "ffi"

NAMES = %w[ada ben].freeze

module Wellhead
  extend FFI::Library
  ffi_lib ARGV.fetch(0)

  class Str < FFI::Struct
    layout :ptr, :pointer, :len, :size_t

    # A string that borrows `text`, which it keeps.
    def self.of(text)
      new.tap do |str|
        str.borrow(FFI::MemoryPointer.from_string(text), text.bytesize)
      end
    end

    def borrow(memory, length)
      @memory = memory
      self[:ptr] = memory
      self[:len] = length
    end

    def text = self[:ptr].null? ? nil : self[:ptr].read_bytes(self[:len])
  end

  # A struct may end where its user knows no further fields: struct_size says so.
  class Sized < FFI::Struct
    def initialize(*)
      super
      self[:struct_size] = size
    end

    def put(field, text)
      (@kept ||= []) << (str = Str.of(text))
      self[field][:ptr] = str[:ptr]
      self[field][:len] = str[:len]
    end
  end

  callback :answer, %i[pointer pointer pointer], :void # user_data, call, responder
  callback :exists, [:pointer, Str.by_ref], :int
  callback :log, [:pointer, :uint32, Str.by_ref], :void

  class Limits < Sized
    layout :struct_size, :size_t, :message_bytes, :size_t, :nesting, :size_t, :id_bytes, :size_t, :batch_length, :size_t,
           :uri_bytes, :size_t, :page_items, :size_t
  end

  class Options < Sized
    layout :struct_size, :size_t, :flags, :uint32, :title, Str, :instructions, Str, :cursor_key, Str, :limits, :pointer, :log, :log
  end

  class Resource < Sized
    layout :struct_size, :size_t, :uri, Str, :name, Str, :title, Str, :description, Str, :mime_type, Str, :size, :pointer, :key, Str
  end

  class Provider < Sized
    layout :struct_size, :size_t, :user_data, :pointer, :destroy, :pointer, :read, :answer, :list, :answer, :complete, :answer,
           :completed, :pointer, :completed_count, :size_t, :exists, :exists
  end

  str = Str.by_value
  attach_function :server_new, :wellhead_server_new, [str, str, :pointer, :pointer], :pointer
  attach_function :add_template, :wellhead_server_add_template, %i[pointer pointer pointer pointer], :uint32
  attach_function :add_tool, :wellhead_server_add_tool, [:pointer, str, str, :answer, :pointer, :pointer, :pointer], :uint32
  # Blocking: it releases the lock of the interpreter, which callbacks on other threads take.
  attach_function :serve_stdio, :wellhead_serve_stdio, %i[pointer pointer pointer], :uint32, blocking: true
  attach_function :server_free, :wellhead_server_free, %i[pointer], :void
  attach_function :call_var, :wellhead_call_var, %i[pointer string], str
  attach_function :call_after, :wellhead_call_after, %i[pointer], str
  attach_function :call_limit, :wellhead_call_limit, %i[pointer], :size_t
  attach_function :call_value, :wellhead_call_value, %i[pointer], str
  attach_function :argument_integer, :wellhead_call_argument_integer, %i[pointer string pointer], :int
  attach_function :read_text, :wellhead_read_text, [:pointer, str], :uint32
  attach_function :read_failed, :wellhead_read_failed, [:pointer, str], :uint32
  attach_function :list_add, :wellhead_list_add, %i[pointer pointer], :uint32
  attach_function :list_finish, :wellhead_list_finish, %i[pointer int], :uint32
  attach_function :complete_add, :wellhead_complete_add, [:pointer, str], :uint32
  attach_function :complete_finish, :wellhead_complete_finish, %i[pointer int pointer], :uint32
  attach_function :method_text, :wellhead_method_text, [:pointer, str], :uint32
end

include Wellhead

read = lambda do |_user_data, call, responder|
  name = Wellhead.call_var(call, "name").text
  if name == "nobody"
    Wellhead.read_failed(responder, Str.of("nobody is there"))
  else
    Wellhead.read_text(responder, Str.of("Hello, #{name}!"))
  end
end

list = lambda do |_user_data, call, responder|
  after = Wellhead.call_after(call).text
  rest = NAMES.select { |name| after.nil? || name > after }
  here = rest.first(Wellhead.call_limit(call))
  here.each do |name|
    item = Resource.new
    item.put(:uri, "greet://#{name}")
    item.put(:name, name)
    item.put(:key, name)
    Wellhead.list_add(responder, item)
  end
  Wellhead.list_finish(responder, here.size < rest.size ? 1 : 0)
end

complete = lambda do |_user_data, call, responder|
  value = Wellhead.call_value(call).text
  NAMES.each { |name| Wellhead.complete_add(responder, Str.of(name)) if name.start_with?(value) }
  Wellhead.complete_finish(responder, 0, nil)
end

exists = ->(_user_data, uri) { NAMES.include?(uri.text.delete_prefix("greet://")) ? 1 : 0 }

add = lambda do |_user_data, call, responder|
  a, b = %w[a b].map do |name|
    value = FFI::MemoryPointer.new(:int64)
    Wellhead.argument_integer(call, name, value)
    value.read_int64
  end
  Wellhead.method_text(responder, Str.of((a + b).to_s))
end

log = ->(_user_data, _level, line) { warn "logged: #{line.text}" }

limits = Limits.new
options = Options.new
template = Resource.new
provider = Provider.new
name = Str.of("name")
limits[:page_items] = 1
options[:limits] = limits
options[:log] = log
template.put(:uri, "greet://{name}")
template.put(:name, "greeting")
provider[:read], provider[:list], provider[:complete], provider[:exists] = read, list, complete, exists
provider[:completed], provider[:completed_count] = name, 1
definition = '{"inputSchema":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}}'
server = Wellhead.server_new(Str.of("greetings"), Str.of("1.0.0"), options, nil)
statuses = [
  Wellhead.add_template(server, template, provider, nil),
  Wellhead.add_tool(server, Str.of("add"), Str.of(definition), add, nil, nil, nil),
  Wellhead.serve_stdio(server, nil, nil),
]
Wellhead.server_free(server)
exit statuses.all?(0)
