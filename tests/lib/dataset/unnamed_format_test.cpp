#include "lib/dataset/unnamed_format.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/edge_scene.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

bool begins(const std::string& text) {
    const std::vector<std::uint8_t> head(text.begin(), text.end());
    return content_of(head) == FileContent::image;
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
    const auto is_image = [&](const char* name) {
        return is_unnamed_image(name, content_of(dir.path() / name));
    };
    CHECK(is_image("photo"));
    for (const char* name : {"notes", "photo.old", "absent", "folder"}) CHECK_FALSE(is_image(name));
}
