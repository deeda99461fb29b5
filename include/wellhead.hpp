/* wellhead.hpp - wellhead.h for C++17: handles that free themselves, functions as callbacks, errors as exceptions.
 *
 *   int main() {
 *       wellhead::Server server("hello", "1.0.0");
 *       server.add_text("hello://world", "Hello, world!");
 *       server.add_template("hello://people/{name}", {[](const wellhead::Call &call, wellhead::Read &r) {
 *           r.text("Hello, " + std::string(call.var("name").value()) + "!");
 *       }});
 *       server.serve_stdio();                            // until the client is gone
 *   }
 *
 * Names are those of wellhead.h without their prefix: wellhead_server_add_text is Server::add_text. The comment in wellhead.h
 * says what a function does, when it fails and which thread may call it. Arguments that may be left out come last: set_text
 * takes `about` behind the text. C++ adds this:
 *
 * Handles are move-only and free themselves. A handle that was moved from is the NULL of C. capi() returns the handle of
 *   wellhead.h, and capi_release() gives it away.
 * HTTP has a header of its own, wellhead_http.hpp, which this header includes: server.serve_http("127.0.0.1:8000"), and
 *   Endpoint and Exchange for programs with their own HTTP server.
 * Texts are passed in as std::string_view and copied. Texts that are returned as std::string_view are borrowed, as in
 *   wellhead.h. A temporary Text or Session returns copies instead.
 * Callbacks are wellhead::Callback, made from any function, also a lambda that owns a std::unique_ptr. Copies of a callback share
 *   its function. A callback gets its responder by reference and answers before it returns, or moves it elsewhere, as keep()
 *   does, and answers later. Several threads may run callbacks at once if an option of wellhead.h says so. An empty function is
 *   refused where one is required.
 * Callbacks may throw: the answer is then "internal error", or "The tool failed" as the result of a tool, and what() is
 *   logged. The text of a ToolError is for the model instead. A responder that the callback has moved elsewhere with keep()
 *   still answers later.
 * Errors are thrown as wellhead::Error, also by answers that are refused. The header needs exceptions; it does not need
 *   RTTI.
 */
#ifndef WELLHEAD_HPP
#if defined(_MSVC_LANG) ? _MSVC_LANG < 201703L : __cplusplus < 201703L
#  error "wellhead.hpp needs C++17: compile with -std=c++17 (/std:c++17) or later, or use wellhead.h"
#elif !defined(__cpp_exceptions) && !defined(_CPPUNWIND)
#  error "wellhead.hpp needs exceptions: compile without -fno-exceptions (with /EHsc), or use wellhead.h"
#else
#define WELLHEAD_HPP

#include <wellhead.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace wellhead {

/* ---- texts and errors ---- */

inline wellhead_str str(std::string_view text) noexcept {
    return {text.data() ? text.data() : "", text.size()};
}

inline wellhead_str optional_str(const std::optional<std::string> &text) noexcept {
    return text ? str(*text) : wellhead_str{nullptr, 0};
}

inline std::string_view view(wellhead_str text) noexcept {
    return {text.ptr, text.len};
}

inline std::optional<std::string_view> optional_view(wellhead_str text) noexcept {
    return text.ptr ? std::optional(view(text)) : std::nullopt;
}

/* Returns the whole number that a text spells: see wellhead_str_to_integer. */
inline std::optional<std::int64_t> to_integer(std::string_view text) noexcept {
    std::int64_t value = 0;
    return wellhead_str_to_integer(str(text), &value) ? std::optional(value) : std::nullopt;
}

/* Returns the number that a text spells: see wellhead_str_to_number. */
inline std::optional<double> to_number(std::string_view text) noexcept {
    double value = 0;
    return wellhead_str_to_number(str(text), &value) ? std::optional(value) : std::nullopt;
}

class Error : public std::runtime_error {
public:
    Error(wellhead_status status, const std::string &message) : std::runtime_error(message), status_(status) {}

    wellhead_status status() const noexcept { return status_; }
    /* Returns the name of the status, such as "invalid_uri". */
    std::string_view code() const noexcept { return wellhead_status_name(status_); }

private:
    wellhead_status status_;
};

/* Thrown by the callback of a tool: an error whose text the model reads. See wellhead_method_tool_error. */
class ToolError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/* Thrown by require_input() of Method and Read: there is no result. A callback lets it through: the server then waits for the
 * client and runs the callback again, or sends an error to the client. See wellhead_method_wait. */
class ClientRequestError : public std::runtime_error {
public:
    ClientRequestError(std::uint32_t kind, std::optional<std::string> response_json)
        : std::runtime_error("the client has not answered"), response(kind), json(std::move(response_json)) {}

    /* One of WELLHEAD_RESPONSE_. A callback may catch WELLHEAD_RESPONSE_ERROR, WELLHEAD_RESPONSE_MISSING_CAPABILITY and
     * WELLHEAD_RESPONSE_INVALID. It lets WELLHEAD_RESPONSE_WAITING through. */
    std::uint32_t response;
    /* The error of the client, the capabilities that it lacks, or why its response is invalid. Empty while the server waits. */
    std::optional<std::string> json;
};

template <class Signature> class Callback;

namespace detail {

template <class F, class = void> inline constexpr bool is_plain_lambda = false;
template <class F> inline constexpr bool is_plain_lambda<F, std::void_t<decltype(+std::declval<F &>())>> = std::is_class_v<F>;

/* True for a type whose values may hold no function: a pointer, and a class that compares with nullptr, as std::function
 * does. A lambda without captures compares, too, because it converts to a pointer, but it is never empty. */
template <class F, class = void> inline constexpr bool may_be_empty = std::is_pointer_v<F> || std::is_member_pointer_v<F>;
template <class F>
inline constexpr bool may_be_empty<F, std::void_t<decltype(!std::declval<F &>()), decltype(std::declval<F &>() == nullptr)>> =
    !is_plain_lambda<F>;
template <class S> inline constexpr bool may_be_empty<Callback<S>> = true;

inline std::optional<std::string> copied(std::optional<std::string_view> text) {
    return text ? std::optional<std::string>(*text) : std::nullopt;
}

} // namespace detail

/* A function of any type behind a signature, like std::function. It may own what cannot be copied, since copies share it. */
template <class R, class... A> class Callback<R(A...)> {
public:
    Callback() noexcept = default;
    Callback(std::nullptr_t) noexcept {}
    template <class F, class D = std::decay_t<F>,
              class = std::enable_if_t<!std::is_same_v<D, Callback> && std::is_invocable_r_v<R, D &, A...>>>
    Callback(F &&function) {
        if constexpr (detail::may_be_empty<D> && !std::is_function_v<std::remove_reference_t<F>>) {
            if (!function) return; /* an empty callback */
        }
        target_ = std::make_shared<Of<D>>(std::forward<F>(function));
    }

    explicit operator bool() const noexcept { return target_ != nullptr; }
    R operator()(A... arguments) const {
        if (!target_) throw std::bad_function_call();
        return target_->call(std::forward<A>(arguments)...);
    }

private:
    struct Target {
        virtual ~Target() = default;
        virtual R call(A... arguments) = 0;
    };
    template <class F> struct Of final : Target {
        explicit Of(F &&f) : function(std::move(f)) {}
        explicit Of(const F &f) : function(f) {}
        R call(A... arguments) override {
            if constexpr (std::is_void_v<R>) static_cast<void>(std::invoke(function, std::forward<A>(arguments)...));
            else return std::invoke(function, std::forward<A>(arguments)...);
        }
        F function;
    };
    std::shared_ptr<Target> target_;
};

namespace detail {

template <auto release> struct Deleter {
    template <class T> void operator()(T *handle) const noexcept { release(handle); }
};

/* A handle that frees itself. */
template <class T, auto release> class Handle {
public:
    explicit Handle(T *handle = nullptr) noexcept : handle_(handle) {}

    explicit operator bool() const noexcept { return handle_ != nullptr; }
    T *capi() const noexcept { return handle_.get(); }
    [[nodiscard]] T *capi_release() noexcept { return handle_.release(); }

private:
    std::unique_ptr<T, Deleter<release>> handle_;
};

[[noreturn]] inline void raise(wellhead_status status, wellhead_error *error) {
    const std::unique_ptr<wellhead_error, Deleter<wellhead_error_free>> owned(error);
    const auto message = optional_view(wellhead_error_message(error));
    throw Error(status, std::string(message.value_or(wellhead_status_name(status))));
}

inline void check(wellhead_status status) {
    if (status != WELLHEAD_STATUS_OK) raise(status, nullptr);
}

/* Calls a function of C whose last argument receives an error, and throws the error. Returns the handle that it makes, if any. */
template <class R, class... P, class... A> auto call(R (*function)(P...), const A &...arguments) {
    wellhead_error *error = nullptr;
    const R result = function(arguments..., &error);
    if constexpr (std::is_pointer_v<R>) {
        if (!result) raise(wellhead_error_status(error), error);
        return result;
    } else { if (result != WELLHEAD_STATUS_OK) raise(result, error); }
}

/* Returns strings that borrow from `texts`. */
inline std::vector<wellhead_str> strs(const std::vector<std::string> &texts) {
    std::vector<wellhead_str> all;
    for (const std::string &text : texts) all.push_back(str(text));
    return all;
}

inline std::vector<wellhead_pair> pairs(const std::map<std::string, std::string> &values) {
    std::vector<wellhead_pair> all;
    for (const auto &[name, value] : values) all.push_back({str(name), str(value)});
    return all;
}

/* Points a pair of fields of C to a vector. */
template <class T> void borrow(const std::vector<T> &all, const T *&first, std::size_t &count) noexcept {
    first = all.data();
    count = all.size();
}

/* Moves a function to the heap, as the `user_data` of a callback. `destroy` frees it there. */
template <class F> void *keep(F &&function) {
    return new std::decay_t<F>(std::forward<F>(function));
}

/* Returns the function that keep() moved. */
template <class F> F &as(void *user_data) noexcept {
    return *static_cast<F *>(user_data);
}

template <class F> void destroy(void *user_data) noexcept {
    delete static_cast<F *>(user_data);
}

/* Passes a body to a function of C that releases it, also on failure. */
template <class F> void lend(std::string body, F &&take) {
    auto *lent = new std::string(std::move(body));
    check(take(str(*lent), destroy<std::string>, static_cast<void *>(lent)));
}

/* A callback as C has it: a function, its data, and how to destroy that. All are NULL for one that is empty. It owns the
 * data until give(), so that nothing is lost if memory runs out before the call of C, which owns it from then on. */
template <class F, class C> class CallbackOfC {
public:
    CallbackOfC(F &&callback, C run) {
        if (!callback) return;
        function_ = run;
        data_ = std::make_unique<F>(std::move(callback));
        destroy_data_ = destroy<F>;
    }

    C function() const noexcept { return function_; }
    void *give() noexcept { return data_.release(); }
    wellhead_destroy_callback destroy_data() const noexcept { return destroy_data_; }

private:
    C function_ = nullptr;
    std::unique_ptr<F> data_;
    wellhead_destroy_callback destroy_data_ = nullptr;
};

/* A callback that runs on this thread. If an exception destroys a responder that it kept, this takes the responder back
 * and fails it with the text of the exception. */
class Running {
public:
    explicit Running(const void *responder) noexcept : responder_(responder), outer_(std::exchange(now_, this)) {}
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;
    ~Running() { now_ = outer_; }

