#include "lib/run/people/archive_faces.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/job/journal/feature_file.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

ImageResult result_of(const std::string& image, const std::vector<double>& scores) {
    ImageResult result;
    result.image = image;
    result.width = 100;
    result.height = 80;
    for (const double score : scores) result.detections.push_back({{10, 20, 40, 50}, score});
    return result;
}

/// Writes results, and a feature for each of their faces: its score in both words.
DescribedPart write_part(const TempDir& folder, const std::string& name,
                         const std::vector<ImageResult>& results) {
    const DescribedPart part{folder.path() / (name + ".jsonl"), folder.path() / (name + ".npy")};
    ResultsWriter writer(part.results);
    writer.file().begin();
    FeatureFile features(part.features, 2);
    features.file().begin();
    for (const ImageResult& result : results) {
        writer.write(result);
        for (const Detection& detection : result.detections) {
            const std::vector<std::uint16_t> row(2, static_cast<std::uint16_t>(detection.score));
            features.append(row);
        }
    }
    writer.close();
    features.close();
    return part;
}

std::vector<double> scores_of(const ArchiveFaces& faces) {
    std::vector<double> scores;
    for (const ArchiveFace& face : faces.faces()) scores.push_back(face.score);
    return scores;
}

}  // namespace

TEST_CASE("faces of an archive come from the last part that has their image, in the order of the list",
          "[people]") {
    const std::uintmax_t max_kept = GENERATE(std::uintmax_t{0}, ArchiveFaces::max_kept_bytes);
    const TempDir folder;
    const ImageList images = ImageList::of(std::vector<fs::path>{"a", "b", "c", "d"});
    ImageResult broken;
    broken.image = "c";
    broken.status = "unreadable: why";
    const std::vector<DescribedPart> parts{
        write_part(folder, "1",
                   {result_of("b", {1, 2}), result_of("gone", {3}), result_of("a", {4}), broken}),
        write_part(folder, "2", {result_of("a", {5, 6, 7}), result_of("d", {8})})};
    const ArchiveFaces faces(
        images, parts, [](std::size_t, std::size_t) { return true; }, 2, {0}, {}, max_kept);
    CHECK(scores_of(faces) == std::vector<double>{5, 6, 7, 1, 2, 8});
    for (std::size_t i = 0; i < 6; ++i) CHECK(faces.features().of(i)[1] == faces.faces()[i].score);
    CHECK(faces.faces()[1].image == 0);
    CHECK(faces.faces()[1].place == 1);
    CHECK(faces.part_of(0) == 1);
    CHECK(faces.part_of(1) == 0);

    std::vector<std::pair<std::string, std::size_t>> seen;
    faces.for_each_result(
        [&](ImageResult&& result, std::size_t first) { seen.emplace_back(result.image, first); });
    CHECK(seen == std::vector<std::pair<std::string, std::size_t>>{{"a", 0}, {"b", 3}, {"c", 5}, {"d", 5}});

    // Results that do not hold any more are passed over.
    const ArchiveFaces older(
        images, parts, [](std::size_t part, std::size_t image) { return part == 0 || image != 0; }, 2, {0});
    CHECK(scores_of(older) == std::vector<double>{4, 1, 2, 8});
}

