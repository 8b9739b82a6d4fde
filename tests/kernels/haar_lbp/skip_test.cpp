// The skip after a rejection by the first stage, 64 windows at once, against the CPU scan's table of bytes.

#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/haar_lbp/scan_band.hpp"
#include "kernels/haar_lbp/skip_body.hpp"

using namespace fovea;

namespace {

struct Skips {
    std::uint64_t skipped = 0;
    unsigned state = 0;
    friend bool operator==(const Skips&, const Skips&) = default;
};

Skips by_bytes(std::uint64_t rejected, unsigned entry) {
    int state = static_cast<int>(entry);
    std::uint64_t visited = 0;
    for (int byte = 0; byte < 8; ++byte) {
        visited |= std::uint64_t{visited_windows(static_cast<std::uint8_t>(rejected >> 8 * byte), state)}
                   << 8 * byte;
    }
    return {~visited, static_cast<unsigned>(state)};
}

Skips at_once(std::uint64_t rejected, unsigned entry) {
    Skips found{0, entry};
    found.skipped = skipped_windows(rejected, found.state);
    return found;
}

// Compares without the cost of an assertion for each of many patterns.
void require_equal(std::uint64_t rejected) {
    for (const unsigned entry : {0U, 1U}) {
        const Skips expected = by_bytes(rejected, entry);
        const Skips found = at_once(rejected, entry);
        if (found == expected) continue;
        CAPTURE(rejected, entry);
        REQUIRE(found.skipped == expected.skipped);
        REQUIRE(found.state == expected.state);
    }
}

// Bits that come in runs of about 2^`doublings` equal ones.
std::uint64_t mask_of_runs(std::mt19937_64& random, int doublings) {
    std::uint64_t mask = 0;
    bool bit = (random() & 1) != 0;
    for (int i = 0; i < 64; ++i) {
        mask |= std::uint64_t{bit} << i;
        if (random() >> (64 - doublings) == 0) bit = !bit;
    }
    return mask;
}

}  // namespace

TEST_CASE("skip: known rows", "[skip]") {
    // Rejected 0, 1, 2, 4, 7: 0 is visited, 1 skipped, 2 visited, 3 skipped, 4 visited, 5 skipped, 6 and 7
    // visited, 8 skipped.
    CHECK(at_once(0b10010111, 0) == Skips{0b100101010, 0});
    CHECK(at_once(0b10010111, 1) == Skips{0b100100101, 0});  // 0 skipped, 1 visited, 2 and 5 and 8 skipped
    CHECK(at_once(0, 0) == Skips{0, 0});
    CHECK(at_once(0, 1) == Skips{1, 0});
    // Every second one of a row of nothing but rejections; the last one visited tells the next word to skip.
    CHECK(at_once(~0ULL, 0) == Skips{0xAAAAAAAAAAAAAAAAULL, 0});
    CHECK(at_once(~0ULL, 1) == Skips{0x5555555555555555ULL, 1});
    CHECK(at_once(1ULL << 63, 0) == Skips{0, 1});
    CHECK(at_once(3ULL << 62, 0) == Skips{1ULL << 63, 0});
}

TEST_CASE("skip: every pattern of 16 windows, wherever it lies in the word", "[skip]") {
    for (std::uint64_t pattern = 0; pattern < 1 << 16; ++pattern) {
        for (const int shift : {0, 1, 23, 47, 48}) {
            require_equal(pattern << shift);
            require_equal(~(pattern << shift));
        }
    }
}

TEST_CASE("skip: random rows", "[skip]") {
    std::mt19937_64 random(7);
    for (int i = 0; i < 20000; ++i) {
        require_equal(random());
        for (int doublings = 2; doublings <= 6; ++doublings) require_equal(mask_of_runs(random, doublings));
    }
}

TEST_CASE("skip: the state goes from word to word", "[skip]") {
    std::mt19937_64 random(8);
    for (const unsigned entry : {0U, 1U}) {
        for (int row = 0; row < 300; ++row) {
            std::vector<std::uint64_t> words(1 + row % 7);
            // Rows of rejections alone keep a state over whole words.
            for (std::uint64_t& word : words) word = row % 5 == 0 ? ~0ULL : mask_of_runs(random, row % 6 + 1);
            int byte_state = static_cast<int>(entry);
            unsigned state = entry;
            bool window_state = entry != 0;
            for (const std::uint64_t word : words) {
                const unsigned before = state;
                const std::uint64_t skipped = skipped_windows(word, state);
                // Window by window, as the rule says it.
                std::uint64_t expected = 0;
                for (int i = 0; i < 64; ++i) {
                    expected |= std::uint64_t{window_state} << i;
                    window_state = !window_state && (word >> i & 1) != 0;
                }
                std::uint64_t visited = 0;
                for (int byte = 0; byte < 8; ++byte) {
                    visited |= std::uint64_t{visited_windows(static_cast<std::uint8_t>(word >> 8 * byte),
                                                             byte_state)}
                               << 8 * byte;
                }
                CAPTURE(row, word, before);
                REQUIRE(skipped == expected);
                REQUIRE(skipped == ~visited);
                REQUIRE(state == static_cast<unsigned>(window_state));
                REQUIRE(state == static_cast<unsigned>(byte_state));
            }
        }
    }
}

TEST_CASE("skip: a window that is not rejected makes the row forget its entry state", "[skip]") {
    // This is what lets the GPU compose tiles: only a row of nothing but rejections passes an entry state on.
    std::mt19937_64 random(9);
    for (int i = 0; i < 5000; ++i) {
        const std::uint64_t rejected = mask_of_runs(random, 1 + i % 6);
        if (rejected == ~0ULL) continue;
        REQUIRE(at_once(rejected, 0).state == at_once(rejected, 1).state);
    }
    CHECK(at_once(~0ULL, 0).state != at_once(~0ULL, 1).state);
}