    static bool takes_back(const void *responder) noexcept {
        if (!now_ || now_->responder_ != responder || std::uncaught_exceptions() <= now_->exceptions_) return false;
        return now_->has_taken_ = true;
    }
    bool has_taken() const noexcept { return has_taken_; }

private:
    const void *responder_;
    Running *outer_;
    int exceptions_ = std::uncaught_exceptions();
    bool has_taken_ = false;
    inline static thread_local Running *now_ = nullptr;
};

/* Runs a callback on the responder that C passed. An exception fails the answer. */
template <class R, class T, class F, class... A> void respond(T *handle, const F &callback, const A &...arguments) noexcept {
    R responder(handle);
    const Running running(handle);
    std::string what;
    std::string_view why = "threw what is no std::exception";
    try {
        callback(arguments..., responder);
        if (running.has_taken()) R::drop(handle); /* the exception did not leave the callback */
        return;
    } catch (const ToolError &e) {
        if (running.has_taken()) R(handle).fail(e);
        else responder.fail(e);
        return;
    } catch (const ClientRequestError &e) {
        if (running.has_taken()) R(handle).fail(e);
        else responder.fail(e);
        return;
    } catch (const std::exception &e) {
        try {
            what = e.what();
            why = what;
        } catch (...) {
        }
    } catch (...) {
    }
    if (running.has_taken()) R(handle).fail(why);
    else responder.fail(why);
}

/* Runs a callback that answers nothing. Exceptions that it throws are dropped. */
template <class F, class... A> void run(void *user_data, const A &...arguments) noexcept {
    try {
        as<F>(user_data)(arguments...);
    } catch (...) {
    }
}

/* The address of this variable stands for the type T. */
template <class T> inline char type_of = 0;

} // namespace detail

/* The caller that a connection or a token speaks for: an object of the program, which keeps its type. */
class Caller {
public:
    Caller() = default;
    template <class T>
    Caller(std::shared_ptr<T> value) : value_(std::move(value)), type_(value_ ? &detail::type_of<T> : nullptr) {}

    explicit operator bool() const noexcept { return value_ != nullptr; }
    const void *get() const noexcept { return value_.get(); }
    const void *type() const noexcept { return type_; }

    /* Moves the caller to a struct of C that has these fields. */
    template <class C> void move_to(C &c) && {
        if (!value_) return;
        c.caller_type = type_;
        c.caller = detail::keep(std::move(*this));
        c.caller_destroy = detail::destroy<Caller>;
    }

private:
    std::shared_ptr<const void> value_;
    const void *type_ = nullptr;
};

/* A text that the library made. */
class Text : public detail::Handle<wellhead_text, wellhead_text_free> {
public:
    using Handle::Handle;

    std::string_view str() const & noexcept { return view(wellhead_text_str(capi())); }
    std::string str() const && { return std::string(str()); }
};

/* The session of a client, which goes on when this handle is freed: see wellhead_call_session. Any thread may use it. */
class Session : public detail::Handle<wellhead_session, wellhead_session_free> {
public:
    using Handle::Handle;

    std::string_view id() const & noexcept { return view(wellhead_session_id(capi())); }
    std::string id() const && { return std::string(id()); }
    std::optional<std::string_view> client() const & noexcept { return optional_view(wellhead_session_client(capi())); }
    std::optional<std::string> client() const && { return detail::copied(client()); }
    std::optional<std::string_view> client_capabilities() const & noexcept {
        return optional_view(wellhead_session_client_capabilities(capi()));
    }
    std::optional<std::string> client_capabilities() const && { return detail::copied(client_capabilities()); }
    bool closed() const noexcept { return wellhead_session_closed(capi()) != 0; }
    /* Sends a notification that belongs to no call, and returns true if it was sent: see wellhead_session_notify. */
    bool notify(std::string_view method, const std::optional<std::string> &params = {}) const {
        int sent = 0;
        detail::check(wellhead_session_notify(capi(), str(method), optional_str(params), &sent));
        return sent != 0;
    }
    /* Sends a log message to the client, and returns true if it was sent: see wellhead_session_log. */
    bool log(std::string_view level, std::string_view text, const std::optional<std::string> &logger = {}) const {
        int sent = 0;
        detail::check(wellhead_session_log(capi(), str(level), str(text), optional_str(logger), &sent));
        return sent != 0;
    }
};

/* ---- what is served ---- */

/* A caching hint: see wellhead_cache. */
struct Cache {
    std::optional<std::uint64_t> ttl_ms = {};
    std::optional<std::string> scope = {};

    /* Returns a struct of C that borrows from this. */
    wellhead_cache capi() && = delete;
    wellhead_cache capi() const & noexcept {
        wellhead_cache c = WELLHEAD_CACHE_INIT;
        c.ttl_ms = ttl_ms ? &*ttl_ms : nullptr;
        c.scope = optional_str(scope);
        return c;
    }
};

namespace detail {

/* A struct of C that borrows from one of C++, with its caching hint. */
template <class C> class Lent {
public:
    template <class T> explicit Lent(const T &value) : c_(value.capi()) {
        if (!value.cache) return;
        cache_ = value.cache->capi();
        c_.cache = &cache_;
    }
    Lent(const Lent &) = delete;
    Lent &operator=(const Lent &) = delete;

    operator const C *() const noexcept { return &c_; }

private:
    C c_;
    wellhead_cache cache_ = WELLHEAD_CACHE_INIT;
};

} // namespace detail

/* A resource in a list, or a template: see wellhead_resource. */
struct Resource {
    Resource(std::string resource_uri) : uri(std::move(resource_uri)) {}
    Resource(const char *resource_uri) : uri(resource_uri) {}

    std::string uri;
    std::optional<std::string> name, title, description, mime_type;
    std::optional<std::uint64_t> size;
    std::optional<std::string> key;
    /* JSON: see wellhead_resource. */
    std::optional<std::string> annotations, icons, meta;
    std::optional<std::string> kind, version, metadata;
    std::optional<Cache> cache;
    bool raw_values = false;

    /* Returns a struct of C that borrows from this, without the caching hint. */
    wellhead_resource capi() && = delete;
    wellhead_resource capi() const & noexcept {
        wellhead_resource c = WELLHEAD_RESOURCE_INIT;
        c.uri = str(uri);
        c.name = optional_str(name);
        c.title = optional_str(title);
        c.description = optional_str(description);
        c.mime_type = optional_str(mime_type);
        c.size = size ? &*size : nullptr;
        c.key = optional_str(key);
        c.annotations = optional_str(annotations);
        c.icons = optional_str(icons);
        c.meta = optional_str(meta);
        c.kind = optional_str(kind);
        c.version = optional_str(version);
        c.metadata = optional_str(metadata);
        c.flags = raw_values ? WELLHEAD_RAW_VALUES : 0;
        return c;
    }
};

/* Details of contents: see wellhead_contents. */
struct Contents {
    std::optional<std::string> uri = {}, mime_type = {}, meta = {};
    std::optional<std::string> name = {}, title = {}, kind = {}, version = {}, metadata = {};
    std::optional<Cache> cache = {};

    /* Returns a struct of C that borrows from this, without the caching hint. */
    wellhead_contents capi() && = delete;
    wellhead_contents capi() const & noexcept {
        wellhead_contents c = WELLHEAD_CONTENTS_INIT;
        c.uri = optional_str(uri);
        c.mime_type = optional_str(mime_type);
        c.meta = optional_str(meta);
        c.name = optional_str(name);
        c.title = optional_str(title);
        c.kind = optional_str(kind);
        c.version = optional_str(version);
        c.metadata = optional_str(metadata);
        return c;
    }
};

/* A folder to serve: see wellhead_directory. */
struct Directory {
    Directory(std::string directory_path) : path(std::move(directory_path)) {}
    Directory(const char *directory_path) : path(directory_path) {}

    std::string path;
    std::vector<std::string> include, exclude;
    std::uint64_t max_file_bytes = 0;
    std::uint64_t settle_ms = 0;
    std::uint32_t flags = 0;
};

/* A folder of skills to serve: see wellhead_skills. */
struct Skills {
    Skills(std::string folder_path) : path(std::move(folder_path)) {}
    Skills(const char *folder_path) : path(folder_path) {}

    std::string path;
    std::optional<std::string> prefix;
    std::uint64_t settle_ms = 0;
    std::uint32_t flags = 0;
};

