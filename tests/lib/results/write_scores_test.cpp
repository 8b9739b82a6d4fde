#include "lib/results/write_scores.hpp"

#include <array>
#include <limits>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/results/read_scores.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("a matrix of scores reads back", "[results][scores]") {
    const TempDir folder;
    const std::filesystem::path file = folder.path() / "scores.csv";
    const std::vector<std::string> gallery{"0.5", "a, b.png", "#c.png"};
    const std::vector<std::string> probes{"p 1.png", "p,2.png", "#3.png"};
    const std::vector<std::array<double, 3>> scores{{1, 0.1, 1e-300}, {1.0 / 3, -2, 0}, {12345678.5, 3, 4}};
    {
        ScoreMatrixWriter writer(file, gallery);
        for (std::size_t i = 0; i < 3; ++i) writer.write(probes[i], scores[i]);
        CHECK_FALSE(std::filesystem::exists(file));
        writer.finish();
    }
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
    const ScoreList list = read_scores(file.string());
    REQUIRE(list.entries.size() == 9);
    for (std::size_t i = 0; i < 9; ++i) {
        CAPTURE(i);
        CHECK(list.names.name(list.entries[i].first) == probes[i / 3]);
        CHECK(list.names.name(list.entries[i].second) == gallery[i % 3]);
        CHECK(list.entries[i].score == scores[i / 3][i % 3]);
    }
}

TEST_CASE("names in a matrix of scores are no formulas and read back", "[results][scores][csv]") {
    const TempDir folder;
    const std::filesystem::path file = folder.path() / "scores.csv";
    const std::vector<std::string> gallery{"=1+1", "-a.png ", "'@x", "+1,2"};
    {
        ScoreMatrixWriter writer(file, gallery);
        writer.write("-1", std::array{-0.5, 1.0, 2.0, 3.0});
        writer.finish();
    }
    CHECK(read_bytes(file) == ",\"'=1+1\",\"'-a.png \",\"''@x\",\"'+1,2\"\n\"'-1\",-0.5,1,2,3\n");
    const ScoreList list = read_scores(file.string());
    REQUIRE(list.entries.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) CHECK(list.names.name(list.entries[i].second) == gallery[i]);
    CHECK(list.names.name(list.entries[0].first) == "-1");
    CHECK(list.entries[0].score == -0.5);
}

TEST_CASE("what a matrix of scores cannot hold is refused, and nothing remains", "[results][scores]") {
    const TempDir folder;
    const std::filesystem::path file = folder.path() / "scores.csv";
    CHECK_THROWS_WITH(ScoreMatrixWriter(file, {"a", "b", "a"}), Contains("'a'") && Contains("two images"));
    CHECK_THROWS_WITH(ScoreMatrixWriter(file, {"a\"b"}), Contains("quote"));
    CHECK_THROWS_WITH(ScoreMatrixWriter(folder.path() / "none" / "s.csv", {"a"}),
                      Contains("cannot be written"));
    {
        ScoreMatrixWriter writer(file, {"a"});
        CHECK_THROWS_AS(writer.write("b\nc", std::array{1.0}), Error);
        CHECK_THROWS_AS(writer.write("b", std::array{std::numeric_limits<double>::infinity()}),
                        std::invalid_argument);
    }
    CHECK(std::filesystem::is_empty(folder.path()));
}
