#include "lib/dataset/passed_over.hpp"

#include <catch2/catch.hpp>

using namespace fovea;

TEST_CASE("files that are no images are counted by extension", "[dataset]") {
    PassedOver files;
    CHECK(files.sentence_of_pictures().empty());
    CHECK(files.sentence_of_others().empty());
    files.add("a.txt");
    CHECK(files.sentence_of_others() == "1 file is no image and was passed over: 1 txt");
    for (const char* name :
         {"b/IMG_1.PSD", "b/IMG_2.psd", "c.Exr", "d.xmp", "e.XMP", "README", "g.", "h.tar.txt"})
        files.add(name);
    CHECK(files.pictures() == PassedOver::Counts{{"exr", 1}, {"psd", 2}});
    CHECK(files_in(files.pictures()) == 3);
    CHECK(files.sentence_of_pictures() ==
          "3 files are pictures in formats that are not read, and were left out: 2 psd, 1 exr");
    CHECK(files.sentence_of_others() ==
          "6 files are no images and were passed over: 2 txt, 2 without an extension, 2 xmp");
    CHECK(files.others() == PassedOver::Counts{{"txt", 2}, {"without an extension", 2}, {"xmp", 2}});
    for (char c = 'a'; c <= 'l'; ++c) files.add(std::string("x.q") + c);
    CHECK(files.sentence_of_others().ends_with("1 qg, 5 of other kinds"));
}
