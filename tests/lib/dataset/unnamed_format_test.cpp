#include "lib/dataset/unnamed_format.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/edge_scene.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/video/video_maker.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

FileContent content(const std::string& text) {
    const std::vector<std::uint8_t> head(text.begin(), text.end());
    return content_of(head);
}

bool begins(const std::string& text) {
    return content(text) == FileContent::image;
}

}  // namespace

TEST_CASE("names without an extension", "[dataset]") {
    CHECK(has_no_extension("photo"));
    CHECK(has_no_extension("trip.d/photo"));
    CHECK_FALSE(has_no_extension("trip/photo.old"));
    CHECK_FALSE(has_no_extension("photo."));
}

TEST_CASE("no text begins as an image by chance", "[dataset]") {
    CHECK(begins("\xff\xd8\xff\xe0"));
    CHECK(begins("P5 20 10 255\n"));
    CHECK(begins("P6\n# a comment\n20 10 255\n"));
    CHECK_FALSE(begins("P1 is the first section"));
    CHECK_FALSE(begins("P5\n"));
    CHECK_FALSE(begins("P5"));
    // The header of a BMP file, its length as the writer has it, then the 40 bytes of the next header.
    const std::string bmp("BM\x36\x03\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x10\0\0\0", 22);
    CHECK(begins(bmp));
    CHECK_FALSE(begins(bmp.substr(0, 17)));
    CHECK_FALSE(begins("BMW list of the cars in the garage"));
    CHECK_FALSE(begins("\x1f\x8b\x08"));
    CHECK_FALSE(begins("BZh9"));
    CHECK_FALSE(begins(""));
}

TEST_CASE("files without an extension are looked into", "[dataset]") {
    const TempDir dir;
    dir.write("photo", noise_pgm(20, 10, 1));
    dir.write("notes", "a text");
    dir.write("photo.old", noise_pgm(20, 10, 1));
    dir.write("folder/notes", "a text");
    const auto is_unnamed = [&](const char* name) {
        return is_unnamed_image(name, content_of(dir.path() / name));
    };
    CHECK(is_unnamed("photo"));
    for (const char* name : {"notes", "photo.old", "absent", "folder"}) CHECK_FALSE(is_unnamed(name));
    CHECK(content_of(dir.path() / "photo.old") == FileContent::image);
}

TEST_CASE("files that FFmpeg writes begin as videos, and others do not", "[dataset]") {
    const TempDir dir;
    VideoPlan plan;
    plan.frames = 12;
    const auto written = [&](const char* encoder, const char* name, const char* muxer = "") {
        plan.encoder = encoder;
        plan.options.clear();
        if (plan.encoder == "libx264") plan.options = {{"preset", "ultrafast"}};
        if (plan.encoder == "libx265") plan.options = {{"x265-params", "log-level=none:pools=1"}};
        ContainerPlan container;
        container.muxer = muxer;
        make_video(dir.path() / name, plan, container);
        return content_of(dir.path() / name);
    };
    for (const char* name :
         {"a.mp4", "a.mov", "a.mkv", "a.flv", "a.ts", "a.m2ts", "a.avi", "a.3gp", "a.h264"}) {
        CAPTURE(name);
        CHECK(written("libx264", name) == FileContent::video);
    }
    for (const char* name : {"a.mpg", "a.m2v", "a.mxf", "a.vob"}) {
        CAPTURE(name);
        CHECK(written("mpeg2video", name) == FileContent::video);
    }
    CHECK(written("libx265", "a.hevc") == FileContent::video);
    CHECK(written("mpeg4", "a.nut") == FileContent::video);
    CHECK(written("libvpx", "a.webm") == FileContent::video);
    CHECK(written("libvpx", "a.ivf") == FileContent::video);
    CHECK(written("wmv2", "a.wmv", "asf") == FileContent::video);
    if (has_encoder("libtheora")) CHECK(written("libtheora", "a.ogv") == FileContent::video);
    // Sound alone, and what looks alike.
    CHECK(content(std::string("\0\0\0\x20", 4) + "ftypM4A ") == FileContent::other);
    CHECK(content("RIFF\x24\x08 WAVEfmt ") == FileContent::other);
    CHECK(content("OggS") == FileContent::other);
    CHECK(content("Go on") == FileContent::other);
    CHECK(content("") == FileContent::other);
}
