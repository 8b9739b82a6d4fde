// Videos in lists of images: their frames are images.

#include <set>

#include "lib/inputs/shard.hpp"
#include "tests/lib/inputs/archive_cases.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/video/mp4_boxes.hpp"
#include "tests/support/video/reference_frames.hpp"
#include "tests/support/video/video_maker.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string>;

void make_clip(const fs::path& file, int frames = 6, int gop = 6) {
    fs::create_directories(file.parent_path());
    VideoPlan plan;
    plan.frames = frames;
    plan.gop = gop;
    plan.options = {{"preset", "ultrafast"}, {"x264-params", "scenecut=0"}};
    make_video(file, plan);
}

DatasetOptions selected(const FrameSelection& frames) {
    DatasetOptions options;
    options.frames = frames;
    return options;
}

Names frame_names(const std::string& video, const std::vector<int>& numbers) {
    Names names;
    for (const int number : numbers) names.push_back(frame_name(video, number));
    return names;
}

/// The image, or why it is not read.
std::string outcome(const ImageInputs& inputs, std::size_t i) {
    try {
        std::optional<GreyImage> image = inputs.open(i)->take_decoded();
        if (!image) return "no frame";
        return std::string(image->pixels.begin(), image->pixels.end());
    } catch (const Error& error) {
        return std::string("unreadable: ") + error.what();
    }
}

std::vector<std::string> outcomes(const ImageList& list, std::size_t first = 0) {
    const auto inputs = list.open_from(first);
    std::vector<std::string> all;
    for (std::size_t i = first; i < list.size(); ++i) all.push_back(outcome(*inputs, i));
    return all;
}

void check_same(const ImageList& list, const ImageList& other) {
    REQUIRE(other.size() == list.size());
    CHECK(names_of(other) == names_of(list));
    CHECK(other.names_sha256() == list.names_sha256());
    CHECK(other.is_part() == list.is_part());
    CHECK(other.whole_size() == list.whole_size());
    for (std::size_t i = 0; i < list.size(); ++i) {
        CHECK(other.position(i) == list.position(i));
        CHECK(other.place(i) == list.place(i));
        CHECK(other.video_name(i) == list.video_name(i));
        const std::optional<VideoFrame> a = list.frame(i), b = other.frame(i);
        REQUIRE(a.has_value() == b.has_value());
        if (!a) continue;
        CHECK(a->number == b->number);
        CHECK(a->time_stamp == b->time_stamp);
        CHECK(*a->video == *b->video);
    }
}

}  // namespace

TEST_CASE("videos of a folder stand in its order, frame by frame", "[video][image-list]") {
    const TempDir dir;
    dir.write("photos/2.pgm", edge_pgm(40, 30));
    dir.write("photos/z.pgm", edge_pgm(40, 30));
    make_clip(dir.path() / "photos/b/clip.mp4", 3);
    make_clip(dir.path() / "photos/c.mkv", 2);
    dir.write("photos/d.mp4", "no video");
    const ImageList list = list_of((dir.path() / "photos").string());
    CHECK(names_of(list) == Names{"2.pgm", "b/clip.mp4#000000", "b/clip.mp4#000001", "b/clip.mp4#000002",
                                  "c.mkv#000000", "c.mkv#000001", "d.mp4", "z.pgm"});
    CHECK(list.place(2) == (dir.path() / "photos/b/clip.mp4").string() + "#000001");
    CHECK(list.file(2) == dir.path() / "photos/b/clip.mp4");
    CHECK(list.video_name(2) == "b/clip.mp4");
    CHECK(list.video_name(0).empty());
    REQUIRE(list.frame(3));
    CHECK(list.frame(3)->number == 2);
    CHECK(list.frame(3)->seconds() == 0.08);
    CHECK_FALSE(list.frame(0));

    const std::vector<std::string> read = outcomes(list);
    const std::vector<ReferenceFrame> reference = reference_frames(dir.path() / "photos/b/clip.mp4");
    for (std::size_t i = 0; i < 3; ++i)
        CHECK((read[1 + i] == std::string(reference[i].pixels.begin(), reference[i].pixels.end())));
    CHECK(read[6] == "unreadable: is no video that can be read");
    CHECK(outcomes(list, 3) == std::vector<std::string>(read.begin() + 3, read.end()));
    check_same(list, ImageList::from_bytes(list.to_bytes()));
}

