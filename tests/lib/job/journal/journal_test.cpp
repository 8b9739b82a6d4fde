#include "lib/job/journal/journal.hpp"

#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/job/journal/journal_bytes.hpp"
#include "lib/json/json.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using Catch::Contains;
using fovea::test::TempDir;

namespace {

const Json work{{"model", "mct"}, {"step", 1}};

ImageList five_images() {
    return ImageList::of(std::vector<std::filesystem::path>{"a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg"});
}

/// A job of five images that was stopped after the fourth: two files, marks at 1, 2 and 3 images.
struct StoppedJob {
    StoppedJob() {
        AppendedFile results(files[0].file);
        AppendedFile features(files[1].file, {}, files[1].header_bytes);
        const std::array outputs{&results, &features};
        Journal journal = Journal::create(path, work, five_images());
        head = read_file(path);
        for (std::size_t i = 1; i <= 4; ++i) {
            results.append("line " + std::to_string(i) + "\n");
            // The second image has no faces.
            const std::string row = i != 2 ? "row" + std::to_string(i) : "";
            features.append(row.empty() ? std::string_view() : row);
            if (i == 4) break;
            journal.mark(i, outputs);
            marks.push_back({i, {results.extent(), features.extent()}});
        }
        journal_bytes = read_file(path);
        for (std::size_t i = 0; i < 2; ++i) bytes[i] = read_file(files[i].file);
    }

    std::optional<ResumeState> recover() const { return recover_job(path, files); }
    JournalMark recovered_mark() const {
        const std::optional<ResumeState> job = recover();
        REQUIRE(job);
        CHECK(job->description == work);
        CHECK(job->images->to_bytes() == five_images().to_bytes());
        return job->mark;
    }
    /// The mark of so many images is recovered; of none, the output is named that lacks those of the first
    /// mark.
    void check_recovered(std::size_t mark, std::size_t damaged) const {
        if (mark > 0) {
            CHECK(recovered_mark() == mark_of(mark));
        } else {
            CHECK_THROWS_WITH(recover(), Contains("'" + files[damaged].file.string() + "' does not begin") &&
                                             Contains("results.jsonl.journal") && Contains("--overwrite"));
        }
    }
    /// The last mark of at most so many images.
    JournalMark mark_of(std::size_t images) const {
        return images == 0 ? JournalMark{0, {{}, {}}} : marks[images - 1];
    }

    TempDir folder;
    std::filesystem::path path = folder.path() / "results.jsonl.journal";
    std::array<JournalOutput, 2> files{JournalOutput{folder.path() / "results.jsonl", 0},
                                       JournalOutput{folder.path() / "features.npy", 8}};
    std::vector<JournalMark> marks;
    std::string head;
    std::string journal_bytes;
    std::array<std::string, 2> bytes;
};

/// Bytes as losses of power may leave those behind the first `length`: gone, or zeros.
std::vector<std::string> torn_at(const std::string& bytes, std::size_t length) {
    std::string zeros = bytes.substr(0, length);
    zeros.resize(bytes.size(), '\0');
    return {bytes.substr(0, length), zeros};
}

}  // namespace

TEST_CASE("A journal lies beside the results", "[archive][journal]") {
    CHECK(journal_path("out/results.jsonl") == "out/results.jsonl.journal");
    CHECK(journal_path("-").empty());
    CHECK(journal_path("/dev/stdout").empty());
    CHECK(journal_path("/proc/self/fd/1").empty());
    CHECK(journal_path("/dev/shm/results.jsonl") == "/dev/shm/results.jsonl.journal");
}

TEST_CASE("A job whose results were removed as a whole begins anew", "[archive][journal]") {
    // Workflow engines do so with the outputs of a task that failed.
    StoppedJob job;
    std::filesystem::remove(job.files[0].file);
    CHECK(job.recovered_mark() == JournalMark{0, {{}, {}}});
    CHECK(job.recover()->denied_images == 3);
    // An empty file was cut off by something else.
    job.folder.write("results.jsonl", "");
    job.check_recovered(0, 0);
}

