#include "lib/evaluate/analysis/slices.hpp"

#include <algorithm>
#include <atomic>

#include <catch2/catch.hpp>

#include "lib/evaluate/statistics/wilson_interval.hpp"
#include "tests/lib/evaluate/detection/evaluation_cases.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

// First image (fold 1): a face of 10x10 found, occlusion none; one of 50x50 missed, occlusion heavy.
// Second (fold 2): a face of 100x100 found, no attribute, and a false positive. Third (fold 2): two false
// positives.
EvaluationCase three_images() {
    EvaluationCase example;
    Face small = face(0, 0, 10, 10);
    small.attributes = {{"occlusion", "none"}};
    Face medium = face(100, 0, 50, 50);
    medium.attributes = {{"occlusion", "heavy"}};
    Face ignored = ignored_face(300, 0, 10, 10);
    ignored.attributes = {{"occlusion", "partial"}};  // does not count, so there is no such slice
    example.add("a.png", {small, medium, ignored}, {detection(3, 0, 0, 10, 10)});
    example.add("b.png", {face(0, 0, 100, 100)},
                {detection(2, 0, 0, 100, 100), detection(1, 500, 0, 10, 10)});
    example.add("c.png", {}, {detection(2, 0, 0, 10, 10), detection(1, 500, 0, 10, 10)});
    example.dataset.samples[0].attributes = {{"fold", "1"}};
    example.dataset.samples[1].attributes = {{"fold", "2"}};
    example.dataset.samples[2].attributes = {{"fold", "2"}};
    return example;
}

/// Slices with the detections kept that have at least this score; by default all.
std::vector<SliceGroup> sliced(const EvaluationCase& example, std::optional<double> threshold = -1e9,
                               const DatasetAppearance* appearance = nullptr) {
    const DetectionEvaluation evaluation = example.evaluate();
    return slice_detection(example.dataset, evaluation, image_scores(example.dataset, evaluation), threshold,
                           appearance);
}

const SliceGroup* find_group(const std::vector<SliceGroup>& groups, const std::string& key) {
    const auto found =
        std::find_if(groups.begin(), groups.end(), [&](const SliceGroup& group) { return group.key == key; });
    return found == groups.end() ? nullptr : &*found;
}

void check_slice(const Slice& slice, const std::string& label, int images, int faces, int found) {
    INFO(label);
    CHECK(slice.label == label);
    CHECK(slice.images == images);
    CHECK(slice.faces == faces);
    CHECK(slice.found == found);
    CHECK(slice.detection_rate.has_value() == (faces > 0));
    if (faces > 0) {
        CHECK(slice.detection_rate.value() == Approx(static_cast<double>(found) / faces));
        CHECK(slice.wilson_ci95.value() == wilson_interval(found, faces));
    }
}

GreyImage stripes(int width, int height) {
    GreyImage image{width, height, {}};
    for (int i = 0; i < width * height; ++i) image.pixels.push_back(i % width % 2 == 0 ? 0 : 100);
    return image;
}

}  // namespace

TEST_CASE("faces and images are sliced by what is known of them", "[evaluate][errors]") {
    const EvaluationCase example = three_images();
    const std::vector<SliceGroup> groups = sliced(example);

    const SliceGroup* size = find_group(groups, "size");
    REQUIRE(size != nullptr);
    REQUIRE(size->slices.size() == 3);
    check_slice(size->slices[0], "small (< 32²)", 1, 1, 1);
    check_slice(size->slices[1], "medium (32²–96²)", 1, 1, 0);
    check_slice(size->slices[2], "large (> 96²)", 1, 1, 1);
    CHECK_FALSE(size->slices[0].false_positives.has_value());

    CHECK(find_group(groups, "aspect_ratio") == nullptr);  // all are square: one slice tells nothing
    CHECK(find_group(groups, "sharpness") == nullptr);     // not measured

    const SliceGroup* number = find_group(groups, "faces_in_image");
    REQUIRE(number != nullptr);
    REQUIRE(number->slices.size() == 3);
    check_slice(number->slices[0], "0", 1, 0, 0);
    CHECK(number->slices[0].false_positives == 2);
    CHECK_FALSE(number->slices[0].detection_rate_ci95.has_value());
    CHECK(number->slices[0].false_positives_per_image_ci95.value() == Interval{2, 2});
    check_slice(number->slices[1], "1", 1, 1, 1);
    check_slice(number->slices[2], "2", 1, 2, 1);

    const SliceGroup* occlusion = find_group(groups, "attribute.occlusion");
    REQUIRE(occlusion != nullptr);
    REQUIRE(occlusion->slices.size() == 3);
    check_slice(occlusion->slices[0], "heavy", 1, 1, 0);
    check_slice(occlusion->slices[1], "none", 1, 1, 1);
    check_slice(occlusion->slices[2], "not stated", 1, 1, 1);

    const SliceGroup* fold = find_group(groups, "image.fold");
    REQUIRE(fold != nullptr);
    CHECK(fold->of_images);
    REQUIRE(fold->slices.size() == 2);
    check_slice(fold->slices[0], "1", 1, 2, 1);
    check_slice(fold->slices[1], "2", 2, 1, 1);
    CHECK(fold->slices[1].false_positives == 3);
    CHECK(fold->slices[1].false_positives_per_image.value() == Approx(1.5));
    // Resamples of b.png (1) and c.png (2) alone or together.
    CHECK(fold->slices[1].false_positives_per_image_ci95.value() == Interval{1, 2});
}

