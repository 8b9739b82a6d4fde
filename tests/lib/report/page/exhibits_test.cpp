#include "lib/report/page/exhibits.hpp"

#include <catch2/catch.hpp>

#include "lib/report/page/gallery.hpp"
#include "lib/report/page/thumbnails.hpp"
#include "tests/lib/report/detection/sample_report.hpp"

using namespace fovea;
using namespace fovea::report;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("misses are shown by size, false positives by score", "[report]") {
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    const DetectionEvaluation evaluation = sample_evaluation(dataset, "d");
    const std::vector<ImageScores> scores = image_scores(dataset, evaluation);
    // The first image: its 30 px face is missed; gone.png: its 50 px face.
    const std::vector<Exhibit> misses = largest_misses(dataset, evaluation, scores, 0, 10, {});
    REQUIRE(misses.size() == 2);
    CHECK(misses[0].sample == 2);
    CHECK(misses[0].focus == Box{5, 5, 50, 50});
    CHECK(misses[1].sample == 0);
    CHECK(misses[1].focus == Box{100, 50, 30, 30});
    CHECK(misses[1].facts[0] == "30 × 30 px");
    CHECK(misses[1].facts[1] == "nothing detected there");
    REQUIRE(misses[1].boxes.size() == 5);
    CHECK(misses[1].boxes.back().subject);
    CHECK(misses[1].boxes.back().box == misses[1].focus);
    CHECK(largest_misses(dataset, evaluation, scores, 0, 10, {"gone.png"}).size() == 1);
    CHECK(largest_misses(dataset, evaluation, scores, 0, 1, {}).size() == 1);
    CHECK(largest_misses(dataset, evaluation, scores, 0, 0, {}).empty());

    const std::vector<Exhibit> alarms = highest_false_alarms(dataset, evaluation, scores, 10);
    REQUIRE(alarms.size() == 2);  // the detection on the ignored face is none
    CHECK(alarms[0].facts[0] == "score 7");
    CHECK(alarms[0].focus == Box{70, 80, 30, 30});
    CHECK(alarms[1].facts[0] == "score 2");
    CHECK(highest_false_alarms(dataset, evaluation, scores, 1).size() == 1);

    // At 6 the face of b.png, found at 5, is a miss, and the false positive of 2 is not there.
    const std::vector<Exhibit> strict = largest_misses(dataset, evaluation, scores, 6, 10, {});
    REQUIRE(strict.size() == 3);
    CHECK(strict[1].focus == Box{40, 30, 40, 40});
    CHECK(strict[1].boxes.back().score == 5);
    CHECK_FALSE(strict[2].boxes.back().score.has_value());
    CHECK(alarms[1].boxes.back().is_alarm);
    CHECK(alarms[1].boxes.back().score == 2);
}

TEST_CASE("the near miss is named", "[report]") {
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    // Moved by 20: IoU of [32, 72) x [10, 50) with [10, 50) x [10, 50) = 18 * 40 / (3200 - 720) = 0.29.
    const DetectionEvaluation evaluation = sample_evaluation(dataset, "d", 20);
    const std::vector<ImageScores> scores = image_scores(dataset, evaluation);
    const std::vector<Exhibit> misses = largest_misses(dataset, evaluation, scores, 0, 10, {"gone.png"});
    REQUIRE(!misses.empty());
    CHECK(misses[0].facts[0] == "40 × 40 px");
    CHECK(misses[0].facts[1] == "nearest IoU 0.29, score 9.5");
}

TEST_CASE("a thumbnail shows surroundings and stays in the image", "[report]") {
    CHECK(thumbnail_region({100, 100, 50, 40}, 640, 480) == Box{65, 60, 120, 120});
    CHECK(thumbnail_region({0, 0, 50, 50}, 640, 480) == Box{0, 0, 120, 120});
    CHECK(thumbnail_region({600, 440, 40, 40}, 640, 480) == Box{544, 384, 96, 96});
    CHECK(thumbnail_region({10, 10, 4, 4}, 640, 480).w == 64);
    CHECK(thumbnail_region({10, 10, 50, 50}, 100, 30) == Box{0, 0, 100, 30});
    CHECK(thumbnail_region({-900, 9000, 50, 50}, 640, 480) == Box{0, 360, 120, 120});
    CHECK(thumbnail_region({std::numeric_limits<double>::quiet_NaN(), 0, 50, 50}, 640, 480).w == 120);
    CHECK(thumbnail_region({0, 0, 1, 1}, 1, 1) == Box{0, 0, 1, 1});
}

