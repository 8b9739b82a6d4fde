#include "lib/report/recognition/recognition_report.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <catch2/catch.hpp>

#include "lib/core/text.hpp"
#include "lib/report/model/names.hpp"
#include "lib/report/recognition/recognition_content.hpp"
#include "lib/report/write/markdown.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/three_people.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

VerificationOptions without_intervals() {
    VerificationOptions options;
    options.bootstrap_resamples = 0;
    return options;
}

// Pairs by falling score: g g i g i i i. EER: at 0.7 FMR is 1/4 and FNMR 1/3, at 0.4 1/4 and 0, so they meet
// at 1/4, and 0.7 is nearer. AUC: of 12 pairs of genuine and impostor only 0.4 against 0.7 is wrong: 11/12 =
// 0.9167. Best accuracy at 0.8: 2 genuine and 4 impostor of 7, 85.71 %.
VerificationEvaluation mine(const VerificationOptions& options) {
    return evaluate_verification(
        {{0.9, true}, {0.8, true}, {0.4, true}, {0.7, false}, {0.3, false}, {0.2, false}, {0.1, false}},
        options, "mine");
}

// One impostor pair was not enrolled. EER: at 0.95 FMR is 1/2 and FNMR 1, at 0.9 both are 1/2. AUC: both
// genuine pairs are above the pair without score and below the other: 1/2.
VerificationEvaluation failing(const VerificationOptions& options) {
    return evaluate_verification({{0.9, true}, {0.95, false}, {0.1, true}, {std::nan(""), false}}, options,
                                 "a_b");
}

// The gallery holds Ann, Bob and Cid. Ann's probe finds its mate (0.9), Bob's is second (0.5 behind 0.6),
// and nobody knows the third's subject. One unmated probe can tell of no FPIR.
IdentificationEvaluation searches() {
    IdentificationOptions options;
    options.bootstrap_resamples = 0;
    return evaluate_identification(three_people(), {3, 3, {0.9, 0.1, 0.2, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1}},
                                   options, "mine");
}

std::set<std::string> files_in(const TempDir& folder) {
    std::set<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
        const std::string name = file.path().filename().string();
        if (name != ".report-files") names.insert(name);
    }
    return names;
}

}  // namespace