TEST_CASE("slices count the detections of an operating point", "[evaluate][errors]") {
    // At 0.8 the second face of a.png, whose detection has 0.7, is missed, and one of its two false positives
    // stands; b.png's face is found at 0.8, where a better box of 0.5 is not there yet.
    const EvaluationCase example = worked_example();
    const std::vector<SliceGroup> groups = sliced(example, 0.8);
    const SliceGroup* width = find_group(groups, "face_width");
    REQUIRE(width != nullptr);
    REQUIRE(width->slices.size() == 2);
    check_slice(width->slices[0], "0–16", 2, 2, 2);
    check_slice(width->slices[1], "16–32", 1, 1, 0);
    CHECK(width->slices[0].found_scores == std::vector<double>{0.9, 0.8});
    CHECK(width->slices[1].found_scores == std::vector<double>{0.7});
    const SliceGroup* number = find_group(groups, "faces_in_image");
    REQUIRE(number != nullptr);
    REQUIRE(number->slices.size() == 3);
    check_slice(number->slices[0], "0", 1, 0, 0);
    check_slice(number->slices[1], "1", 1, 1, 1);
    check_slice(number->slices[2], "2", 1, 2, 1);
    CHECK(number->slices[0].false_positives == 0);
    CHECK(number->slices[0].false_positive_scores == std::vector<double>{0.6});
    CHECK(number->slices[1].false_positives == 0);
    CHECK(number->slices[1].false_positive_scores == std::vector<double>{0.5});
    CHECK(number->slices[2].false_positives == 1);

    const std::vector<SliceGroup> all = sliced(example);
    check_slice(find_group(all, "face_width")->slices[1], "16–32", 1, 1, 1);
    CHECK(find_group(all, "faces_in_image")->slices[0].false_positives == 1);
    const std::vector<SliceGroup> none = sliced(example, std::nullopt);
    check_slice(find_group(none, "face_width")->slices[0], "0–16", 2, 2, 0);
    CHECK(find_group(none, "faces_in_image")->slices[2].false_positives == 0);
}

TEST_CASE("limits of size and shape belong to one slice", "[evaluate][errors]") {
    EvaluationCase example;
    Face with_area = face(400, 0, 200, 200);
    with_area.area = 100;  // as annotated, whatever the box
    example.add("a.png",
                {face(0, 0, 32, 32), face(100, 0, 96, 96), face(200, 0, 50, 100), face(300, 0, 110, 100),
                 with_area, face(700, 0, 0, 10)},
                {});
    const std::vector<SliceGroup> groups = sliced(example);
    const SliceGroup* size = find_group(groups, "size");
    REQUIRE(size != nullptr);
    REQUIRE(size->slices.size() == 3);
    check_slice(size->slices[0], "small (< 32²)", 1, 2, 0);     // the annotated area, and the box without one
    check_slice(size->slices[1], "medium (32²–96²)", 1, 3, 0);  // 1024, 9216 and 5000
    check_slice(size->slices[2], "large (> 96²)", 1, 1, 0);
    const SliceGroup* aspect = find_group(groups, "aspect_ratio");
    REQUIRE(aspect != nullptr);
    REQUIRE(aspect->slices.size() == 3);
    check_slice(aspect->slices[0], "0.5–0.7", 1, 1, 0);
    check_slice(aspect->slices[1], "0.9–1.1", 1, 3, 0);
    check_slice(aspect->slices[2], "1.1–1.4", 1, 1, 0);  // 110 / 100; the box without area has no shape
}