/* ---- calls and answers ---- */

/* The arguments of a method, a tool or a prompt, by path: a JSON Pointer such as "/edits/0/oldText", or "model". A function
 * returns std::nullopt if the value is missing or has another type. See wellhead_call_argument_text. They borrow from their
 * call. */
class Arguments {
public:
    explicit Arguments(const wellhead_call *call) noexcept : call_(call) {}

    std::optional<std::string_view> text(const std::string &path) const noexcept {
        return optional_view(wellhead_call_argument_text(call_, path.c_str()));
    }
    std::optional<std::int64_t> integer(const std::string &path) const noexcept {
        std::int64_t value = 0;
        return wellhead_call_argument_integer(call_, path.c_str(), &value) ? std::optional(value) : std::nullopt;
    }
    std::optional<double> number(const std::string &path) const noexcept {
        double value = 0;
        return wellhead_call_argument_number(call_, path.c_str(), &value) ? std::optional(value) : std::nullopt;
    }
    std::optional<bool> boolean(const std::string &path) const noexcept {
        int value = 0;
        return wellhead_call_argument_boolean(call_, path.c_str(), &value) ? std::optional(value != 0) : std::nullopt;
    }
    /* Returns the number of elements of an array, or of members of an object. */
    std::size_t count(const std::string &path) const noexcept { return wellhead_call_argument_count(call_, path.c_str()); }
    /* Returns the name of the member at `index` of an object. */
    std::optional<std::string_view> name(const std::string &path, std::size_t index) const noexcept {
        return optional_view(wellhead_call_argument_name(call_, path.c_str(), index));
    }
    /* Returns the value at the path as JSON, of any type. */
    std::optional<std::string_view> json(const std::string &path) const noexcept {
        return optional_view(wellhead_call_argument_json(call_, path.c_str()));
    }
    /* All arguments as JSON: see wellhead_call_arguments. */
    operator std::string_view() const noexcept { return view(wellhead_call_arguments(call_)); }

private:
    const wellhead_call *call_;
};

/* Interrupts the work on a cancelled call. It must be short. */
using CancelCallback = Callback<void()>;

/* The request that a callback answers; borrowed. */
class Call {
public:
    explicit Call(const wellhead_call *call) noexcept : call_(call) {}

    std::string_view uri() const noexcept { return view(wellhead_call_uri(call_)); }
    std::optional<std::string_view> var(const char *name) const noexcept {
        return optional_view(wellhead_call_var(call_, name));
    }
    std::optional<std::string_view> var_at(const char *name, std::size_t index) const noexcept {
        return optional_view(wellhead_call_var_at(call_, name, index));
    }
    std::optional<std::string_view> var_name(std::size_t index) const noexcept {
        return optional_view(wellhead_call_var_name(call_, index));
    }
    std::optional<std::string_view> raw(const char *name) const noexcept {
        return optional_view(wellhead_call_raw(call_, name));
    }
    bool cancelled() const noexcept { return wellhead_call_cancelled(call_) != 0; }
    /* Runs `hook` when the client no longer waits for the answer: see wellhead_call_on_cancel. Exceptions of `hook` are dropped. */
    void on_cancel(CancelCallback hook) const {
        detail::CallbackOfC c(std::move(hook), detail::run<CancelCallback>);
        detail::check(wellhead_call_on_cancel(call_, c.function(), c.give(), c.destroy_data()));
    }
    /* Returns the caller that ConnectionOptions or a Grant gave as a shared_ptr<T>. Returns NULL if there is none, or if it is no
     * T. For a const T it also returns one that was given as a T. Give and take it in one shared library: two that hide their
     * symbols have two ids for T. */
    template <class T> T *caller() const noexcept {
        const void *given = wellhead_call_typed_caller(call_, &detail::type_of<T>);
        if constexpr (std::is_const_v<T>) {
            if (!given) given = wellhead_call_typed_caller(call_, &detail::type_of<std::remove_const_t<T>>);
        }
        return given ? static_cast<T *>(const_cast<void *>(static_cast<const Caller *>(given)->get())) : nullptr;
    }
    /* Returns the caller that was given through a function of C, or NULL if there is none. */
    void *caller_capi() const noexcept { return wellhead_call_caller(call_); }
    std::string_view caller_id() const noexcept { return view(wellhead_call_caller_id(call_)); }
    std::string_view revision() const noexcept { return view(wellhead_call_revision(call_)); }
    std::optional<std::string_view> meta() const noexcept { return optional_view(wellhead_call_meta(call_)); }
    /* Sends a progress notification. Returns false if none can be sent: see wellhead_call_progress. */
    bool progress(double progress, std::optional<double> total = {}, const std::optional<std::string> &message = {}) const {
        return wellhead_call_progress(call_, progress, total ? &*total : nullptr, optional_str(message)) != 0;
    }
    /* Ends the event stream of the answer, and returns true if there was one: see wellhead_call_close_event_stream. */
    bool close_event_stream(std::uint64_t retry_ms) const noexcept { return wellhead_call_close_event_stream(call_, retry_ms) != 0; }
    std::optional<std::string_view> if_version() const noexcept { return optional_view(wellhead_call_if_version(call_)); }
    std::optional<std::string_view> input_responses() const noexcept {
        return optional_view(wellhead_call_input_responses(call_));
    }
    std::optional<std::string_view> request_state() const noexcept { return optional_view(wellhead_call_request_state(call_)); }
    Text seal_state(std::string_view state, std::uint64_t until) const {
        return Text(wellhead_call_seal_state(call_, wellhead::str(state), until));
    }
    /* Returns the state that seal_state() sealed. The Text is false if there is no valid one: see wellhead_call_open_state. */
    Text open_state(std::uint64_t now) const noexcept { return Text(wellhead_call_open_state(call_, now)); }
    std::optional<std::string_view> filter() const noexcept { return optional_view(wellhead_call_filter(call_)); }
    std::string_view method() const noexcept { return view(wellhead_call_method(call_)); }
    std::optional<std::string_view> name() const noexcept { return optional_view(wellhead_call_name(call_)); }
    Arguments arguments() const noexcept { return Arguments(call_); }
    std::optional<std::string_view> client() const noexcept { return optional_view(wellhead_call_client(call_)); }
    std::optional<std::string_view> client_capabilities() const noexcept {
        return optional_view(wellhead_call_client_capabilities(call_));
    }
    std::optional<std::string_view> extension(std::string_view id) const noexcept {
        return optional_view(wellhead_call_extension(call_, wellhead::str(id)));
    }
    bool client_supports_apps() const noexcept { return wellhead_call_client_supports_apps(call_) != 0; }
    /* Returns a header field of the HTTP request that the call came with: see wellhead_call_header. */
    std::optional<std::string_view> header(const char *name) const noexcept {
        return optional_view(wellhead_call_header(call_, name));
    }
    std::optional<std::string_view> query() const noexcept { return optional_view(wellhead_call_query(call_)); }
    /* Returns the session of the client, to be kept beyond the call. The handle is false if there is none. */
    Session session() const noexcept { return Session(wellhead_call_session(call_)); }
    std::optional<std::string_view> log_level() const noexcept { return optional_view(wellhead_call_log_level(call_)); }

    const wellhead_call *capi() const noexcept { return call_; }

private:
    const wellhead_call *call_;
};

namespace detail {

/* Sends a named request to the client by a function of C, and returns the result, or throws ClientRequestError. */
template <class F, class T>
std::string requested(F require_input, T *responder, std::string_view name, std::string_view method,
                      const std::optional<std::string> &params) {
    wellhead_str json = {nullptr, 0};
    const std::uint32_t response = require_input(responder, str(name), str(method), optional_str(params), &json);
    if (response == WELLHEAD_RESPONSE_RESULT) return std::string(view(json));
    std::optional<std::string> text;
    if (json.ptr) text.emplace(view(json));
    throw ClientRequestError(response, std::move(text));
}

/* A responder: borrowed inside a callback, owned after keep(). An owned one frees itself, and if the call is not answered by
 * then, the client gets an internal error. */
template <class Self, class T, auto keep_it, auto free_it, auto call_of, auto fail_it> class Responder {
public:
    explicit Responder(T *borrowed) noexcept : responder_(borrowed) {}
    /* A borrowed responder that is moved is kept: else it would not live longer than its callback. */
    Responder(Responder &&other) noexcept
        : responder_(other.owned_ ? other.responder_ : keep_it(other.responder_)), owned_(responder_ != nullptr) {
        other.responder_ = nullptr;
        other.owned_ = false;
    }
    Responder &operator=(Responder &&other) noexcept {
        Responder moved(std::move(other));
        std::swap(responder_, moved.responder_);
        std::swap(owned_, moved.owned_);
        return *this;
    }
    ~Responder() { if (owned_ && !Running::takes_back(responder_)) free_it(responder_); }

    /* Moves the responder out of its callback; this one is then empty. Call it only inside the callback. */
    [[nodiscard]] Self keep() {
        Self kept(std::move(static_cast<Self &>(*this)));
        if (!kept.responder_) throw Error(WELLHEAD_STATUS_INVALID_ARGUMENT, "the call was answered already");
        return kept;
    }
    Call call() const noexcept { return Call(call_of(responder_)); }
    void failed(std::string_view why) { check(fail_it(take(), str(why))); }

    T *capi() const noexcept { return responder_; }
    [[nodiscard]] T *capi_release() noexcept {
        owned_ = false;
        return std::exchange(responder_, nullptr);
    }

    static void drop(T *kept) noexcept { free_it(kept); }
    /* Answers that the call failed, for the reason `why`, which is logged. Unlike failed(), it throws nothing, and
     * leaves a call that was answered already as it is. */
    void fail(std::string_view why) noexcept { fail_it(take(), str(why)); }
    void fail(const ToolError &e) noexcept { fail_it(take(), wellhead_cstr(e.what())); }
    void fail(const ClientRequestError &e) noexcept { fail_it(take(), wellhead_cstr(e.what())); }

protected:
    /* Returns the handle for a function that answers, which consumes a kept one. */
    T *take() noexcept {
        T *responder = responder_;
        if (std::exchange(owned_, false)) responder_ = nullptr;
        return responder;
    }

private:
    T *responder_;
    bool owned_ = false;
};

} // namespace detail

