#include "lib/inputs/passed_over.hpp"

#include <catch2/catch.hpp>

using namespace fovea;

TEST_CASE("files that are no images are counted by extension", "[inputs]") {
    PassedOver files;
    CHECK(files.photographs().empty());
    CHECK(files.others().empty());
    files.add("a.txt");
    CHECK(files.others() == "1 file is no image and was passed over: 1 txt");
    for (const char* name :
         {"b/IMG_1.PSD", "b/IMG_2.psd", "c.Exr", "d.xmp", "e.XMP", "README", "f.d/g", "h.tar.txt"})
        files.add(name);
    CHECK(files.photographs() ==
          std::vector<SkippedInput>{{"*.exr", "1 file in a format that is not read"},
                                    {"*.psd", "2 files in a format that is not read"}});
    CHECK(files.others() ==
          "6 files are no images and were passed over: 2 without an extension, 2 txt, 2 xmp");
    CHECK(files.counts_of_others() ==
          std::map<std::string, std::size_t>{{"txt", 2}, {"without an extension", 2}, {"xmp", 2}});
    for (char c = 'a'; c <= 'l'; ++c) files.add(std::string("x.q") + c);
    CHECK(files.others().ends_with("1 qg, 5 of other kinds"));
}
