#include <map>

#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/lib/dataset/readers/video/small_videos.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Names = std::vector<std::string>;

namespace {

/// 68 points, the first at (x, 100): i-th (x + i, 100 - i).
std::string points(int x) {
    std::string text = "version: 1\nn_points: 68\n{\n";
    for (int i = 0; i < 68; ++i) text += std::to_string(x + i) + " " + std::to_string(100 - i) + "\n";
    return text + "}\n";
}

void write_sequence(const TempDir& dir, const std::string& name, int frames) {
    dir.write(name + "vid.y4m", small_video(frames));
    for (int i = 1; i <= frames; ++i) dir.write(name + "annot/00000" + std::to_string(i) + ".pts", points(i));
}

std::string category_of(const Sample& sample) {
    const std::string* const category = find_attribute(sample.attributes, "category");
    return category == nullptr ? "none" : *category;
}

std::string error_of_folder(const std::filesystem::path& folder) {
    return error_of("300vw:" + folder.string());
}

}  // namespace

TEST_CASE("300vw: folders of sequences, with points by frames and categories", "[dataset][300vw]") {
    const TempDir dir;
    write_sequence(dir, "004/", 2);
    write_sequence(dir, "114/", 1);
    write_sequence(dir, "203/", 1);
    write_sequence(dir, "410/", 1);
    dir.write("readme/readme.txt", "x");
    const Dataset dataset = read_dataset("300vw:" + dir.path().string());
    CHECK(dataset.format == "300vw");
    CHECK(images_of(dataset) == Names{"004/vid.y4m#000000", "004/vid.y4m#000001", "114/vid.y4m#000000",
                                      "203/vid.y4m#000000", "410/vid.y4m#000000"});
    CHECK(dataset.warnings.empty());
    CHECK(dataset.sources.size() == 5);
    CHECK(category_of(dataset.samples[0]) == "none");
    CHECK(category_of(dataset.samples[2]) == "1");
    CHECK(category_of(dataset.samples[3]) == "2");
    CHECK(category_of(dataset.samples[4]) == "3");

    const Sample& second = dataset.samples[1];
    CHECK(second.annotated);
    REQUIRE(second.frame);
    CHECK(second.frame->number == 1);
    CHECK(*find_attribute(second.attributes, "video") == "004/vid.y4m");
    REQUIRE(second.faces.size() == 1);
    const Face& face = second.faces[0];
    CHECK(face.box == Box{2, 33, 67, 67});
    CHECK(face.landmarks.size() == 68);
    CHECK(face.landmarks[67] == Point{69, 33});
    // Points 37 to 42 are 38 to 43 in x and 64 to 59 in y.
    REQUIRE(face.eyes);
    CHECK(face.eyes->left.x == Approx(40.5));
    CHECK(face.eyes->left.y == Approx(61.5));
    CHECK(second.eyes == face.eyes);

    // The format need not be named.
    CHECK(read_dataset(dir.path().string()).format == "300vw");
    const Dataset one = read_dataset((dir.path() / "114").string());
    CHECK(one.format == "300vw");
    CHECK(images_of(one) == Names{"vid.y4m#000000"});
    CHECK(category_of(one.samples[0]) == "1");
    CHECK(category_of(read_dataset("300vw:" + (dir.path() / "410/").string()).samples[0]) == "3");
}

TEST_CASE("300vw: the lists of the test set hold 31, 19 and 14 sequences", "[dataset][300vw]") {
    const TempDir dir;
    for (int i = 1; i <= 600; ++i) dir.write(std::to_string(i) + "/annot/1.pts", "1 2\n");
    std::map<std::string, int> sequences;
    for (const Sample& sample : read_dataset("300vw:" + dir.path().string()).samples)
        ++sequences[category_of(sample)];
    CHECK(sequences == std::map<std::string, int>{{"1", 31}, {"2", 19}, {"3", 14}, {"none", 536}});
}

TEST_CASE("300vw: frames without points are left out, points without frames stay", "[dataset][300vw]") {
    const TempDir dir;
    write_sequence(dir, "", 3);
    std::filesystem::remove(dir.path() / "annot/000002.pts");
    dir.write("annot/000009.pts", points(9));
    dir.write("annot/._000009.pts", "of macOS");
    const Dataset dataset = read_dataset("300vw:" + dir.path().string());
    CHECK(images_of(dataset) == Names{"vid.y4m#000000", "vid.y4m#000002", "vid.y4m#000008"});
    CHECK(dataset.samples[1].faces[0].landmarks[0] == Point{3, 100});
    const std::string video = "the video '" + (dir.path() / "vid.y4m").string() + "' (3 frames, 3 annotated)";
    CHECK(dataset.warnings == Names{"1 frame of " + video + " has no annotation and is left out",
                                    "1 annotated frame of " + video + " is not in it and cannot be read"});
}

