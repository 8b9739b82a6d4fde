#include "lib/run/track/track_journal.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_place.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/run/track/shown_tracks.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

ImageResult frame(int number) {
    ImageResult result;
    result.image = std::to_string(number) + ".pgm";
    result.width = 64;
    result.height = 48;
    Detection face{{1.5, 2, 30, 40}, 0.75};
    face.details.edit().track = 7;
    if (number > 0) face.details.edit().followed = number;
    result.detections = {face};
    return result;
}

std::vector<TrackSummary> tracks() {
    TrackGatherer gatherer("clip");
    BestFace best;
    best.image = "0.pgm";
    best.crop = {2, 2, {1, 2, 3, 4}};
    gatherer.strip_of(7).add({"0.pgm", {}, jpeg_of(best.crop), 2, 2});
    for (int i = 0; i < 3; ++i) gatherer.add(frame(i));
    gatherer.set_best(7, best);
    return gatherer.take();
}

/// A sequence of three frames, followed.
SequenceRecord follow(const fs::path& folder) {
    SequenceFiles files(folder, false);
    for (int i = 0; i < 3; ++i) files.write(frame(i), static_cast<std::size_t>(i), {});
    SequenceRecord record{"clip"};
    record.found.images = 3;
    record.found.tracks = 1;
    record.found.boxes = 3;
    record.found.detected = 1;
    record.found.unreadable = {{"a.pgm", "cut off"}};
    record.parts = files.finish(tracks(), "clip");
    return record;
}

ImageList images() {
    return ImageList::of(std::vector<fs::path>{"0.pgm", "1.pgm", "2.pgm"});
}

bool equal(const SequenceRecord& a, const SequenceRecord& b) {
    return to_json(a) == to_json(b) && a.found.unreadable.size() == b.found.unreadable.size();
}

}  // namespace

TEST_CASE("the journal of tracks gives back what is complete, and nothing else", "[track][journal]") {
    const TempDir dir;
    const TrackFolder folder{dir.path() / "out"};
    const Json description{{"work", {{"a", 1}}}, {"shard", nullptr}};
    SequenceRecord record;
    {
        TrackJournal journal(folder, description, images(), false);
        record = follow(journal.folder_of(3));
        CHECK_FALSE(journal.recover(3, "clip"));
        journal.complete(3, record);
        const std::optional<SequenceRecord> again = journal.recover(3, "clip");
        REQUIRE(again);
        CHECK(equal(*again, record));
        CHECK(again->found.unreadable.at(0).reason == "cut off");
        CHECK_FALSE(journal.recover(3, "another"));
        CHECK_FALSE(journal.recover(4, "clip"));
    }
    const auto earlier = find_resume_state(earlier_tracks(folder), ExistingResults::resume);
    REQUIRE(earlier);
    CHECK(earlier->description == description);
    CHECK(earlier->images->size() == 3);
    CHECK_THROWS_WITH(find_resume_state(earlier_tracks(folder), ExistingResults::replace_own),
                      Contains("an interrupted job") && Contains("--resume"));
    CHECK_FALSE(find_resume_state(earlier_tracks(folder), ExistingResults::overwrite));

    {
        const TrackJournal other(folder, {{"work", {{"a", 2}}}, {"shard", nullptr}}, images(), true);
        CHECK_FALSE(other.recover(3, "clip"));
    }
    TrackJournal journal(folder, description, images(), true);
    const fs::path parts = journal.folder_of(3);
    REQUIRE(journal.recover(3, "clip"));
    SECTION("bytes behind the parts do not matter") {
        for (const char* file : {"results.jsonl", "tracks.csv", "mot.txt", "rest"})
            write_file(parts / file, read_file(parts / file) + "torn");
        CHECK(journal.recover(3, "clip"));
    }
    SECTION("every byte of the parts and of the record matters") {
        for (const char* file : {"results.jsonl", "tracks.csv", "mot.txt", "rest", "record"}) {
            const std::string bytes = read_file(parts / file);
            for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 50) {
                CAPTURE(file, at);
                std::string other = bytes;
                other[at] ^= 1;
                write_file(parts / file, other);
                CHECK_FALSE(journal.recover(3, "clip"));
                fs::resize_file(parts / file, at);
                CHECK_FALSE(journal.recover(3, "clip"));
            }
            fs::remove(parts / file);
            CHECK_FALSE(journal.recover(3, "clip"));
            write_file(parts / file, bytes);
            CHECK(journal.recover(3, "clip"));
        }
    }
    SECTION("a sequence that begins anew has no record") {
        const SequenceFiles files(parts, false);
        CHECK_FALSE(journal.recover(3, "clip"));
    }
    SECTION("a complete job has no journal") {
        journal.remove();
        CHECK_FALSE(is_there(folder.journal()));
    }
    SECTION("parts become the files of a folder, twice") {
        const PartPlaces places = SequenceFiles::places(parts, record.parts);
        {
            JoinedTracks joined(folder.folder);
            joined.add(record, "clip", places, true);
            SequenceRecord second = record;
            joined.add(second, "other/clip", places, false);
            CHECK(record.parts.contains(part_name::shown));
            CHECK_FALSE(second.parts.contains(part_name::shown));
            CHECK_FALSE(is_there(folder.results()));
            joined.publish("clips");
        }
        const std::string lines = read_file(parts / "results.jsonl");
        CHECK(read_file(folder.results()) == lines + lines);
        const std::string rows = read_file(parts / "tracks.csv");
        CHECK(read_file(folder.table()) == head_of_file(part_name::table) + rows + rows);
        CHECK(read_file(folder.folder / "mot/other/clip.txt") == read_file(parts / "mot.txt"));
        CHECK(is_file(folder.folder / "faces/clip-7.png"));
        CHECK(is_file(folder.folder / "shown/clip.bin"));
        CHECK_FALSE(is_there(folder.folder / "shown/other"));
        CHECK_THAT(read_file(folder.page()), Contains("6 frames in 2 sequences: 2 tracks."));
        write_file(parts / "mot.txt", "");
        JoinedTracks joined(folder.folder);
        CHECK_THROWS_WITH(joined.add(record, "clip", places, true), Contains("was changed or cut off"));
    }
}

