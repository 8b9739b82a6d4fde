#include "lib/inputs/brace_names.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using fovea::test::TempDir;
using Names = std::vector<std::string>;

TEST_CASE("braces mean names", "[image-list][braces]") {
    CHECK(expand_braces("shard-{000..002}.tar") == Names{"shard-000.tar", "shard-001.tar", "shard-002.tar"});
    CHECK(expand_braces("{8..11}") == Names{"8", "9", "10", "11"});
    CHECK(expand_braces("{7..7}.jpg") == Names{"7.jpg"});
    CHECK(expand_braces("a{x,,yz}b") == Names{"axb", "ab", "ayzb"});
    CHECK(expand_braces("{a,b}/{1..2}.tar") == Names{"a/1.tar", "a/2.tar", "b/1.tar", "b/2.tar"});
    for (const char* plain :
         {"photos/", "{a}.jpg", "{", "}{", "{1..}", "{..2}", "{3..1}", "{a..c}", "{-1..2}", "x{}y"})
        CHECK(expand_braces(plain) == Names{plain});
    CHECK(expand_braces("{a}{1..2}") == Names{"{a}1", "{a}2"});
    CHECK(expand_braces("{0..9999999}").size() == 10'000'000);
    CHECK_THROWS_AS(expand_braces("{0..10000000}"), UsageError);
    CHECK_THROWS_AS(expand_braces("{0..18446744073709551615}"), UsageError);
    CHECK_THROWS_AS(expand_braces("{0..9999}{0..9999}"), UsageError);
    // A file that has the very name is meant.
    const TempDir dir;
    const std::string name = dir.write("{1..2}.jpg", "x").string();
    CHECK(expand_braces(name) == Names{name});
}
