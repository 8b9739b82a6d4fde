#include "lib/healthcheck/healthcheck.hpp"

#include <atomic>
#include <limits>
#include <set>

#include <catch2/catch.hpp>

#include "lib/files/sha256.hpp"
#include "lib/job/inspect_images.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

using Kinds = std::vector<FindingKind>;

Kinds kinds_of(const std::vector<Finding>& findings) {
    Kinds kinds;
    for (const Finding& finding : findings) kinds.push_back(finding.kind);
    return kinds;
}

Sample sample_of(const std::string& image, const std::vector<Box>& boxes = {}) {
    Sample sample;
    sample.image = image;
    sample.path = "/data/" + image;
    sample.annotated = true;
    sample.size = ImageSize{100, 50};
    for (const Box& box : boxes) sample.faces.emplace_back().box = box;
    return sample;
}

Dataset dataset_of(std::vector<Sample> samples) {
    Dataset dataset;
    dataset.name = "set";
    dataset.samples = std::move(samples);
    return dataset;
}

std::vector<Finding> check(const Dataset& dataset) {
    return check_dataset(dataset, std::vector<ImageFacts>(dataset.samples.size()));
}

ImageResult result_of(const std::string& image, const std::vector<std::pair<Box, double>>& detections) {
    ImageResult result;
    result.image = image;
    for (const auto& [box, score] : detections) {
        result.detections.emplace_back().box = box;
        result.detections.back().score = score;
    }
    return result;
}

const double nan_value = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("UIUC's cars may reach beyond the image, and so may detections of them", "[healthcheck]") {
    Dataset dataset = dataset_of({sample_of("a.png", {{-10, 5, 40, 16}, {200, 5, 40, 16}})});
    const DetectionResults results{
        .images = {result_of("a.png", {{{-8, 5, 40, 16}, 0.5}, {{0, 60, 9, 9}, 0.4}})}};
    const std::vector<ImageFacts> facts(1);
    CHECK(kinds_of(check(dataset)) == Kinds{FindingKind::box_partly_outside, FindingKind::box_outside});
    CHECK(kinds_of(check_results(results, "r", dataset, facts)) ==
          Kinds{FindingKind::detection_partly_outside, FindingKind::detection_outside});
    for (const char* format : {"uiuc", "uiuc-scale"}) {
        dataset.format = format;
        CHECK(kinds_of(check(dataset)) == Kinds{FindingKind::box_outside});
        CHECK(kinds_of(check_results(results, "r", dataset, facts)) == Kinds{FindingKind::detection_outside});
    }
}

TEST_CASE("a sound dataset has no finding", "[healthcheck]") {
    // Boxes that touch the image's edges and points on the box's edges are within.
    Dataset dataset = dataset_of({sample_of("a", {{0, 0, 100, 50}, {10, 10, 5, 5}}), sample_of("b")});
    dataset.samples[0].faces[1].landmarks = {{10, 10}, {15, 15}};
    dataset.samples[0].faces[1].eyes = Eyes{{10, 12}, {15, 12}};
    CHECK(check(dataset).empty());
    CHECK(check(dataset_of({})).empty());
}