TEST_CASE("A journal is recovered with its last mark", "[archive][journal]") {
    const StoppedJob job;
    CHECK(job.journal_bytes.size() == job.head.size() + 3 * journal_detail::mark_length(2));
    CHECK(job.recovered_mark() == job.marks[2]);
    CHECK(job.marks[2].outputs[0].bytes == 21);
    CHECK(job.marks[2].outputs[1].bytes == 8);
    CHECK(job.marks[1].outputs[1] == job.marks[0].outputs[1]);
    // Only read.
    CHECK(read_file(job.path) == job.journal_bytes);
    CHECK(read_file(job.files[0].file) == job.bytes[0]);
    CHECK_FALSE(std::filesystem::exists(job.path.string() + ".part"));
}

TEST_CASE("A journal without marks is one of no images", "[archive][journal]") {
    const StoppedJob job;
    job.folder.write("results.jsonl.journal", job.head);
    CHECK(job.recovered_mark() == job.mark_of(0));
    CHECK_FALSE(recover_job(job.folder.path() / "other.journal", job.files));
    CHECK_FALSE(recover_job(job.path / "below" / "a.journal", job.files));
}

TEST_CASE("A journal torn anywhere keeps all whole marks", "[archive][journal]") {
    const StoppedJob job;
    const std::size_t mark_bytes = journal_detail::mark_length(2);
    for (std::size_t length = 0; length < job.journal_bytes.size(); ++length) {
        for (const std::string& torn : torn_at(job.journal_bytes, length)) {
            if (torn == job.journal_bytes) continue;
            CAPTURE(length, torn.size());
            job.folder.write("results.jsonl.journal", torn);
            if (length < job.head.size()) {
                // Zeros may be what stood there.
                if (torn.substr(0, job.head.size()) != job.head) CHECK_FALSE(job.recover());
                continue;
            }
            std::size_t whole = (length - job.head.size()) / mark_bytes;
            while (torn.starts_with(job.journal_bytes.substr(0, job.head.size() + (whole + 1) * mark_bytes)))
                ++whole;
            CHECK(job.recovered_mark() == job.mark_of(whole));
        }
    }
}

TEST_CASE("A job goes back to the last mark that its torn files bear out", "[archive][journal]") {
    const StoppedJob job;
    for (std::size_t f = 0; f < 2; ++f) {
        for (std::size_t length = 0; length < job.bytes[f].size(); ++length) {
            for (const std::string& torn : torn_at(job.bytes[f], length)) {
                CAPTURE(f, length, torn.size());
                job.folder.write(job.files[f].file.filename().string(), torn);
                std::size_t images = 3;
                while (images > 0 &&
                       job.files[f].header_bytes + job.marks[images - 1].outputs[f].bytes > length) {
                    // A file without records needs no header yet.
                    if (job.marks[images - 1].outputs[f].bytes == 0) break;
                    --images;
                }
                job.check_recovered(images, f);
            }
        }
        job.folder.write(job.files[f].file.filename().string(), job.bytes[f]);
    }
    std::filesystem::remove(job.files[1].file);
    job.check_recovered(0, 1);
    // Without marks nothing was done.
    job.folder.write("results.jsonl.journal", job.head);
    CHECK(job.recovered_mark() == job.mark_of(0));
}

TEST_CASE("Damaged output is never taken for whole", "[archive][journal]") {
    const StoppedJob job;
    for (std::size_t f = 0; f < 2; ++f) {
        for (std::size_t at = job.files[f].header_bytes; at < job.bytes[f].size(); ++at) {
            std::string damaged = job.bytes[f];
            damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
            job.folder.write(job.files[f].file.filename().string(), damaged);
            std::size_t images = 3;
            while (images > 0 && job.files[f].header_bytes + job.marks[images - 1].outputs[f].bytes > at)
                --images;
            CAPTURE(f, at);
            job.check_recovered(images, f);
        }
        job.folder.write(job.files[f].file.filename().string(), job.bytes[f]);
    }
}

