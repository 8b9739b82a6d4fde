#include "lib/core/error.hpp"
#include "lib/dataset/formats/write_dataset.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

Face tracked_face(const std::string& track, const Box& box) {
    Face face;
    face.box = box;
    if (!track.empty()) face.attributes = {{"track", track}};
    return face;
}

Dataset two_sequences() {
    Dataset dataset;
    dataset.name = "set";
    for (const char* image :
         {"A/img1/000001.jpg", "A/img1/000002.jpg", "A/img1/000004.jpg", "b.mp4#000000"}) {
        Sample& sample = dataset.samples.emplace_back();
        sample.image = image;
        sample.annotated = true;
        sample.size = ImageSize{640, 480};
        sample.faces = {tracked_face("7", {1.5, -2, 30, 40})};
    }
    dataset.samples[1].faces.push_back(tracked_face("3", {50, 2, 30, 40}));
    dataset.samples[1].faces[1].ignore = true;
    return dataset;
}

WrittenDataset render(const Dataset& dataset, std::vector<std::string>& losses) {
    return render_dataset(
        dataset, "mot", [](const Sample&) { return std::optional<ImageSize>(); }, losses);
}

}  // namespace

TEST_CASE("a dataset is written as MOTChallenge has it, and read back", "[convert][mot]") {
    const Dataset dataset = two_sequences();
    std::vector<std::string> losses;
    const WrittenDataset written = render(dataset, losses);
    CHECK(losses == std::vector<std::string>{"4 images are numbered, as img1/000001.jpg and so on."});
    CHECK(written.is_folder);
    CHECK(written.faces == 5);
    REQUIRE(written.files.size() == 4);
    CHECK(written.files[0].name == "A/gt/gt.txt");
    CHECK(written.files[0].bytes ==
          "1,7,1.5,-2,30,40,1,1,1\n2,7,1.5,-2,30,40,1,1,1\n2,3,50,2,30,40,0,8,1\n4,7,1.5,-2,30,40,1,1,1\n");
    CHECK_THAT(written.files[1].bytes, Contains("seqLength=4\nimWidth=640\nimHeight=480\n"));
    const TempDir folder;
    for (const auto& file : written.files) folder.write(file.name, file.bytes);
    const Dataset again = read_dataset("mot:" + folder.path().string());
    REQUIRE(again.samples.size() == 5);
    CHECK(again.samples[3].image == "A/img1/000004.jpg");
    CHECK(again.samples[1].faces.at(1).ignore);
    CHECK(again.samples[1].faces[1].box == Box{50, 2, 30, 40});
    CHECK(again.samples[4].image == "b/img1/000001.jpg");
}

TEST_CASE("images without annotation are none in a sequence that is written", "[convert][mot]") {
    Dataset dataset = two_sequences();
    dataset.samples[1].annotated = false;
    dataset.samples[1].faces.clear();
    std::vector<std::string> losses;
    const WrittenDataset written = render(dataset, losses);
    CHECK(written.files[0].bytes ==
          "# annotated frames: 1, 4\n1,7,1.5,-2,30,40,1,1,1\n4,7,1.5,-2,30,40,1,1,1\n");
    CHECK(written.files[2].bytes == "1,7,1.5,-2,30,40,1,1,1\n");
    const TempDir folder;
    for (const auto& file : written.files) folder.write(file.name, file.bytes);
    const Dataset again = read_dataset("mot:" + folder.path().string());
    REQUIRE(again.samples.size() == 5);
    CHECK(again.samples[0].annotated);
    CHECK_FALSE(again.samples[1].annotated);
    CHECK_FALSE(again.samples[2].annotated);
    CHECK(again.samples[3].annotated);
}

TEST_CASE("a box of no confidence is written and read as one", "[convert][mot]") {
    const TempDir folder;
    folder.write("A/gt/gt.txt", "1,7,0,0,9,9,0,1,1\n1,8,20,0,9,9,0,8,1\n1,9,40,0,9,9,1,1,1\n");
    const Dataset dataset = read_dataset("mot:" + (folder.path() / "A").string());
    REQUIRE(dataset.samples[0].faces.size() == 3);
    CHECK(find_attribute(dataset.samples[0].faces[0].attributes, "confidence") != nullptr);
    CHECK(dataset.samples[0].faces[0].ignore);
    CHECK(find_attribute(dataset.samples[0].faces[1].attributes, "confidence") == nullptr);
    CHECK(dataset.samples[0].faces[1].ignore);
    std::vector<std::string> losses;
    CHECK(render(dataset, losses).files[0].bytes ==
          "1,7,0,0,9,9,0,1,1\n1,8,20,0,9,9,0,8,1\n1,9,40,0,9,9,1,1,1\n");
}

TEST_CASE("tracks that are no numbers are numbered; without tracks a frame has one face", "[convert][mot]") {
    Dataset dataset = two_sequences();
    dataset.samples[0].faces[0].attributes[0].value = "Bob";
    std::vector<std::string> losses;
    // "3", "7" and "Bob" of A.
    CHECK(render(dataset, losses).files[0].bytes ==
          "1,3,1.5,-2,30,40,1,1,1\n2,2,1.5,-2,30,40,1,1,1\n2,1,50,2,30,40,0,8,1\n4,2,1.5,-2,30,40,1,1,1\n");
    CHECK_THAT(losses.at(1), Contains("1 sequence has tracks that are no numbers"));
    dataset = two_sequences();
    for (Sample& sample : dataset.samples) sample.faces = {tracked_face("", {0, 0, 9, 9})};
    CHECK(render(dataset, losses).files[2].bytes == "1,1,0,0,9,9,1,1,1\n");
    dataset.samples[0].faces.push_back(dataset.samples[0].faces[0]);
    CHECK_THROWS_WITH(render(dataset, losses), Contains("A/img1/000001.jpg") && Contains("has no track"));
}
