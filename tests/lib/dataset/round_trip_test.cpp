// What is written in a format that is read comes back, as far as the losses say nothing else.
#include <cmath>

#include "lib/core/file.hpp"
#include "lib/dataset/write_dataset.hpp"
#include "lib/pipeline/publish.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

/// Two images with faces at whole pixels, and their (empty) files in a folder.
struct Original {
    Original() {
        folder.write("set/ann/Ann_0001.jpg", "");
        folder.write("set/bob/Bob_0002.jpg", "");
        dataset.name = "original";
        dataset.root = folder.path() / "set";
        for (const char* image : {"ann/Ann_0001.jpg", "bob/Bob_0002.jpg"}) {
            Sample sample;
            sample.image = image;
            sample.path = dataset.root / image;
            sample.annotated = true;
            sample.size = ImageSize{64, 48};
            Face face;
            face.landmarks = {{5, 6}, {20, 7}, {12, 30}};
            face.box = {5, 6, 15, 24};
            sample.faces = {face};
            dataset.samples.push_back(sample);
        }
    }

    /// The dataset written and read again, with the images where they are. \param file where in the folder.
    Dataset again(const std::string& format, const std::string& file = "written") const {
        std::vector<std::string> losses;
        publish(render_dataset(dataset, format, {}, losses), folder.path() / file, &dataset, {});
        DatasetOptions options;
        options.root = dataset.root;
        return read_dataset(format + ":" + (folder.path() / file).string(), options);
    }

    TempDir folder;
    Dataset dataset;
};

void check_same_boxes(const Dataset& a, const Dataset& b) {
    REQUIRE(images_of(a) == images_of(b));
    for (std::size_t i = 0; i < a.samples.size(); ++i) {
        CAPTURE(a.samples[i].image);
        REQUIRE(a.samples[i].faces.size() == b.samples[i].faces.size());
        for (std::size_t k = 0; k < a.samples[i].faces.size(); ++k) {
            CHECK(a.samples[i].faces[k].box == b.samples[i].faces[k].box);
            CHECK(a.samples[i].faces[k].ignore == b.samples[i].faces[k].ignore);
        }
    }
}

}  // namespace

TEST_CASE("written and read again: fovea", "[convert]") {
    Original original;
    original.dataset.samples[0].faces[0].attributes = {{"blur", "heavy"}};
    original.dataset.pairs = {{0, 1, false, 0}};
    const Dataset read = original.again("fovea");
    check_same_boxes(read, original.dataset);
    CHECK(read.samples[0].faces[0].attributes == original.dataset.samples[0].faces[0].attributes);
    CHECK(read.samples[0].path == original.dataset.samples[0].path);
    CHECK(read.pairs.size() == 1);
}

TEST_CASE("written and read again: dlib", "[convert]") {
    Original original;
    original.dataset.samples[0].faces.push_back(original.dataset.samples[0].faces[0]);
    original.dataset.samples[0].faces[1].box.x = -3;
    original.dataset.samples[0].faces[1].ignore = true;
    original.dataset.samples[1].subject = "bob & co";
    const Dataset read = original.again("dlib", "written.xml");
    check_same_boxes(read, original.dataset);
    CHECK(read.samples[0].faces[0].landmarks == original.dataset.samples[0].faces[0].landmarks);
    CHECK(read.samples[1].subject == "bob & co");
}

TEST_CASE("written and read again: pts, beside the images", "[convert]") {
    Original original;
    const Dataset read = original.again("pts", "set");
    check_same_boxes(read, original.dataset);
    CHECK(read.samples[1].faces[0].landmarks == original.dataset.samples[1].faces[0].landmarks);
}

TEST_CASE("written and read again: MIT+CMU boxes", "[convert]") {
    Original original;
    original.dataset.samples[0].faces[0].box.x = 1.0 / 3;
    check_same_boxes(original.again("mit-cmu-boxes"), original.dataset);
}

TEST_CASE("written and read again: FERET coordinates", "[convert]") {
    Original original;
    original.dataset.samples[0].eyes = Eyes{{6, 10}, {18.5, 11}};
    original.dataset.samples[1].eyes = Eyes{{7, 10}, {17, 9}};
    const Dataset read = original.again("feret", "coords.txt");
    REQUIRE(images_of(read) == images_of(original.dataset));
    CHECK(read.samples[0].eyes == original.dataset.samples[0].eyes);
    CHECK(read.samples[1].eyes == original.dataset.samples[1].eyes);
}

TEST_CASE("a folder's files take their places together, and never that of an input", "[convert]") {
    const Original original;
    const auto folder = original.folder.path() / "out";
    OutputFiles files{true, {{"a.txt", "a"}, {"deep/b.txt", "b"}}};
    publish(files, folder, nullptr, {});
    CHECK(read_file(folder / "deep/b.txt") == "b");
    // The second one cannot be written: the first one stays as it was.
    files.files[0].bytes = "new";
    files.files[1].name = "a.txt/b.txt";
    CHECK_THROWS_AS(publish(files, folder, nullptr, {}), UsageError);
    CHECK(read_file(folder / "a.txt") == "a");
    CHECK_FALSE(std::filesystem::exists(folder / "a.txt.part"));

    files.files[1].name = "deep/b.txt";
    CHECK_THROWS_WITH(publish(files, folder, nullptr, {folder / "deep/b.txt"}),
                      Catch::Contains("also an input"));
    Dataset dataset = original.dataset;
    dataset.sources = {folder / "a.txt"};
    CHECK_THROWS_WITH(publish(files, folder, &dataset, {}), Catch::Contains("also an input"));
    CHECK(read_file(folder / "a.txt") == "a");
    CHECK_THROWS_AS(publish(files, "-", nullptr, {}), UsageError);
    CHECK_THROWS_WITH(publish(files, folder / "a.txt", nullptr, {}), Catch::Contains("cannot be made"));
}