TEST_CASE("a list names videos and frames of them", "[video][image-list]") {
    const TempDir dir;
    make_clip(dir.path() / "clip.mp4");
    make_clip(dir.path() / "other clip.mkv", 4);
    dir.write("a.pgm", edge_pgm(40, 30));
    const auto list_file = [&](const std::string& lines) { return dir.write("l.txt", lines).string(); };

    const ImageList frames =
        list_of(list_file("clip.mp4#000003\na.pgm\nother clip.mkv\nclip.mp4#1\nclip.mp4#000099\n"));
    CHECK(names_of(frames) == Names{"clip.mp4#000003", "a.pgm", "other clip.mkv#000000",
                                    "other clip.mkv#000001", "other clip.mkv#000002", "other clip.mkv#000003",
                                    "clip.mp4#000001", "clip.mp4#000099"});
    CHECK(frames.warnings().empty());
    const std::vector<std::string> read = outcomes(frames);
    const std::vector<ReferenceFrame> reference = reference_frames(dir.path() / "clip.mp4");
    CHECK((read[0] == std::string(reference[3].pixels.begin(), reference[3].pixels.end())));
    CHECK((read[6] == std::string(reference[1].pixels.begin(), reference[1].pixels.end())));
    CHECK(read[7] == "unreadable: the video has no frame of this number");
    check_same(frames, ImageList::from_bytes(frames.to_bytes()));

    // Each frame once, however it is written.
    const ImageList repeated =
        list_of(list_file("clip.mp4#000002\nclip.mp4\nclip.mp4#2\nclip.mp4#000099\nclip.mp4#99\n"));
    Names expected = frame_names("clip.mp4", {2, 0, 1, 3, 4, 5, 99});
    CHECK(names_of(repeated) == expected);
    REQUIRE(repeated.warnings().size() == 1);
    CHECK_THAT(repeated.warnings()[0], Contains("3 frames more than once") && Contains("clip.mp4#000002"));

    // A video that is not there, or none, is an image that cannot be read.
    const ImageList broken = list_of(list_file("absent.mp4\nabsent.mp4#000001\nclip.mp4#000001\n"));
    CHECK(names_of(broken) == Names{"absent.mp4", "absent.mp4#000001", "clip.mp4#000001"});
    CHECK(outcomes(broken)[0] == "unreadable: no such file");
    CHECK_THAT(outcomes(broken)[1], Contains("no such file"));
    // A picture may be named so.
    dir.write("picture.mp4#000001", edge_pgm(40, 30));
    const ImageList picture = list_of(list_file("picture.mp4#000001\n"));
    CHECK_FALSE(picture.frame(0));
    CHECK(bytes_of(*picture.open_from(0), 0) == edge_pgm(40, 30));
}

TEST_CASE("selected frames of videos, and all other images", "[video][image-list]") {
    const TempDir dir;
    make_clip(dir.path() / "clip.mp4", 10);
    dir.write("a.pgm", edge_pgm(40, 30));
    const std::string folder = dir.path().string();
    const auto names = [&](const FrameSelection& selection) {
        return names_of(list_of(folder, selected(selection)));
    };
    const auto with_photo = [](Names frames) {
        frames.insert(frames.begin(), "a.pgm");
        return frames;
    };
    CHECK(names({3, 0, {}, {}}) == with_photo(frame_names("clip.mp4", {0, 3, 6, 9})));
    CHECK(names({1, 10, {}, {}}) == with_photo(frame_names("clip.mp4", {0, 3, 5, 8})));
    CHECK(names({1, 0, 0.12, 0.2}) == with_photo(frame_names("clip.mp4", {3, 4})));
    CHECK(names({1, 0, 9.0, {}}) == Names{"a.pgm"});
    // Numbers stay those of the video; a frame that is named but not selected is left out.
    const auto list = dir.write("l.txt", "clip.mp4#000003\nclip.mp4#000004\n").string();
    CHECK(names_of(list_of(list, selected({2, 0, {}, {}}))) == Names{"clip.mp4#000004"});
    CHECK_THAT(message_of([&] { list_of(list, selected({1, 0, 9.0, {}})); }), Contains("None of the frames"));
    // Pattern and limit come after.
    DatasetOptions options;
    options.pattern = "clip.mp4#00000[1-4]";
    options.limit = 3;
    CHECK(names_of(list_of(folder, options)) == frame_names("clip.mp4", {1, 2, 3}));
}