TEST_CASE("verification as Markdown and as lines of numbers", "[report][verification][gnuplot]") {
    VerificationOptions options = without_intervals();
    options.threshold = 0.5;
    options.threshold_origin = "--threshold";
    const TempDir out;
    RecognitionReportContext context;
    context.data = "lfw:/data/lfw_a/";
    context.warnings = {"Two images are equal."};
    write_verification_report(out.path(), {mine(options), failing(options)}, context);

    const std::string text = read_bytes(out.path() / "report.md");
    CHECK_THAT(text,
               Catch::StartsWith("# Face verification on lfw\\_a\n\n**2 recognisers** were compared on 3 "
                                 "genuine pairs and 4 impostor pairs of lfw:/data/lfw\\_a/.\n\n"
                                 "Verification (1:1)."));
    CHECK_THAT(text,
               Contains("| Recogniser | Genuine | Impostor | Genuine, failed to enrol | Impostor, failed to "
                        "enrol |\n|---|--:|--:|--:|--:|\n| mine | 3 | 4 | 0 | 0 |\n"
                        "| a\\_b | 2 | 2 | 0 | 1 |\n"));
    CHECK_THAT(text,
               Contains("| Recogniser | Equal error rate | Area under the ROC |\n|---|--:|--:|\n"
                        "| mine | **25.00\u00A0%** | **0.9167** |\n| a\\_b | 50.00\u00A0% | 0.5000 |\n"));
    CHECK_THAT(text, Contains("\n| Equal error rate | **25.00\u00A0%** | 50.00\u00A0% | FMR = FNMR on ") &&
                         Contains("\n| Area under the ROC | **0.9167** | 0.5000 | "));
    CHECK_THAT(text,
               Contains("| Best accuracy | **85.71\u00A0%** |") && Contains("| TAR at FAR 0.1 | – | – |"));
    // At 0.5, one of 4 impostor pairs is accepted, and 1 of 3 genuine ones rejected.
    CHECK_THAT(text, Contains("| FMR at the threshold | **25.00\u00A0%** | 50.00\u00A0% |") &&
                         Contains("| FNMR at the threshold | **33.33\u00A0%** | 50.00\u00A0% |"));
    CHECK_THAT(text, Contains("score is at least the threshold. --threshold-from ") &&
                         Contains("| Recogniser | at the EER | at FAR 0.1 |") &&
                         Contains("\n| mine | 0.7 | – | – | – | – | 0.5 |\n| a\\_b | 0.9 | – |") &&
                         Contains("\nThe given threshold is from --threshold.\n"));
    CHECK_THAT(text, Contains("\n- Two images are equal.\n") && Contains("\n- a\\_b: 1 pair without score"));
    CHECK_THAT(text, Contains("![ROC](roc.svg)") && !Contains("Intervals:"));

    const std::string csv = read_bytes(out.path() / "numbers.csv");
    CHECK_THAT(csv, Catch::StartsWith("recogniser,metric,value,ci95_low,ci95_high,definition\n"
                                      "mine,pairs,7,,,\nmine,genuine,3,,,\nmine,impostors,4,,,\n"
                                      "mine,genuine_failed_to_enrol,0,,,\n"));
    CHECK_THAT(csv, Contains("\na_b,impostors_failed_to_enrol,1,,,\n") && Contains("\nmine,eer,0.25,,,") &&
                        Contains("\na_b,auc,0.5,,,") && !Contains("tar_at_far"));
    CHECK_THAT(csv, Contains("\nmine,threshold_at_eer,0.7,,,threshold at the equal error rate\n") &&
                        Contains("\nmine,threshold,0.5,,,\"given, from --threshold\"\n"));
}

TEST_CASE("intervals of recognisers are in every file", "[report][verification][gnuplot]") {
    VerificationOptions options;
    options.bootstrap_resamples = 100;
    const VerificationEvaluation evaluation = mine(options);
    const Interval interval = evaluation.estimate("auc").ci95.value();
    const TempDir out;
    write_verification_report(out.path(), {evaluation}, {});
    const std::string text = read_bytes(out.path() / "report.md");
    CHECK_THAT(text, Catch::StartsWith("# Face verification\n"));
    CHECK_THAT(text, Contains("| Area under the ROC | 0.9167 (" + fixed(interval[0], 4) + "–" +
                              fixed(interval[1], 4) + ") |"));
    CHECK_THAT(text, Contains("Intervals: 95 %, percentile bootstrap over pairs, 100 resamples."));
    CHECK_THAT(read_bytes(out.path() / "numbers.csv"),
               Contains("\nmine,auc," + shortest_number(*evaluation.estimate("auc").value) + ',' +
                        shortest_number(interval[0]) + ',' + shortest_number(interval[1]) + ','));
}

TEST_CASE("a recognition report leaves no plots of an earlier one", "[report][verification][gnuplot]") {
    const VerificationOptions options = without_intervals();
    const TempDir out;
    write_verification_report(out.path(), {mine(options), failing(options)}, {});
    const std::set<std::string> common{"curves.csv",  "det.pdf",   "det.svg", "numbers.csv", "report.html",
                                       "report.json", "report.md", "roc.pdf", "roc.svg"};
    std::set<std::string> two = common;
    two.insert({"scores_1.pdf", "scores_1.svg", "scores_2.pdf", "scores_2.svg"});
    CHECK(files_in(out) == two);
    write_verification_report(out.path(), {mine(options)}, {});
    std::set<std::string> one = common;
    one.insert({"scores.pdf", "scores.svg"});
    CHECK(files_in(out) == one);
}