TEST_CASE("faults of boxes", "[healthcheck]") {
    const auto found = [](const std::vector<Box>& boxes) {
        return kinds_of(check(dataset_of({sample_of("a", boxes)})));
    };
    CHECK(found({{1, 1, 0, 5}}) == Kinds{FindingKind::degenerate_box});
    CHECK(found({{1, 1, 5, -1}}) == Kinds{FindingKind::degenerate_box});
    CHECK(found({{1, 1, 5, 5}, {1, 1, 5, 6}, {1, 1, 5, 5}, {1, 1, 5, 5}}) ==
          Kinds{FindingKind::duplicate_box, FindingKind::duplicate_box});
    CHECK(found({{-0.5, 1, 5, 5}}) == Kinds{FindingKind::box_partly_outside});
    CHECK(found({{96, 1, 5, 5}}) == Kinds{FindingKind::box_partly_outside});
    CHECK(found({{1, 46, 5, 5}}) == Kinds{FindingKind::box_partly_outside});
    CHECK(found({{100, 1, 5, 5}}) == Kinds{FindingKind::box_outside});  // begins where the image ends
    CHECK(found({{-5, 1, 5, 5}}) == Kinds{FindingKind::box_outside});
    CHECK(found({{1, nan_value, 5, 5}}) == Kinds{FindingKind::not_finite});
    // The same box in two images is no fault, and of an unknown size nothing is said.
    Dataset dataset = dataset_of({sample_of("a", {{99, 1, 5, 5}}), sample_of("b", {{99, 1, 5, 5}})});
    dataset.samples[0].size.reset();
    dataset.samples[1].size.reset();
    CHECK(check(dataset).empty());
    // The file's own size counts more than the annotation's.
    std::vector<ImageFacts> facts(2);
    facts[0].size = ImageSize{104, 50};
    dataset.samples[0].size = ImageSize{100, 50};
    const auto findings = check_dataset(dataset, facts);
    CHECK(kinds_of(findings) == Kinds{FindingKind::image_size});
    CHECK(findings[0].detail == "stated as 100x50, is 104x50");
}

TEST_CASE("faults of eyes and landmarks", "[healthcheck]") {
    Dataset dataset = dataset_of({sample_of("a", {{10, 10, 20, 20}, {10, 10, 30, 20}, {40, 10, 20, 20}})});
    auto& faces = dataset.samples[0].faces;
    faces[0].eyes = Eyes{{9, 12}, {20, 12}};
    faces[0].landmarks = {{11, 11}, {31, 11}, {12, 40}};
    faces[1].eyes = Eyes{{20, 12}, {12, 12}};
    faces[1].landmarks = {{11, 11}, {12, 12}, {13, 13}};
    faces[2].landmarks = {{50, 15}};
    const auto findings = check(dataset);
    CHECK(kinds_of(findings) == Kinds{FindingKind::eyes_outside, FindingKind::landmarks_outside,
                                      FindingKind::eyes_swapped, FindingKind::landmark_count});
    CHECK(findings[0].detail == "the eyes (9, 12) and (20, 12) of [10, 10, 20, 20]");
    CHECK(findings[1].detail == "2 of 3 landmarks, face [10, 10, 20, 20]");
    CHECK(findings[3].detail == "1 landmark where most faces have 3");
    CHECK(findings[3].image == "a");
    CHECK(findings[3].source == "set");

    // Eyes of an image without a box are seen against the image; CSU's known slip is 1000 for 100.
    dataset = dataset_of({sample_of("a"), sample_of("b")});
    dataset.samples[0].eyes = Eyes{{10, 10}, {1000, 10}};
    dataset.samples[1].eyes = Eyes{{10, nan_value}, {20, 10}};
    CHECK(kinds_of(check(dataset)) == Kinds{FindingKind::eyes_outside, FindingKind::not_finite});
}

TEST_CASE("faults of files", "[healthcheck]") {
    Dataset dataset =
        dataset_of({sample_of("a"), sample_of("b"), sample_of("c"), sample_of("c"), sample_of("e")});
    dataset.warnings = {"something is odd"};
    dataset.samples[3].path = "/elsewhere/c";
    dataset.samples[4].path = "/data/x/../b";
    dataset.samples[0].subject = "ann";
    std::vector<ImageFacts> facts(5);
    facts[0].sha256 = facts[2].sha256 = "same";
    facts[1].sha256 = facts[4].sha256 = "b";  // one file: no copy of itself
    facts[3].is_missing = true;
    facts[1].unreadable = "broken";
    const auto findings = check_dataset(dataset, facts);
    CHECK(kinds_of(findings) == Kinds{FindingKind::reader_warning, FindingKind::unreadable_image,
                                      FindingKind::duplicate_image, FindingKind::repeated_name,
                                      FindingKind::missing_image, FindingKind::repeated_file});
    CHECK(findings[2].detail == "the bytes of 'a', under another subject");
    CHECK(findings[5].detail == "the file of 'b'");
}

