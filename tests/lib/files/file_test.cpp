#include "lib/files/file.hpp"

#include <cerrno>
#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/sha256.hpp"
#include "lib/files/shortage.hpp"
#include "tests/support/standard_input.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using Catch::Contains;

TEST_CASE("files are read and written whole", "[core]") {
    const test::TempDir folder;
    const std::filesystem::path file = folder.path() / "f";
    for (const std::size_t size : {0U, 1U, 65535U, 65536U, 65537U, 300000U}) {
        std::string bytes(size, '\0');
        for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7);
        write_file(file, bytes);
        CHECK(read_file(file) == bytes);
    }
    write_file(file, "shorter");
    CHECK(read_file(file) == "shorter");
}

TEST_CASE("files that cannot be read or written say why", "[core]") {
    const test::TempDir folder;
    CHECK_THROWS_AS(read_file(folder.path() / "none"), UsageError);
    CHECK_THROWS_WITH(read_file(folder.path() / "none", "cascade"),
                      Contains("There is no cascade '") && Contains("none'"));
    CHECK_THROWS_AS(read_file(folder.write("f", "") / "below"), UsageError);
    CHECK_THROWS_AS(read_file(folder.path()), UsageError);
    CHECK_THROWS_WITH(read_file(folder.path(), "list"), Contains("is a folder where a list is needed"));
    // Opens, and fails at the first byte: address 0 of this process is not mapped.
    if (std::filesystem::exists("/proc/self/mem")) {
        CHECK_THROWS_WITH(
            read_file("/proc/self/mem", "list"),
            Contains("The list '/proc/self/mem' cannot be read to its end: Input/output error"));
    }
    CHECK_THROWS_WITH(write_file(folder.path(), "x"), Contains("Cannot write") && Contains("directory"));
    CHECK_THROWS_WITH(write_file(folder.path() / "none" / "f", "x"), Contains("No such file"));
    if (std::filesystem::exists("/dev/full")) {
        CHECK_THROWS_WITH(write_file("/dev/full", "x"), Contains("No space left"));
    }
}

TEST_CASE("standard input is read to its end", "[core]") {
    {
        const test::StandardInput input(std::string("a\0b\n", 4));
        CHECK(read_standard_input() == std::string("a\0b\n", 4));
        CHECK(read_standard_input().empty());
    }
    const test::StandardInput input(std::filesystem::temp_directory_path());
    CHECK_THROWS_WITH(read_standard_input(),
                      Contains("Standard input cannot be read to its end: Is a directory"));
}

TEST_CASE("SHA-256 of files", "[core]") {
    const test::TempDir folder;
    // FIPS 180-2, appendix B, and the digest of no bytes.
    CHECK(sha256_of_file(folder.write("abc", "abc")) ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256_of_file(folder.write("empty", "")) ==
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256_of_file(folder.write("million", std::string(1000000, 'a'))) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    CHECK_THROWS_WITH(sha256_of_file(folder.path() / "none"), Contains("No such file"));
    CHECK_THROWS_WITH(sha256_of_file(folder.path()), Contains("directory"));
}

TEST_CASE("replace_file leaves an old file whole if the new one cannot be written", "[core][file]") {
    const test::TempDir folder;
    const std::filesystem::path file = folder.write("a.txt", "old");
    replace_file(file, "new");
    CHECK(read_file(file) == "new");
    const std::filesystem::path link = folder.path() / "link.txt";
    std::filesystem::create_symlink(file, link);
    replace_file(link, "through the link");
    CHECK(std::filesystem::is_symlink(link));
    CHECK(read_file(file) == "through the link");
    // A folder stands where the new file is made first.
    std::filesystem::create_directory(folder.path() / "a.txt.part");
    CHECK_THROWS_WITH(replace_file(file, "lost"), Contains("Cannot write"));
    CHECK(read_file(file) == "through the link");
    CHECK_THROWS_WITH(replace_file(folder.path() / "none" / "b.txt", "x"), Contains("none/b.txt"));
    CHECK(is_device_path("/dev/stdout"));
    CHECK(is_device_path("/proc/self/fd/1"));
    CHECK_FALSE(is_device_path("dev/stdout"));
}

TEST_CASE("the folders of a folder, in natural order, are told from its files", "[core]") {
    const test::TempDir dir;
    for (const char* name : {"10/a", "2/b/c", "file"}) dir.write(name, "");
    std::filesystem::create_directory_symlink(dir.path() / "2", dir.path() / "link");
    std::filesystem::create_symlink(dir.path() / "file", dir.path() / "link-to-file");
    std::filesystem::create_symlink(dir.path() / "gone", dir.path() / "link-to-nothing");
    const auto path = [&](const char* name) { return dir.path() / name; };
    CHECK(folders_of(dir.path()) == std::vector<std::filesystem::path>{path("2"), path("10"), path("link")});
    CHECK(folders_of(path("10")).empty());
    CHECK_THROWS_AS(folders_of(path("gone")), UsageError);
}

TEST_CASE("what never ends is not read for ever", "[core]") {
    const test::TempDir folder;
    const auto endless = folder.path() / "endless";
    std::filesystem::create_symlink("/dev/zero", endless);
    CHECK_THROWS_WITH(read_file(endless, "list"),
                      Contains("The list '") && Contains("is longer than 128 MiB") &&
                          Contains("of a pipe or a device; write its content to a file"));

    // Files have a size, which is looked at first: this one has no blocks.
    const auto large = folder.write("large", "");
    std::filesystem::resize_file(large, max_whole_file + 1);
    CHECK_THROWS_WITH(read_file(large, "list"),
                      Contains("is longer than 4096 MiB") && Contains("check that it is the right file"));
    std::filesystem::resize_file(large, max_written_file);
    CHECK(read_file(large, "list", max_written_file).size() == max_written_file);
    std::filesystem::resize_file(large, max_written_file + 1);
    CHECK_THROWS_WITH(read_file(large, "configuration", max_written_file),
                      Contains("The configuration '") && Contains("is longer than 16 MiB"));
}

TEST_CASE("errors of storage that pass are told from those of a file", "[files]") {
    for (const int passing :
         {ESTALE, ETIMEDOUT, EIO, ENOTCONN, ESHUTDOWN, ENOLINK, EKEYEXPIRED, EKEYREVOKED, ENOKEY}) {
        CAPTURE(passing);
        CHECK_THROWS_AS(throw_if_short("a photograph", passing), ShortageError);
    }
    for (const int of_file : {0, ENOENT, EACCES, EISDIR, EINVAL}) {
        CAPTURE(of_file);
        CHECK_NOTHROW(throw_if_short("a photograph", of_file));
    }
}

TEST_CASE("files in shared memory are files, other names in /dev are not", "[files]") {
    CHECK_FALSE(is_device_path("/dev/shm/a.jsonl"));
    CHECK_FALSE(is_device_path("/dev/shm/b/a.jsonl"));
    CHECK(is_device_path("/dev/stdout"));
    CHECK(is_device_path("/dev/fd/1"));
    CHECK(is_device_path("/dev/shm"));
}