TEST_CASE("identification as Markdown and as lines of numbers", "[report][identification][gnuplot]") {
    const TempDir out;
    RecognitionReportContext context;
    context.data = "people.txt";
    write_identification_report(out.path(), {searches()}, std::nullopt, context);
    CHECK(files_in(out) == std::set<std::string>{"cmc.pdf", "cmc.svg", "curves.csv", "numbers.csv",
                                                 "open_set.csv", "open_set.pdf", "open_set.svg",
                                                 "report.html", "report.json", "report.md", "units.jsonl"});
    const std::string text = read_bytes(out.path() / "report.md");
    CHECK_THAT(text,
               Catch::StartsWith("# Face identification on people.txt\n\n**mine** searched with 3 probes "
                                 "in a gallery of 3 images of 3 subjects (people.txt). The mate comes "
                                 "first for **50.00\u00A0%** of the 2 probes that have one.\n"));
    CHECK_THAT(text,
               Contains("| Recogniser | Mated probes | Unmated probes | Probes not enrolled | Gallery images "
                        "not enrolled | Mated probes lost | Tied |\n|---|--:|--:|--:|--:|--:|--:|\n"
                        "| mine | 2 | 1 | 0 | 0 | 0 | 0 |\n"));
    CHECK_THAT(text, Contains("\n| Rank-1 | 50.00\u00A0% |") && Contains("\n## Open set\n") &&
                         !Contains("Permutations"));
    const std::string csv = read_bytes(out.path() / "numbers.csv");
    CHECK_THAT(csv, Contains("\nmine,mated_probes,2,,,\n") && Contains("\nmine,rank1,0.5,,,"));
}

TEST_CASE("groups of faces as Markdown and as lines of numbers", "[report][clustering]") {
    // Group x holds two faces of Ann's and one of Bob's, and Bob's other face is in none. Precision: (2/3 +
    // 2/3 + 1/3 + 1) / 4. Recall: (1 + 1 + 1/2 + 1/2) / 4. One of three pairs is right, and there are two.
    KnownFaces faces;
    faces.images = {"a1", "a2", "b1", "b2"};
    faces.subjects = {0, 0, 1, 1};
    faces.subject_names = {"Ann", "Bob|B"};
    FaceGroups found;
    found.groups = {0, 0, 0, no_number};
    found.group_names = {"x"};
    FaceGroups right = found;
    right.groups = {0, 0, 1, 1};
    right.group_names = {"x", "y"};
    const ClusteringEvaluation mine = evaluate_clustering(faces, found, {0, 1}, "mine");
    RecognitionReportContext context;
    context.data = "folder:people";
    const TempDir out;
    write_clustering_report(out.path(), {mine}, context);
    CHECK(files_in(out) == std::set<std::string>{"numbers.csv", "report.html", "report.json", "report.md"});
    const std::string text = read_bytes(out.path() / "report.md");
    CHECK_THAT(text,
               Catch::StartsWith("# Groups of faces on people\n\n**mine** grouped the faces of 4 images of 2 "
                                 "subjects (folder:people). The B-cubed F1 is **70.59\u00A0%**, the pairwise "
                                 "F1 **40.00\u00A0%**.\n\nClustering."));
    CHECK_THAT(text, Contains("\n| B-cubed precision | 66.67\u00A0% |") &&
                         Contains("\n| B-cubed recall | 75.00\u00A0% |") &&
                         Contains("\n| Pairwise precision | 33.33\u00A0% |") &&
                         Contains("\n| Pairwise recall | 50.00\u00A0% |"));
    CHECK_THAT(text, Contains("| Recogniser | Images | Subjects | Groups | Faces in no group |\n"
                              "|---|--:|--:|--:|--:|\n| mine | 4 | 2 | 1 | 1 |\n"));
    CHECK_THAT(text, Contains("| Subject | Faces | Groups |\n|---|--:|--:|\n| Bob\\|B | 2 | 2 |\n") &&
                         Contains("| Group | Faces | Subjects |\n|---|--:|--:|\n| x | 3 | 2 |\n"));
    CHECK_THAT(text, !Contains("Curves") && !Contains("curves.csv") && !Contains("Intervals:"));
    const std::string csv = read_bytes(out.path() / "numbers.csv");
    CHECK_THAT(csv, Contains("\nmine,ungrouped,1,,,\n") && Contains("\nmine,bcubed_recall,0.75,,,") &&
                        !Contains("Bob"));

    const std::string both = report::markdown_report(
        report::clustering_content({mine, evaluate_clustering(faces, right, {0, 1}, "a_b")}, context));
    CHECK_THAT(both,
               Contains("**2 recognisers** grouped the faces of 4 images of 2 subjects (folder:people).") &&
                   Contains("| mine | 70.59\u00A0% | 40.00\u00A0% |\n"
                            "| a\\_b | **100.00\u00A0%** | **100.00\u00A0%** |") &&
                   Contains("These are the groups of mine."));
}

