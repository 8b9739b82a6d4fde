#include "lib/run/people/people_numbers.hpp"

#include <catch2/catch.hpp>

#include "lib/files/file.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
namespace fs = std::filesystem;

TEST_CASE("numbers of people are read back as long as they fit people.json", "[people]") {
    const TempDir folder;
    const fs::path people = folder.write("people.json", "{}\n"), file = folder.path() / "numbers";
    CHECK_FALSE(read_numbers(file, people));
    const std::vector<PersonOfFace> faces{{0, 7, 1}, {1, 70'000, 300'000}};
    write_numbers(file, faces, people);
    CHECK(read_numbers(file, people) == faces);
    const std::string bytes = read_file(file);
    // CRC-32 of "{}\n", and the first face.
    CHECK(bytes.size() == 28);
    CHECK(bytes.substr(4, 12) == std::string("\0\0\0\0\7\0\0\0\1\0\0\0", 12));

    folder.write("numbers", bytes.substr(0, 27));
    CHECK_FALSE(read_numbers(file, people));
    folder.write("numbers", bytes);
    folder.write("people.json", "{ }\n");
    CHECK_FALSE(read_numbers(file, people));
    write_numbers(file, {}, people);
    CHECK(read_numbers(file, people)->empty());
}