TEST_CASE("records of sequences are read strictly", "[track][journal]") {
    const auto read = [](const std::string& text) {
        const Json json = Json::parse(text);
        return read_sequence_records(JsonPlace(json, "run.json"));
    };
    const std::string head = R"({"name":"a","frames":2,"tracks":0,"boxes":0,"detected":0,"damaged":0,)"
                             R"("named":0,"pages_left_out":0,"first_seconds":0,"last_seconds":0.5,)";
    const std::string parts = R"("parts":{"results.jsonl":{"bytes":9,"crc32":4294967295}}})";
    const std::string one = R"({"unreadable":[{"image":"x","reason":"y"}],"sequences":[)" + head +
                            R"("unreadable":0,)" + parts + "," + head + R"("unreadable":1,)" + parts + "]}";
    const std::vector<SequenceRecord> records = read(one);
    REQUIRE(records.size() == 2);
    CHECK(records[0].found.unreadable.empty());
    CHECK(records[0].last_seconds == 0.5);
    CHECK(records[1].found.unreadable.at(0).image == "x");
    CHECK(records[0].parts.at("results.jsonl") == FileExtent{9, 0xffffffff});
    CHECK_THROWS_WITH(read(R"({"unreadable":[],"sequences":[)" + head + R"("unreadable":1,)" + parts + "]}"),
                      Contains("unreadable"));
    CHECK_THROWS_WITH(read(R"({"unreadable":[],"sequences":[{"name":"a"}]})"), Contains("unreadable"));
    CHECK_THROWS_WITH(
        read(R"({"unreadable":[],"sequences":[)" + head + R"("unreadable":0,"parts":{"a":{"bytes":-1}}}]})"),
        Contains("bytes"));
}

TEST_CASE("what the page shows of tracks comes back in full", "[track]") {
    std::vector<TrackSummary> before = tracks();
    before[0].identity = "Ann";
    before[0].first = FrameTime{3, 0.1};
    before[0].last = FrameTime{9, 1.0 / 3};
    before[0].seconds = 0.7;
    const std::string bytes = shown_tracks_bytes(before);
    const std::vector<TrackSummary> after = read_shown_tracks(bytes, "a.bin");
    REQUIRE(after.size() == 1);
    CHECK(track_job_page("T", {{"clip", 3, before}}) == track_job_page("T", {{"clip", 3, after}}));
    CHECK(after[0].strip.faces().at(0).jpeg == before[0].strip.faces().at(0).jpeg);
    CHECK_THROWS_WITH(read_shown_tracks(bytes.substr(0, bytes.size() - 1), "a.bin"), Contains("a.bin"));
    CHECK_THROWS_WITH(read_shown_tracks("[", "a.bin"), Contains("a.bin"));
    CHECK_THROWS_WITH(read_shown_tracks("[{}]\n", "a.bin"), Contains("track"));
    // More are shown nowhere.
    const std::vector<TrackSummary> many(max_shown_tracks + 1, before[0]);
    CHECK(read_shown_tracks(shown_tracks_bytes(many), "a.bin").size() == max_shown_tracks);
}
