#include "lib/evaluate/recognition/clustering.hpp"

#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/evaluate/recognition/recognition_json.hpp"
#include "lib/json/json.hpp"
#include "tests/lib/evaluate/recognition/joined.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

struct Values {
    double bcubed_f1, bcubed_precision, bcubed_recall, pairwise_f1, pairwise_precision, pairwise_recall;
};

Values values_of(const std::vector<GroupCell>& cells, const std::vector<std::uint16_t>& weights) {
    const ClusteringStatistics statistics(cells, weights.size());
    std::vector<double> v(statistics.quantities().size());
    REQUIRE(v.size() == 6);
    statistics.evaluate(weights, v);
    return {v[0], v[1], v[2], v[3], v[4], v[5]};
}

// Subject 0 has 4 faces, subject 1 two and subject 2 one. Group 0 holds 3, 1 and 1 of them; the other two
// faces are alone.
const std::vector<GroupCell> mixed{{0, 0, 3}, {0, 1, 1}, {0, 2, 1}, {1, 1, 1}, {2, 0, 1}};

// Ann 1 to 4, Bob 1 and 2, Cid 1.
KnownFaces seven_faces() {
    KnownFaces faces;
    faces.dataset = "folder:people";
    faces.images = {"Ann/1.jpg", "Ann/2.jpg", "Ann/3.jpg", "Ann/4.jpg",
                    "Bob/1.jpg", "Bob/2.jpg", "Cid/1.jpg"};
    faces.subjects = {0, 0, 0, 0, 1, 1, 2};
    faces.subject_names = {"Ann", "Bob", "Cid"};
    return faces;
}

FaceGroups groups(const std::vector<int>& numbers, const std::vector<std::string>& names) {
    FaceGroups result;
    result.groups = numbers;
    result.group_names = names;
    return result;
}

// The groups of `mixed`: one face of Ann's is in no group.
FaceGroups mixed_groups() {
    return groups({0, 0, 0, no_number, 0, 1, 0}, {"x", "y"});
}

}  // namespace

TEST_CASE("numbers of groups are those counted by hand", "[evaluate][clustering]") {
    const Values v = values_of(mixed, {1, 1, 1});
    // Precision: three faces of subject 0 have 3/5, one of 1 and one of 2 have 1/5, two have 1.
    CHECK(v.bcubed_precision == Approx((3 * 0.6 + 0.2 + 0.2 + 1 + 1) / 7));
    // Recall: 3/4 three times, 1/4, 1/2 twice, 1.
    CHECK(v.bcubed_recall == Approx(4.5 / 7));
    CHECK(v.bcubed_f1 == Approx(18.0 / 29));
    // Three of the ten pairs of the group show one subject; subjects have six and one.
    CHECK(v.pairwise_precision == Approx(0.3));
    CHECK(v.pairwise_recall == Approx(3.0 / 7));
    CHECK(v.pairwise_f1 == Approx(6.0 / 17));
}

TEST_CASE("numbers of a resample are those counted by hand", "[evaluate][clustering]") {
    // Subject 0 twice, subject 1 never, subject 2 once. Faces keep their precision: 3/5 of three and 1 of one
    // face of subject 0, 1/5 of that of subject 2.
    const Values v = values_of(mixed, {2, 0, 1});
    CHECK(v.bcubed_precision == Approx((2 * (3 * 0.6 + 1) + 0.2) / 9));
    CHECK(v.bcubed_recall == Approx((2 * 2.5 + 1) / 9));
    // Six true pairs, six of subjects 0 and 2, twelve of subject 0.
    CHECK(v.pairwise_precision == Approx(0.5));
    CHECK(v.pairwise_recall == Approx(0.5));
    CHECK(v.pairwise_f1 == Approx(0.5));

    const Values one = values_of(mixed, {0, 1, 0});
    CHECK(one.bcubed_precision == Approx((0.2 + 1) / 2));
    CHECK(one.bcubed_recall == 0.5);
    CHECK(std::isnan(one.pairwise_precision));
    CHECK(one.pairwise_recall == 0);
    CHECK(std::isnan(one.pairwise_f1));

    const Values none = values_of(mixed, {0, 0, 0});
    for (const double value : {none.bcubed_f1, none.bcubed_precision, none.bcubed_recall, none.pairwise_f1,
                               none.pairwise_precision, none.pairwise_recall})
        CHECK(std::isnan(value));
}

