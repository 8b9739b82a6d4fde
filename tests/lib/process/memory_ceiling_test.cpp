#include "lib/process/memory_ceiling.hpp"

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/process/allocation/allocation_calls.hpp"
#include "tests/support/sanitizers.hpp"

namespace fovea::test {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Seen by the compiler as a call that it cannot leave out.
void* volatile kept = nullptr;

bool takes(std::size_t bytes) {
    kept = std::malloc(bytes);
    const bool has = kept != nullptr;
    std::free(kept);
    return has;
}

}  // namespace

TEST_CASE("a thread takes no more than its ceiling allows", "[memory]") {
    if (has_sanitizer) {
        WARN("not run: a sanitizer has an allocator of its own");
        return;
    }
    count_allocations();
    MemoryCeiling ceiling(10 * mebibyte);
    CHECK(takes(9 * mebibyte));
    CHECK_FALSE(ceiling.was_reached());
    CHECK_FALSE(takes(11 * mebibyte));
    CHECK(ceiling.was_reached());
    CHECK_FALSE(ceiling.was_short());
    CHECK(ceiling.peak_bytes() >= 9 * mebibyte);
    CHECK(ceiling.peak_bytes() < 10 * mebibyte);
    // Small ones, as messages of an error are, pass for a while.
    CHECK(takes(100));

    CHECK_THROWS_AS(std::vector<char>(11 * mebibyte), std::bad_alloc);
    kept = std::calloc(11, mebibyte);
    CHECK(kept == nullptr);
    void* memory = std::malloc(mebibyte);
    REQUIRE(memory != nullptr);
    kept = std::realloc(memory, 12 * mebibyte);
    CHECK(kept == nullptr);
    memory = std::realloc(memory, 6 * mebibyte);
    REQUIRE(memory != nullptr);
    CHECK_FALSE(takes(5 * mebibyte));
    CHECK(::posix_memalign(&memory, 3, 8) == EINVAL);
    std::free(memory);
    CHECK(takes(9 * mebibyte));

    bool elsewhere = false;
    std::thread([&] { elsewhere = takes(20 * mebibyte); }).join();
    CHECK(elsewhere);
}

TEST_CASE("a ceiling within another counts in both", "[memory]") {
    if (has_sanitizer) {
        WARN("not run: a sanitizer has an allocator of its own");
        return;
    }
    count_allocations();
    const MemoryCeiling outer(100 * mebibyte);
    std::unique_ptr<char[]> left;
    {
        const MemoryCeiling inner(20 * mebibyte);
        CHECK(takes(15 * mebibyte));
        CHECK_FALSE(takes(25 * mebibyte));
        left.reset(new char[mebibyte]);
        CHECK(inner.held_bytes() >= static_cast<std::ptrdiff_t>(mebibyte));
    }
    CHECK(outer.peak_bytes() >= 15 * mebibyte);
    CHECK(outer.peak_bytes() < 20 * mebibyte);
    CHECK(outer.held_bytes() >= static_cast<std::ptrdiff_t>(mebibyte));
    CHECK_FALSE(outer.was_reached());
    CHECK(takes(50 * mebibyte));
}

TEST_CASE("memory that the system lacks is told from a ceiling", "[memory]") {
    if (has_sanitizer) {
        WARN("not run: a sanitizer has an allocator of its own");
        return;
    }
    count_allocations();
    const MemoryCeiling ceiling(std::size_t{1} << 62);
    // More than the address space has.
    CHECK_FALSE(takes(std::size_t{1} << 50));
    CHECK(ceiling.was_short());
    CHECK_FALSE(ceiling.was_reached());
}

}  // namespace fovea::test