/* The responder of a read. */
class Read : public detail::Responder<Read, wellhead_read, wellhead_read_keep, wellhead_read_free, wellhead_read_call,
                                      wellhead_read_failed> {
public:
    using Responder::Responder;

    void text(std::string_view text) { detail::check(wellhead_read_text(take(), str(text))); }
    void text(std::string_view text, const Contents &about) {
        const detail::Lent<wellhead_contents> c(about);
        detail::check(wellhead_read_text_with(take(), c, str(text)));
    }
    void blob(std::string_view bytes) { detail::check(wellhead_read_blob(take(), str(bytes))); }
    void blob(std::string_view bytes, const Contents &about) {
        const detail::Lent<wellhead_contents> c(about);
        detail::check(wellhead_read_blob_with(take(), c, str(bytes)));
    }
    /* Answers with a text that is not copied: see wellhead_read_text_owned. */
    void text_owned(std::string text) {
        detail::lend(std::move(text), [this](auto... lent) { return wellhead_read_text_owned(take(), lent...); });
    }
    void blob_owned(std::string bytes) {
        detail::lend(std::move(bytes), [this](auto... lent) { return wellhead_read_blob_owned(take(), lent...); });
    }
    void not_found() { detail::check(wellhead_read_not_found(take())); }
    void denied() { detail::check(wellhead_read_denied(take())); }
    void not_modified() { detail::check(wellhead_read_not_modified(take())); }
    void input_required(std::string_view input) { detail::check(wellhead_read_input_required(take(), str(input))); }
    void invalid_state() { detail::check(wellhead_read_invalid_state(take())); }
    void missing_capability(std::string_view capabilities) {
        detail::check(wellhead_read_missing_capability(take(), str(capabilities)));
    }
    void busy(std::uint64_t retry_after_ms = UINT64_MAX) { detail::check(wellhead_read_busy(take(), retry_after_ms)); }
    /* Sends a named request to the client and returns the result, JSON. Throws ClientRequestError if there is none yet: let it
     * through, and the callback runs again from its start when the client has answered. See wellhead_method_require_input. */
    std::string require_input(std::string_view name, std::string_view method, const std::optional<std::string> &params = {}) {
        return detail::requested(wellhead_read_require_input, capi(), name, method, params);
    }
    /* Answers a read whose requests lack a response, as a ClientRequestError that leaves the callback does. */
    void wait() { detail::check(wellhead_read_wait(take())); }

    using Responder::fail;
    void fail(const ClientRequestError &) noexcept { wellhead_read_wait(take()); }

    void add_text(std::string_view text, const Contents &about = {}) {
        detail::check(wellhead_read_add_text(capi(), detail::Lent<wellhead_contents>(about), str(text)));
    }
    void add_blob(std::string_view bytes, const Contents &about = {}) {
        detail::check(wellhead_read_add_blob(capi(), detail::Lent<wellhead_contents>(about), str(bytes)));
    }
    void add_text_owned(std::string text, const Contents &about = {}) {
        const detail::Lent<wellhead_contents> c(about);
        detail::lend(std::move(text), [&](auto... lent) { return wellhead_read_add_text_owned(capi(), c, lent...); });
    }
    void add_blob_owned(std::string bytes, const Contents &about = {}) {
        const detail::Lent<wellhead_contents> c(about);
        detail::lend(std::move(bytes), [&](auto... lent) { return wellhead_read_add_blob_owned(capi(), c, lent...); });
    }
    void finish() { detail::check(wellhead_read_finish(take())); }
};

/* The responder of a list. */
class List : public detail::Responder<List, wellhead_list, wellhead_list_keep, wellhead_list_free, wellhead_list_call,
                                      wellhead_list_failed> {
public:
    using Responder::Responder;

    void add(const Resource &item) { detail::check(wellhead_list_add(capi(), detail::Lent<wellhead_resource>(item))); }
    /* Adds a skill, a JSON object: see wellhead_list_add_skill. */
    void add_skill(std::string_view entry) { detail::check(wellhead_list_add_skill(capi(), str(entry))); }
    void finish(bool more = false) { detail::check(wellhead_list_finish(take(), more ? 1 : 0)); }
};

/* The responder of a completion. */
class Complete
    : public detail::Responder<Complete, wellhead_complete, wellhead_complete_keep, wellhead_complete_free,
                               wellhead_complete_call, wellhead_complete_failed> {
public:
    using Responder::Responder;

    void add(std::string_view value) { detail::check(wellhead_complete_add(capi(), str(value))); }
    void finish(bool more = false, std::optional<std::uint64_t> total = {}) {
        detail::check(wellhead_complete_finish(take(), more ? 1 : 0, total ? &*total : nullptr));
    }
};

/* Called with the response of the client to Method::send_request: one of WELLHEAD_RESPONSE_, and the result or the error as
 * JSON. */
using ResponseCallback = Callback<void(std::uint32_t response, std::string_view json)>;

/* A part of the result of a tool: see wellhead_method_add_text. It owns what it holds, and is cheap to copy. */
class ContentBlock {
public:
    static ContentBlock text(std::string text) {
        return ContentBlock([text = std::move(text)](wellhead_method *r, const wellhead_content_block *about) {
            return wellhead_method_add_text(r, about, str(text));
        });
    }
    /* Makes an image. bytes: as in the file of the image. */
    static ContentBlock image(std::string bytes, std::string mime_type) {
        return media(wellhead_method_add_image, std::move(bytes), std::move(mime_type));
    }
    static ContentBlock audio(std::string bytes, std::string mime_type) {
        return media(wellhead_method_add_audio, std::move(bytes), std::move(mime_type));
    }
    /* Makes a link to a resource, with its annotations and meta: see wellhead_method_add_link. If it has them, those of the
     * block must be empty. */
    static ContentBlock link(Resource resource) {
        return ContentBlock([resource = std::move(resource)](wellhead_method *r, const wellhead_content_block *about) {
            return wellhead_method_add_link_with(r, about, detail::Lent<wellhead_resource>(resource));
        });
    }
    /* Embeds a resource: contents.uri, and perhaps its MIME type and meta. */
    static ContentBlock resource_text(Contents contents, std::string text) {
        return embedded(wellhead_method_add_resource_text, std::move(contents), std::move(text));
    }
    static ContentBlock resource_blob(Contents contents, std::string bytes) {
        return embedded(wellhead_method_add_resource_blob, std::move(contents), std::move(bytes));
    }

    /* JSON: see wellhead_content_block. */
    std::optional<std::string> annotations, meta;
    /* The role of the message that the block is, in the result of a prompt: user (default) or assistant. */
    std::optional<std::string> role;

    /* Adds the block to what a responder of C answers. A block that was moved from is refused. */
    void add_to(wellhead_method *responder) const {
        if (!add_) throw Error(WELLHEAD_STATUS_INVALID_ARGUMENT, "the content block was moved elsewhere");
        wellhead_content_block about = WELLHEAD_CONTENT_BLOCK_INIT;
        about.annotations = optional_str(annotations);
        about.meta = optional_str(meta);
        about.role = optional_str(role);
        detail::check((*add_)(responder, &about));
    }

private:
    using Add = Callback<wellhead_status(wellhead_method *, const wellhead_content_block *)>;

    explicit ContentBlock(Add add) : add_(std::make_shared<const Add>(std::move(add))) {}

    template <class F> static ContentBlock media(F add, std::string bytes, std::string mime_type) {
        return ContentBlock([add, bytes = std::move(bytes), mime_type = std::move(mime_type)](
                                wellhead_method *r, const wellhead_content_block *about) {
            return add(r, about, str(bytes), str(mime_type));
        });
    }
    template <class F> static ContentBlock embedded(F add, Contents contents, std::string body) {
        return ContentBlock([add, contents = std::move(contents), body = std::move(body)](
                                wellhead_method *r, const wellhead_content_block *about) {
            return add(r, about, detail::Lent<wellhead_contents>(contents), str(body));
        });
    }

    /* Shared, so that a copy of a block copies no image. */
    std::shared_ptr<const Add> add_;
};

/* The result of a tool: a text, blocks, structured content, or all of them. A text converts to it:
 *
 *   return "two notes";
 *   return {ContentBlock::text("The logo:"), ContentBlock::image(png, "image/png")};
 *   return ToolResult::from_json(R"({"count":2})");
 */
struct ToolResult {
    ToolResult() = default;
    ToolResult(std::string said) { content.push_back(ContentBlock::text(std::move(said))); }
    ToolResult(std::string_view said) : ToolResult(std::string(said)) {}
    ToolResult(const char *said) : ToolResult(std::string(said)) {}
    ToolResult(ContentBlock block) { content.push_back(std::move(block)); }
    ToolResult(std::initializer_list<ContentBlock> blocks) : content(blocks) {}

    /* Makes a result of structured content, one JSON value. */
    static ToolResult from_json(std::string json) {
        ToolResult result;
        result.structured = std::move(json);
        return result;
    }

    std::vector<ContentBlock> content;
    /* Structured content and _meta, JSON. If there is no other content, the structured content is sent as a text, too. */
    std::optional<std::string> structured, meta;
    /* True if the tool failed, and the content tells the model why. */
    bool is_error = false;
};

