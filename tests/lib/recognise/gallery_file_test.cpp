#include <algorithm>
#include <array>
#include <fstream>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/core/error.hpp"
#include "lib/files/descriptor.hpp"
#include "lib/json/json.hpp"
#include "lib/recognise/gallery_edit.hpp"
#include "tests/lib/recognise/gallery_cases.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

// CRC-32 bit by bit, as ISO 3309 defines it.
std::string crc_bytes(const std::string& bytes) {
    std::uint32_t crc = 0xFFFFFFFFU;
    for (const char byte : bytes) {
        crc ^= static_cast<std::uint8_t>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xEDB88320U : crc >> 1;
    }
    crc = ~crc;
    std::string text;
    for (int i = 0; i < 4; ++i) text += static_cast<char>(crc >> (8 * i) & 0xFF);
    return text;
}

// Over no older file: ext4 flushes what replaces the bytes of another, and there are thousands.
void write_bytes(const fs::path& file, const std::string& bytes) {
    fs::remove(file);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

const std::vector<GalleryFace>& three_faces() {
    static const std::vector<GalleryFace> faces = [] {
        std::vector<GalleryFace> list{gallery_face("Ann", "a/1.jpg"), gallery_face("", "2.jpg"),
                                      gallery_face("Bob", "3.jpg", 300)};
        list[1].box.reset();
        list[1].eyes.reset();
        list[1].quality = nullptr;
        list[1].found_by.clear();
        return list;
    }();
    return faces;
}

// The beginnings of a gallery's records, and the file's end.
std::vector<std::uint64_t> record_offsets(const fs::path& file) {
    GalleryRecordReader reader(file);
    std::vector<std::uint64_t> offsets{reader.end()};
    GalleryRecord record;
    while (reader.next(record)) offsets.push_back(reader.end());
    return offsets;
}

struct Files {
    fs::path path(const std::string& name) const { return folder.path() / name; }
    TempDir folder;
};

}  // namespace

TEST_CASE("a gallery's bytes are as documented", "[gallery]") {
    const std::string head = std::string("FACE") + std::string("\x02\0\0\0\x03\0\0\0", 8);
    const std::string record = head + crc_bytes(head) + "{}abc";
    CHECK(gallery_record_bytes(GalleryRecordKind::face, "{}", "abc") == record + crc_bytes(record));
    const std::string header = "FOVEAGAL" + std::string("\x01\0\0\0\x02\0\0\0", 8) + "{}";
    CHECK(gallery_header_bytes("{}") == header + crc_bytes(header));
    const std::string sync = gallery_sync_bytes(0x0102030405);
    CHECK(sync.size() == 28);
    CHECK(sync.substr(0, 12) == std::string("SYNC\0\0\0\0\x08\0\0\0", 12));
    CHECK(sync.substr(16, 8) == std::string("\x05\x04\x03\x02\x01\0\0\0", 8));
}

TEST_CASE("a gallery gives back what was written", "[gallery]") {
    const Files f;
    const fs::path file = f.path("people.fvg");
    write_gallery(file, three_faces());
    const Gallery gallery = read_gallery(file);
    CHECK(same_faces(gallery.faces, three_faces()));
    CHECK(gallery.numbers == std::vector<std::size_t>{1, 2, 3});
    CHECK(gallery.info.version == 1);
    CHECK(gallery.info.fingerprint == feature_fingerprint(small_recogniser()));
    CHECK(recogniser_config_to_json(gallery.info.recogniser) ==
          recogniser_config_to_json(small_recogniser()));
    CHECK(gallery.info.faces == 3);
    CHECK(gallery.info.subjects == 2);
    CHECK(gallery.info.faces_of_subject ==
          std::map<std::string, std::size_t>{{"", 1}, {"Ann", 1}, {"Bob", 1}});
    CHECK(gallery.info.bytes == fs::file_size(file));
    CHECK(gallery.info.torn_bytes == 0);
    CHECK(gallery.info.finished);
    // One byte a count, and two where one does not hold it.
    const std::vector<std::uint64_t> at = record_offsets(file);
    REQUIRE(at.size() == 5);  // and the sync's end
    GalleryRecordReader reader(file);
    GalleryRecord record;
    for (const std::size_t bytes : {59U, 59U, 118U}) {
        REQUIRE(reader.next(record));
        CHECK(record.data.size() == bytes);
    }
    CHECK(at[4] - at[3] == 28);
}