TEST_CASE("faults of results", "[healthcheck]") {
    const Dataset dataset = dataset_of({sample_of("a"), sample_of("b"), sample_of("c")});
    const std::vector<ImageFacts> facts(3);
    const auto found = [&](std::vector<ImageResult> images, bool records_every_image = false) {
        DetectionResults results;
        results.images = std::move(images);
        results.records_every_image = records_every_image;
        return check_results(results, "results", dataset, facts);
    };
    const Box box{1, 1, 5, 5};
    const Box other{2, 1, 5, 5};
    CHECK(found({result_of("a", {{box, 3}, {other, 2}})}).empty());
    CHECK(kinds_of(found({result_of("a", {{box, 2}, {other, 3}})})) == Kinds{FindingKind::unsorted_scores});
    const auto tied = found({result_of("a", {{box, 2}, {other, 2}, {{9, 9, 5, 5}, 1}})});
    CHECK(kinds_of(tied) == Kinds{FindingKind::tied_scores});
    CHECK(tied[0].detail == "2 of 3 detections share a score with another");
    CHECK(kinds_of(found({result_of("a", {{box, 3}, {box, 2}})})) == Kinds{FindingKind::duplicate_detection});
    CHECK(kinds_of(found({result_of("a", {{{1, 1, 0, 0}, 3}})})) == Kinds{FindingKind::degenerate_detection});
    CHECK(kinds_of(found({result_of("a", {{{98, 1, 5, 5}, 3}})})) ==
          Kinds{FindingKind::detection_partly_outside});
    CHECK(kinds_of(found({result_of("a", {{{101, 1, 5, 5}, 3}})})) == Kinds{FindingKind::detection_outside});
    CHECK(kinds_of(found({result_of("a", {{box, nan_value}})})) == Kinds{FindingKind::not_finite});
    CHECK(kinds_of(found({result_of("a", {}), result_of("x", {})})) == Kinds{FindingKind::unknown_image});
    CHECK(kinds_of(found({result_of("a", {}), result_of("b", {})}, true)) ==
          Kinds{FindingKind::image_without_result});
    CHECK(kinds_of(found({result_of("dir/a.png", {})})) == Kinds{FindingKind::names_differ});
    // Text results leave out images without detections; where many images with faces are left out, that is
    // said once.
    const Dataset faces = dataset_of({sample_of("a", {box}), sample_of("b", {box}), sample_of("c", {box})});
    DetectionResults part;
    part.records_every_image = false;
    part.images = {result_of("a", {{box, 1}})};
    const std::vector<Finding> unnamed = check_results(part, "results", faces, facts);
    REQUIRE(kinds_of(unnamed) == Kinds{FindingKind::partial_results});
    CHECK(unnamed[0].image.empty());
    CHECK_THAT(unnamed[0].detail, Catch::StartsWith("The results name 1 of the 3 images with faces;"));
    ImageResult unreadable = result_of("a", {});
    unreadable.status = "unreadable: broken";
    CHECK(kinds_of(found({unreadable})) == Kinds{FindingKind::unreadable_result});
    // An unknown image still has a size of its own to be compared with.
    ImageResult unknown = result_of("x", {{{8, 1, 5, 5}, 3}});
    unknown.width = unknown.height = 10;
    CHECK(kinds_of(found({result_of("a", {}), unknown})) ==
          Kinds{FindingKind::unknown_image, FindingKind::detection_partly_outside});
}