TEST_CASE("thumbnails are cut, scaled and drawn over", "[report]") {
    const TempDir folder;
    Dataset dataset;
    Sample wide;
    wide.image = "wide.png";
    wide.path = folder.path() / "wide.png";
    // Left half blue (BGR), right half red.
    cv::Mat image(500, 1000, CV_8UC3, cv::Scalar(255, 0, 0));
    image(cv::Rect(500, 0, 500, 500)).setTo(cv::Scalar(0, 0, 255));
    cv::imwrite(wide.path.string(), image);
    Sample broken = wide;
    broken.path = folder.write("broken.jpg", "\xFF\xD8\xFF no JPEG");
    dataset.samples = {wide, broken};

    Exhibit left{0, {100, 150, 200, 200}, {}, {}};
    left.boxes = {{DrawnBox::Kind::face, {900, 0, 20, 20}, false, "far away"},
                  {DrawnBox::Kind::detection, {110, 150, 200, 200}, false, "near <it>"},
                  {DrawnBox::Kind::face, left.focus, true, "missed"}};
    const Exhibit right{0, {790, 290, 20, 20}, {}, {}};
    const Exhibit none{1, {0, 0, 10, 10}, {}, {}};
    const std::vector<Thumbnail> thumbnails = cut_thumbnails(dataset, {left, none, right}, {});
    REQUIRE(thumbnails.size() == 3);

    const auto decode = [](const std::string& jpeg) {
        return cv::imdecode(std::vector<unsigned char>(jpeg.begin(), jpeg.end()), cv::IMREAD_COLOR);
    };
    const cv::Mat first = decode(thumbnails[0].jpeg);
    CHECK(thumbnails[0].region == Box{0, 10, 480, 480});
    CHECK(first.size() == cv::Size(thumbnail_side, thumbnail_side));
    CHECK(first.at<cv::Vec3b>(120, 20)[0] > 230);
    const cv::Mat third = decode(thumbnails[2].jpeg);
    CHECK(third.size() == cv::Size(64, 64));  // never enlarged
    CHECK(third.at<cv::Vec3b>(32, 32)[2] > 230);
    CHECK(thumbnails[1].jpeg.empty());
    CHECK(!thumbnails[1].unreadable.empty());

    const Gallery gallery = gallery_of(dataset, {left, none, right}, thumbnails, "grid", "Faces", "All 3.");
    REQUIRE(gallery.pictures.size() == 3);
    const Picture& picture = gallery.pictures[0];
    CHECK((picture.width == thumbnail_side && picture.height == thumbnail_side));
    // Two thirds of 480 pixels are shown; what is far away is left out.
    REQUIRE(picture.boxes.size() == 2);
    CHECK(picture.boxes[0].note == "near <it>");
    CHECK(picture.boxes[1].is_subject);
    CHECK(picture.boxes[1].box.x == Approx(100 * 2.0 / 3));
    CHECK(picture.boxes[1].box.y == Approx((150 - 10) * 2.0 / 3));
    CHECK(picture.boxes[1].box.w == Approx(200 * 2.0 / 3));
    // One that is missing stays in its place.
    CHECK(gallery.pictures[1].jpeg.empty());
    CHECK(gallery.pictures[1].unreadable == thumbnails[1].unreadable);
    CHECK_THAT(missing_pictures(dataset, {left, none, right}, thumbnails),
               Catch::StartsWith("1 of 3 pictures is missing from the report; the first, of " +
                                 dataset.samples[none.sample].image + ": ") &&
                   !Contains("--root"));
    CHECK(missing_pictures(dataset, {left, right}, {thumbnails[0], thumbnails[2]}).empty());
    CHECK_THAT(missing_pictures(dataset, {none}, {thumbnails[1]}), Contains("--root names the folder"));
}
