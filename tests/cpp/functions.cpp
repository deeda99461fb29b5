// Which functions are an empty Callback. Built for C++17 and for C++23, which has one more type that may be empty.
#include <wellhead.hpp>

#include <cstdio>

using wellhead::Callback;

static int failed = 0;

#define CHECK(condition) (condition) ? void() : (void)(failed++, std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition))

static int one() { return 1; }

struct Object {
    int one() { return 1; }
};

int main() {
    Object object;
    int (*const null)() = nullptr;
    int (Object::*const null_member)() = nullptr;
    const auto plain = [] { return 1; };
    const auto captures = [number = 1] { return number; };
    CHECK(!Callback<int()>() && !Callback<int()>(nullptr) && !Callback<int()>(null) && !Callback<int(Object &)>(null_member));
    CHECK(!Callback<int()>(std::function<int()>()) && !Callback<void()>(Callback<int()>()));
    CHECK(Callback<int()>(one)() == 1 && Callback<int()>(&one)() == 1 && Callback<int()>(plain)() == 1);
    CHECK(Callback<int()>(captures)() == 1 && Callback<int()>([](auto &&...) { return 1; })() == 1);
    CHECK(Callback<int()>(std::function<int()>(one))() == 1 && Callback<void()>(Callback<int()>(one)));
    CHECK(Callback<int(Object &)>(&Object::one)(object) == 1);
#ifdef __cpp_lib_move_only_function
    CHECK(!Callback<int()>(std::move_only_function<int()>()) && !Callback<int()>(std::move_only_function<int() const>()));
    CHECK(Callback<int()>(std::move_only_function<int()>(one))() == 1);
#endif
    return failed != 0;
}
