#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "lib/files/file.hpp"
#include "lib/files/shortage.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/inputs/archive_names.hpp"
#include "lib/inputs/archive_reader.hpp"
#include "lib/inputs/list_file.hpp"
#include "lib/inputs/make_list_file.hpp"
#include "tests/lib/inputs/archive_cases.hpp"

using namespace fovea;
using namespace fovea::test;
namespace fs = std::filesystem;

namespace {

const std::vector<TestMember> two_photographs{{"trip/a.jpg", test_bytes(1, 70'000)},
                                              {"b.jpg", test_bytes(2, 511)}};

std::string cat(const fs::path& file) {
    return "pipe:cat '" + file.string() + "'";
}

}  // namespace

TEST_CASE("an archive may come from a command", "[archive][pipe]") {
    const TempDir dir;
    const std::vector<std::string> contents{two_photographs[0].bytes, two_photographs[1].bytes};
    std::vector<fs::path> files;
    for (const TestPacking packing : {TestPacking::none, TestPacking::gzip, TestPacking::zstd}) {
        files.push_back(write_archive(dir.path() / ("x" + std::to_string(files.size())), two_photographs,
                                      TestArchive::pax, packing));
    }
    for (const fs::path& file : files) {
        CAPTURE(file);
        const ImageList list = list_of(cat(file));
        CHECK(list.format() == "pipe");
        CHECK(list.sources().empty());
        CHECK(names_of(list) == std::vector<std::string>{"trip/a.jpg", "b.jpg"});
        CHECK(list.place(1) == cat(file) + ": b.jpg");
        CHECK(all_bytes_of(list) == contents);
        CHECK(all_bytes_of(list, 1) == std::vector<std::string>{contents[1]});
        CHECK(all_bytes_of(ImageList::from_bytes(list.to_bytes())) == contents);
    }
}

TEST_CASE("braces in a command give several archives", "[archive][pipe]") {
    const TempDir dir;
    for (const char* number : {"08", "09", "10"})
        write_archive(dir.path() / (std::string("s-") + number + ".tar"), {{"a.jpg", number}},
                      TestArchive::ustar);
    const ImageList list = list_of(cat(dir.path() / "s-{08..10}.tar"));
    REQUIRE(list.size() == 3);
    CHECK(list.name(1) == member_key((dir.path() / "s-09.tar").string()) + "/a.jpg");
    CHECK(all_bytes_of(list) == std::vector<std::string>{"08", "09", "10"});
    // Those of another shell are left alone.
    CHECK(list_of(cat(dir.path() / "s-08.tar") + " | awk '{ print }'").size() == 1);
}

TEST_CASE("the name of what a command gives", "[archive][pipe]") {
    CHECK(name_of_command("aws s3 cp s3://bucket/a/shard-000001.tar -") == "bucket/a/shard-000001.tar");
    CHECK(name_of_command("curl -s 'https://host/x.tar.gz?version=2' | cat") == "host/x.tar.gz");
    CHECK(name_of_command("cat ../x.tar") == "x.tar");
    CHECK(name_of_command("my-command") == "pipe");
    CHECK(is_archive_command("pipe:cat x"));
    CHECK(!is_archive_command("./pipe:cat x"));
}

TEST_CASE("a command that fails ends the work, and what it gave is no damaged archive", "[archive][pipe]") {
    const TempDir dir;
    const auto file = write_archive(dir.path() / "x.tar", two_photographs, TestArchive::ustar);
    CHECK_THROWS_AS(list_of("pipe:echo no such object >&2; exit 4"), ShortageError);
    CHECK_THAT(message_of([] { list_of("pipe:echo no such object >&2; exit 4"); }),
               Catch::Contains("ended with exit code 4: no such object"));
    CHECK_THROWS_AS(list_of("pipe:head -c 3000 '" + file.string() + "'; exit 1"), ShortageError);
    CHECK_THROWS_AS(list_of("pipe:printf nothing"), Error);
    CHECK_THAT(message_of([] { list_of("pipe:printf nothing"); }),
               Catch::Contains("cannot be read as an archive"));
    // It worked when the images were listed.
    const ImageList list = list_of("pipe:test -e '" + (dir.path() / "gone").string() + "' && exit 9; cat '" +
                                   file.string() + "'");
    CHECK(list.size() == 2);
    std::ofstream(dir.path() / "gone") << "x";
    const auto inputs = list.open_from(0);
    CHECK_THROWS_AS(inputs->open(0), ShortageError);
}

TEST_CASE("videos, hidden names and changed members of a command's archive are no images",
          "[archive][pipe]") {
    const TempDir dir;
    const fs::path file = write_archive(
        dir.path() / "x.tar", {{"clip.mp4", "x"}, {".a.jpg", "x"}, {"b.jpg", "bytes"}}, TestArchive::ustar);
    const ImageList list = list_of(cat(file));
    CHECK(names_of(list) == std::vector<std::string>{"b.jpg"});
    REQUIRE(list.skipped().size() == 1);
    CHECK(list.skipped()[0].name == "clip.mp4");
    write_archive(file, {{"clip.mp4", "x"}, {".a.jpg", "x"}, {"b.jpg", "other bytes"}}, TestArchive::ustar);
    const auto inputs = list.open_from(0);
    CHECK_THAT(message_of([&] { inputs->open(0); }), Catch::Contains("has changed"));
}

TEST_CASE("the commands of a list file run if that is allowed", "[archive][pipe][list-file]") {
    const TempDir dir;
    const auto file = write_archive(dir.path() / "x.tar", two_photographs, TestArchive::ustar);
    const fs::path list = dir.path() / "x.fvl";
    ImageListRequest request;
    request.specification = cat(file);
    make_list_file(request, list, {});
    CHECK(ListFile(list).bytes() == 70'511);
    request.specification = list.string();
    CHECK_THAT(message_of([&] { read_image_list(request); }), Catch::Contains("--run-commands"));
    CHECK_THAT(message_of([&] { read_list_part(request, {1, 2}); }), Catch::Contains("--run-commands"));
    request.may_run_commands = true;
    CHECK(all_bytes_of(read_image_list(request)) ==
          std::vector<std::string>{two_photographs[0].bytes, two_photographs[1].bytes});
    CHECK(all_bytes_of(read_list_part(request, {2, 2})) ==
          std::vector<std::string>{two_photographs[1].bytes});
    request.options.root = dir.path() / "elsewhere";
    CHECK(all_bytes_of(read_image_list(request)).size() == 2);
}

TEST_CASE("a command that gives nothing can be stopped", "[archive][pipe]") {
    std::atomic<bool> stop = false;
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        stop = true;
    });
    const auto begin = std::chrono::steady_clock::now();
    CHECK_THROWS_AS(ArchiveReader("pipe:sleep 60 | cat", 512, 0, &stop), ImageError);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
    later.join();
}