TEST_CASE("one group of all, groups of one, a subject that is split", "[evaluate][clustering]") {
    const Values all = values_of({{5, 0, 2}, {5, 1, 1}}, {1, 1});
    CHECK(all.bcubed_precision == Approx(5.0 / 9));
    CHECK(all.bcubed_recall == 1);
    CHECK(all.bcubed_f1 == Approx(5.0 / 7));
    CHECK(all.pairwise_precision == Approx(1.0 / 3));
    CHECK(all.pairwise_recall == 1);
    CHECK(all.pairwise_f1 == Approx(0.5));

    const Values alone = values_of({{0, 0, 1}, {1, 0, 1}, {2, 1, 1}}, {1, 1});
    CHECK(alone.bcubed_precision == 1);
    CHECK(alone.bcubed_recall == Approx(2.0 / 3));
    CHECK(alone.bcubed_f1 == Approx(0.8));
    CHECK(std::isnan(alone.pairwise_precision));
    CHECK(alone.pairwise_recall == 0);

    const Values split = values_of({{0, 0, 3}, {1, 0, 1}}, {1});
    CHECK(split.bcubed_precision == 1);
    CHECK(split.bcubed_recall == Approx(5.0 / 8));
    CHECK(split.pairwise_precision == 1);
    CHECK(split.pairwise_recall == 0.5);

    // Two groups without a true pair.
    const Values wrong = values_of({{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}}, {1, 1});
    CHECK(wrong.pairwise_precision == 0);
    CHECK(wrong.pairwise_recall == 0);
    CHECK(wrong.pairwise_f1 == 0);
    CHECK(wrong.bcubed_f1 == 0.5);

    const Values nothing = values_of({}, {1, 1});
    CHECK(std::isnan(nothing.bcubed_f1));
    CHECK(std::isnan(nothing.pairwise_recall));
}

TEST_CASE("cells may come in any order and in parts", "[evaluate][clustering]") {
    const std::vector<GroupCell> parts{{2, 0, 1}, {0, 2, 1}, {0, 0, 1}, {1, 1, 1},
                                       {0, 1, 1}, {0, 0, 2}, {7, 1, 0}};
    const Values a = values_of(mixed, {1, 3, 2}), b = values_of(parts, {1, 3, 2});
    CHECK(a.bcubed_f1 == b.bcubed_f1);
    CHECK(a.pairwise_f1 == b.pairwise_f1);
}

