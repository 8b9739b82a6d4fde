// Videos in archives: their frames are images.

#include <cstdlib>
#include <optional>

#include "tests/lib/inputs/archive_cases.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/video/mp4_boxes.hpp"
#include "tests/support/video/video_maker.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

/// The folder for temporary files, for one scope.
class TemporaryFolder {
  public:
    explicit TemporaryFolder(const fs::path& folder) {
        if (const char* const before = std::getenv("TMPDIR")) before_ = before;
        ::setenv("TMPDIR", folder.c_str(), 1);
    }
    ~TemporaryFolder() {
        if (before_) {
            ::setenv("TMPDIR", before_->c_str(), 1);
        } else {
            ::unsetenv("TMPDIR");
        }
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  private:
    std::optional<std::string> before_;
};

struct Clips {
    Clips() {
        VideoPlan plan;
        plan.frames = 5;
        plan.options = {{"preset", "ultrafast"}};
        fs::create_directories(dir.path() / "plain/sub");
        make_video(dir.path() / "plain/sub/one.mp4", plan);
        plan.frames = 3;
        plan.width = 96;
        make_video(dir.path() / "plain/two.mkv", plan);
        plan.encoder = "mpeg2video";
        plan.options.clear();
        plan.frames = 4;
        make_video(dir.path() / "plain/three.mpg", plan);  // its frames are counted by decoding
        members = {{"sub/one.mp4", bytes("sub/one.mp4")},
                   {"still.pgm", edge_pgm(40, 30)},
                   {"three.mpg", bytes("three.mpg")},
                   {"two.mkv", bytes("two.mkv")}};
    }
    std::string bytes(const std::string& name) const { return read_file_bytes(dir.path() / "plain" / name); }

    TempDir dir;
    std::vector<TestMember> members;
};

/// The frame, or why it is not read.
std::string frame_at(const ImageInputs& inputs, std::size_t i) {
    try {
        const auto file = inputs.open(i);
        std::optional<GreyImage> image = file->take_decoded();
        if (!image) return "no frame of " + std::to_string(file->size()) + " bytes";
        return std::string(image->pixels.begin(), image->pixels.end());
    } catch (const Error& error) {
        return std::string("unreadable: ") + error.what();
    }
}

std::vector<std::string> frames_of(const ImageList& list) {
    const auto inputs = list.open_from(0);
    std::vector<std::string> all;
    for (std::size_t i = 0; i < list.size(); ++i) all.push_back(frame_at(*inputs, i));
    return all;
}

std::string one_frame(const ImageList& list, const std::string& name) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list.name(i) == name) return frame_at(*list.open_from(i), i);
    }
    return "there is no " + name;
}

struct Kind {
    TestArchive format;
    TestPacking packing;
    const char* name;
    bool is_in_place;
};

const std::vector<Kind> kinds{{TestArchive::ustar, TestPacking::none, "x.tar", true},
                              {TestArchive::pax, TestPacking::none, "x.tar", true},
                              {TestArchive::gnu_tar, TestPacking::gzip, "x.tar.gz", false},
                              {TestArchive::ustar, TestPacking::bzip2, "x.tar.bz2", false},
                              {TestArchive::ustar, TestPacking::xz, "x.tar.xz", false},
                              {TestArchive::pax, TestPacking::zstd, "x.tar.zst", false},
                              {TestArchive::zip, TestPacking::none, "x.zip", false},
                              {TestArchive::zip_stored, TestPacking::none, "x.zip", true}};

}  // namespace

TEST_CASE("frames of videos in archives are those of the files", "[archive][video]") {
    const Clips clips;
    const ImageList plain = list_of((clips.dir.path() / "plain").string());
    REQUIRE(plain.size() == 12);
    for (const Kind& kind : kinds) {
        CAPTURE(kind.name, static_cast<int>(kind.format), static_cast<int>(kind.packing));
        const fs::path folder = clips.dir.path() / "archives";
        fs::create_directories(folder);
        const fs::path file = write_archive(folder / kind.name, clips.members, kind.format, kind.packing);
        const ImageList list = list_of(file.string());
        REQUIRE(list.size() == 13);
        CHECK(list.skipped().empty());
        CHECK(list.name(0) == "sub/one.mp4#000000");
        CHECK(list.name(5) == "still.pgm");
        CHECK(list.name(6) == "three.mpg#000000");
        CHECK(list.name(12) == "two.mkv#000002");
        CHECK(list.video_name(0) == "sub/one.mp4");
        CHECK(list.file(0) == file / "sub/one.mp4");
        CHECK(list.frame(6)->video->counted_by_decoding);
        const std::vector<std::string> frames = frames_of(list);
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (i != 5) CHECK(frames[i] == one_frame(plain, std::string(list.name(i))));
        }
        CHECK(frames[5] == "no frame of " + std::to_string(clips.members[1].bytes.size()) + " bytes");
        // Any order; what is packed is unpacked again.
        CHECK(one_frame(list, "two.mkv#000001") == frames[11]);
        CHECK(one_frame(list, "sub/one.mp4#000004") == frames[4]);
        // A list that a job kept.
        const ImageList again = ImageList::from_bytes(list.to_bytes());
        CHECK(frames_of(again) == frames);
        CHECK(again.to_bytes() == list.to_bytes());
        // In a folder, the archive is a folder.
        const ImageList in_folder = list_of(folder.string());
        CHECK(in_folder.name(0) == std::string(kind.name) + "/sub/one.mp4#000000");
        CHECK(frames_of(in_folder) == frames);
        // The selection of frames.
        DatasetOptions options;
        options.frames.every = 2;
        CHECK(names_of(list_of(file.string(), options)).at(2) == "sub/one.mp4#000004");
        options = {};
        options.limit = 2;
        CHECK(list_of(file.string(), options).size() == 2);
        // Bytes that lie in place need no room.
        const TemporaryFolder temporary(clips.dir.path() / "none");
        const ImageList without = list_of(file.string());
        if (kind.is_in_place) {
            CHECK(frames_of(without) == frames);
        } else {
            CHECK(names_of(without) == std::vector<std::string>{"still.pgm"});
            CHECK_THAT(reason_of(without, "two.mkv"), Contains("none': No such file") && Contains("TMPDIR"));
        }
        fs::remove_all(folder);
    }
}

