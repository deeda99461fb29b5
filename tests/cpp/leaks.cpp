// What is made and dropped leaves nothing behind: callbacks that hold something, callers, exceptions, kept responders.
#include "check.hpp"

#include <functional>
#include <memory>
#include <stdexcept>

#ifdef __GLIBC__
#include <malloc.h>
#endif

using wellhead::Call, wellhead::Read;

namespace {

constexpr int warm = 1000, rounds = 100000;
constexpr std::size_t slack = 1 << 20; // a third of the smallest block a round

std::size_t in_use() {
#ifdef __GLIBC__
    const auto now = mallinfo2();
    return now.uordblks + now.hblkhd;
#else
    return 0;
#endif
}

// What a hundred thousand rounds add to the memory that is in use, after a thousand.
void stays_flat(const std::function<void(int)> &round) {
    for (int i = 0; i < warm; i++) round(i);
    const std::size_t before = in_use();
    for (int i = 0; i < rounds; i++) round(i);
    const std::size_t after = in_use();
    if (after > before + slack) std::printf("%zu bytes more after %d rounds\n", after - before, rounds);
    CHECK(after <= before + slack);
}

Server server_that_logs_nowhere() {
    wellhead::ServerOptions options;
    options.log = [](std::uint32_t, std::string_view) {};
    return Server("s", "1", std::move(options));
}

void servers_and_their_callbacks_leave_no_memory_behind() {
    const auto held = std::make_shared<int>(0);
    stays_flat([&held](int) {
        Server s = server_that_logs_nowhere();
        s.add_template("n:{id}", {[held](const Call &, Read &r) { r.text("x"); }, {}});
    });
    CHECK(held.use_count() == 1);
}

void connections_and_their_callers_leave_no_memory_behind() {
    const auto held = std::make_shared<int>(0);
    Server s = server_that_logs_nowhere();
    s.add_text("n:1", "x");
    stays_flat([&](int) {
        wellhead::ConnectionOptions options;
        options.wake = [held] {};
        options.caller = wellhead::Caller(held);
        Connection c(s, std::move(options));
        send_request(c, read_of("n:1"));
    });
    CHECK(held.use_count() == 1);
}

// Answered, thrown out of, kept and answered later, or kept and dropped.
void calls_leave_no_memory_behind() {
    int way = 0;
    std::optional<Read> kept;
    Server s = server_that_logs_nowhere();
    s.add_template("n:{id}", {[&](const Call &, Read &r) {
                                  if (way == 0) r.text("x");
                                  if (way == 1) throw std::runtime_error("not read");
                                  if (way >= 2) kept.emplace(r.keep());
                              },
                              {}});
    Connection c(s);
    stays_flat([&](int i) {
        way = i % 4;
        send_request(c, read_of("n:1"));
        if (way == 2) kept->text("x");
        kept.reset();
        drained(c);
    });
}

void refusals_leave_no_memory_behind() {
    Server s = server_that_logs_nowhere();
    stays_flat([&s](int) { CHECK(code_of([&s] { s.add_text("no uri", "x"); }) == "invalid_uri"); });
}

} // namespace

void leaks() {
    RUN(servers_and_their_callbacks_leave_no_memory_behind);
    RUN(connections_and_their_callers_leave_no_memory_behind);
    RUN(calls_leave_no_memory_behind);
    RUN(refusals_leave_no_memory_behind);
}
