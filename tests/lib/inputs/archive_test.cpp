#include <atomic>
#include <fstream>
#include <map>
#include <thread>

#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/files/file.hpp"
#include "lib/image/formats/decode.hpp"
#include "tests/lib/inputs/archive_cases.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/sources.hpp"

using namespace fovea;
using namespace fovea::test;
namespace fs = std::filesystem;

namespace {

using Kind = TestMember::Kind;

const std::vector<TestArchive> tars{TestArchive::ustar, TestArchive::gnu_tar, TestArchive::pax};

std::string specification_of(const fs::path& archive) {
    return "archive:" + archive.string();
}

}  // namespace

TEST_CASE("archives of all kinds are read in their own order", "[archive]") {
    const TempDir dir;
    const std::vector<TestMember> members{{"trip", "", Kind::folder, ""},
                                          {"trip/10.jpg", test_bytes(1, 70'000)},
                                          {"notes.txt", "x"},
                                          {"trip/2.JPG", test_bytes(2, 511)},
                                          {"empty.png", ""},
                                          {"a.pgm.gz", test_bytes(3, 512)}};
    const std::vector<std::string> names{"trip/10.jpg", "trip/2.JPG", "empty.png", "a.pgm.gz"};
    const std::vector<std::string> contents{members[1].bytes, members[3].bytes, "", members[5].bytes};
    std::vector<fs::path> files;
    int number = 0;
    for (const TestArchive format : {TestArchive::ustar, TestArchive::gnu_tar, TestArchive::pax}) {
        for (const TestPacking packing :
             {TestPacking::none, TestPacking::gzip, TestPacking::bzip2, TestPacking::xz, TestPacking::zstd}) {
            files.push_back(
                write_archive(dir.path() / ("x" + std::to_string(number++)), members, format, packing));
        }
    }
    files.push_back(write_archive(dir.path() / "deflated", members, TestArchive::zip));
    files.push_back(write_archive(dir.path() / "stored", members, TestArchive::zip_stored));
    for (const fs::path& file : files) {
        CAPTURE(file);
        for (const std::string& specification : {file.string(), specification_of(file)}) {
            const ImageList list = list_of(specification);
            CHECK(list.format() == "archive");
            CHECK(list.specification() == specification);
            CHECK(list.sources() == std::vector<fs::path>{file});
            CHECK(list.skipped().empty());
            CHECK(names_of(list) == names);
            CHECK(list.place(0) == file.string() + ": trip/10.jpg");
            CHECK(all_bytes_of(list) == contents);
            CHECK(all_bytes_of(list, 2) == std::vector<std::string>{contents[2], contents[3]});
        }
    }
    CHECK(names_of(list_of(files[0].string(), {.pattern = "*.jpg", .limit = 0, .root = {}})) ==
          std::vector<std::string>{"trip/10.jpg"});
    CHECK(all_bytes_of(list_of(files[1].string(), {.pattern = "*.gz", .limit = 1, .root = {}})) ==
          std::vector<std::string>{contents[3]});
    CHECK_THAT(message_of([&] { read_dataset(files[0].string()); }), Catch::Contains("fovea detect"));
}

TEST_CASE("a member without an extension is an image if it begins as one", "[archive]") {
    const TempDir dir;
    const std::string photo = noise_pgm(20, 10, 1);
    const std::vector<TestMember> members{{"notes", "a text"},        {"trip/photo", photo},
                                          {"trip.d/b", photo},        {"empty", ""},
                                          {".hidden", photo},         {"trip/c.jpg", test_bytes(2, 511)},
                                          {"packed", "\x1f\x8b\x08"}, {"last", photo}};
    const std::vector<std::string> names{"trip/photo", "trip.d/b", "trip/c.jpg", "last"};
    for (const TestArchive format : {TestArchive::ustar, TestArchive::zip, TestArchive::zip_stored}) {
        for (const TestPacking packing : {TestPacking::none, TestPacking::gzip}) {
            if (format != TestArchive::ustar && packing != TestPacking::none) continue;
            const ImageList list =
                list_of(write_archive(dir.path() / "x", members, format, packing).string());
            CHECK(names_of(list) == names);
            CHECK(list.passed_over() == std::map<std::string, std::size_t>{{"without an extension", 3}});
            CHECK(all_bytes_of(list) == std::vector<std::string>{photo, photo, members[5].bytes, photo});
        }
    }
    const auto file =
        write_archive(dir.path() / "x.zip", {{"a", photo}, {"b.jpg", "x"}}, TestArchive::zip_encrypted);
    CHECK(names_of(list_of(file.string())) == std::vector<std::string>{"b.jpg"});
}

TEST_CASE("long names and names that are not UTF-8 are those stored", "[archive]") {
    const TempDir dir;
    const std::string long_name =
        std::string(90, 'd') + "/" + std::string(140, 'e') + "/" + std::string(200, 'n') + ".jpg";
    for (const TestArchive format : {TestArchive::gnu_tar, TestArchive::pax}) {
        const auto file = write_archive(
            dir.path() / "x.tar",
            {{long_name, "long"}, {"caf\xE9.jpg", "latin"}, {"cafe\xCC\x81.jpg", "two"}}, format);
        const ImageList list = list_of(file.string());
        CHECK(names_of(list) == std::vector<std::string>{long_name, "caf%E9.jpg", "cafe\xCC\x81.jpg"});
        CHECK(all_bytes_of(list) == std::vector<std::string>{"long", "latin", "two"});
        CHECK(all_bytes_of(ImageList::from_bytes(list.to_bytes())) == all_bytes_of(list));
        const auto packed =
            write_archive(dir.path() / "x.tar.gz", {{long_name, "long"}, {"caf\xE9.jpg", "latin"}}, format,
                          TestPacking::gzip);
        CHECK(all_bytes_of(list_of(packed.string())) == std::vector<std::string>{"long", "latin"});
    }
    // 155 + 1 + 100 bytes are the most of the ustar format.
    const std::string ustar_name = std::string(155, 'd') + "/" + std::string(96, 'n') + ".jpg";
    const auto ustar = write_archive(dir.path() / "u.tar", {{ustar_name, "u"}}, TestArchive::ustar);
    CHECK(names_of(list_of(ustar.string())) == std::vector<std::string>{ustar_name});
    const auto zip = write_archive(dir.path() / "x.zip",
                                   {{"caf\xC3\xA9.jpg", "utf"}, {"na\xEFve.jpg", "latin"}}, TestArchive::zip);
    const ImageList list = list_of(zip.string());
    CHECK(names_of(list) == std::vector<std::string>{"caf\xC3\xA9.jpg", "na%EFve.jpg"});
    CHECK(all_bytes_of(list) == std::vector<std::string>{"utf", "latin"});
}

TEST_CASE("links, devices and names that lead elsewhere are never followed", "[archive]") {
    const TempDir dir;
    dir.write("secret.jpg", "secret");
    const std::string absolute = (dir.path() / "secret.jpg").string();
    const std::vector<TestMember> members{{"a.jpg", "image"},
                                          {"soft.jpg", "", Kind::symbolic_link, absolute},
                                          {"hard.jpg", "", Kind::hard_link, "a.jpg"},
                                          {"fifo.jpg", "", Kind::fifo, ""},
                                          {"soft.txt", "", Kind::symbolic_link, absolute},
                                          {"../../up.jpg", "up"},
                                          {"/root.jpg", "root"},
                                          {"x/../y/./z.jpg", "dots"},
                                          {"inner.tar", "x"},
                                          {"clip.MP4", "x"},
                                          {"inner.zip", "x"},
                                          {".hidden.jpg", "x"},
                                          {"__MACOSX/._a.jpg", "x"},
                                          {"__MACOSX/a.jpg", "x"}};
    for (const TestArchive format : tars) {
        const auto file = write_archive(dir.path() / "x.tar", members, format);
        const ImageList list = list_of(file.string());
        CHECK(names_of(list) == std::vector<std::string>{"a.jpg", "up.jpg", "root.jpg", "x/y/z.jpg"});
        CHECK(all_bytes_of(list) == std::vector<std::string>{"image", "up", "root", "dots"});
        CHECK(list.skipped().size() == 6);
        CHECK_THAT(reason_of(list, "soft.jpg"), Catch::Contains("symbolic link"));
        CHECK_THAT(reason_of(list, "hard.jpg"), Catch::Contains("hard link"));
        CHECK(reason_of(list, "fifo.jpg") == "is no regular file");
        CHECK(reason_of(list, "inner.tar") == "is an archive within an archive");
        CHECK(reason_of(list, "clip.MP4") == "is no video that can be read");
        CHECK(reason_of(list, "inner.zip") == "is an archive within an archive");
    }
    const auto zip = write_archive(dir.path() / "x.zip",
                                   {{"soft.jpg", "", Kind::symbolic_link, absolute}, {"a.jpg", "image"}},
                                   TestArchive::zip);
    CHECK(names_of(list_of(zip.string())) == std::vector<std::string>{"a.jpg"});
    CHECK_THAT(reason_of(list_of(zip.string()), "soft.jpg"), Catch::Contains("symbolic link"));
    // Nothing was written.
    CHECK(std::distance(fs::recursive_directory_iterator(dir.path()), fs::recursive_directory_iterator()) ==
          3);
}

TEST_CASE("of members with one name the last counts, as when they are unpacked", "[archive]") {
    const TempDir dir;
    const std::vector<TestMember> members{
        {"a.jpg", "old"}, {"b.jpg", "b"}, {"./a.jpg", "older"}, {"c.jpg", "c"}, {"/a.jpg", "new!"}};
    for (const TestPacking packing : {TestPacking::none, TestPacking::gzip}) {
        const auto file = write_archive(dir.path() / "x.tar", members, TestArchive::ustar, packing);
        const ImageList list = list_of(file.string());
        CHECK(names_of(list) == std::vector<std::string>{"b.jpg", "c.jpg", "a.jpg"});
        CHECK(all_bytes_of(list) == std::vector<std::string>{"b", "c", "new!"});
        REQUIRE(list.skipped().size() == 2);
        CHECK_THAT(list.skipped()[0].reason, Catch::Contains("later member"));
    }
}

TEST_CASE("archives in folders and lists are folders of their names", "[archive]") {
    const TempDir dir;
    dir.write("f/2018.jpg", "2018");
    dir.write("f/2019.tar.d/x.jpg", "x");
    dir.write("f/2020.jpg", "2020");
    dir.write("f/broken.zip", "no zip at all");
    dir.write("f/empty.tar", "");
    write_archive(dir.path() / "f/2019.tar", {{"trip/b.jpg", "b"}, {"a.jpg", "a"}});
    write_archive(dir.path() / "f/2019.tgz", {{"a.jpg", "packed"}}, TestArchive::pax, TestPacking::gzip);
    const ImageList list = list_of((dir.path() / "f").string());
    CHECK(names_of(list) == std::vector<std::string>{"2018.jpg", "2019.tar/trip/b.jpg", "2019.tar/a.jpg",
                                                     "2019.tar.d/x.jpg", "2019.tgz/a.jpg", "2020.jpg"});
    CHECK(all_bytes_of(list) == std::vector<std::string>{"2018", "b", "a", "x", "packed", "2020"});
    CHECK(list.place(1) == (dir.path() / "f/2019.tar").string() + ": trip/b.jpg");
    CHECK_THAT(reason_of(list, "broken.zip/"), Catch::Contains("cannot be read"));
    CHECK_FALSE(reason_of(list, "empty.tar/").empty());
    CHECK(names_of(list_of((dir.path() / "f").string(), {.pattern = "2019.tar/*", .limit = 0, .root = {}})) ==
          std::vector<std::string>{"2019.tar/a.jpg"});

    const auto lines = dir.write("l.txt", "f/2020.jpg\nf/2019.tar\nf/absent.tar\nf/2018.jpg\n./f/2019.tar\n");
    const ImageList listed = list_of(lines.string());
    CHECK(names_of(listed) == std::vector<std::string>{"f/2020.jpg", "f/2019.tar/trip/b.jpg",
                                                       "f/2019.tar/a.jpg", "f/absent.tar", "f/2018.jpg"});
    CHECK(all_bytes_of(listed) ==
          std::vector<std::string>{"2020", "b", "a", "unreadable: no such file", "2018"});
    DatasetOptions options;
    options.root = dir.path();
    CHECK(names_of(read_image_list({"", {"f/2019.tgz", "f/2018.jpg"}, options})) ==
          std::vector<std::string>{"f/2019.tgz/a.jpg", "f/2018.jpg"});
}

TEST_CASE("what is no archive, or one without images, is said", "[archive]") {
    const TempDir dir;
    const auto message = [&](const fs::path& file) {
        return message_of([&] { list_of(specification_of(file)); });
    };
    CHECK_THAT(message(dir.write("t.tar", "just text, far from an archive")),
               Catch::Contains("t.tar' cannot be read as an archive"));
    CHECK_THAT(message(dir.write("e.tar", "")), Catch::Contains("cannot be read as an archive"));
    CHECK_THAT(message(dir.path() / "absent.tar"), Catch::Contains("There is no archive"));
    CHECK_THAT(message(dir.path()), Catch::Contains("is a folder"));
    CHECK_THAT(message(write_archive(dir.path() / "n.tar", {{"a.txt", "x"}})),
               Catch::Contains("holds no images."));
    CHECK_THAT(message(write_archive(dir.path() / "l.tar", {{"a.jpg", "", Kind::symbolic_link, "b"}})),
               Catch::Contains("a.jpg is a symbolic link"));
    // No program may be started to unpack what is not known.
    CHECK_THAT(message(dir.write("l.tar.lrz", std::string("LRZI\0\6", 6) + std::string(100, 'x'))),
               Catch::Contains("cannot be read"));
}

TEST_CASE("encrypted members are unreadable", "[archive]") {
    const TempDir dir;
    const auto file = write_archive(dir.path() / "x.zip", {{"a.jpg", "secret"}}, TestArchive::zip_encrypted);
    const ImageList list = list_of(file.string());
    CHECK(names_of(list) == std::vector<std::string>{"a.jpg"});
    CHECK_THAT(all_bytes_of(list)[0], Catch::Contains("unreadable: is encrypted"));
}

TEST_CASE("members packed with an absurd dictionary are unreadable", "[archive]") {
    const TempDir dir;
    // Stored by Python's zipfile: the picture 'a.pgm', packed by LZMA with a dictionary of 8 MiB.
    std::string bytes = read_file(test::source_file("tests/data/fuzz/archive-zip/lzma"));
    const std::size_t dictionary_at = 0x28;
    REQUIRE(bytes.substr(dictionary_at, 4) == std::string("\0\0\x80\0", 4));
    const auto outcome = [&](const std::string& dictionary) {
        bytes.replace(dictionary_at, 4, dictionary);
        return all_bytes_of(list_of(dir.write("x.zip", bytes).string()))[0];
    };
    CHECK_THAT(outcome(std::string("\0\0\x80\x86", 4)),
               Catch::Contains("unreadable: needs 2152 MiB or more to be unpacked, more than"));
    CHECK_THAT(outcome(std::string("\x01\0\0\x64", 4)), Catch::Contains("needs 1600 MiB or more"));
    CHECK_THAT(outcome(std::string("\0\0\x80\0", 4)), Catch::StartsWith("P5"));
}

TEST_CASE("damaged and truncated archives are read up to the damage", "[archive]") {
    const TempDir dir;
    std::vector<TestMember> members;
    for (std::size_t i = 0; i < 6; ++i) members.push_back({std::to_string(i) + ".jpg", test_bytes(i, 1000)});
    for (const TestPacking packing :
         {TestPacking::none, TestPacking::gzip, TestPacking::xz, TestPacking::zstd}) {
        const auto file = write_archive(dir.path() / "x", members, TestArchive::ustar, packing);
        const std::string whole = read_file(file);
        const ImageList complete = list_of(specification_of(file));
        CHECK(complete.skipped().empty());
        std::size_t shorter = 0;
        for (std::size_t length = 0; length < whole.size();
             length += packing == TestPacking::none ? 256 : 64) {
            CAPTURE(length, static_cast<int>(packing));
            const auto cut = dir.write("cut", whole.substr(0, length));
            try {
                const ImageList list = list_of(specification_of(cut));
                REQUIRE(list.size() <= 6);
                // Only the marks at the end may be cut off unseen.
                if (list.size() < 6 || length < 6 * 1536)
                    CHECK(list.skipped().size() == (list.size() < 6 || !list.skipped().empty() ? 1 : 0));
                for (std::size_t i = 0; i < list.size(); ++i) CHECK(list.name(i) == members[i].name);
                const auto contents = all_bytes_of(list);
                for (std::size_t i = 0; i + 1 < list.size(); ++i) CHECK(contents[i] == members[i].bytes);
                shorter += list.size() < 6 ? 1 : 0;
            } catch (const Error& error) {
                CHECK_THAT(error.what(), Catch::Contains("cannot be read as an archive"));
            }
            // A list made before the damage.
            dir.write("x", whole.substr(0, length));
            for (const std::string& bytes : all_bytes_of(complete)) {
                const bool is_whole =
                    std::any_of(members.begin(), members.end(),
                                [&](const TestMember& member) { return member.bytes == bytes; });
                CHECK((is_whole || bytes.starts_with("unreadable: ")));
            }
        }
        if (packing == TestPacking::none) CHECK(shorter > 10);
    }
    const auto file = write_archive(dir.path() / "y", members, TestArchive::ustar);
    std::string bytes = read_file(file);
    bytes[3 * 1536 + 10] ^= 1;  // in the header of the fourth
    const auto damaged = dir.write("z", bytes);
    const ImageList list = list_of(specification_of(damaged));
    CHECK(list.size() == 3);
    CHECK_THAT(reason_of(list, damaged.string()), Catch::Contains("behind its member '2.jpg'"));
}

TEST_CASE("an archive that changes or vanishes leaves unreadable images", "[archive]") {
    const TempDir dir;
    const std::vector<TestMember> members{{"a.jpg", test_bytes(1, 900)}, {"b.jpg", test_bytes(2, 900)}};
    const std::vector<TestMember> renamed{{"a.jpg", test_bytes(1, 900)}, {"c.jpg", test_bytes(2, 900)}};
    const std::vector<TestMember> resized{{"a.jpg", test_bytes(1, 901)}, {"b.jpg", test_bytes(2, 900)}};
    for (const auto& [format, packing] :
         {std::pair(TestArchive::pax, TestPacking::none), std::pair(TestArchive::pax, TestPacking::gzip),
          std::pair(TestArchive::zip, TestPacking::none)}) {
        const fs::path file = dir.path() / "x";
        const auto write = [&, format = format, packing = packing](const std::vector<TestMember>& contents) {
            write_archive(file, contents, format, packing);
        };
        write(members);
        const ImageList list = list_of(specification_of(file));
        const std::string changed = "unreadable: the archive has changed since its images were listed";
        write(renamed);
        CHECK(all_bytes_of(list) == std::vector<std::string>{members[0].bytes, changed});
        write(resized);
        CHECK(all_bytes_of(list)[0] == changed);
        fs::remove(file);
        for (const std::string& bytes : all_bytes_of(list))
            CHECK_THAT(bytes, Catch::StartsWith("unreadable: ") && Catch::Contains("No such file"));
        write(members);
        CHECK(all_bytes_of(list) == std::vector<std::string>{members[0].bytes, members[1].bytes});
    }
}

TEST_CASE("threads read the members of archives in turn", "[archive]") {
    const TempDir dir;
    std::vector<TestMember> members;
    for (std::size_t i = 0; i < 300; ++i) {
        members.push_back({"f" + std::to_string(i) + ".jpg", test_bytes(i, i * 37 % 5000)});
        if (i % 7 == 0) members.push_back({"note" + std::to_string(i) + ".txt", "x"});
    }
    fs::create_directories(dir.path() / "f");
    dir.write("f/m.jpg", "between");
    write_archive(dir.path() / "f/a.tar", members);
    write_archive(dir.path() / "f/b.tgz", members, TestArchive::pax, TestPacking::gzip);
    write_archive(dir.path() / "f/z.zip", members, TestArchive::zip);
    const ImageList list = list_of((dir.path() / "f").string());
    REQUIRE(list.size() == 901);
    const std::vector<std::string> expected = all_bytes_of(list);
    for (const std::size_t first : {std::size_t{0}, std::size_t{450}}) {
        const auto inputs = list.open_from(first);
        std::atomic<std::size_t> next{first};
        std::atomic<int> wrong{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < 8; ++t) {
            threads.emplace_back([&] {
                for (;;) {
                    const std::size_t i = next++;
                    if (i >= list.size()) return;
                    if (i % 11 == 5) {
                        inputs->skip(i);
                        continue;
                    }
                    const auto file = inputs->open(i);
                    std::vector<std::uint8_t> bytes(i % 13 == 3 ? file->size() / 2 : file->size());
                    file->read(bytes.data(), bytes.size());
                    if (i % 2 == 0) file->release();
                    if (!expected[i].starts_with(std::string(bytes.begin(), bytes.end()))) ++wrong;
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        CHECK(wrong == 0);
    }
}

TEST_CASE("whoever waits for an archive is let go when reading stops", "[archive]") {
    const TempDir dir;
    const auto file = write_archive(dir.path() / "x.tar.gz", {{"a.jpg", "a"}, {"b.jpg", "b"}, {"c.jpg", "c"}},
                                    TestArchive::ustar, TestPacking::gzip);
    const ImageList list = list_of(file.string());
    auto inputs = list.open_from(0);
    auto first = inputs->open(0);
    std::string outcome;
    std::thread waiting([&] { outcome = bytes_of(*inputs, 1); });
    inputs->stop();
    waiting.join();
    CHECK_THAT(outcome, Catch::Contains("unreadable: reading was stopped"));
    CHECK_THROWS_AS(inputs->open(2), ImageError);
    // An image that was not read to its end may outlive the reader.
    inputs.reset();
    std::uint8_t byte = 0;
    CHECK(first->read(&byte, 1) == 1);
    CHECK(byte == 'a');
    first->release();
    CHECK(first->read(&byte, 1) == 0);
}