TEST_CASE("300vw: warnings count the videos", "[dataset][300vw]") {
    const TempDir dir;
    for (const char* name : {"1/", "2/"}) {
        write_sequence(dir, name, 3);
        std::filesystem::remove(dir.path() / name / "annot/000001.pts");
        dir.write(name + std::string("annot/000009.pts"), points(9));
    }
    const std::string videos =
        " of 2 videos (first '" + (dir.path() / "1/vid.y4m").string() + "': 3 frames, 3 annotated)";
    CHECK(read_dataset("300vw:" + dir.path().string()).warnings ==
          Names{"2 frames" + videos + " have no annotation and are left out",
                "2 annotated frames" + videos + " are not in them and cannot be read"});
}

TEST_CASE("300vw: annotation without videos has the names that the set gives", "[dataset][300vw]") {
    const TempDir dir;
    dir.write("004/annot/000001.pts", points(1));
    const Dataset dataset = read_dataset("300vw:" + dir.path().string());
    CHECK(images_of(dataset) == Names{"004/vid.avi#000000"});
    CHECK(dataset.face_count() == 1);
    CHECK(warns(dataset, "1 video is not there; its frames have names and annotation, but no images: " +
                             (dir.path() / "004/vid.avi").string()));
    // A folder like this is not recognised by itself.
    dir.write("004/a.jpg", "x");
    CHECK(read_dataset(dir.path().string()).format == "folder");
}

TEST_CASE("300vw: of several videos vid.avi is the set's", "[dataset][300vw]") {
    const TempDir dir;
    dir.write("a.y4m", small_video(1));
    dir.write("b.y4m", small_video(1));
    dir.write("annot/1.pts", points(1));
    CHECK(is_usage_error("300vw:" + dir.path().string()));
    CHECK(error_of_folder(dir.path()) ==
          "The folder '" + dir.path().string() +
              "' holds several videos and none is named vid.avi; leave the one that annot/ is of.");
    dir.write("vid.avi", small_video(1));
    CHECK(images_of(read_dataset("300vw:" + dir.path().string())) == Names{"vid.avi#000000"});
}

TEST_CASE("300vw: broken sequences are refused with their place", "[dataset][300vw]") {
    const TempDir dir;
    write_sequence(dir, "004/", 1);
    const std::string annot = (dir.path() / "004/annot").string();
    dir.write("004/annot/000002.pts", "1 2\n3\n");
    CHECK(error_of_folder(dir.path()) == annot + "/000002.pts:2: cannot read '3': expected a point, \"x y\"");
    dir.write("004/annot/000002.pts", points(2));
    dir.write("004/annot/2.pts", points(2));
    CHECK(error_of_folder(dir.path()) == "'" + annot + "/000002.pts' and '" + annot +
                                             "/2.pts' are points of the same frame; remove one of them.");
    std::filesystem::remove(dir.path() / "004/annot/2.pts");
    for (const char* name : {"000000", "first", "-1"}) {
        const auto file = dir.write("004/annot/" + std::string(name) + ".pts", points(1));
        CHECK(error_of_folder(dir.path()) ==
              "'" + file.string() +
                  "' is not named by the number of a frame, as 000001.pts is; rename or remove it.");
        std::filesystem::remove(file);
    }
    dir.write("005/annot/readme.txt", "");
    CHECK(error_of_folder(dir.path()) ==
          "'" + (dir.path() / "005/annot").string() + "' holds no .pts file; add those of the frames.");
}

TEST_CASE("300vw: folders without sequences are refused", "[dataset][300vw]") {
    const TempDir dir;
    const auto file = dir.write("a/vid.avi", small_video(1));
    CHECK(is_usage_error("300vw:" + dir.path().string()));
    CHECK_THAT(error_of_folder(dir.path()), Contains("holds no sequence of 300-VW"));
    CHECK(is_usage_error("300vw:" + file.string()));
    CHECK_THAT(error_of_folder(file), Contains("is not a folder; 300vw: needs that of a sequence"));
}
