#include "lib/files/block_reader.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using Catch::Contains;

TEST_CASE("Lines and bytes are read by blocks of any size", "[merge]") {
    const test::TempDir folder;
    const auto file = folder.write("f", "skip\nab\n\nlonger line\n12345678");
    for (const std::size_t block : {1, 2, 3, 7, 8, 64}) {
        CAPTURE(block);
        BlockReader reader(file, 5, block);
        CHECK(reader.next_line() == "ab\n");
        CHECK(reader.next_line() == "\n");
        CHECK(reader.next_line() == "longer line\n");
        CHECK(reader.next_bytes(0).empty());
        CHECK(reader.next_bytes(3) == "123");
        CHECK(reader.next_bytes(4) == "4567");
        CHECK_THROWS_WITH(reader.next_line(), Contains("last line") && Contains("is cut off"));
        CHECK_THROWS_WITH(reader.next_bytes(2), Contains("is cut off"));
        CHECK(reader.next_bytes(1) == "8");
        CHECK_FALSE(reader.next_line());
    }
    BlockReader none(folder.path() / "none", 0, 8);
    CHECK_THROWS_WITH(none.next_line(), Contains("No such file"));
}

TEST_CASE("A line without an end is not read for ever", "[merge]") {
    const test::TempDir folder;
    const auto file = folder.write("f", "a line\n");
    std::filesystem::resize_file(file, 2 * max_line_bytes);
    BlockReader reader(file, 0, std::size_t{1} << 20);
    CHECK(reader.next_line() == "a line\n");
    CHECK_THROWS_WITH(reader.next_line(), Contains("f' has a line of more than 64 MiB"));
}
