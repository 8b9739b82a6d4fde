#include "lib/dataset/video_sequences.hpp"

using namespace fovea;
using Numbers = std::vector<std::int64_t>;

namespace {

std::vector<VideoSequence> sequences_of(const std::vector<std::string>& images,
                                        const std::filesystem::path& root = "/sets/A") {
    Dataset dataset;
    dataset.root = root;
    for (const std::string& image : images) dataset.samples.emplace_back().image = image;
    return video_sequences(dataset);
}

}  // namespace

TEST_CASE("the frames of videos are sequences", "[dataset]") {
    const std::vector<VideoSequence> sequences =
        sequences_of({"b.mp4#000000", "x/a.mp4#000007", "b.mp4#000002", "x/a.mp4#000009"});
    REQUIRE(sequences.size() == 2);
    CHECK(sequences[0].name == "b");
    CHECK(sequences[0].samples == std::vector<std::size_t>{0, 2});
    CHECK(sequences[0].frames == Numbers{0, 2});
    CHECK(sequences[1].name == "x/a");
    CHECK(sequences[1].frames == Numbers{7, 9});
}

TEST_CASE("videos of one name are called by their folders", "[dataset]") {
    const std::vector<VideoSequence> sequences = sequences_of({"114/vid.avi#000000", "203/vid.avi#000000"});
    REQUIRE(sequences.size() == 2);
    CHECK(sequences[0].name == "114");
    CHECK(sequences[1].name == "203");
    CHECK(sequences_of({"114/vid.avi#000000"})[0].name == "114/vid");
    // Names that would be equal keep their endings.
    const std::vector<VideoSequence> equal = sequences_of({"a.mp4#000000", "a.avi#000000"});
    CHECK(equal[0].name == "a");
    CHECK(equal[1].name == "a.avi");
}

TEST_CASE("the images of a folder are a sequence, numbered by their names", "[dataset]") {
    const std::vector<VideoSequence> sequences =
        sequences_of({"A/img1/000001.jpg", "A/img1/000005.jpg", "B/img1/000001.jpg", "C/x.jpg", "C/3.jpg"});
    REQUIRE(sequences.size() == 3);
    CHECK(sequences[0].name == "A");
    CHECK(sequences[0].frames == Numbers{0, 4});
    CHECK(sequences[1].name == "B");
    CHECK(sequences[2].name == "C");
    CHECK(sequences[2].frames == Numbers{0, 1});  // not all are numbers
    CHECK(sequences_of({"img1/000002.jpg"})[0].name == "A");
    CHECK(sequences_of({"000002.jpg"}, "/")[0].name == "sequence");
    CHECK(sequences_of({}).empty());
}

TEST_CASE("pictures of a video are numbered by their names, of however many digits", "[dataset][spelling]") {
    const auto frames = [](const std::vector<std::string>& images) { return sequences_of(images)[0].frames; };
    CHECK(frames({"1.jpg", "2.jpg", "10.jpg"}) == Numbers{0, 1, 9});
    CHECK(frames({"0001.jpg", "02.png", "10.jpg.gz"}) == Numbers{0, 1, 9});
    CHECK(frames({"000.jpg", "001.jpg", "005.jpg"}) == Numbers{0, 1, 5});
    // Others in natural order, whatever the order of the list.
    CHECK(frames({"f10.jpg", "f9.jpg", "f100.jpg"}) == Numbers{1, 0, 2});
    CHECK(frames({"f_0.jpg", "f_2.jpg"}) == Numbers{0, 2});
    CHECK(frames({"a2.jpg", "b1.jpg", "a10.jpg"}) == Numbers{0, 2, 1});
    CHECK(frames({"20190101000000000001.jpg", "20190101000000000000.jpg"}) == Numbers{1, 0});
    CHECK(frames({"1.jpg", "01.jpg", "2.jpg"}) == Numbers{1, 0, 2});
    CHECK(frames({"b.jpg", "a.jpg"}) == Numbers{0, 1});
    // A number up to the known count of frames is a frame.
    CHECK(frames_of_names({"f_0007.jpg", "f_9.jpg"}, 10) == Numbers{6, 8});
    CHECK(frames_of_names({"f_101.jpg", "f_102.jpg"}, 100) == Numbers{0, 1});
    CHECK(frames_of_names({"101.jpg", "102.jpg"}, 100) == Numbers{0, 1});
}
