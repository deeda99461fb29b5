// Memory that runs out while callbacks are handed to C: nothing that they hold is lost.
#include "check.hpp"

#include <cstdlib>
#include <functional>
#include <memory>
#include <new>

static long left = -1; // Allocations until one fails; none does if this is negative.

void *operator new(std::size_t size) {
    if (left == 0) throw std::bad_alloc();
    if (left > 0) left--;
    if (void *memory = std::malloc(size ? size : 1)) return memory;
    throw std::bad_alloc();
}

void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

using Held = std::shared_ptr<int>;

// Runs `make` with each of its allocations failing in turn. Functions that it makes hold `held`.
static void fails_at_each_allocation(const std::function<void(const Held &held)> &make) {
    const Held held = std::make_shared<int>(0);
    long allocations = 0;
    for (bool made = false; !made; allocations++) {
        try {
            left = allocations;
            make(held);
            made = true;
        } catch (const std::bad_alloc &) {
        } catch (const wellhead::Error &) {
        }
        left = -1;
        CHECK(held.use_count() == 1);
    }
    CHECK(allocations > 1);
}

static void a_server_keeps_no_callback_that_it_did_not_take() {
    fails_at_each_allocation([](const Held &held) {
        wellhead::ServerOptions options;
        options.log = [held](std::uint32_t, std::string_view) {};
        options.observe = [held](const wellhead_observed &) {};
        Server("s", "1", std::move(options));
    });
}

static void a_registration_keeps_no_callback_that_it_did_not_take() {
    fails_at_each_allocation([](const Held &held) {
        Server s("s", "1");
        s.set_authorize([held](auto &&...) {});
    });
    fails_at_each_allocation([](const Held &held) {
        Server s("s", "1");
        s.add_method("x/y", [held](const wellhead::Call &, std::string_view, wellhead::Method &) {}, {"2025-06-18"});
    });
    fails_at_each_allocation([](const Held &held) {
        Server s("s", "1");
        s.add_template("n:{id}", {[held](const wellhead::Call &, wellhead::Read &) {}, {}});
    });
}

static void a_connection_keeps_no_callback_that_it_did_not_take() {
    fails_at_each_allocation([](const Held &held) {
        Server s("s", "1");
        wellhead::ConnectionOptions options;
        options.wake = [held] {};
        options.caller = wellhead::Caller(held);
        Connection c(s, std::move(options));
    });
}

static void a_test_client_keeps_no_callback_that_it_did_not_take() {
    fails_at_each_allocation([](const Held &held) {
        Server s("s", "1");
        wellhead::TestOptions options;
        options.on_request = [held](auto &&...) {};
        options.caller = wellhead::Caller(held);
        wellhead::TestClient c(s, std::move(options));
    });
}

static void an_endpoint_keeps_no_callback_that_it_did_not_take() {
    fails_at_each_allocation([](const Held &held) {
        Server s("s", "1");
        wellhead::EndpointOptions options;
        options.protection.emplace();
        options.protection->resource = "https://mcp.example/mcp";
        options.protection->authorization_servers = {"https://auth.example"};
        options.verify = [held](const wellhead::Call &, std::string_view, wellhead::Verify &) {};
        wellhead::Endpoint e(s, std::move(options), [held] {});
    });
}

void memory() {
    RUN(a_server_keeps_no_callback_that_it_did_not_take);
    RUN(a_registration_keeps_no_callback_that_it_did_not_take);
    RUN(a_connection_keeps_no_callback_that_it_did_not_take);
    RUN(a_test_client_keeps_no_callback_that_it_did_not_take);
    RUN(an_endpoint_keeps_no_callback_that_it_did_not_take);
}