TEST_CASE("sums over cells are the definitions, face by face and pair by pair", "[evaluate][clustering]") {
    std::mt19937 generator(7);
    for (int round = 0; round < 40; ++round) {
        const std::size_t faces = 1 + generator() % 30, subjects = 1 + generator() % 6;
        std::vector<GroupCell> cells;
        for (std::size_t i = 0; i < faces; ++i)
            cells.push_back({static_cast<std::uint32_t>(generator() % 5),
                             static_cast<std::uint32_t>(generator() % subjects), 1});
        std::vector<std::uint16_t> weights(subjects);
        for (std::uint16_t& weight : weights) weight = static_cast<std::uint16_t>(generator() % 4);
        double all = 0, precision = 0, recall = 0, true_pairs = 0, false_pairs = 0, pairs = 0;
        for (std::size_t i = 0; i < faces; ++i) {
            const double weight = weights[cells[i].subject];
            double own = 0, others = 0, of_subject = 0;
            for (std::size_t k = 0; k < faces; ++k) {
                const bool one_group = cells[k].group == cells[i].group;
                const bool one_subject = cells[k].subject == cells[i].subject;
                own += one_group && one_subject ? 1 : 0;
                of_subject += one_subject ? 1 : 0;
                others += one_group && !one_subject ? 1 : 0;
                if (k >= i) continue;
                pairs += one_subject ? weight : 0;
                true_pairs += one_group && one_subject ? weight : 0;
                false_pairs += one_group && !one_subject ? weight * weights[cells[k].subject] : 0;
            }
            all += weight;
            precision += weight * own / (own + others);
            recall += weight * own / of_subject;
        }
        const Values v = values_of(cells, weights);
        const auto same = [](double value, double part, double whole) {
            return whole == 0 ? std::isnan(value) : value == Approx(part / whole);
        };
        CAPTURE(round, faces, subjects);
        CHECK(same(v.bcubed_precision, precision, all));
        CHECK(same(v.bcubed_recall, recall, all));
        CHECK(same(v.pairwise_precision, true_pairs, true_pairs + false_pairs));
        CHECK(same(v.pairwise_recall, true_pairs, pairs));
    }
}

TEST_CASE("groups of images are judged, and faces in no group are groups of their own",
          "[evaluate][clustering]") {
    const ClusteringEvaluation e = evaluate_clustering(seven_faces(), mixed_groups(), {}, "mine");
    CHECK(e.name == "mine");
    CHECK(e.images == 7);
    CHECK(e.subjects == 3);
    CHECK(e.groups == 2);
    CHECK(e.ungrouped == 1);
    CHECK(e.estimate("bcubed_f1").value.value() == Approx(18.0 / 29));
    CHECK(e.estimate("pairwise_f1").value.value() == Approx(6.0 / 17));
    CHECK(e.estimate("bcubed_f1").quantity.headline);
    CHECK_FALSE(e.estimate("bcubed_recall").quantity.headline);
    const Interval interval = e.estimate("bcubed_f1").ci95.value();
    CHECK(interval[0] < 18.0 / 29);
    CHECK(interval[1] > 18.0 / 29);
    CHECK(e.warnings.empty());
    REQUIRE(e.split_subjects.size() == 2);
    CHECK(e.split_subjects[0].name == "Ann");  // as many groups as Bob, and more faces
    CHECK(e.split_subjects[0].faces == 4);
    CHECK(e.split_subjects[0].parts == 2);
    CHECK(e.split_subjects[1].name == "Bob");
    REQUIRE(e.mixed_groups.size() == 1);
    CHECK(e.mixed_groups[0].name == "x");
    CHECK(e.mixed_groups[0].faces == 5);
    CHECK(e.mixed_groups[0].parts == 3);
    CHECK(e.units_sha256 ==
          evaluate_clustering(seven_faces(), groups({0, 0, 0, 0, 1, 1, 2}, {"a", "b", "c"}), {}, "b")
              .units_sha256);
    KnownFaces others = seven_faces();
    others.images[6] = "Cid/2.jpg";
    CHECK(e.units_sha256 != evaluate_clustering(others, mixed_groups(), {}, "mine").units_sha256);

    const Json json = clustering_to_json(e);
    CHECK(json["ungrouped"] == 1);
    CHECK(json["pairwise_precision"].get<double>() == Approx(0.3));
    CHECK(json["ci95"]["method"] == "percentile bootstrap over subjects");
    CHECK(json["split_subjects"][1] == Json{{"subject", "Bob"}, {"faces", 2}, {"groups", 2}});
    CHECK(json["mixed_groups"] == Json::array({{{"group", "x"}, {"faces", 5}, {"subjects", 3}}}));
    CHECK(json["quantities"]["bcubed_f1"]["better"] == "higher");
}