TEST_CASE("lists with frames as bytes", "[video][image-list]") {
    const TempDir dir;
    make_clip(dir.path() / "clip.mp4", 300, 20);
    // Its clock goes back in the middle, and its pixels are no squares.
    VideoPlan plan;
    plan.frames = 4;
    plan.sample_aspect = {4, 3};
    make_video(dir.path() / "half.ts", plan);
    const std::string half = read_file_bytes(dir.path() / "half.ts");
    fs::remove(dir.path() / "half.ts");
    dir.write("joined.ts", half + half);
    make_clip(dir.path() / "b.mkv", 3);
    dir.write("a.pgm", "x");
    const ImageList list = list_of(dir.path().string());
    REQUIRE(list.frame(4)->video->cuts.size() == 3);
    const VideoSource& joined = *list.frame(list.size() - 1)->video;
    REQUIRE(joined.file.filename() == "joined.ts");
    REQUIRE(joined.clock_breaks == std::vector<ClockBreak>{{4, 4 * 3600}});
    REQUIRE(joined.facts.pixel == PixelShape{4, 3});
    REQUIRE(list.frame(4)->video->max_part_bytes > 0);
    const std::string bytes = list.to_bytes();
    const ImageList back = ImageList::from_bytes(bytes);
    check_same(list, back);
    CHECK(back.to_bytes() == bytes);
    CHECK(outcomes(back) == outcomes(list));
    const ImageList part = list.part([](std::size_t i) { return i % 3 == 1; });
    check_same(part, ImageList::from_bytes(part.to_bytes()));

    for (std::size_t length = 0; length < bytes.size(); ++length)
        CHECK_THROWS_AS(ImageList::from_bytes(bytes.substr(0, length)), Error);
    // Any other byte is refused, or makes a list that can be written again.
    for (std::size_t at = 8; at < bytes.size(); ++at) {
        for (const char other : {'\0', '\1', '\x7f', '\x80', '\xff'}) {
            std::string changed = bytes;
            changed[at] = other;
            try {
                const ImageList made = ImageList::from_bytes(changed);
                const std::string again = made.to_bytes();
                CHECK((ImageList::from_bytes(again).to_bytes() == again));
            } catch (const Error&) {
            }
        }
    }
}