/* The responder of a method, a tool or a prompt. Results, params and data are JSON. */
class Method : public detail::Responder<Method, wellhead_method, wellhead_method_keep, wellhead_method_free,
                                        wellhead_method_call, wellhead_method_failed> {
public:
    using Responder::Responder;

    /* Sends a notification that belongs to the call, and returns true if it was sent: see wellhead_method_notify. */
    bool notify(std::string_view method, const std::optional<std::string> &params = {}) {
        int sent = 0;
        detail::check(wellhead_method_notify(capi(), str(method), optional_str(params), &sent));
        return sent != 0;
    }
    /* Sends a log message to the client, and returns true if it was sent: see wellhead_method_log. */
    bool log(std::string_view level, std::string_view text, const std::optional<std::string> &logger = {}) {
        int sent = 0;
        detail::check(wellhead_method_log(capi(), str(level), str(text), optional_str(logger), &sent));
        return sent != 0;
    }
    /* Sends a named request to the client and returns the result, JSON. Throws ClientRequestError if there is none yet: let it
     * through, and the callback runs again from its start when the client has answered. See wellhead_method_require_input. */
    std::string require_input(std::string_view name, std::string_view method, const std::optional<std::string> &params = {}) {
        return detail::requested(wellhead_method_require_input, capi(), name, method, params);
    }
    /* Answers a call whose requests lack a response, as a ClientRequestError that leaves the callback does. */
    void wait() { detail::check(wellhead_method_wait(take())); }
    /* Sends a request to the client and returns its number. An exception of `then` is dropped; a responder that it held is freed. */
    std::uint64_t send_request(std::string_view method, const std::optional<std::string> &params, ResponseCallback then) {
        detail::CallbackOfC c(std::move(then), run_then);
        std::uint64_t number = 0;
        detail::check(wellhead_method_send_request(capi(), str(method), optional_str(params), c.function(), c.give(), c.destroy_data(),
                                              &number));
        return number;
    }
    /* Cancels a request to the client by its number, and returns true if its response had not come yet. */
    bool cancel_request(std::uint64_t number) { return wellhead_method_cancel_request(capi(), number) != 0; }
    void result(std::string_view result) { detail::check(wellhead_method_result(take(), str(result))); }
    /* Answers a tool's call with one text. */
    void text(std::string_view text) { detail::check(wellhead_method_text(take(), str(text))); }
    /* Answers a tool's call with structured content, one JSON value. */
    void structured(std::string_view json) { detail::check(wellhead_method_structured(take(), str(json))); }
    /* Answers a tool's call with a result. Like other answers that are refused, one with a part that is refused fails the
     * call, and throws. */
    void finish(const ToolResult &result) {
        try {
            for (const ContentBlock &block : result.content) block.add_to(capi());
            if (result.structured) detail::check(wellhead_method_set_structured(capi(), str(*result.structured)));
            if (result.meta) detail::check(wellhead_method_set_meta(capi(), str(*result.meta)));
        } catch (const std::exception &e) {
            fail(e.what());
            throw;
        }
        detail::check(wellhead_method_finish(take(), result.is_error ? 1 : 0));
    }
    void error(std::int32_t rpc_code, std::string_view message, const std::optional<std::string> &data = {}) {
        detail::check(wellhead_method_error(take(), rpc_code, str(message), optional_str(data)));
    }
    /* Answers a tool's call with an error whose text the model reads, as ToolError does. */
    void tool_error(std::string_view message) { detail::check(wellhead_method_tool_error(take(), str(message))); }
    void input_required(std::string_view input) { detail::check(wellhead_method_input_required(take(), str(input))); }
    void missing_capability(std::string_view capabilities) {
        detail::check(wellhead_method_missing_capability(take(), str(capabilities)));
    }

    using Responder::fail;
    /* Answers a tool's call with an error whose text the model reads. Unlike tool_error(), it throws nothing, and
     * leaves a call that was answered already as it is. */
    void fail(const ToolError &e) noexcept { wellhead_method_tool_error(take(), wellhead_cstr(e.what())); }
    void fail(const ClientRequestError &) noexcept { wellhead_method_wait(take()); }

private:
    static void run_then(void *then_data, std::uint32_t response, const wellhead_str *json) noexcept {
        detail::run<ResponseCallback>(then_data, response, view(*json));
    }
};

/* Limits of one tool: see wellhead_tool_limits. 0 means no limit, for call_ms that of the server. */
struct ToolLimits {
    std::size_t calls_in_flight = 0;
    std::size_t caller_calls_in_flight = 0;
    std::size_t caller_calls_per_minute = 0;
    std::uint64_t call_ms = 0;
};

/* The responder of an authorize callback. */
class Authorize
    : public detail::Responder<Authorize, wellhead_authorize, wellhead_authorize_keep, wellhead_authorize_free,
                               wellhead_authorize_call, wellhead_authorize_failed> {
public:
    using Responder::Responder;

    void set(std::size_t index, std::uint32_t verdict) {
        detail::check(wellhead_authorize_set(capi(), index, verdict));
    }
    void finish() { detail::check(wellhead_authorize_finish(take())); }
};

/* The responder of an interest callback. */
class Interest
    : public detail::Responder<Interest, wellhead_interest, wellhead_interest_keep, wellhead_interest_free,
                               wellhead_interest_call, wellhead_interest_failed> {
public:
    using Responder::Responder;

    void done() { detail::check(wellhead_interest_done(take())); }
};

using CompleteCallback =
    Callback<void(const Call &call, std::string_view variable, std::string_view value, Complete &responder)>;

/* The answer of a call, as an around callback sees it: see wellhead_outcome_name and its like; borrowed. */
class Outcome {
public:
    explicit Outcome(wellhead_outcome *outcome) noexcept : outcome_(outcome) {}

    std::string_view name() const noexcept { return view(wellhead_outcome_name(outcome_)); }
    /* Returns the result of a tool, a prompt or a method, JSON; std::nullopt for other answers. */
    std::optional<std::string_view> result() const noexcept { return optional_view(wellhead_outcome_result(outcome_)); }
    std::optional<std::string_view> text() const noexcept { return optional_view(wellhead_outcome_text(outcome_)); }
    /* json: the result as a JSON object. */
    void set_result(std::string_view json) { detail::check(wellhead_outcome_set_result(outcome_, str(json))); }
    void set_text(std::string_view text) { detail::check(wellhead_outcome_set_text(outcome_, str(text))); }
    void set_tool_error(std::string_view message) { detail::check(wellhead_outcome_set_tool_error(outcome_, str(message))); }
    /* data: a JSON object. */
    void set_error(std::int32_t rpc_code, std::string_view message, std::optional<std::string_view> data = {}) {
        detail::check(wellhead_outcome_set_error(outcome_, rpc_code, str(message), data ? str(*data) : wellhead_str{nullptr, 0}));
    }
    void set_not_found() { detail::check(wellhead_outcome_set_not_found(outcome_)); }
    void set_denied() { detail::check(wellhead_outcome_set_denied(outcome_)); }
    void set_failed(std::string_view why) { detail::check(wellhead_outcome_set_failed(outcome_, str(why))); }

    wellhead_outcome *capi() const noexcept { return outcome_; }

private:
    wellhead_outcome *outcome_;
};

namespace detail {

/* Sets the answer to the exception that is handled now. */
inline void set_thrown(wellhead_outcome *outcome) noexcept {
    try {
        throw;
    } catch (const ToolError &e) {
        if (wellhead_outcome_set_tool_error(outcome, wellhead_cstr(e.what())) != WELLHEAD_STATUS_OK)
            wellhead_outcome_set_failed(outcome, wellhead_cstr(e.what()));
    } catch (const std::exception &e) {
        wellhead_outcome_set_failed(outcome, wellhead_cstr(e.what()));
    } catch (...) {
        wellhead_outcome_set_failed(outcome, WELLHEAD_STR("threw what is no std::exception"));
    }
}

} // namespace detail

/* Called with the answer of a call, which it may replace: see wellhead_after_callback. */
using AfterCallback = Callback<void(const Call &call, Outcome &outcome)>;

/* Lets an around callback run its call, or answer in its place: see wellhead_next_run; borrowed. */
class Next {
public:
    explicit Next(wellhead_next *next) noexcept : next_(next) {}

    void run(AfterCallback after = {}) {
        detail::CallbackOfC c(std::move(after), run_after);
        detail::check(wellhead_next_run(next_, c.function(), c.give(), c.destroy_data()));
    }
    /* Replaces the arguments of a tool or a prompt by a JSON object: see wellhead_next_set_arguments. */
    void set_arguments(std::string_view arguments) { detail::call(wellhead_next_set_arguments, next_, str(arguments)); }
    Outcome answer_instead() {
        wellhead_outcome *outcome = wellhead_next_answer_instead(next_);
        if (!outcome) throw Error(WELLHEAD_STATUS_INVALID_ARGUMENT, "the call ran already");
        return Outcome(outcome);
    }

    wellhead_next *capi() const noexcept { return next_; }

private:
    static void run_after(void *after_data, const wellhead_call *call, wellhead_outcome *outcome) noexcept {
        try {
            Outcome shown(outcome);
            detail::as<AfterCallback>(after_data)(Call(call), shown);
        } catch (...) {
            detail::set_thrown(outcome);
        }
    }

    wellhead_next *next_;
};

/* The callbacks of a registration: see wellhead_provider. If one is empty, the server does not offer what it does. */
struct Provider {
    Callback<void(const Call &call, Read &responder)> read = {};
    /* Lists resources. after: the text of wellhead_call_after, std::nullopt for the first page. */
    Callback<void(const Call &call, std::optional<std::string_view> after, std::size_t limit, List &responder)> list =
        {};
    CompleteCallback complete = {};
    std::vector<std::string> completed = {};
    Callback<bool(std::string_view uri)> exists = {};
};

using AuthorizeCallback = Callback<void(const Call &call, std::uint32_t operation, const wellhead_str *targets,
                                             std::size_t target_count, Authorize &responder)>;