TEST_CASE("of an attribute with many values the rare ones are taken together", "[evaluate][errors]") {
    EvaluationCase example;
    for (int i = 0; i < 43; ++i) {
        example.add("image" + std::to_string(i), {face(0, 0, 10, 10)}, {});
        const int value = i == 42 ? 41 : i;  // 41 comes twice, all others once
        example.dataset.samples.back().attributes = {{"event", std::to_string(value)}};
    }
    const std::vector<SliceGroup> groups = sliced(example);
    const SliceGroup* event = find_group(groups, "image.event");
    REQUIRE(event != nullptr);
    REQUIRE(event->slices.size() == 41);
    check_slice(event->slices[2], "2", 1, 1, 0);  // numbers in their order: not 0, 1, 10
    check_slice(event->slices[38], "38", 1, 1, 0);
    check_slice(event->slices[39], "41", 2, 2, 0);     // the most frequent is kept
    check_slice(event->slices[40], "other", 2, 2, 0);  // 39 and 40
}

TEST_CASE("an attribute that differs everywhere is an id and no condition", "[evaluate][errors]") {
    EvaluationCase example;
    for (int i = 0; i < 4; ++i) {
        Face each = face(0, 0, 10, 10);
        each.attributes = {{"track", std::to_string(i)}, {"pose", i < 2 ? "left" : "right"}};
        example.add("image" + std::to_string(i), {each}, {});
        example.dataset.samples.back().attributes = {{"id", std::to_string(100 + i)},
                                                     {"captured", "2019-01-0" + std::to_string(i)},
                                                     {"event", i < 3 ? "parade" : "match"}};
    }
    const std::vector<SliceGroup> groups = sliced(example);
    CHECK(find_group(groups, "image.id") == nullptr);
    CHECK(find_group(groups, "image.captured") == nullptr);
    CHECK(find_group(groups, "attribute.track") == nullptr);
    REQUIRE(find_group(groups, "attribute.pose") != nullptr);
    REQUIRE(find_group(groups, "image.event") != nullptr);
    check_slice(find_group(groups, "image.event")->slices[1], "parade", 3, 3, 0);
    // One value that comes twice makes a condition of it.
    example.dataset.samples[3].attributes[1].value = "2019-01-02";
    const std::vector<SliceGroup> dated = sliced(example);
    REQUIRE(find_group(dated, "image.captured") != nullptr);
    CHECK(find_group(dated, "image.captured")->slices.size() == 3);
}

TEST_CASE("a measured attribute is cut into quarters, in order", "[evaluate][errors]") {
    EvaluationCase example;
    for (int i = 0; i < 20; ++i) {
        Face each = face(0, 0, 10, 10);
        each.attributes = {{"blur", std::to_string(i) + ".5"}, {"whole", std::to_string(i % 15)}};
        std::vector<Detection> found;
        if (i >= 10) found.push_back(detection(1, 0, 0, 10, 10));
        example.add("image" + std::to_string(i), {each}, std::move(found));
    }
    // One face does not state it.
    example.add("unstated", {face(0, 0, 10, 10)}, {});
    const std::vector<SliceGroup> groups = sliced(example);
    const SliceGroup* blur = find_group(groups, "attribute.blur");
    REQUIRE(blur != nullptr);
    REQUIRE(blur->slices.size() == 4);
    check_slice(blur->slices[0], "0.5–5.5", 5, 5, 0);
    check_slice(blur->slices[2], "10.5–15.5", 5, 5, 5);
    check_slice(blur->slices[3], "15.5–19.5", 5, 5, 5);
    // Whole numbers may be kinds: each is told apart.
    REQUIRE(find_group(groups, "attribute.whole") != nullptr);
    CHECK(find_group(groups, "attribute.whole")->slices.size() == 16);
}

