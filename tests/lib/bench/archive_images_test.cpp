#include "lib/bench/archive_images.hpp"

#include <set>

#include <catch2/catch.hpp>
#include <opencv2/core.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/image/colour.hpp"
#include "lib/image/encode.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea {
namespace {

using Catch::Matchers::Contains;

std::vector<ArchiveSource> one_source(int width, int height, std::vector<Box> faces = {}) {
    return {{test::colour_picture(width, height), std::move(faces)}};
}

bool equal(const cv::Mat& a, const cv::Mat& b) {
    return a.size() == b.size() && a.type() == b.type() && cv::norm(a, b, cv::NORM_INF) == 0;
}

cv::Mat picture_of(const std::vector<ArchiveSource>& sources, const ArchiveRecipe& recipe,
                   std::size_t index) {
    return archive_picture(sources, recipe, index, archive_grain(recipe));
}

}  // namespace

TEST_CASE("a picture is written as a JPEG with half the chroma", "[archive-bench]") {
    const std::vector<std::uint8_t> colour = encode_jpeg(test::colour_picture(33, 17), 90);
    const GreyImage image = decode_grey_image(colour);
    CHECK(image.width == 33);
    CHECK(image.height == 17);
    // The frame header: three components, the first sampled 2 x 2 times as often.
    const std::string bytes(colour.begin(), colour.end());
    const std::size_t frame = bytes.find("\xff\xc0");
    REQUIRE(frame != std::string::npos);
    CHECK(bytes[frame + 9] == 3);
    CHECK(bytes[frame + 11] == 0x22);
    const std::vector<std::uint8_t> grey = encode_jpeg(test::grey_picture(20, 10), 90);
    const std::string grey_bytes(grey.begin(), grey.end());
    CHECK(grey_bytes[grey_bytes.find("\xff\xc0") + 9] == 1);
}

TEST_CASE("an archive holds different JPEG files of the size", "[archive-bench]") {
    const test::TempDir folder;
    const ArchiveRecipe recipe{{64, 36}, 12, 7};
    const auto sources = one_source(90, 70, {{30, 30, 10, 10}});
    const std::uint64_t bytes = make_archive(folder.path() / "a", recipe, sources, {});
    std::set<std::string> contents;
    std::uint64_t sum = 0;
    for (const auto& file : archive_files(folder.path() / "a", recipe.images)) {
        const std::string content = read_file(file);
        sum += content.size();
        contents.insert(content);
        const GreyImage image = read_grey_image(file);
        CHECK(image.width == 64);
        CHECK(image.height == 36);
    }
    CHECK(contents.size() == 12);
    CHECK(bytes == sum);

    // The same recipe: nothing is written; another one: everything.
    const auto first = archive_files(folder.path() / "a", 1)[0];
    write_file(first, "mark");
    make_archive(folder.path() / "a", recipe, sources, {});
    CHECK(read_file(first) == "mark");
    make_archive(folder.path() / "a", {{64, 36}, 5, 7}, sources, {});
    CHECK(contents.count(read_file(first)) == 1);
    CHECK_FALSE(std::filesystem::exists(archive_files(folder.path() / "a", 12)[11]));
}

TEST_CASE("an archive takes no foreign folder's place", "[archive-bench]") {
    const test::TempDir folder;
    folder.write("mine/letter.txt", "dear");
    CHECK_THROWS_WITH(make_archive(folder.path() / "mine", {{8, 8}, 1, 1}, one_source(20, 20), {}),
                      Contains("no test archive of this program"));
    CHECK(read_file(folder.path() / "mine/letter.txt") == "dear");
}

TEST_CASE("a cancelled archive is not taken for a whole one", "[archive-bench]") {
    const test::TempDir folder;
    const std::atomic<bool> cancel{true};
    JobHooks hooks;
    hooks.cancel = &cancel;
    make_archive(folder.path() / "a", {{16, 16}, 3, 1}, one_source(20, 20), hooks);
    CHECK_FALSE(std::filesystem::exists(folder.path() / "a.json"));
}

TEST_CASE("an archive's pictures depend on seed and index only", "[archive-bench]") {
    const auto sources = one_source(50, 40);
    const ArchiveRecipe recipe{{32, 18}, 3, 1};
    CHECK(equal(picture_of(sources, recipe, 1), picture_of(sources, recipe, 1)));
    CHECK(equal(picture_of(sources, recipe, 1), picture_of(sources, {{32, 18}, 9, 1}, 1)));
    CHECK_FALSE(equal(picture_of(sources, recipe, 1), picture_of(sources, recipe, 2)));
    CHECK_FALSE(equal(picture_of(sources, recipe, 1), picture_of(sources, {{32, 18}, 3, 2}, 1)));
    // Sources smaller than a window can be.
    CHECK(picture_of(one_source(1, 1), recipe, 0).size() == cv::Size(32, 18));
}

TEST_CASE("a picture has one face, every other one two", "[archive-bench]") {
    // Grey, but for two bright faces at opposite ends that only the widest windows hold both.
    cv::Mat picture(100, 200, CV_8UC1, cv::Scalar(60));
    const std::vector<Box> faces{{10, 40, 20, 20}, {130, 40, 20, 20}};
    for (const Box& face : faces)
        picture(cv::Rect(static_cast<int>(face.x), static_cast<int>(face.y), 20, 20)) = 200;
    const std::vector<ArchiveSource> sources{{picture, faces}};
    int bright[2] = {0, 0};
    const ArchiveRecipe recipe{{200, 100}, 40, 3};
    for (std::size_t i = 0; i < recipe.images; ++i) {
        const cv::Mat made = picture_of(sources, recipe, i);
        cv::Mat columns;
        cv::reduce(made, columns, 0, cv::REDUCE_MAX);
        bool inside = false;
        for (int x = 0; x < columns.cols; ++x) {
            const bool is_bright = columns.at<std::uint8_t>(x) > 128;
            if (is_bright && !inside) ++bright[i % 2];
            inside = is_bright;
        }
    }
    // A cut face beside the one that is wanted counts here, too.
    CHECK(bright[0] >= 18);
    CHECK(bright[0] <= 29);
    CHECK(bright[1] >= 34);
    CHECK(bright[1] <= 40);
}

}  // namespace fovea