using InterestCallback = Callback<void(const Call &call, bool wanted, Interest &responder)>;
using MethodCallback = Callback<void(const Call &call, std::string_view params, Method &responder)>;
/* Runs a tool, and returns its result. A ToolError that it throws is for the model. */
using ToolCallback = Callback<ToolResult(const Call &call)>;
namespace detail {

/* True for a function that answers through a Method. A function that takes any arguments, as a std::bind object does, and
 * returns a result is a ToolCallback. The order keeps such a function from being instantiated for a Method, unless it
 * stands in braces. */
template <class F>
inline constexpr bool answers_through_method =
    std::conjunction_v<std::negation<std::is_invocable_r<ToolResult, F &, const Call &>>, std::is_convertible<F, MethodCallback>>;

} // namespace detail

/* Runs around a call. A ToolError that it throws before it lets the call run is for the model. What it throws after Next::run
 * is dropped: the answer may have been sent already. To change or withhold an answer, give Next::run a callback. */
using AroundCallback = Callback<void(const Call &call, Next &next)>;
using PublishCallback = Callback<void(std::string_view event)>;
using ObserveCallback = Callback<void(const wellhead_observed &observed)>;
using LogCallback = Callback<void(std::uint32_t severity, std::string_view line)>;

/* ---- server ---- */

/* Options of a server: see wellhead_server_options. */
struct ServerOptions {
    struct RpcCode {
        std::string revision, condition;
        std::int32_t rpc_code;
    };

    std::uint32_t flags = 0;
    std::optional<std::string> title, instructions, cursor_key;
    wellhead_limits limits = WELLHEAD_LIMITS_INIT;
    LogCallback log;
    /* JSON objects by name: see wellhead_server_options. */
    std::map<std::string, std::string> capabilities, extensions;
    /* The identifiers of extensions by resultType, and the notifications by kind of list: see wellhead_server_options. */
    std::map<std::string, std::string> result_type_extensions, list_changed_methods;
    std::vector<std::string> revisions;
    std::optional<std::string> error_profile;
    std::vector<RpcCode> rpc_codes;
    std::optional<std::string> denied_resources, undeclared_lists, titles_in_contents, subscribe_unknown, dialect;
    std::optional<Cache> cache;
    /* Caching hints by kind of response: see wellhead_cache_of. */
    std::map<std::string, Cache> cache_of;
    std::optional<std::string> instance_name;
    ObserveCallback observe;
    std::optional<std::string> unknown_tool = {};
    std::optional<std::string> invalid_arguments = {};
    std::optional<std::string> check_output = {};
    std::optional<std::string> description = {};
    std::optional<std::string> website_url = {};
    /* Icons of the server as JSON: see wellhead_resource. */
    std::optional<std::string> icons = {};
    std::optional<std::string> tool_errors = {};
    std::optional<std::string> app_only_tools = {};
};

/* Options of the stdio driver: see wellhead_stdio_options. */
struct StdioOptions {
    std::int32_t callback_threads = 0;
    std::uint32_t shutdown_ms = 0, flags = 0;
};

struct HttpOptions;

class Server : public detail::Handle<wellhead_server, wellhead_server_free> {
public:
    Server(std::string_view name, std::string_view version, ServerOptions options = {})
        : Handle(make(name, version, options)) {}

    void close() noexcept { wellhead_server_close(capi()); }
    void after_fork() noexcept { wellhead_server_after_fork(capi()); }

    void add_text(const Resource &resource, std::string_view text) {
        detail::call(wellhead_server_add_text, capi(), detail::Lent<wellhead_resource>(resource), str(text));
    }
    /* Registers a page of MCP Apps. ui: a JSON object, see wellhead_server_add_app. */
    void add_app(const Resource &resource, std::string_view html, std::string_view ui = "{}") {
        detail::call(wellhead_server_add_app, capi(), detail::Lent<wellhead_resource>(resource), str(ui), str(html));
    }
    /* The read callback returns the page at each read: see wellhead_server_add_app_with_provider. */
    void add_app(const Resource &resource, Provider provider, std::string_view ui = "{}") {
        const detail::Lent<wellhead_resource> c(resource);
        const wellhead_provider p = callbacks(std::move(provider));
        detail::call(wellhead_server_add_app_with_provider, capi(), c, str(ui), &p);
    }
    void add_blob(const Resource &resource, std::string_view bytes) {
        detail::call(wellhead_server_add_blob, capi(), detail::Lent<wellhead_resource>(resource), str(bytes));
    }
    void set_text(std::string_view uri, std::string_view text, const Contents &about = {}) {
        detail::call(wellhead_server_set_text, capi(), str(uri), detail::Lent<wellhead_contents>(about), str(text));
    }
    void set_blob(std::string_view uri, std::string_view bytes, const Contents &about = {}) {
        detail::call(wellhead_server_set_blob, capi(), str(uri), detail::Lent<wellhead_contents>(about), str(bytes));
    }
    void add_resource(const Resource &resource, Provider provider) {
        const detail::Lent<wellhead_resource> c(resource);
        const wellhead_provider p = callbacks(std::move(provider));
        detail::call(wellhead_server_add_resource, capi(), c, &p);
    }
    void add_template(const Resource &resource, Provider provider) {
        const detail::Lent<wellhead_resource> c(resource);
        const std::vector<std::string> names = provider.completed;
        const std::vector<wellhead_str> completed = detail::strs(names);
        wellhead_provider p = callbacks(std::move(provider));
        detail::borrow(completed, p.completed, p.completed_count);
        detail::call(wellhead_server_add_template, capi(), c, &p);
    }
    void add_list(const std::optional<std::string> &name, Provider provider) {
        const wellhead_provider p = callbacks(std::move(provider));
        detail::call(wellhead_server_add_list, capi(), optional_str(name), &p);
    }
    /* The list callback adds skills: see wellhead_server_add_skill_list. */
    void add_skill_list(const std::optional<std::string> &name, Provider provider) {
        const wellhead_provider p = callbacks(std::move(provider));
        detail::call(wellhead_server_add_skill_list, capi(), optional_str(name), &p);
    }
    void set_fallback(Provider provider) {
        const wellhead_provider p = callbacks(std::move(provider));
        detail::call(wellhead_server_set_fallback, capi(), &p);
    }
    void add_directory(const Directory &directory) {
        const auto include = detail::strs(directory.include), exclude = detail::strs(directory.exclude);
        wellhead_directory c = WELLHEAD_DIRECTORY_INIT;
        c.path = str(directory.path);
        detail::borrow(include, c.include, c.include_count);
        detail::borrow(exclude, c.exclude, c.exclude_count);
        c.max_file_bytes = directory.max_file_bytes;
        c.settle_ms = directory.settle_ms;
        c.flags = directory.flags;
        detail::call(wellhead_server_add_directory, capi(), &c);
    }
    void add_skills(const Skills &skills) {
        wellhead_skills c = WELLHEAD_SKILLS_INIT;
        c.path = str(skills.path);
        c.prefix = optional_str(skills.prefix);
        c.settle_ms = skills.settle_ms;
        c.flags = skills.flags;
        detail::call(wellhead_server_add_skills, capi(), &c);
    }
    void remove_resource(std::string_view uri_or_template) {
        detail::call(wellhead_server_remove_resource, capi(), str(uri_or_template));
    }
    void remove_list(std::string_view name) { detail::call(wellhead_server_remove_list, capi(), str(name)); }
    void remove_method(std::string_view name) { detail::call(wellhead_server_remove_method, capi(), str(name)); }

    void set_authorize(AuthorizeCallback authorize) {
        detail::CallbackOfC c(std::move(authorize), run_authorize);
        detail::call(wellhead_server_set_authorize, capi(), c.function(), c.give(), c.destroy_data());
    }
    /* Runs a function around each call: see wellhead_server_around. */
    void around(AroundCallback around) {
        detail::CallbackOfC c(std::move(around), run_around);
        detail::call(wellhead_server_around, capi(), c.function(), c.give(), c.destroy_data());
    }
    void set_interest(InterestCallback interest) {
        detail::CallbackOfC c(std::move(interest), run_interest);
        detail::call(wellhead_server_set_interest, capi(), c.function(), c.give(), c.destroy_data());
    }

