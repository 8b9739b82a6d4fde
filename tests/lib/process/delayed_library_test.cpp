#include "lib/process/delayed_library.hpp"

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <libheif/heif.h>

#include "lib/core/error.hpp"

#if defined(__x86_64__)
namespace {

constexpr const char* absent_names[] = {"fovea_absent_function"};
constexpr const char* math_names[] = {"cos", "fovea_no_such_function"};

}  // namespace

extern "C" {
void* fovea_test_slots[1];
void* fovea_math_slots[2];
fovea::DelayedLibrary fovea_test_library("libfovea-absent.so.7", "Nothing can be tested", "libfovea-absent7",
                                         absent_names, fovea_test_slots);
fovea::DelayedLibrary fovea_math_library("libm.so.6", "Nothing can be computed", "", math_names,
                                         fovea_math_slots);
int fovea_absent_function(int a, const char* b, double c);
double fovea_test_cos(double x);
}

// scripts/cmake/delayed_library.cmake writes them so.
asm(R"(
    .text
fovea_absent_function:
    leaq fovea_test_library(%rip), %r10
    movl $0, %r11d
    jmp fovea_first_call
fovea_test_cos:
    movq fovea_math_slots(%rip), %r11
    testq %r11, %r11
    je 1f
    jmp *%r11
1:  leaq fovea_math_library(%rip), %r10
    movl $0, %r11d
    jmp fovea_first_call
)");

namespace fovea {

TEST_CASE("a library that is not there is an exception of the call that needs it", "[delayed]") {
    struct Watch {
        bool& ended;
        ~Watch() { ended = true; }
    };
    bool ended = false;
    std::string message;
    try {
        const Watch watch{ended};
        fovea_absent_function(1, "b", 2.5);
    } catch (const Error& error) {
        message = error.what();
    }
    CHECK(ended);
    CHECK_THAT(message, Catch::StartsWith("Nothing can be tested without the library libfovea-absent.so.7 "
                                          "(Debian's package libfovea-absent7): "));
}

TEST_CASE("a delayed function gets its arguments at the first call and at the next", "[delayed]") {
    CHECK(fovea_test_cos(0.5) == Approx(0.8775825618903728).epsilon(1e-15));
    CHECK(fovea_math_slots[0] != nullptr);
    CHECK(fovea_test_cos(0) == 1);
    CHECK_THROWS_WITH(
        fovea_math_library.address_of(1),
        "Nothing can be computed: the library libm.so.6 has no function fovea_no_such_function");
}

TEST_CASE("delayed libraries are loaded once, whatever threads call them", "[delayed]") {
    std::vector<std::thread> threads;
    std::vector<std::string> versions(8);
    for (std::string& version : versions) threads.emplace_back([&version] { version = heif_get_version(); });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& version : versions) CHECK(version == LIBHEIF_VERSION);
}

}  // namespace fovea
#endif