TEST_CASE("nothing is left of videos that were unpacked", "[archive][video]") {
    const Clips clips;
    const fs::path temporary = clips.dir.path() / "temporary";
    fs::create_directories(temporary);
    const TemporaryFolder scope(temporary);
    const auto file =
        write_archive(clips.dir.path() / "x.tar.gz", clips.members, TestArchive::ustar, TestPacking::gzip);
    const ImageList list = list_of(file.string());
    const auto inputs = list.open_from(0);
    CHECK(frame_at(*inputs, 0).size() == 64 * 48);
    CHECK(fs::is_empty(temporary));
}

TEST_CASE("videos in archives that cannot be read are left out with a reason", "[archive][video]") {
    const Clips clips;
    const auto path = [&](const std::string& name) { return clips.dir.path() / name; };
    const std::string clip = clips.bytes("two.mkv");
    // No video, none of its bytes, and a packed stream of zeros that would fill the disk.
    std::vector<TestMember> members{{"text.mp4", "This is no video."}, {"empty.mp4", ""}, {"good.mkv", clip}};
    for (const TestPacking packing : {TestPacking::none, TestPacking::gzip}) {
        const ImageList list =
            list_of(write_archive(path("bad.tar"), members, TestArchive::pax, packing).string());
        CHECK(list.size() == 3);
        CHECK(reason_of(list, "text.mp4") == "is no video that can be read");
        CHECK(reason_of(list, "empty.mp4") == "is no video that can be read");
    }
    members = {{"bomb.mp4", std::string(std::size_t{80} << 20, '\0')}, {"good.mkv", clip}};
    for (const auto& [format, packing, name] :
         {std::tuple{TestArchive::pax, TestPacking::gzip, "bomb.tar.gz"},
          std::tuple{TestArchive::zip, TestPacking::none, "bomb.zip"}}) {
        const ImageList list = list_of(write_archive(path(name), members, format, packing).string());
        CHECK(list.size() == 3);
        CHECK(
            reason_of(list, "bomb.mp4") ==
            "would take 80 MiB unpacked, more than 100 times as much as its whole archive; if that is right, "
            "unpack the archive");
    }
    const ImageList encrypted =
        list_of(write_archive(path("secret.zip"), {{"a.pgm", edge_pgm(20, 20)}, {"clip.mkv", clip}},
                              TestArchive::zip_encrypted)
                    .string());
    CHECK(names_of(encrypted) == std::vector<std::string>{"a.pgm"});
    CHECK(reason_of(encrypted, "clip.mkv") == "is encrypted; unpack the archive with its password");
    // An archive that was cut off within its video.
    const std::string whole = read_file_bytes(write_archive(
        path("cut.tar.gz"), {{"a.pgm", edge_pgm(20, 20)}, {"clip.mkv", clip + test_bytes(7, 4 << 20)}},
        TestArchive::ustar, TestPacking::gzip));
    clips.dir.write("cut.tar.gz", whole.substr(0, whole.size() / 2));
    const ImageList cut = list_of(path("cut.tar.gz").string());
    CHECK(names_of(cut) == std::vector<std::string>{"a.pgm"});
    CHECK_THAT(reason_of(cut, "clip.mkv"), Contains("cannot be unpacked: truncated"));
    CHECK_THAT(
        message_of([&] {
            list_of(write_archive(path("none.tar"), {{"text.mp4", "text"}}, TestArchive::ustar).string());
        }),
        Contains("none.tar' holds no image and no video that can be read: text.mp4 is no video"));
}

TEST_CASE("an archive that changes after its videos were listed is told", "[archive][video]") {
    const Clips clips;
    const auto outcome = [&](TestArchive format, TestPacking packing) {
        const fs::path file = clips.dir.path() / "x.tar";
        write_archive(file, clips.members, format, packing);
        const ImageList list = list_of(file.string());
        write_archive(file, {{"a.pgm", edge_pgm(20, 20)}, {"b.mkv", clips.bytes("two.mkv")}}, format,
                      packing);
        return one_frame(list, "three.mpg#000000");
    };
    CHECK_THAT(outcome(TestArchive::ustar, TestPacking::none),
               Contains("has changed since") || Contains("is no video that can be read"));
    CHECK(outcome(TestArchive::ustar, TestPacking::gzip) ==
          "unreadable: the archive has changed since its videos were listed");
}
