// Shared code of the tests of C++ alone.
#ifndef CHECK_HPP
#define CHECK_HPP

#include <wellhead.hpp>

#include "../c/deadline.h"

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

using wellhead::Connection, wellhead::Server;

inline int failures, passed, failed;

inline void check(bool holds, const char *what, const char *file, int line) {
    if (holds) return;
    std::printf("%s:%d: not so: %s\n", file, line, what);
    failures++;
}

#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)

inline void run(const char *name, void (*test)()) {
    failures = 0;
    deadline_start(name);
    try {
        test();
    } catch (const std::exception &e) {
        std::printf("threw %s\n", e.what());
        failures++;
    }
    if (failures) std::printf("FAILED: %s\n", name);
    ++(failures ? failed : passed);
}

#define RUN(test) run(#test, test)

inline const char INTERNAL_ERROR[] = "\"code\":-32603";

inline std::string read_of(const std::string &uri) {
    return R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":")" + uri +
           R"(","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})" + "\n";
}

inline bool has(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

inline std::string drained(Connection &connection) {
    std::string output;
    connection.poll_event(SIZE_MAX);
    while (const auto piece = connection.poll_transmit(4096)) output += piece.bytes();
    return output;
}

inline std::string send_request(Connection &connection, const std::string &line) {
    CHECK(connection.receive(line) == line.size());
    return drained(connection);
}

// The word of the error that is thrown; "none" without one.
template <class F> std::string code_of(F &&does) {
    try {
        does();
        return "none";
    } catch (const wellhead::Error &error) {
        return std::string(error.code());
    }
}

inline std::vector<std::string> lines;

// Its lines of the log are in `lines`.
inline Server server() {
    wellhead::ServerOptions options;
    options.log = [](std::uint32_t, std::string_view line) { lines.emplace_back(line); };
    lines.clear();
    return Server("s", "1", std::move(options));
}

#endif
