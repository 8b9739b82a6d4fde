#include "lib/evaluate/recognition/score_pairing.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

Sample sample(const std::string& image, const std::string& subject = "") {
    Sample result;
    result.image = image;
    result.path = "/set/" + image;
    result.subject = subject;
    return result;
}

Dataset dataset_of(const std::vector<Sample>& samples) {
    Dataset dataset;
    dataset.name = "lfw:set";
    dataset.samples = samples;
    return dataset;
}

ScoreList scores_of(const TempDir& folder, const std::string& bytes) {
    return read_scores(folder.write("scores.txt", bytes).string());
}

}  // namespace

TEST_CASE("images are found by any unambiguous form of their name", "[evaluate][verification][pairing]") {
    const ImageNames names({"Ann/1.jpg", "Ann/2.jpg", "Bob/1.jpg", "Ann/2"});
    CHECK(names.find("Ann/1.jpg") == 0);
    CHECK(names.find("Bob/1") == 2);
    CHECK(names.find("2.jpg") == 1);
    CHECK(names.find("Ann/2") == 3);  // whole names come first
    CHECK_FALSE(names.find("1.jpg"));
    CHECK_FALSE(names.find("1"));
    CHECK_FALSE(names.find("Bob/2.jpg"));
}

TEST_CASE("pairs take their scores in either order", "[evaluate][verification][pairing]") {
    const TempDir folder;
    Dataset dataset = dataset_of({sample("a.png"), sample("b.png"), sample("c.png")});
    dataset.pairs = {{0, 1, true, 0}, {1, 2, false, 1}, {0, 2, false, 1}};
    const ScoredPairs scored =
        scores_of_pairs(dataset, scores_of(folder, "b a.png 0.5\nc.png b.png 0.25\nx y 1\nb.png a 0.5\n"));
    REQUIRE(scored.pairs.size() == 3);
    CHECK(scored.pairs[0].score == 0.5);
    CHECK(scored.pairs[0].same);
    CHECK(scored.pairs[1].score == 0.25);
    CHECK(scored.pairs[1].fold == 1);
    CHECK(std::isnan(scored.pairs[2].score));  // a failure to enrol
    CHECK_THROWS_WITH(scores_of_pairs(dataset, scores_of(folder, "a b 0.5\nb a 0.75\n")),
                      Contains("scores.txt:2") && Contains("0.75, but 0.5 in line 1"));
    CHECK_THROWS_WITH(scores_of_pairs(dataset, scores_of(folder, "x y 0.5\n")),
                      Contains("no score for any") && Contains("'x'") && Contains("'a.png'"));
    dataset.pairs.clear();
    CHECK_THROWS_WITH(scores_of_pairs(dataset, scores_of(folder, "a b 1\n")), Contains("has no pairs"));
}

TEST_CASE("a matrix must be complete but for images without any score",
          "[evaluate][identification][pairing]") {
    const TempDir folder;
    const IdentificationSet set =
        identification_set(dataset_of({sample("g1.png", "A"), sample("g2.png", "B"), sample("g3.png", "C")}),
                           dataset_of({sample("p1.png", "B"), sample("p2.png", "D")}));
    CHECK(set.subjects == 4);
    CHECK(set.probe_subjects == std::vector<int>{1, 3});
    const SimilarityMatrix matrix =
        similarity_matrix(set, scores_of(folder, "p1 g1 0.5\np1 g2 0.75\n"), true);
    CHECK(matrix.at(0, 0) == -0.5);
    CHECK(matrix.at(0, 1) == -0.75);
    CHECK(matrix.at(0, 2) == not_enrolled);
    CHECK(matrix.at(1, 0) == not_enrolled);
    CHECK_THROWS_WITH(similarity_matrix(set, scores_of(folder, "p1 g1 0.5\np1 g2 1\np2 g2 1\n"), false),
                      Contains("'p2.png'") && Contains("'g1.png'"));
    CHECK_THROWS_WITH(similarity_matrix(set, scores_of(folder, "p1 g1 0.5\np1 g1 0.5\n"), false),
                      Contains("scores.txt:2") && Contains("a score already"));
    CHECK_THROWS_WITH(similarity_matrix(set, scores_of(folder, "x y 0.5\n"), false), Contains("'p1.png'"));
    CHECK_THROWS_WITH(identification_set(dataset_of({sample("g.png")}), dataset_of({sample("p.png", "A")})),
                      Contains("who is shown in 'g.png'"));
}

TEST_CASE("images of one dataset are compared once with each other", "[evaluate][identification][pairing]") {
    const TempDir folder;
    const Dataset images = dataset_of({sample("a1", "A"), sample("a2", "A"), sample("b1", "B")});
    const IdentificationSet set = identification_set(images, images);
    CHECK(set.same_image[2] == 2);
    // Each pair once, and one image with itself.
    const SimilarityMatrix matrix =
        similarity_matrix(set, scores_of(folder, "a1 a2 0.9\na1 b1 0.1\na2 b1 0.2\na1 a1 1\n"), false);
    CHECK(matrix.at(1, 0) == 0.9);
    CHECK(matrix.at(2, 1) == 0.2);
    CHECK(std::isnan(matrix.at(0, 0)));
    const ReplicateImages replicates = replicate_images(set);
    CHECK(replicates.subjects == std::vector<int>{0, 0, 1});
    CHECK(selected(matrix, replicates).at(0, 2) == 0.1);
}

TEST_CASE("a list of subjects tells roles, or the scores do", "[evaluate][identification][pairing]") {
    const TempDir folder;
    std::vector<std::string> warnings;
    std::vector<ScoreList> scores;
    scores.push_back(scores_of(folder, "p1 g1 0.5\np1 g2 0.25\n"));
    const IdentificationSet set = identification_set(
        {{"p1", "A"}, {"g1", "A"}, {"g2", "B"}, {"p2", "B", SubjectRole::probe}, {"z", "C"}}, scores,
        warnings);
    CHECK(set.probes == std::vector<std::string>{"p1", "p2"});
    CHECK(set.gallery == std::vector<std::string>{"g1", "g2"});
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0], Contains("1 image of the file of subjects"));
    CHECK_THROWS_WITH(identification_set({{"p1", "A"}, {"g1", "A"}}, scores, warnings),
                      Contains("scores.txt:2") && Contains("'g2' has no subject"));
    // a2 stands on both sides: every image is gallery and probe.
    std::vector<ScoreList> all;
    all.push_back(scores_of(folder, "a1 a2 1\na2 b1 1\na1 b1 1\n"));
    const IdentificationSet both = identification_set({{"a1", "A"}, {"a2", "A"}, {"b1", "B"}}, all, warnings);
    CHECK(both.probes.size() == 3);
    CHECK(both.gallery.size() == 3);
}