TEST_CASE("no images with faces, no slices of faces", "[evaluate][errors]") {
    EvaluationCase example;
    example.add("a.png", {}, {detection(1, 0, 0, 10, 10)});
    CHECK(sliced(example).empty());
}

TEST_CASE("blur and brightness of a face are measured", "[evaluate][errors]") {
    const GreyImage image = stripes(64, 64);
    const FaceAppearance whole = measure_face(image, {0, 0, 64, 64});
    // Above and below are as the pixel, left and right differ by 100: Laplacians of +200 and -200 in turn.
    CHECK(whole.sharpness.value() == Approx(40000.0));
    CHECK(whole.brightness.value() == Approx(50.0 / 255));

    // Cut at the image's edge, 32 x 64 pixels are left: the same stripes, enlarged.
    const FaceAppearance half = measure_face(image, {-32.4, 0, 64, 200});
    CHECK(half.brightness.value() == Approx(50.0 / 255));
    CHECK(half.sharpness.value() > 0);
    CHECK(half.sharpness.value() < 40000);

    GreyImage flat{8, 8, std::vector<std::uint8_t>(64, 128)};
    CHECK(measure_face(flat, {0, 0, 8, 8}).sharpness.value() == 0);
    CHECK(measure_face(flat, {0, 0, 8, 8}).brightness.value() == Approx(128.0 / 255));

    for (const Box outside : {Box{64, 0, 10, 10}, Box{0, -10, 10, 10}, Box{5, 5, 0, 0}, Box{5, 5, 0.2, 9}}) {
        CHECK_FALSE(measure_face(image, outside).sharpness.has_value());
        CHECK_FALSE(measure_face(image, outside).brightness.has_value());
    }
}

TEST_CASE("measured faces are sliced into quarters, unreadable images are recorded", "[evaluate][errors]") {
    const TempDir folder;
    EvaluationCase example;
    const auto add = [&](const std::string& name, char grey, bool is_found) {
        example.add(name, {face(0, 0, 8, 8)},
                    is_found ? std::vector<Detection>{detection(1, 0, 0, 8, 8)} : std::vector<Detection>{});
        example.dataset.samples.back().path = folder.write(name, "P5\n8 8\n255\n" + std::string(64, grey));
    };
    add("a.pgm", 10, false);
    add("b.pgm", 20, false);
    add("c.pgm", 30, true);
    add("d.pgm", 40, true);
    example.add("broken.pgm", {face(0, 0, 8, 8)}, {});
    example.dataset.samples.back().path = folder.write("broken.pgm", "P5\n8 8\n255\nshort");
    example.add("empty.pgm", {}, {});  // has no face, so it is not read

    for (const int threads : {1, 3}) {
        MeasureFacesOptions options;
        options.threads = threads;
        std::size_t calls = 0;
        options.hooks.progress = [&](const JobProgress& now) {
            CHECK(now.done == ++calls);
            CHECK(now.total == 5);
        };
        const DatasetAppearance appearance = measure_faces(example.dataset, options);
        CHECK(calls == 5);
        CHECK_FALSE(appearance.interrupted);
        REQUIRE(appearance.unreadable.size() == 1);
        CHECK(appearance.unreadable[0].image == "broken.pgm");
        CHECK_FALSE(appearance.unreadable[0].reason.empty());
        CHECK(appearance.faces[1][0].brightness.value() == Approx(20.0 / 255));

        const std::vector<SliceGroup> groups = sliced(example, -1e9, &appearance);
        const SliceGroup* brightness = find_group(groups, "brightness");
        REQUIRE(brightness != nullptr);
        REQUIRE(brightness->slices.size() == 4);
        check_slice(brightness->slices[0], "0.039–0.078", 1, 1, 0);
        check_slice(brightness->slices[3], "0.157–0.157", 1, 1, 1);
        CHECK(find_group(groups, "sharpness") == nullptr);  // all are flat
    }

    MeasureFacesOptions impatient;
    std::atomic<bool> cancel{false};
    impatient.hooks.cancel = &cancel;
    impatient.hooks.progress = [&](const JobProgress& now) { cancel = now.done >= 2; };
    const DatasetAppearance begun = measure_faces(example.dataset, impatient);
    CHECK(begun.interrupted);
    CHECK(begun.faces[1][0].brightness.has_value());
    CHECK_FALSE(begun.faces[2][0].brightness.has_value());
}