TEST_CASE("images whose subject is unknown take no part, and groups of them alone are none",
          "[evaluate][clustering]") {
    KnownFaces faces = seven_faces();
    faces.subjects[5] = no_number;
    const ClusteringEvaluation e = evaluate_clustering(faces, mixed_groups(), {0, 1}, "mine");
    CHECK(e.images == 6);
    CHECK(e.groups == 1);
    CHECK(e.estimate("bcubed_recall").value.value() == Approx(4.5 / 6));
    CHECK_FALSE(e.estimate("bcubed_recall").ci95);
    CHECK_FALSE(clustering_to_json(e).contains("ci95"));
    faces.subjects.assign(7, no_number);
    CHECK_THROWS_WITH(evaluate_clustering(faces, mixed_groups(), {}, "mine"), Contains("no face"));
}

TEST_CASE("perfect groups have Wilson's interval of the subjects, and undefined numbers a warning",
          "[evaluate][clustering]") {
    const ClusteringEvaluation perfect =
        evaluate_clustering(seven_faces(), groups({0, 0, 0, 0, 1, 1, 2}, {"a", "b", "c"}), {}, "mine");
    CHECK(perfect.estimate("bcubed_f1").value == 1.0);
    // Three of three: 3 / (3 + 1.96²).
    CHECK(perfect.estimate("bcubed_f1").ci95.value()[0] == Approx(0.4385).margin(0.0001));
    CHECK(perfect.split_subjects.empty());
    CHECK(perfect.mixed_groups.empty());

    const ClusteringEvaluation alone =
        evaluate_clustering(seven_faces(), groups(std::vector<int>(7, no_number), {}), {}, "mine");
    CHECK(alone.groups == 0);
    CHECK(alone.ungrouped == 7);
    CHECK_FALSE(alone.estimate("pairwise_f1").value);
    CHECK_FALSE(clustering_to_json(alone).contains("pairwise_precision"));
    CHECK_THAT(joined(alone.warnings), Contains("No group has two faces"));
    CHECK(alone.split_subjects.at(0).parts == 4);

    KnownFaces one = seven_faces();
    one.subjects.assign(7, 0);
    one.subject_names = {"Ann"};
    const ClusteringEvaluation single = evaluate_clustering(one, mixed_groups(), {}, "mine");
    CHECK_THAT(joined(single.warnings), Contains("one subject"));
    CHECK_FALSE(single.estimate("bcubed_f1").ci95);
    KnownFaces two = one;
    two.images.resize(2);
    two.subjects = {0, 1};
    two.subject_names = {"Ann", "Bob"};
    CHECK_THAT(joined(evaluate_clustering(two, groups({0, 0}, {"x"}), {}, "mine").warnings),
               Contains("No subject has two faces"));
}

TEST_CASE("at most ten subjects and groups are named, the worst first", "[evaluate][clustering]") {
    KnownFaces faces;
    FaceGroups split;
    // Subject i has i + 1 faces, each in a group that it shares with the other subjects.
    for (int subject = 0; subject < 12; ++subject) {
        faces.subject_names.push_back("s" + std::to_string(subject));
        split.group_names.push_back("g" + std::to_string(subject));
        for (int face = 0; face <= subject; ++face) {
            faces.images.push_back(std::to_string(subject) + "/" + std::to_string(face));
            faces.subjects.push_back(subject);
            split.groups.push_back(face);
        }
    }
    const ClusteringEvaluation e = evaluate_clustering(faces, split, {0, 1}, "mine");
    REQUIRE(e.split_subjects.size() == 10);
    CHECK(e.split_subjects[0].name == "s11");
    CHECK(e.split_subjects[9].name == "s2");
    REQUIRE(e.mixed_groups.size() == 10);
    CHECK(e.mixed_groups[0].name == "g0");
    CHECK(e.mixed_groups[0].parts == 12);
    CHECK(e.mixed_groups[9].parts == 3);
}