TEST_CASE("texts that are not UTF-8 are kept as they are compared", "[gallery]") {
    const Files f;
    const fs::path file = f.path("g");
    GalleryFace face = gallery_face("J\xE9rome", "caf\xE9.jpg");
    GalleryWriter writer(file, small_recogniser());
    CHECK(writer.append(face));
    CHECK_FALSE(writer.append(face));
    CHECK(read_gallery(file).faces[0].image == "caf\xEF\xBF\xBD.jpg");
    CHECK_FALSE(GalleryWriter(std::move(writer)).append(face));
    CHECK_FALSE(GalleryWriter(file).append(face));
}

TEST_CASE("a face of the same dataset, image and box is taken once", "[gallery]") {
    const Files f;
    GalleryWriter writer(f.path("g"), small_recogniser());
    const GalleryFace face = gallery_face("Ann", "a.jpg");
    CHECK(writer.append(face));
    GalleryFace same = gallery_face("Bob", "a.jpg", 9);
    CHECK_FALSE(writer.append(same));
    same.box->x += 1;
    CHECK(writer.append(same));
    same.box.reset();
    CHECK(writer.append(same));
    CHECK_FALSE(writer.append(same));
    same.dataset = "folder:other";
    CHECK(writer.append(same));
    CHECK(writer.info().faces == 4);
    writer.remove(1);
    CHECK(writer.append(face));
    CHECK(writer.info().faces == 4);
    writer.finish();
    CHECK(read_gallery(f.path("g")).numbers == std::vector<std::size_t>{2, 3, 4, 5});
}

TEST_CASE("faces that cannot be kept are refused", "[gallery]") {
    const Files f;
    GalleryWriter writer(f.path("g"), small_recogniser());
    GalleryFace face = gallery_face("Ann", "a.jpg");
    face.features.pop_back();
    CHECK_THROWS_WITH(writer.append(face), Contains("58 counts of 'a.jpg'") && Contains("59"));
    face = gallery_face("Ann", "a.jpg");
    face.box->w = std::numeric_limits<double>::infinity();
    CHECK_THROWS_WITH(writer.append(face), Contains("box") && Contains("not finite"));
    face = gallery_face("Ann", "a.jpg");
    face.eyes->left.y = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH(writer.append(face), Contains("eyes") && Contains("not finite"));
    CHECK_THROWS_AS(writer.remove(1), std::out_of_range);
    CHECK(read_gallery(f.path("g")).faces.empty());
}

TEST_CASE("a gallery cut off at any byte holds what was whole, and takes more", "[gallery]") {
    const Files f;
    const fs::path file = f.path("g");
    write_gallery(file, three_faces());
    const std::string bytes = read_bytes(file);
    const std::vector<std::uint64_t> at = record_offsets(file);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        CAPTURE(length);
        write_bytes(file, bytes.substr(0, length));
        if (length < at[0]) {
            CHECK_THROWS_AS(read_gallery(file), Error);
            CHECK_THROWS_AS(GalleryWriter(file), Error);
            continue;
        }
        const auto whole = static_cast<std::size_t>(
            std::count_if(at.begin() + 1, at.begin() + 4, [&](std::uint64_t end) { return end <= length; }));
        const Gallery cut = read_gallery(file);
        REQUIRE(
            same_faces(cut.faces, {three_faces().begin(), three_faces().begin() + static_cast<long>(whole)}));
        CHECK(cut.info.torn_bytes == length - at[whole]);
        CHECK_FALSE(cut.info.finished);

        GalleryFace more = gallery_face("Cid", "4.jpg", 1);
        {
            GalleryWriter writer(file);
            CHECK(writer.info().torn_bytes == cut.info.torn_bytes);
            CHECK(writer.append(more));
            if (length % 97 == 0) writer.finish();
        }
        const Gallery again = read_gallery(file);
        REQUIRE(again.faces.size() == whole + 1);
        CHECK(same_faces({again.faces.back()}, {more}));
        CHECK(again.info.torn_bytes == 0);
        CHECK(again.info.finished == (length % 97 == 0));
    }
}

