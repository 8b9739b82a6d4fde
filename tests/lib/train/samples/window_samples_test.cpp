#include "lib/train/samples/window_samples.hpp"

#include <catch2/catch.hpp>

#include "tests/lib/train/samples/support.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("Sets of samples are joined, and files of one name are one source", "[samples]") {
    WindowSamples all;
    all.append(samples_of({2, 1}, {{1, 2}, {3, 4}}));
    WindowSamples more{{2, 1}, {}, {}, {"c", "a"}};
    more.add(std::vector<std::uint8_t>{5, 6}, 0);
    more.add(std::vector<std::uint8_t>{7, 8}, 1);
    all.append(more);
    CHECK(all.window == Size{2, 1});
    CHECK(all.pixels == std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(all.sources == std::vector<std::string>{"a", "b", "c"});
    CHECK(all.source == std::vector<std::uint32_t>{0, 1, 2, 0});
    CHECK(all.view(2)(1, 0) == 6);
    const std::vector<std::size_t> positions{3, 1};
    const WindowSamples some = all.picked(positions);
    CHECK(some.pixels == std::vector<std::uint8_t>{7, 8, 3, 4});
    CHECK(some.source == std::vector<std::uint32_t>{0, 1});
    CHECK_THAT(message_of([&] {
                   all.append(samples_of({1, 2}, {{1, 2}}));
               }),
               Contains("1x2") && Contains("2x1"));
    CHECK(all.count() == 4);
}

TEST_CASE("Windows have limits", "[samples]") {
    CHECK(message_of([] { check_window({1, max_window_side}); }) == "done");
    for (const Size window : {Size{0, 5}, Size{5, -1}, Size{max_window_side + 1, 5}}) {
        CHECK_THROWS_AS(check_window(window), UsageError);
    }
}

TEST_CASE("Samples are picked evenly", "[samples]") {
    CHECK(evenly_picked(10, 4) == std::vector<std::size_t>{0, 2, 5, 7});
    CHECK(evenly_picked(3, 5) == std::vector<std::size_t>{0, 1, 2});
    CHECK(evenly_picked(3, 0).empty());
    CHECK(evenly_picked(0, 3).empty());
    // i · count does not fit: rounded down, 2 · (2^63 + 1) / 3 = 6,148,914,691,236,517,206.
    CHECK(evenly_picked((std::size_t{1} << 63) + 1, 3).back() == 6'148'914'691'236'517'206u);
}