TEST_CASE("permutations as Markdown", "[report][identification]") {
    IdentificationEvaluation other = searches();
    other.name = "b|c";
    PermutationEvaluation permutations;
    permutations.subjects = 1234;
    permutations.curves = {{{1, 0.75, {0.5, 1}}}, {{1, 0.25, {0, 0.5}}}};
    permutations.comparisons = {{0, 1, 0.9, 0.075, 0.025, -0.5, {-1, 0.125}}};
    const std::string text =
        report::markdown_report(report::identification_content({searches(), other}, permutations, {}));
    CHECK_THAT(text, Contains("10,000 times, a gallery image and another as probe were drawn of each of "
                              "1,234 subjects"));
    CHECK_THAT(text, Contains("| mine | **75.00\u00A0%** (50.00–100.00\u00A0%) |\n"
                              "| b\\|c | 25.00\u00A0% (0.00–50.00\u00A0%) |\n"));
    CHECK_THAT(text, Contains("| mine | b\\|c | 90.00\u00A0% | 7.50\u00A0% | 2.50\u00A0% | -50.00\u00A0% "
                              "(-100.00–12.50\u00A0%) |\n"));
}

TEST_CASE("curves of verification hold rates as they are", "[report][verification]") {
    VerificationOptions options = without_intervals();
    options.threshold = 0.5;
    const std::vector<report::Plot> plots = report::verification_plots({mine(options), failing(options)});
    REQUIRE(plots.size() == 4);
    // From the lower end of the axis, where 2 of 3 genuine pairs are accepted before any impostor pair, to 1.
    const report::Plot& roc = plots[0];
    CHECK(roc.x.min == 0.1);
    CHECK(roc.y.min == 0.0);
    REQUIRE(roc.series.size() == 2);
    std::vector<std::pair<double, double>> places;
    for (const report::PlotPoint& point : roc.series[0].points) places.emplace_back(point.x, point.y);
    CHECK(places.front() == std::pair{0.1, 2.0 / 3});
    CHECK(std::count(places.begin(), places.end(), std::pair{0.25, 2.0 / 3}) == 1);
    CHECK(std::count(places.begin(), places.end(), std::pair{0.25, 1.0}) == 1);
    CHECK(places.back() == std::pair{1.0, 1.0});
    // FNMR ends at the axes' ends.
    CHECK(plots[1].series[0].points.front().x == 0.00005);
    CHECK(plots[1].series[0].points.back().y == 0.00005);
    CHECK(plots[2].stem == "scores_1");
    CHECK(plots[2].lines.at(0).x == 0.5);
}

TEST_CASE("curves of identification: ranks, and the open set with and without a limit",
          "[report][identification]") {
    const std::vector<report::Plot> plots = report::identification_plots({searches()}, std::nullopt);
    REQUIRE(plots.size() == 2);
    const std::vector<report::PlotPoint>& cmc = plots[0].series[0].points;
    REQUIRE(cmc.size() == 3);
    CHECK(cmc[0].y == 0.5);
    CHECK(cmc[1].y == 1);
    CHECK(plots[0].y.min == 0.5);
    REQUIRE(plots[0].x.marks.size() == 3);
    REQUIRE(plots[1].series.size() == 2);
    // The unmated probe's best score, 0.3, is below all mates' scores: with any rank, nobody is lost.
    CHECK(plots[1].series[0].points.front().y == 0.5);
    CHECK(plots[1].series[1].points.front().y == 0);
}