TEST_CASE("no damaged byte of a finished gallery goes unnoticed", "[gallery]") {
    const Files f;
    const fs::path file = f.path("g");
    write_gallery(file, three_faces());
    const std::string bytes = read_bytes(file);
    const std::uint64_t last = record_offsets(file)[3];
    constexpr std::array masks{0x01, 0x80, 0xFF};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        CAPTURE(i);
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ masks[i % masks.size()]);
        write_bytes(file, damaged);
        if (i >= last) {  // the record that says that all is on the disk
            const Gallery gallery = read_gallery(file);
            CHECK(same_faces(gallery.faces, three_faces()));
            CHECK(gallery.info.torn_bytes == 28);
            continue;
        }
        CHECK_THROWS_AS(read_gallery(file), Error);
        if (i % 7 != 0) continue;
        CHECK_THROWS_AS(GalleryWriter(file), Error);
        CHECK(read_bytes(file) == damaged);
    }
}

TEST_CASE("bytes that were lost or added in a gallery are damage, not a torn end", "[gallery]") {
    const Files f;
    const fs::path file = f.path("g");
    write_gallery(file, three_faces());
    const std::string bytes = read_bytes(file);
    const std::vector<std::uint64_t> at = record_offsets(file);
    for (const std::size_t i : {at[0], at[0] + 5, at[1] + 20, at[3] - 1}) {
        CAPTURE(i);
        write_bytes(file, bytes.substr(0, i) + bytes.substr(i + 1));
        CHECK_THROWS_WITH(read_gallery(file), Contains("is damaged"));
        write_bytes(file, bytes.substr(0, i) + "\r" + bytes.substr(i));
        CHECK_THROWS_WITH(read_gallery(file), Contains("is damaged"));
    }
    // A whole record is gone: what follows is where it cannot be.
    write_bytes(file, bytes.substr(0, at[1]) + bytes.substr(at[2]));
    CHECK_THROWS_WITH(read_gallery(file),
                      Contains("record 3, at byte " + std::to_string(at[3] - (at[2] - at[1]))) &&
                          Contains("lost or added"));
}

TEST_CASE("damage is named with its record, its place and what to do", "[gallery]") {
    const Files f;
    const fs::path file = f.path("g");
    write_gallery(file, three_faces());
    std::string bytes = read_bytes(file);
    const std::vector<std::uint64_t> at = record_offsets(file);
    bytes[at[1] + 30] ^= 4;
    write_bytes(file, bytes);
    CHECK_THROWS_WITH(read_gallery(file), Contains("'" + file.string() + "'") &&
                                              Contains("record 2, at byte " + std::to_string(at[1])) &&
                                              Contains("does not match its checksum") &&
                                              Contains("Restore the file from a copy"));
    // The rest that a power cut left of blocks that were not yet on the disk is torn, however much follows
    // it.
    bytes.resize(at[3]);
    write_bytes(file, bytes);
    CHECK(read_gallery(file).faces.size() == 1);
    CHECK(gallery_info(file).torn_bytes == at[3] - at[1]);
}