TEST_CASE("detections that are no faces of the archive are left out, and rows of features keep their numbers",
          "[people]") {
    const std::uintmax_t max_kept = GENERATE(std::uintmax_t{0}, ArchiveFaces::max_kept_bytes);
    const TempDir folder;
    const ImageList images = ImageList::of(std::vector<fs::path>{"a", "b", "c"});
    ImageResult with_crops = result_of("c", {6});
    with_crops.crops = {"c-0.png"};
    const std::vector<DescribedPart> parts{
        write_part(folder, "1", {result_of("a", {1, 2, 3}), result_of("b", {4, 5}), with_crops})};
    // Faces of even scores stay, and have a track.
    const ArchiveFaces faces(
        images, parts, [](std::size_t, std::size_t) { return true; }, 2, {0},
        [](std::size_t part, ImageResult& result) {
            CHECK(part == 0);
            std::vector<std::uint32_t> places;
            std::vector<Detection> kept;
            for (std::uint32_t i = 0; i < result.detections.size(); ++i) {
                if (static_cast<int>(result.detections[i].score) % 2 != 0) continue;
                places.push_back(i);
                kept.push_back(result.detections[i]);
                kept.back().details.edit().track = 7;
            }
            result.detections = std::move(kept);
            return places;
        },
        max_kept);
    CHECK(scores_of(faces) == std::vector<double>{2, 4, 6});
    for (std::size_t i = 0; i < 3; ++i) CHECK(faces.features().of(i)[0] == faces.faces()[i].score);
    CHECK(faces.faces()[0].place == 0);
    std::vector<std::pair<double, std::size_t>> seen;
    faces.for_each_result([&](ImageResult&& result, std::size_t first) {
        REQUIRE(result.detections.size() == 1);
        CHECK(result.detections[0].details->track == 7);
        CHECK(result.crops.empty());
        seen.emplace_back(result.detections[0].score, first);
    });
    CHECK(seen == std::vector<std::pair<double, std::size_t>>{{2, 0}, {4, 1}, {6, 2}});
}

TEST_CASE("features of other faces, or of another recogniser, are refused", "[people]") {
    const TempDir folder;
    const ImageList images = ImageList::of(std::vector<fs::path>{"a"});
    DescribedPart part = write_part(folder, "1", {result_of("a", {1, 2})});
    const auto read = [&](std::size_t length) {
        return ArchiveFaces(images, {part}, [](std::size_t, std::size_t) { return true; }, length, {0});
    };
    CHECK(read(2).faces().size() == 2);
    CHECK_THROWS_WITH(read(3), Contains("2 rows of 2 numbers") && Contains("the recogniser 3 numbers"));
    part.features = write_part(folder, "2", {result_of("a", {1})}).features;
    CHECK_THROWS_WITH(read(2), Contains("1 row of 2 numbers") && Contains("2 faces"));
}

TEST_CASE("small, blurred and turned faces stand apart", "[people]") {
    Detection face{{0, 0, 40, 60}, 1};
    CHECK(why_apart(face, {40}) == std::string());
    CHECK(why_apart(face, {40.5}) == std::string("small"));
    face.details.edit().sharpness = 7;
    CHECK(why_apart(face, {40, 7}) == std::string());
    CHECK(why_apart(face, {40, 7.1}) == std::string("blurred"));
    CHECK(why_apart(face, {41, 7.1}) == std::string("small"));
    face.details.edit().sharpness.reset();
    CHECK(why_apart(face, {40, 7.1}) == std::string());
    // Eyes at 10 and 30, and the tip of the nose between them, or beyond one.
    std::vector<Point> points(68, {20, 40});
    for (std::size_t i = 36; i < 42; ++i) points[i] = {10, 20};
    for (std::size_t i = 42; i < 48; ++i) points[i] = {30, 20};
    const auto with_nose_at = [&](double x) {
        points[30].x = x;
        face.details.edit().landmarks = points;
        return std::string(why_apart(face, {0, 0, 40}));
    };
    // tan 40° is 0.839; 1.15 times as much of the 10 pixels from the middle to an eye are 9.65.
    CHECK(with_nose_at(20) == "");
    CHECK(with_nose_at(10.4) == "");
    CHECK(with_nose_at(10.3) == "turned");
    CHECK(with_nose_at(29.6) == "");
    CHECK(with_nose_at(29.7) == "turned");
    // Five points have no tip of a nose.
    points.resize(5);
    face.details.edit().landmarks = points;
    CHECK(why_apart(face, {0}) == std::string());
}