TEST_CASE("what training and test share", "[healthcheck]") {
    Dataset train = dataset_of({sample_of("a"), sample_of("b"), sample_of("c")});
    Dataset test = dataset_of({sample_of("x"), sample_of("y")});
    train.name = "train";
    test.name = "test";
    train.samples[0].subject = train.samples[1].subject = "ann";
    test.samples[0].subject = "ann";
    test.samples[1].subject = "bob";  // unknown subjects ("") are nobody's
    std::vector<ImageFacts> train_facts(3);
    std::vector<ImageFacts> test_facts(2);
    train_facts[2].sha256 = test_facts[1].sha256 = "same";
    const auto findings = check_overlap(train, train_facts, test, test_facts);
    CHECK(kinds_of(findings) == Kinds{FindingKind::subject_in_both, FindingKind::image_in_both});
    CHECK(findings[0].detail == "'ann': 2 images in train, 1 in test");
    CHECK(findings[1].image == "y");
    CHECK(findings[1].detail == "is 'c' of train");
    // Without their bytes, images are the same if they are one file.
    test.samples[0].path = "/data/sub/../b";
    const auto by_path = check_overlap(train, std::vector<ImageFacts>(3), test, std::vector<ImageFacts>(2));
    CHECK(kinds_of(by_path) == Kinds{FindingKind::subject_in_both, FindingKind::image_in_both});
    CHECK(by_path[1].detail == "is 'b' of train");
}

TEST_CASE("files are looked at", "[healthcheck]") {
    const TempDir folder;
    Dataset dataset;
    for (const char* name : {"a.pgm", "b.pgm", "missing.pgm"}) {
        dataset.samples.emplace_back().image = name;
        dataset.samples.back().path = folder.path() / name;
    }
    folder.write("a.pgm", edge_pgm(40, 30));
    folder.write("b.pgm", "no image");
    const ImageInspection read = inspect_images(dataset, true, {});
    REQUIRE(read.facts.size() == 3);
    CHECK(read.facts[0].size == ImageSize{40, 30});
    CHECK(read.facts[0].sha256 == sha256_of(edge_pgm(40, 30)));
    CHECK(read.facts[0].unreadable.empty());
    CHECK_FALSE(read.facts[1].unreadable.empty());
    CHECK(read.facts[2].is_missing);
    CHECK(read.facts[2].unreadable.empty());
    const ImageInspection listed = inspect_images(dataset, false, {});
    CHECK(listed.facts[0].sha256.empty());
    CHECK_FALSE(listed.facts[0].size);
    CHECK(listed.facts[2].is_missing);
    const std::atomic<bool> cancel{true};
    CHECK(inspect_images(dataset, true, {{}, {}, &cancel}).interrupted);
}

TEST_CASE("every kind of finding has its own name", "[healthcheck]") {
    std::set<std::string_view> names;
    std::set<std::string_view> titles;
    for (std::size_t i = 0; i < all_finding_kinds().size(); ++i) {
        CHECK(static_cast<std::size_t>(all_finding_kinds()[i]) ==
              i);  // the table is in the enumeration's order
        names.insert(finding_name(all_finding_kinds()[i]));
        titles.insert(finding_title(all_finding_kinds()[i]));
    }
    CHECK(names.size() == static_cast<std::size_t>(FindingKind::image_in_both) + 1);
    CHECK(titles.size() == names.size());
}

TEST_CASE("results whose boxes are corners are doubtful", "[healthcheck]") {
    Dataset dataset;
    dataset.name = "d";
    DetectionResults corners, right;
    for (int i = 0; i < 12; ++i) {
        const std::string name = "i" + std::to_string(i);
        Sample sample = sample_of(name, {{30.0 + i, 10, 20, 25}});
        sample.annotated = true;
        sample.size.reset();
        dataset.samples.push_back(sample);
        corners.images.push_back(result_of(name, {{{30.0 + i, 10, 50.0 + i, 35}, 0.5}}));
        right.images.push_back(result_of(name, {{{30.0 + i, 10, 20, 25}, 0.5}}));
    }
    for (DetectionResults* results : {&corners, &right}) {
        for (ImageResult& image : results->images) image.width = image.height = 0;
    }
    const std::vector<ImageFacts> facts(12);
    const auto findings = check_results(corners, "r", dataset, facts);
    REQUIRE(kinds_of(findings) == Kinds{FindingKind::doubtful_boxes});
    CHECK(findings[0].detail.find("--box-format xyxy") != std::string::npos);
    CHECK(check_results(right, "r", dataset, facts).empty());
}