TEST_CASE("A flipped byte of a journal loses its own mark at most, and is told in its head",
          "[archive][journal]") {
    const StoppedJob job;
    for (std::size_t at = 0; at < job.journal_bytes.size(); ++at) {
        std::string damaged = job.journal_bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x81);
        job.folder.write("results.jsonl.journal", damaged);
        CAPTURE(at);
        if (at < job.head.size()) {
            CHECK_THROWS_WITH(job.recover(), Contains("results.jsonl.journal") && Contains("--resume"));
        } else {
            const std::size_t mark = (at - job.head.size()) / journal_detail::mark_length(2);
            CHECK(job.recovered_mark() == job.mark_of(mark == 2 ? 2 : 3));
        }
    }
}

TEST_CASE("A file that is no journal is refused", "[archive][journal]") {
    const StoppedJob job;
    for (const std::string& bytes : {std::string("{\"image\":\"a.jpg\"}\n"), std::string("x"),
                                     std::string(100, 'x'), "\1" + std::string(60, '\0')}) {
        job.folder.write("results.jsonl.journal", bytes);
        CHECK_THROWS_WITH(job.recover(), Contains("is no journal of this program"));
    }
    std::filesystem::remove(job.path);
    std::filesystem::create_directory(job.path);
    CHECK_THROWS_WITH(job.recover(), Contains("is no regular file"));
}

TEST_CASE("A job with other files has no mark", "[archive][journal]") {
    const StoppedJob job;
    const std::optional<ResumeState> recovered = recover_job(job.path, std::span(job.files).first(1));
    REQUIRE(recovered);
    CHECK(recovered->mark == JournalMark{0, {{}}});
}

TEST_CASE("A resumed job goes on with its journal", "[archive][journal]") {
    const StoppedJob job;
    // The files have lost what the last mark was of.
    job.folder.write("results.jsonl", job.bytes[0].substr(0, 15));
    const JournalMark mark = job.recovered_mark();
    REQUIRE(mark == job.marks[1]);
    {
        AppendedFile results(job.files[0].file, mark.outputs[0]);
        AppendedFile features(job.files[1].file, mark.outputs[1], 8);
        const std::array outputs{&results, &features};
        Journal journal = Journal::reopen(job.path, mark);
        CHECK(read_file(job.path).size() == job.head.size() + 2 * journal_detail::mark_length(2));
        for (const std::size_t i : {3, 4}) {
            results.append("line " + std::to_string(i) + "\n");
            features.append("row" + std::to_string(i));
        }
        journal.mark(4, outputs);
        CHECK_THROWS_AS(journal.mark(3, outputs), std::invalid_argument);
        CHECK(job.recovered_mark().images == 4);
        CHECK(read_file(job.files[0].file) == job.bytes[0]);
        CHECK(read_file(job.files[1].file) == job.bytes[1]);
        journal.remove();
    }
    CHECK_FALSE(std::filesystem::exists(job.path));
    CHECK_THROWS_WITH(Journal::reopen(job.path, mark), Contains("is gone"));
}

TEST_CASE("A journal is reopened at its own marks only", "[archive][journal]") {
    const StoppedJob job;
    JournalMark other = job.marks[1];
    other.outputs[0].crc32 ^= 1;
    CHECK_THROWS_WITH(Journal::reopen(job.path, other), Contains("no mark at 2 images"));
    CHECK(read_file(job.path) == job.journal_bytes);
    { const Journal journal = Journal::reopen(job.path, {}); }
    CHECK(read_file(job.path) == job.head);
}

TEST_CASE("A new journal takes the place of an older one", "[archive][journal]") {
    const StoppedJob job;
    {
        const Journal journal = Journal::create(job.path, {{"model", "other"}},
                                                ImageList::of(std::vector<std::filesystem::path>{}));
    }
    const std::optional<ResumeState> recovered = job.recover();
    REQUIRE(recovered);
    CHECK(recovered->description == Json{{"model", "other"}});
    CHECK(recovered->images->size() == 0);
    // The rest of the other's marks counts for nothing, whatever the files hold.
    const std::string head = read_file(job.path);
    job.folder.write("results.jsonl.journal", head + job.journal_bytes.substr(job.head.size()));
    CHECK(job.recover()->mark == job.mark_of(0));
    CHECK_THROWS_WITH(Journal::create(job.folder.path() / "none" / "j", work, five_images()),
                      Contains("none/j.part") && Contains("No such file"));
}