TEST_CASE("broken sections of videos are refused", "[video][image-list]") {
    // "FVIMLIST", version 6, texts (format, specification, root, SHA-256 of names and of a list file), no
    // sources, skipped, warnings, files passed over and archives; one video.
    const auto with_video = [](const std::string& video) {
        return "FVIMLIST" + std::string("\6\0\0\0\0\0\0\0\0\0\0\1", 12) + video +
               std::string("\1\0\0\0\0", 5);
    };
    // Name, file, container, codec, profile, pixel format: empty; stream, clock 1/25, ...
    // Behind the cuts, square pixels, a break of the clock, and no archive.
    const std::string breaks("\1\5\20", 3);
    const auto video = [&](const std::string& clock, char orientation, const std::string& cuts,
                           const std::string& pixel = std::string("\1\1", 2),
                           const std::string& member = std::string(1, '\0')) {
        return std::string(6, '\0') + '\0' + clock + std::string("\0\10\20\20", 4) + orientation +
               std::string("\1\0\0\0\0\0", 6) + cuts + pixel + breaks + member;
    };
    const std::string clock("\1\31", 2), cut("\1\0\0", 3);
    const ImageList good = ImageList::from_bytes(with_video(video(clock, '\1', cut)));
    CHECK(good.size() == 0);
    CHECK(good.to_bytes() == with_video(video(clock, '\1', cut)));
    CHECK_THROWS_WITH(ImageList::from_bytes(with_video(video(std::string("\0\31", 2), '\1', cut))),
                      Contains("no clock"));
    CHECK_THROWS_WITH(ImageList::from_bytes(with_video(video(std::string("\1\0", 2), '\1', cut))),
                      Contains("no clock"));
    CHECK_THROWS_WITH(ImageList::from_bytes(with_video(video(clock, '\0', cut))), Contains("orientation"));
    CHECK_THROWS_WITH(ImageList::from_bytes(with_video(video(clock, '\11', cut))), Contains("more than 8"));
    CHECK_THROWS_WITH(ImageList::from_bytes(with_video(video(clock, '\1', std::string(1, '\0')))),
                      Contains("does not begin"));
    CHECK_THROWS_WITH(ImageList::from_bytes(with_video(video(clock, '\1', std::string("\1\1\0", 3)))),
                      Contains("does not begin"));
    CHECK_THROWS_WITH(ImageList::from_bytes(with_video(video(clock, '\1', std::string("\xff\x7f\0", 3)))),
                      Contains("ends early"));
    for (const std::string& pixel : {std::string("\0\1", 2), std::string("\1\0", 2)}) {
        CHECK_THROWS_WITH(ImageList::from_bytes(with_video(video(clock, '\1', cut, pixel))),
                          Contains("no shape"));
    }
    const std::string square("\1\1", 2);
    CHECK_THROWS_WITH(ImageList::from_bytes(with_video(video(clock, '\1', cut, square, "\3"))),
                      Contains("a number is 3, more than 2"));
    CHECK_THROWS_WITH(ImageList::from_bytes(with_video(video(clock, '\1', cut, square, "\1"))),
                      Contains("names no archive"));
    // An archive, "x" with the prefix "x/": its member 2, of 9 bytes, which is packed, or lies at byte 7.
    const auto with_member = [&](const std::string& member) {
        return "FVIMLIST" + std::string("\6\0\0\0\0\0\0\0\0\0\1\1x\2x/\1", 17) +
               video(clock, '\1', cut, square, member) + std::string("\1\0\0\0\0", 5);
    };
    for (const std::string& member : {std::string("\1\11\0\2", 4), std::string("\2\11\0\2\7\0", 6)})
        CHECK(ImageList::from_bytes(with_member(member)).to_bytes() == with_member(member));
    CHECK_THROWS_WITH(ImageList::from_bytes(with_member(std::string("\1\11\1\2", 4))),
                      Contains("a number is 1, more than 0"));
    CHECK_THROWS_AS(ImageList::from_bytes(with_member(std::string("\2\11\0\2", 4))), Error);
}

TEST_CASE("lists of older versions are still read", "[video][image-list]") {
    const TempDir dir;
    dir.write("a.pgm", "x");
    dir.write("b/c.png", "y");
    std::string bytes = list_of(dir.path().string()).to_bytes();
    REQUIRE(bytes[8] == '\6');
    // There was no SHA-256 of a list file behind that of the names, and no word on sizes and times.
    const std::string sha = list_of(dir.path().string()).names_sha256();
    const std::size_t counts = bytes.find(sha) + sha.size();
    bytes.erase(counts, 1);
    const std::size_t images = bytes.find(std::string("\0\2\0\0\2", 5), counts);
    REQUIRE(images != std::string::npos);
    bytes.erase(images + 3, 1);
    // Behind the count of archives stands that of videos, which was not there; nor was that of files passed
    // over.
    REQUIRE(bytes.substr(counts, 6) == std::string(6, '\0'));
    for (const char version : {'\5', '\4', '\3', '\2', '\1'}) {
        if (version < '\3') bytes.erase(counts, 1);
        bytes[8] = version;
        const ImageList list = ImageList::from_bytes(bytes);
        CHECK(names_of(list) == Names{"a.pgm", "b/c.png"});
        CHECK(list.to_bytes()[8] == '\6');
    }
}

TEST_CASE("the parts of videos go round the shards", "[video][shard]") {
    for (const int count : {1, 2, 3, 7}) {
        for (const char* video : {"clip.mp4", "a/b.mkv"}) {
            const int first = shard_of_frame(video, 0, count);
            CHECK(first == shard_of(video, count));
            for (std::size_t part = 0; part < 20; ++part) {
                const int shard = shard_of_frame(video, part, count);
                CHECK(shard >= 1);
                CHECK(shard <= count);
                CHECK(shard == (first - 1 + static_cast<int>(part)) % count + 1);
            }
        }
    }
}