    /* Registers a method. revisions: those that have it; if empty, all: see wellhead_server_add_method. */
    void add_method(std::string_view name, MethodCallback method, const std::vector<std::string> &revisions = {}) {
        detail::CallbackOfC c(std::move(method), run_method);
        const auto dates = detail::strs(revisions);
        wellhead_method_options options = WELLHEAD_METHOD_OPTIONS_INIT;
        detail::borrow(dates, options.revisions, options.revision_count);
        detail::call(wellhead_server_add_method, capi(), str(name), &options, c.function(), c.give(), c.destroy_data());
    }
    /* Registers a tool, which returns its result, or answers through a Method. definition: a JSON object. */
    template <class F = MethodCallback, class = std::enable_if_t<detail::answers_through_method<F>>>
    void add_tool(std::string_view name, std::string_view definition, F tool) {
        detail::CallbackOfC c(MethodCallback(std::move(tool)), run_method);
        detail::call(wellhead_server_add_tool, capi(), str(name), str(definition), c.function(), c.give(), c.destroy_data());
    }
    void add_tool(std::string_view name, std::string_view definition, ToolCallback tool) {
        MethodCallback method;
        if (tool) method = [tool = std::move(tool)](const Call &call, std::string_view, Method &r) { r.finish(tool(call)); };
        add_tool(name, definition, std::move(method));
    }
    template <class F = MethodCallback, class = std::enable_if_t<detail::answers_through_method<F>>>
    void add_prompt(std::string_view name, std::string_view definition, F prompt) {
        detail::CallbackOfC c(MethodCallback(std::move(prompt)), run_method);
        detail::call(wellhead_server_add_prompt, capi(), str(name), str(definition), c.function(), c.give(), c.destroy_data());
    }
    /* Registers a prompt. Each content block that the callback returns is a message. */
    void add_prompt(std::string_view name, std::string_view definition, ToolCallback prompt) {
        MethodCallback method;
        if (prompt) method = [prompt = std::move(prompt)](const Call &call, std::string_view, Method &r) { r.finish(prompt(call)); };
        add_prompt(name, definition, std::move(method));
    }
    /* Registers a search. It answers {"results":[{"uri":…}]} through a Method: see wellhead_server_add_resource_search. */
    void add_resource_search(MethodCallback search) {
        detail::CallbackOfC c(std::move(search), run_method);
        detail::call(wellhead_server_add_resource_search, capi(), c.function(), c.give(), c.destroy_data());
    }
    void complete_prompt(std::string_view prompt, std::string_view argument, CompleteCallback complete) {
        detail::CallbackOfC c(std::move(complete), run_complete);
        detail::call(wellhead_server_complete_prompt, capi(), str(prompt), str(argument), c.function(), c.give(),
                     c.destroy_data());
    }
    void remove_tool(std::string_view name) { detail::call(wellhead_server_remove_tool, capi(), str(name)); }
    void remove_prompt(std::string_view name) { detail::call(wellhead_server_remove_prompt, capi(), str(name)); }
    void enable_tool(std::string_view name) { detail::call(wellhead_server_enable_tool, capi(), str(name)); }
    void disable_tool(std::string_view name) { detail::call(wellhead_server_disable_tool, capi(), str(name)); }
    /* Changes the definition of a tool. changes: a JSON object with members of a definition; null removes one. */
    void update_tool(std::string_view name, std::string_view changes) {
        detail::call(wellhead_server_update_tool, capi(), str(name), str(changes));
    }
    /* Replaces the limits of a tool. */
    void limit_tool(std::string_view name, const ToolLimits &limits) {
        wellhead_tool_limits c = WELLHEAD_TOOL_LIMITS_INIT;
        c.calls_in_flight = limits.calls_in_flight;
        c.caller_calls_in_flight = limits.caller_calls_in_flight;
        c.caller_calls_per_minute = limits.caller_calls_per_minute;
        c.call_ms = limits.call_ms;
        detail::call(wellhead_server_limit_tool, capi(), str(name), &c);
    }
    void enable_prompt(std::string_view name) { detail::call(wellhead_server_enable_prompt, capi(), str(name)); }
    void disable_prompt(std::string_view name) { detail::call(wellhead_server_disable_prompt, capi(), str(name)); }
    void update_prompt(std::string_view name, std::string_view changes) {
        detail::call(wellhead_server_update_prompt, capi(), str(name), str(changes));
    }
    void notify_list_changed(std::string_view kind) { detail::call(wellhead_server_notify_list_changed, capi(), str(kind)); }

    void notify_updated(std::string_view uri) { detail::call(wellhead_server_notify_updated, capi(), str(uri)); }
    void notify_updated_with_resource(const Resource &resource) {
        detail::call(wellhead_server_notify_updated_with_resource, capi(), detail::Lent<wellhead_resource>(resource));
    }
    void notify_sub_resource_updated(std::string_view uri, std::string_view parent) {
        detail::call(wellhead_server_notify_sub_resource_updated, capi(), str(uri), str(parent));
    }
    void access_changed(std::string_view caller_id) {
        detail::call(wellhead_server_access_changed, capi(), str(caller_id));
    }
    void notify_resource_list_changed() { detail::call(wellhead_server_notify_resource_list_changed, capi()); }

    /* Sets the callback that carries changes to other instances. Its exceptions are dropped: clients of this instance are still
     * notified. */
    void set_publish(PublishCallback publish) {
        detail::CallbackOfC c(std::move(publish), run_publish);
        detail::call(wellhead_server_set_publish, capi(), c.function(), c.give(), c.destroy_data());
    }
    /* Takes a change of another instance. Returns false for one of this instance, or of an unknown kind: see
     * wellhead_server_inject. */
    bool inject(std::string_view event) {
        int applied = 0;
        detail::call(wellhead_server_inject, capi(), str(event), &applied);
        return applied != 0;
    }
    wellhead_counters counters() const {
        wellhead_counters counted = WELLHEAD_COUNTERS_INIT;
        detail::call(wellhead_server_counters, capi(), &counted);
        return counted;
    }

    /* Explains as JSON which registration serves a URI: see wellhead_server_explain. */
    Text explain(std::string_view uri) const { return Text(detail::call(wellhead_server_explain, capi(), str(uri))); }

    void serve_stdio(const StdioOptions &options = {}) {
        wellhead_stdio_options c = WELLHEAD_STDIO_OPTIONS_INIT;
        c.callback_threads = options.callback_threads;
        c.shutdown_ms = options.shutdown_ms;
        c.flags = options.flags;
        detail::call(wellhead_serve_stdio, capi(), &c);
    }
    /* Serves Streamable HTTP until the server is closed: see wellhead_serve_http. */
    void serve_http(std::string_view address);
    void serve_http(std::string_view address, HttpOptions options);

private:
    static void run_authorize(void *user_data, const wellhead_call *call, std::uint32_t operation, const wellhead_str *targets,
                              std::size_t target_count, wellhead_authorize *r) noexcept {
        detail::respond<Authorize>(r, detail::as<AuthorizeCallback>(user_data), Call(call), operation, targets, target_count);
    }
    static void run_around(void *user_data, const wellhead_call *call, wellhead_next *next) noexcept {
        try {
            Next way(next);
            detail::as<AroundCallback>(user_data)(Call(call), way);
        } catch (...) {
            if (wellhead_outcome *outcome = wellhead_next_answer_instead(next)) detail::set_thrown(outcome);
        }
    }
    static void run_interest(void *user_data, const wellhead_call *call, int wanted, wellhead_interest *r) noexcept {
        detail::respond<Interest>(r, detail::as<InterestCallback>(user_data), Call(call), wanted != 0);
    }
    static void run_method(void *user_data, const wellhead_call *call, wellhead_method *r) noexcept {
        detail::respond<Method>(r, detail::as<MethodCallback>(user_data), Call(call), view(wellhead_call_params(call)));
    }
    static void complete(const CompleteCallback &callback, const wellhead_call *call, wellhead_complete *r) noexcept {
        detail::respond<Complete>(r, callback, Call(call), view(wellhead_call_variable(call)), view(wellhead_call_value(call)));
    }
    static void run_complete(void *user_data, const wellhead_call *call, wellhead_complete *r) noexcept {
        complete(detail::as<CompleteCallback>(user_data), call, r);
    }
    static void run_publish(void *user_data, const wellhead_str *event) noexcept {
        detail::run<PublishCallback>(user_data, view(*event));
    }
    static void run_observe(void *observe_data, const wellhead_observed *observed) noexcept {
        detail::run<ObserveCallback>(observe_data, *observed);
    }
    static void run_log(void *log_data, std::uint32_t severity, const wellhead_str *line) noexcept {
        detail::run<LogCallback>(log_data, severity, view(*line));
    }

    static wellhead_server *make(std::string_view name, std::string_view version, ServerOptions &options) {
        wellhead_server_options c = WELLHEAD_SERVER_OPTIONS_INIT;
        c.flags = options.flags;
        c.title = optional_str(options.title);
        c.instructions = optional_str(options.instructions);
        c.cursor_key = optional_str(options.cursor_key);
        c.limits = &options.limits;
        const auto capabilities = detail::pairs(options.capabilities), list_changed_methods = detail::pairs(options.list_changed_methods);
        const auto extensions = detail::pairs(options.extensions), result_type_extensions = detail::pairs(options.result_type_extensions);
        const auto revisions = detail::strs(options.revisions);
        std::vector<wellhead_rpc_code> rpc_codes;
        for (const auto &one : options.rpc_codes)
            rpc_codes.push_back({str(one.revision), str(one.condition), one.rpc_code});
        detail::borrow(capabilities, c.capabilities, c.capability_count);
        detail::borrow(extensions, c.extensions, c.extension_count);
        detail::borrow(result_type_extensions, c.result_type_extensions, c.result_type_extension_count);
        detail::borrow(list_changed_methods, c.list_changed_methods, c.list_changed_method_count);
        detail::borrow(revisions, c.revisions, c.revision_count);
        c.error_profile = optional_str(options.error_profile);
        detail::borrow(rpc_codes, c.rpc_codes, c.rpc_code_count);
        c.denied_resources = optional_str(options.denied_resources);
        c.undeclared_lists = optional_str(options.undeclared_lists);
        c.titles_in_contents = optional_str(options.titles_in_contents);
        c.subscribe_unknown = optional_str(options.subscribe_unknown);
        c.dialect = optional_str(options.dialect);
        const Cache unsaid;
        const wellhead_cache cache = (options.cache ? *options.cache : unsaid).capi();
        std::vector<wellhead_cache> hints;
        std::vector<wellhead_cache_of> cache_of;
        hints.reserve(options.cache_of.size());
        for (const auto &[kind, hint] : options.cache_of) {
            hints.push_back(hint.capi());
            cache_of.push_back({str(kind), &hints.back()});
        }
        c.cache = options.cache ? &cache : nullptr;
        detail::borrow(cache_of, c.cache_of, c.cache_of_count);
        c.instance_name = optional_str(options.instance_name);
        detail::CallbackOfC observe(std::move(options.observe), run_observe);
        detail::CallbackOfC log(std::move(options.log), run_log);
        c.observe = observe.function();
        c.observe_data = observe.give();
        c.observe_destroy = observe.destroy_data();
        c.log = log.function();
        c.log_data = log.give();
        c.log_destroy = log.destroy_data();
        c.unknown_tool = optional_str(options.unknown_tool);
        c.invalid_arguments = optional_str(options.invalid_arguments);
        c.check_output = optional_str(options.check_output);
        c.description = optional_str(options.description);
        c.website_url = optional_str(options.website_url);
        c.icons = optional_str(options.icons);
        c.tool_errors = optional_str(options.tool_errors);
        c.app_only_tools = optional_str(options.app_only_tools);
        return detail::call(wellhead_server_new, str(name), str(version), &c);
    }

