#include "lib/files/appended_file.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;

TEST_CASE("An appended file grows by records, with their length and checksum", "[archive]") {
    const TempDir folder;
    const auto path = folder.write("f", "an older and longer content");
    AppendedFile file(path);
    // Until it begins, nothing is lost.
    CHECK(read_file(path) == "an older and longer content");
    file.begin();
    CHECK(read_file(path).empty());
    CHECK(file.extent() == FileExtent{});
    file.append("1234");
    file.append("");
    // No records, nor an address: features of images without a face.
    file.append({});
    file.append("56789");
    CHECK(read_file(path) == "123456789");
    // The check value of CRC-32, as every description of it gives it.
    CHECK(file.extent() == FileExtent{9, 0xCBF43926});
    file.sync();
    file.close();
    file.close();
    CHECK_THROWS_WITH(file.append("x"), Contains("after it had been closed"));
    CHECK_THROWS_WITH(file.sync(), Contains("after it had been closed"));
    CHECK(read_file(path) == "123456789");
}

TEST_CASE("An appended file goes on behind what is kept", "[archive]") {
    const TempDir folder;
    const auto path = folder.write("f", "HH1234torn");
    {
        AppendedFile file(path, {4, 0x9BE3E0A3}, 2);
        CHECK(read_file(path) == "HH1234torn");
        file.begin();
        CHECK(read_file(path) == "HH1234");
        file.append("56789");
        CHECK(file.extent() == FileExtent{9, 0xCBF43926});
        CHECK(read_file(path) == "HH123456789");
        file.set_header("hh");
        CHECK(read_file(path) == "hh123456789");
        CHECK_THROWS_AS(file.set_header("h"), std::invalid_argument);
    }
    CHECK_THROWS_WITH(AppendedFile(path, {10, 0}, 2), Contains("has 11 bytes, where 12 were to be kept"));
    CHECK(read_file(path) == "hh123456789");
    {
        const AppendedFile file(path, {9, 0xCBF43926}, 2);
        CHECK(read_file(path) == "hh123456789");
    }
    AppendedFile file(path, {}, 3);
    file.begin();
    CHECK(read_file(path) == std::string(3, '\0'));
    CHECK(file.extent() == FileExtent{});
}

TEST_CASE("A file is appended to by one at a time", "[archive]") {
    const TempDir folder;
    const auto path = folder.path() / "f";
    AppendedFile file(path);
    file.append("kept");
    CHECK_THROWS_WITH(AppendedFile(path), Contains("is being written by another program"));
    CHECK(read_file(path) == "kept");
    file.close();
    CHECK_NOTHROW(AppendedFile(path));
}

TEST_CASE("A record that a full disk has no room for is cut off again", "[archive]") {
    const TempDir folder;
    const auto path = folder.path() / "f";
    AppendedFile file(path, {}, 2);
    file.append("12345");
    std::string message;
    {
        // The system writes the bytes that fit before it refuses the others.
        const FileSizeLimit limit(10);
        try {
            file.append("abcdef");
        } catch (const AppendError& error) {
            message = error.what();
        }
        CHECK(read_file(path) == std::string(2, '\0') + "12345");
    }
    CHECK_THAT(message, Contains(path.string()) && Contains("File too large") &&
                            Contains("The records before it are whole") && !Contains("--resume"));
    CHECK(file.extent() == FileExtent{5, 0xCBF53A1C});
    file.append("6789");
    CHECK(read_file(path) == std::string(2, '\0') + "123456789");
    CHECK(file.extent() == FileExtent{9, 0xCBF43926});
}

TEST_CASE("Devices are written to and never cut", "[archive]") {
    if (!std::filesystem::exists("/dev/full")) {
        WARN("not run: there is no /dev/full");
        return;
    }
    AppendedFile full("/dev/full");
    CHECK_THROWS_WITH(full.append("x"), Contains("/dev/full") && Contains("No space left"));
    CHECK(full.extent() == FileExtent{});
    AppendedFile null("/dev/null");
    null.append("123456789");
    CHECK_NOTHROW(null.sync());
    CHECK(null.extent() == FileExtent{9, 0xCBF43926});
    CHECK_NOTHROW(null.close());
    CHECK_THROWS_WITH(AppendedFile("/dev/null", {}, 128), Contains("is no regular file"));
    CHECK_THROWS_AS(AppendedFile("/dev/null", {3, 0}), UsageError);
}

TEST_CASE("A file that cannot be opened is named", "[archive]") {
    const TempDir folder;
    CHECK_THROWS_WITH(AppendedFile(folder.path() / "none" / "f"),
                      Contains("none/f") && Contains("No such file"));
    CHECK_THROWS_WITH(AppendedFile(folder.path()), Contains("Is a directory"));
}

TEST_CASE("a program waits for the one that writes a file", "[files][appended-file]") {
    using Seconds = std::chrono::duration<double>;
    const TempDir folder;
    const std::filesystem::path path = folder.path() / "results.jsonl";
    CHECK(wait_for_writer(path, Seconds(0)));
    std::optional<AppendedFile> writer(path);
    CHECK_FALSE(wait_for_writer(path, Seconds(0)));
    CHECK_FALSE(wait_for_writer(path, Seconds(0.3)));
    std::thread ends([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        writer.reset();
    });
    CHECK(wait_for_writer(path, Seconds(60)));
    ends.join();
    CHECK_FALSE(writer);
    // It was only looked at: the next one can write.
    CHECK_NOTHROW(AppendedFile(path));
}
