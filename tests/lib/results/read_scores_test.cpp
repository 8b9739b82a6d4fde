#include "lib/results/read_scores.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

struct Entry {
    std::string first;
    std::string second;
    double score;
    bool operator==(const Entry&) const = default;
};

std::vector<Entry> entries(const std::string& bytes) {
    const TempDir folder;
    const ScoreList list = read_scores(folder.write("scores.txt", bytes).string());
    std::vector<Entry> result;
    for (const ScoreEntry& entry : list.entries) {
        result.push_back({list.names.name(entry.first), list.names.name(entry.second), entry.score});
    }
    return result;
}

std::string message(const std::string& bytes, bool pairs = false) {
    const TempDir folder;
    const std::string file = folder.write("scores.txt", bytes).string();
    try {
        if (pairs) {
            read_scored_pairs(file);
        } else {
            read_scores(file);
        }
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("lists of scores are read in all their forms", "[evaluate][verification][read_scores]") {
    const std::vector<Entry> expected{{"a.png", "b.png", 0.5}, {"a.png", "c.png", -2}};
    CHECK(entries("# a comment\na.png b.png 0.5\n\n  a.png   c.png\t-2e0\r\n") == expected);
    CHECK(entries("a.png\tb.png\t0.5\na.png\tc.png\t-2\n") == expected);
    CHECK(entries("a.png,b.png,0.5\n\"a.png\" , c.png, -2\n") == expected);
    CHECK(entries("first,second,Similarity\na.png,b.png,0.5\na.png,c.png,-2\n") == expected);
    CHECK(entries("\xEF\xBB\xBF"
                  "a.png b.png +0.5\na.png c.png -2") == expected);
    CHECK(entries("one photo.png\tb, c.png\t1\n") == std::vector<Entry>{{"one photo.png", "b, c.png", 1}});
    CHECK(entries("\"b, c.png\",d.png,1\n") == std::vector<Entry>{{"b, c.png", "d.png", 1}});
    CHECK(entries("").empty());
}

TEST_CASE("a matrix has the gallery in its first row", "[evaluate][identification][read_scores]") {
    CHECK(entries(",g1,g2\np1,0.5,0.25\np2,1,2\n") ==
          std::vector<Entry>{{"p1", "g1", 0.5}, {"p1", "g2", 0.25}, {"p2", "g1", 1}, {"p2", "g2", 2}});
    CHECK_THAT(message(",g1,g2\np1,0.5\n"), Contains("scores.txt:2") && Contains("2 scores"));
    CHECK_THAT(message(",g1,g2\np1,0.5,\n"), Contains("scores.txt:2") && Contains("finite number"));
    CHECK_THAT(message(",g1,\np1,0.5,1\n"), Contains("is empty"));
}

TEST_CASE("broken scores are named with their line", "[evaluate][verification][read_scores]") {
    CHECK_THAT(message("a b 0.5\na c nan\n"),
               Contains("scores.txt:2") && Contains("'nan'") && Contains("finite number"));
    CHECK_THAT(message("a b inf\n"), Contains("scores.txt:1"));
    CHECK_THAT(message("a,b,nan\n"), Contains("scores.txt:1") && Contains("'nan'"));
    CHECK_THAT(message("a b\n"), Contains("NAME_A NAME_B SCORE"));
    CHECK_THAT(message("a b 0.5\na b c 0.5\n"), Contains("scores.txt:2") && Contains("tabs or commas"));
    CHECK_THAT(message("a b 0.5x\n"), Contains("'0.5x'"));
    CHECK_THAT(message("\"a,b,0.5\n"), Contains("scores.txt:1"));
    CHECK_THROWS_AS(read_scores("/nowhere/scores.txt"), UsageError);
}

TEST_CASE("labelled pairs bring folds and failures along", "[evaluate][verification][read_scores]") {
    const TempDir folder;
    const PairList list = read_scored_pairs(folder.write("pairs.txt", "a b 0.5 1 3\nc d - 0 -1\n").string());
    REQUIRE(list.pairs.size() == 2);
    CHECK(list.has_folds);
    CHECK(list.pairs[0].score == 0.5);
    CHECK(list.pairs[0].same);
    CHECK(list.pairs[0].fold == 3);
    CHECK_FALSE(list.pairs[1].score);
    CHECK_FALSE(list.pairs[1].same);
    CHECK(list.pairs[1].fold == -1);
    CHECK(read_scored_pairs(folder.write("p.csv", "a,b,score,label\na,b,1,0\n").string()).pairs.size() == 1);

    CHECK_THAT(message("a b 0.5 1\nc d 0.5 1\nb a 0.7 0\n", true),
               Contains("scores.txt:3") && Contains("line 1 already"));
    CHECK_THAT(message("a b 0.5 1\nc d 0.5 1 2\n", true), Contains("scores.txt:2") && Contains("fold"));
    CHECK_THAT(message("a b 0.5 2\n", true), Contains("label is '2'"));
    CHECK_THAT(message("a b 0.5 1 x\n", true), Contains("fold is 'x'"));
    CHECK_THAT(message("a b nan 1\n", true), Contains("'nan'"));
    CHECK_THAT(message("a b 0.5\n", true), Contains("LABEL"));
}

TEST_CASE("subjects have at most one name and role each", "[evaluate][identification][read_scores]") {
    const TempDir folder;
    const auto read = [&](const std::string& bytes) {
        return read_subjects(folder.write("s.txt", bytes).string());
    };
    const std::vector<SubjectEntry> entries = read("a.png Ann\nb.png Bob gallery\nb.png Bob probe\n");
    REQUIRE(entries.size() == 3);
    CHECK(entries[0].role == SubjectRole::unsaid);
    CHECK(entries[1].role == SubjectRole::gallery);
    CHECK(entries[2].subject == "Bob");
    CHECK_THROWS_WITH(read("a Ann\na Bob probe\n"), Contains("s.txt:2") && Contains("another subject"));
    CHECK_THROWS_WITH(read("a Ann\na Ann\n"), Contains("line 1 already"));
    CHECK_THROWS_WITH(read("a Ann sideways\n"), Contains("'sideways'"));
    CHECK_THROWS_WITH(read("a\n"), Contains("NAME SUBJECT"));
}

TEST_CASE("spellings: pairs with scores", "[evaluate][read_scores][spelling]") {
    const TempDir folder;
    for (const char* const line :
         {"a b 0.5 1 3\n", "a b +5e-1 1.0 3.0\r\n", "a\tb\t.5\ttrue\t+3\n", "a,b,0.5,Yes,3e0\n"}) {
        CAPTURE(line);
        const PairList list = read_scored_pairs(folder.write("pairs.txt", line).string());
        REQUIRE(list.pairs.size() == 1);
        CHECK(list.pairs[0].score == 0.5);
        CHECK(list.pairs[0].same);
        CHECK(list.pairs[0].fold == 3);
    }
    CHECK_FALSE(read_scored_pairs(folder.write("pairs.txt", "a b 0.5 false\n").string()).pairs[0].same);
    CHECK_THAT(message("a b 0.5 maybe\n", true), Contains("the label is 'maybe'"));
    CHECK_THAT(message("a b 0.5 1 1.5\n", true), Contains("the fold is '1.5'"));
}