    static wellhead_provider callbacks(Provider provider) {
        wellhead_provider c = WELLHEAD_PROVIDER_INIT;
        if (provider.read)
            c.read = [](void *user_data, const wellhead_call *call, wellhead_read *r) noexcept {
                detail::respond<Read>(r, detail::as<Provider>(user_data).read, Call(call));
            };
        if (provider.list)
            c.list = [](void *user_data, const wellhead_call *call, wellhead_list *r) noexcept {
                detail::respond<List>(r, detail::as<Provider>(user_data).list, Call(call),
                                      optional_view(wellhead_call_after(call)), wellhead_call_limit(call));
            };
        if (provider.complete)
            c.complete = [](void *user_data, const wellhead_call *call, wellhead_complete *r) noexcept {
                complete(detail::as<Provider>(user_data).complete, call, r);
            };
        if (provider.exists)
            c.exists = [](void *user_data, const wellhead_str *uri) noexcept {
                try {
                    return static_cast<int>(detail::as<Provider>(user_data).exists(view(*uri)));
                } catch (...) {
                    return 1; /* The resource may exist. */
                }
            };
        c.user_data = detail::keep(std::move(provider));
        c.destroy = detail::destroy<Provider>;
        return c;
    }
};

/* ---- URIs ---- */

/* Expands a template: see wellhead_expand. */
inline Text expand(std::string_view uri_template, const std::vector<wellhead_value> &values) {
    return Text(detail::call(wellhead_expand, str(uri_template), values.data(), values.size()));
}

/* ---- connection: bytes in, bytes out ---- */

/* Options of a connection: see wellhead_connection_options. */
struct ConnectionOptions {
    /* Wakes the program, and must not throw: an exception is dropped, and nothing wakes the program until it polls by itself. */
    Callback<void()> wake = {};
    Caller caller = {};
    std::optional<std::string> caller_id = {};
};

/* A piece of output for a client. The handle is false if there is no output. */
class Transmit : public detail::Handle<wellhead_transmit, wellhead_transmit_free> {
public:
    using Handle::Handle;

    std::string_view bytes() const noexcept { return view(wellhead_transmit_bytes(capi())); }
};

class Connection : public detail::Handle<wellhead_connection, wellhead_connection_free> {
public:
    explicit Connection(const Server &server, ConnectionOptions options = {}) : Handle(make(server, options)) {}

    /* Buffers input, and returns the number of bytes that were accepted. */
    std::size_t receive(std::string_view bytes) {
        std::size_t taken = 0;
        detail::call(wellhead_connection_receive, capi(), str(bytes), &taken);
        return taken;
    }
    void end() noexcept { wellhead_connection_end(capi()); }
    std::size_t poll_event(std::size_t max) noexcept { return wellhead_connection_poll_event(capi(), max); }
    Transmit poll_transmit(std::size_t max) noexcept { return Transmit(wellhead_connection_poll_transmit(capi(), max)); }
    std::uint64_t poll_timeout() const noexcept { return wellhead_connection_poll_timeout(capi()); }
    void tick(std::uint64_t now_ms) noexcept { wellhead_connection_tick(capi(), now_ms); }
    bool finished() const noexcept { return wellhead_connection_finished(capi()) != 0; }
    void close() noexcept { wellhead_connection_close(capi()); }
    Transmit handle(std::string_view message, std::uint32_t timeout_ms) {
        wellhead_transmit *answer = nullptr;
        detail::call(wellhead_connection_handle, capi(), str(message), timeout_ms, &answer);
        return Transmit(answer);
    }

private:
    static wellhead_connection *make(const Server &server, ConnectionOptions &options) {
        wellhead_connection_options c = WELLHEAD_CONNECTION_OPTIONS_INIT;
        detail::CallbackOfC wake(std::move(options.wake), detail::run<Callback<void()>>);
        std::move(options.caller).move_to(c);
        c.caller_id = optional_str(options.caller_id);
        c.wake = wake.function();
        c.wake_data = wake.give();
        c.wake_destroy = wake.destroy_data();
        return detail::call(wellhead_connection_new, server.capi(), &c);
    }
};

/* ---- a client for tests ---- */

/* A request of the server to a client for tests, borrowed from its callback: see wellhead_test_request_callback. */
class TestRequest {
public:
    explicit TestRequest(wellhead_test_request *request) noexcept : request_(request) {}

    /* Answers with a result, a JSON object. */
    void result(std::string_view json) { detail::check(wellhead_test_request_result(request_, str(json))); }
    /* Answers with an error. data: a JSON object. */
    void error(std::int32_t rpc_code, std::string_view message, const std::optional<std::string> &data = {}) {
        detail::check(wellhead_test_request_error(request_, rpc_code, str(message), optional_str(data)));
    }
    /* Answers with an internal error whose message is `why`. */
    void failed(std::string_view why) { detail::check(wellhead_test_request_failed(request_, str(why))); }

private:
    wellhead_test_request *request_;
};

using TestRequestCallback = Callback<void(std::string_view method, std::string_view params, TestRequest &request)>;

/* Options of a client for tests: see wellhead_test_options. */
struct TestOptions {
    std::optional<std::string> revision = {};
    std::optional<std::string> capabilities = {};
    Caller caller = {};
    std::optional<std::string> caller_id = {};
    /* Answers requests of the server. If it throws, the server gets an internal error with what(). */
    TestRequestCallback on_request = {};
};

/* A client in memory, for tests: see wellhead_test_client_new. Its results are copies. */
class TestClient : public detail::Handle<wellhead_test_client, wellhead_test_client_free> {
public:
    explicit TestClient(const Server &server) : Handle(make(server)) {}
    TestClient(const Server &server, TestOptions options) : Handle(make(server, options)) {}

    /* Returns the URIs of all listed resources. */
    std::vector<std::string> list() {
        std::size_t count = 0;
        detail::call(wellhead_test_client_list, capi(), &count);
        return copies(count, wellhead_test_client_listed);
    }
    /* Returns the texts of all templates. */
    std::vector<std::string> templates() {
        std::size_t count = 0;
        detail::call(wellhead_test_client_templates, capi(), &count);
        return copies(count, wellhead_test_client_template);
    }
    /* Calls a tool, and returns its result. Arguments and result are JSON objects, as those of get_prompt are. */
    std::string call_tool(std::string_view name, std::string_view arguments = "{}") {
        return copy(detail::call(wellhead_test_client_call_tool, capi(), str(name), str(arguments)));
    }
    std::string get_prompt(std::string_view name, std::string_view arguments = "{}") {
        return copy(detail::call(wellhead_test_client_get_prompt, capi(), str(name), str(arguments)));
    }
    /* Returns the values that complete a variable of a template, or an argument of a prompt. */
    std::vector<std::string> complete(std::string_view reference, std::string_view argument, std::string_view value) {
        std::size_t count = 0;
        detail::call(wellhead_test_client_complete, capi(), str(reference), str(argument), str(value), &count);
        return copies(count, wellhead_test_client_completed);
    }
    std::string read(std::string_view uri) {
        wellhead_str body = {};
        detail::call(wellhead_test_client_read, capi(), str(uri), &body);
        return std::string(view(body));
    }
    void subscribe(std::string_view uri) { detail::call(wellhead_test_client_subscribe, capi(), str(uri)); }
    void unsubscribe(std::string_view uri) { detail::call(wellhead_test_client_unsubscribe, capi(), str(uri)); }
    std::string next_update() {
        wellhead_str uri = {};
        detail::call(wellhead_test_client_next_update, capi(), &uri);
        return std::string(view(uri));
    }
    std::size_t list_changes() noexcept { return wellhead_test_client_list_changes(capi()); }
    /* Sends any request, and returns its result. Params and result are JSON objects. */
    std::string request(std::string_view method, std::string_view params = "{}") {
        return copy(detail::call(wellhead_test_client_request, capi(), str(method), str(params)));
    }

private:
    static std::string copy(wellhead_text *text) { return std::string(Text(text).str()); }
    std::vector<std::string> copies(std::size_t count, wellhead_str (*at)(const wellhead_test_client *, std::size_t)) const {
        std::vector<std::string> all;
        for (std::size_t i = 0; i < count; i++) all.emplace_back(view(at(capi(), i)));
        return all;
    }
    static void answer(void *on_request, const wellhead_str *method, const wellhead_str *params,
                       wellhead_test_request *request) noexcept {
        try {
            TestRequest made(request);
            detail::as<TestRequestCallback>(on_request)(view(*method), view(*params), made);
        } catch (const std::exception &e) {
            wellhead_test_request_failed(request, wellhead_cstr(e.what()));
        } catch (...) {
            wellhead_test_request_failed(request, WELLHEAD_STR("threw what is no std::exception"));
        }
    }
    static wellhead_test_client *make(const Server &server) {
        return detail::call(wellhead_test_client_new, server.capi());
    }
    static wellhead_test_client *make(const Server &server, TestOptions &options) {
        wellhead_test_options c = WELLHEAD_TEST_OPTIONS_INIT;
        c.revision = optional_str(options.revision);
        c.capabilities = optional_str(options.capabilities);
        detail::CallbackOfC on_request(std::move(options.on_request), answer);
        std::move(options.caller).move_to(c);
        c.caller_id = optional_str(options.caller_id);
        c.on_request = on_request.function();
        c.on_request_data = on_request.give();
        c.on_request_destroy = on_request.destroy_data();
        return detail::call(wellhead_test_client_new_with, server.capi(), &c);
    }
};

/* ---- version ---- */

inline std::string_view version() noexcept {
    return wellhead_version();
}

inline std::uint32_t abi_version() noexcept {
    return wellhead_abi_version();
}

} // namespace wellhead

#if __has_include(<wellhead_http.hpp>) /* an installation without HTTP lacks it */
#  include <wellhead_http.hpp>
#endif

#endif
#endif
