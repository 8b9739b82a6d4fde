#include "lib/run/people/image_stamps.hpp"

#include <chrono>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "tests/lib/dataset/readers/video/small_videos.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// Two photographs, and between them a video of four frames.
struct Archive {
    Archive() {
        folder.write("photos/a.pgm", "P5\n1 1\n255\nx");
        video = folder.write("photos/b.y4m", small_video(4));
        folder.write("photos/c.pgm", "P5\n1 1\n255\nxy");
    }
    ImageList list(int every = 1) const {
        ImageListRequest request;
        request.specification = (folder.path() / "photos").string();
        request.options.frames.every = every;
        return read_image_list(request);
    }
    ImageStamps stamps(const ImageList& images) const {
        const std::vector<ImageStamp> all = stamps_of(images);
        ImageStamps stamps;
        for (std::size_t i = 0; i < images.size(); ++i) stamps[std::string(stamp_name(images, i))] = all[i];
        return stamps;
    }

    TempDir folder;
    fs::path video;
};

}  // namespace

TEST_CASE("all frames of a video have one stamp, which is written once", "[people]") {
    const Archive f;
    const ImageList images = f.list();
    REQUIRE(images.size() == 6);
    const ImageStamps stamps = f.stamps(images);
    CHECK(stamps.size() == 3);
    CHECK(stamps.at("a.pgm").bytes == 12);
    CHECK(stamps.at("a.pgm").frames == 0);
    CHECK(stamps.at("b.y4m").bytes == fs::file_size(f.video));
    CHECK(stamps.at("b.y4m").frames != 0);
    CHECK(stamps.at("c.pgm").frames == 0);

    const fs::path file = f.folder.path() / "stamps.jsonl";
    write_stamps(file, images, stamps);
    const std::string text = read_file(file);
    CHECK(std::count(text.begin(), text.end(), '\n') == 3);
    CHECK_THAT(text, Contains(R"("image":"b.y4m")") && !Contains("#"));
    CHECK(read_stamps(file) == stamps);
}

TEST_CASE("a video with other bytes, another time or other frames has another stamp", "[people]") {
    const Archive f;
    const ImageStamps before = f.stamps(f.list());
    CHECK(f.stamps(f.list(2)).at("b.y4m") != before.at("b.y4m"));
    CHECK(f.stamps(f.list(2)).at("a.pgm") == before.at("a.pgm"));
    fs::last_write_time(f.video, fs::last_write_time(f.video) + std::chrono::seconds(1));
    CHECK(f.stamps(f.list()).at("b.y4m") != before.at("b.y4m"));
    CHECK(stamp_of(f.folder.path() / "none") == ImageStamp{});
}

TEST_CASE("stamps without frames, as photographs have them, are read; broken ones are refused", "[people]") {
    const TempDir folder;
    const auto read = [&](const std::string& text) { return read_stamps(folder.write("s.jsonl", text)); };
    CHECK(read("{\"image\":\"a\",\"bytes\":3,\"modified\":-4}\n").at("a") == ImageStamp{3, -4, 0});
    CHECK_THROWS_WITH(read("{\"image\":\"a\",\"bytes\":3,\"modified\":4}\n{\"image\":\"a\",\"bytes\":3}\n"),
                      Contains("s.jsonl:2") && Contains("modified"));
    CHECK_THROWS_WITH(read("{\"image\":\"a\",\"bytes\":3,\"modified\":4,\"frames\":-1}\n"),
                      Contains("frames"));
}
