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

TEST_CASE("pictures and videos under names of other files are lost", "[dataset]") {
    PassedOver files;
    files.add("a.thm", FileContent::image);
    CHECK(files.sentence_of_misnamed() ==
          "1 file is a picture or a video by its content, but not by its name, and was left out: 1 thm");
    files.add("b/c.xyz", FileContent::video);
    files.add("d.THM", FileContent::image);
    files.add("e.psd", FileContent::other);
    files.add("f.txt");
    CHECK(files.misnamed() == PassedOver::Counts{{"thm", 2}, {"xyz", 1}});
    CHECK(files.sentence_of_misnamed() ==
          "3 files are pictures or videos by their content, but not by their names, and were left out: 2 "
          "thm, 1 "
          "xyz");
    CHECK(files.lost_files() == 4);
    CHECK(files.others() == PassedOver::Counts{{"txt", 1}});
    CHECK(files.sentences().size() == 3);
}