TEST_CASE("records that make no sense are damage, too", "[gallery]") {
    const Files f;
    const fs::path file = f.path("g");
    write_gallery(file, {gallery_face("Ann", "a.jpg")});
    const std::string bytes = read_bytes(file);
    const auto with = [&](GalleryRecordKind kind, const std::string& metadata, const std::string& data) {
        write_bytes(file, bytes + gallery_record_bytes(kind, metadata, data));
        return file;
    };
    const std::string data(59, '\1');
    using Kind = GalleryRecordKind;
    CHECK_NOTHROW(read_gallery(with(Kind::face, R"({"image":"b","dataset":"d"})", data)));
    CHECK_THROWS_WITH(read_gallery(with(Kind::face, R"({"image":"b","dataset":"d"})", data + "x")),
                      Contains("record 3") && Contains("60 bytes of counts") && Contains("59"));
    CHECK_THROWS_WITH(read_gallery(with(Kind::face, R"({"image":"b")", data)), Contains("not JSON"));
    CHECK_THROWS_WITH(read_gallery(with(Kind::face, R"({"image":"b"})", data)), Contains("dataset"));
    CHECK_THROWS_WITH(read_gallery(with(Kind::face, R"({"image":"b","dataset":"d","eyes":[[1,2]]})", data)),
                      Contains("two points"));
    CHECK_THROWS_WITH(read_gallery(with(Kind::removal, R"({"number":2})", "")), Contains("removes face 2"));
    CHECK_THROWS_WITH(read_gallery(with(Kind::removal, R"({"number":0})", "")), Contains("number"));
    CHECK(read_gallery(with(Kind::removal, R"({"number":1})", "")).faces.empty());
    // The length is a sync record's, but the offset that it must hold is missing.
    CHECK_THROWS_WITH(read_gallery(with(Kind::synced, "12345678", "")), Contains("of no kind"));
    CHECK_THROWS_WITH(read_gallery(with(Kind::synced, "1", "2345678")), Contains("of no kind"));
    std::string unknown = gallery_record_bytes(Kind::face, "{}", "");
    unknown = "WHAT" + unknown.substr(4, 8);
    unknown += crc_bytes(unknown) + "{}";
    unknown += crc_bytes(unknown);
    write_bytes(file, bytes + unknown);
    CHECK_THROWS_WITH(read_gallery(file), Contains("of no kind that this program knows"));
}

TEST_CASE("what is no gallery is told in a sentence", "[gallery]") {
    const Files f;
    CHECK_THROWS_WITH(read_gallery(f.path("none")),
                      Contains("There is no gallery") && Contains("fovea enroll"));
    CHECK_THROWS_AS(GalleryWriter(f.path("none")), UsageError);
    CHECK_THROWS_WITH(read_gallery(f.folder.path()), Contains("is not a file"));
    for (const std::string& bytes : {std::string(), std::string("FOVEAGA"), std::string(100, 'x')}) {
        write_bytes(f.path("other"), bytes);
        CHECK_THROWS_WITH(read_gallery(f.path("other")), Contains("is not a gallery"));
        CHECK_THROWS_WITH(GalleryWriter(f.path("other"), small_recogniser()), Contains("is not a gallery"));
        CHECK(read_bytes(f.path("other")) == bytes);
    }
    write_gallery(f.path("g"), {});
    std::string bytes = read_bytes(f.path("g"));
    bytes[8] = 2;
    write_bytes(f.path("g"), bytes);
    CHECK_THROWS_WITH(read_gallery(f.path("g")),
                      Contains("is of version 2") && Contains("reads version 1") && Contains("newer"));
    write_bytes(f.path("g"), gallery_header_bytes("{}"));
    CHECK_THROWS_WITH(read_gallery(f.path("g")), Contains("in its header, there is no \"recogniser\""));
    Json header{{"recogniser", recogniser_config_to_json(small_recogniser())}, {"feature_fingerprint", "0"}};
    write_bytes(f.path("g"), gallery_header_bytes(header.dump()));
    CHECK_THROWS_WITH(read_gallery(f.path("g")), Contains("fingerprint is 0"));
    header["recogniser"]["distance"] = "far";
    write_bytes(f.path("g"), gallery_header_bytes(header.dump()));
    CHECK_THROWS_WITH(read_gallery(f.path("g")),
                      Contains("in its header, 'distance' must be chi-square,") && Contains("\"far\""));
}

TEST_CASE("a gallery takes faces of one recogniser's features only", "[gallery]") {
    const Files f;
    write_gallery(f.path("g"), {gallery_face("Ann", "a.jpg")});
    const std::string before = read_bytes(f.path("g"));
    const RecogniserConfig other = small_recogniser(19);
    CHECK_THROWS_WITH(
        GalleryWriter(f.path("g"), other),
        Contains(feature_fingerprint(other)) && Contains(feature_fingerprint(small_recogniser())));
    CHECK_THROWS_AS(GalleryWriter(f.path("g"), other), UsageError);
    CHECK(read_bytes(f.path("g")) == before);
    // Weights and distance are no matter of features.
    RecogniserConfig weighted = small_recogniser();
    weighted.weights = {2};
    weighted.distance = HistogramDistance::l1;
    CHECK(GalleryWriter(f.path("g"), weighted).info().recogniser.weights.empty());
}

