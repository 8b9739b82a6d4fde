#include "lib/run/people/number_people.hpp"

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

using People = std::vector<int>;
constexpr std::uint32_t none = no_group;

}  // namespace

TEST_CASE("a first run numbers people by the size of their groups", "[people]") {
    int last = 0;
    CHECK(number_people(std::vector<std::uint32_t>{0, 1, 1, none, 2, 2, 2}, People(7, 0), {}, last) ==
          People{3, 2, 2, 0, 1, 1, 1});
    CHECK(last == 3);
}

TEST_CASE("people keep their numbers while faces come and go", "[people]") {
    int last = 9;
    // Group 0 shares two faces with person 4 and one with person 7, who is mostly in group 1.
    CHECK(number_people(std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 2, 2}, People{4, 4, 7, 0, 7, 7, 0, 0},
                        {}, last) == People{4, 4, 4, 4, 7, 7, 10, 10});
    CHECK(last == 10);
    // A person in two groups stays in the larger part; of equal ones in the first.
    last = 10;
    CHECK(number_people(std::vector<std::uint32_t>{0, 1, 1}, People{4, 4, 4}, {}, last) == People{11, 4, 4});
    last = 10;
    CHECK(number_people(std::vector<std::uint32_t>{0, 1}, People{4, 4}, {}, last) == People{4, 11});
    // Nobody is left of person 3, whose number is not given again.
    last = 3;
    CHECK(number_people(std::vector<std::uint32_t>{0, 0}, People{0, 0}, {}, last) == People{4, 4});
}

TEST_CASE("people whom a user has named keep their faces", "[people]") {
    // The groups of Ann (1) and Bob (2) have run together: a new face goes to the one with more faces there.
    int last = 2;
    CHECK(number_people(std::vector<std::uint32_t>{0, 0, 0, 0}, People{1, 2, 2, 0}, {1, 2}, last) ==
          People{1, 2, 2, 2});
    // Ann's group has fallen apart: all parts are hers, and new faces in them, too.
    CHECK(number_people(std::vector<std::uint32_t>{0, 0, 1, 1, 2}, People{1, 0, 1, 0, 0}, {1}, last) ==
          People{1, 1, 1, 1, 3});
    CHECK(last == 3);
    // An unnamed person's faces that are now in Ann's group are hers.
    CHECK(number_people(std::vector<std::uint32_t>{0, 0, 0}, People{1, 3, 3}, {1}, last) == People{1, 1, 1});
}

TEST_CASE("no faces are no people", "[people]") {
    int last = 5;
    CHECK(number_people({}, {}, {1}, last).empty());
    CHECK(number_people(std::vector<std::uint32_t>{none}, People{1}, {}, last) == People{0});
    CHECK(last == 5);
}