TEST_CASE("a gallery has one writer at a time", "[gallery]") {
    const Files f;
    const fs::path file = f.path("g");
    {
        GalleryWriter first(file, small_recogniser());
        CHECK_THROWS_WITH(GalleryWriter(file), Contains("is being written by another program"));
        CHECK_THROWS_WITH(GalleryWriter(file, small_recogniser()), Contains("is being written"));
        first.append(gallery_face("Ann", "a.jpg"));
        CHECK(read_gallery(file).faces.size() == 1);  // readers are free to
    }
    CHECK_NOTHROW(GalleryWriter(file));
    CHECK_FALSE(create_gallery_file(file, "{}"));
    CHECK(read_gallery(file).faces.size() == 1);
    CHECK(std::distance(fs::directory_iterator(f.folder.path()), {}) == 1);  // no temporary file stays
}

TEST_CASE("a program that ended while it made a gallery leaves nothing behind for long", "[gallery]") {
    const Files f;
    const auto count = [&] { return std::distance(fs::directory_iterator(f.folder.path()), {}); };
    f.folder.write("g.part", std::string(5000, 'x'));
    { GalleryWriter(f.path("g"), small_recogniser()).append(gallery_face("Ann", "a.jpg")); }
    CHECK(read_gallery(f.path("g")).faces.size() == 1);
    CHECK(count() == 1);
    f.folder.write("all.merge", "torn");
    f.folder.write("all.merge.part", "torn");
    CHECK(merge_galleries({f.path("g")}, f.path("all"), false).faces == 1);
    CHECK(count() == 2);
    // Another program's that is still alive stays.
    const fs::path part = f.folder.write("h.part", "x");
    const FileDescriptor other(::open(part.c_str(), O_RDONLY | O_CLOEXEC));
    REQUIRE(::flock(other.get(), LOCK_EX | LOCK_NB) == 0);
    CHECK_THROWS_WITH(GalleryWriter(f.path("h"), small_recogniser()),
                      Contains("h' is being written by another program"));
    CHECK(fs::file_size(part) == 1);
}

TEST_CASE("a gallery is synced at intervals, and at the end", "[gallery]") {
    const Files f;
    const auto kinds = [](const fs::path& file) {
        GalleryRecordReader reader(file);
        std::string letters;
        GalleryRecord record;
        while (reader.next(record)) letters += "FGS"[static_cast<std::size_t>(record.kind)];
        return letters;
    };
    GallerySyncInterval interval;
    interval.bytes = 400;  // a record has about 240
    GalleryWriter writer(f.path("g"), small_recogniser(), interval);
    for (int i = 0; i < 5; ++i) writer.append(gallery_face("Ann", std::to_string(i) + ".jpg"));
    CHECK(kinds(f.path("g")) == "FFSFFSF");
    writer.finish();
    CHECK(kinds(f.path("g")) == "FFSFFSFS");
    writer.finish();
    writer.remove(2);
    writer.finish();
    CHECK(kinds(f.path("g")) == "FFSFFSFSGS");
    CHECK(read_gallery(f.path("g")).numbers == std::vector<std::size_t>{1, 3, 4, 5});
}

TEST_CASE("a face that does not fit on the disk leaves a whole gallery", "[gallery]") {
    const Files f;
    const fs::path file = f.path("g");
    write_gallery(file, {gallery_face("Ann", "a.jpg")});
    const auto size = fs::file_size(file);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const rlimit limit{size + 100, size + 100};
        ::signal(SIGXFSZ, SIG_IGN);
        ::setrlimit(RLIMIT_FSIZE, &limit);
        int code = 1;
        try {
            GalleryWriter(file).append(gallery_face("Bob", "b.jpg"));
        } catch (const Error& error) {
            code = std::string(error.what()).find("cannot be written: File too large") == std::string::npos
                       ? 2
                       : 0;
        }
        ::_exit(code);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(fs::file_size(file) == size);
    CHECK(gallery_info(file).finished);
}
