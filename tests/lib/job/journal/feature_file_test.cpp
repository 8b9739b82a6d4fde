#include "lib/job/journal/feature_file.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;
using Counts = std::vector<std::uint16_t>;

namespace {

// NPY 1.0 is described so: magic, version, length of the text, the text, blanks, newline; then the array.
std::string expected_file(const std::string& shape, const std::string& array,
                          const std::string& type = "<u2") {
    std::string header = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + "{'descr': '" + type +
                         "', 'fortran_order': False, 'shape': " + shape + ", }";
    header += std::string(127 - header.size(), ' ') + "\n";
    return header + array;
}

}  // namespace

TEST_CASE("Features are an array of NumPy's format once they are complete", "[archive]") {
    const TempDir folder;
    const auto path = folder.path() / "f.npy";
    FeatureFile file(path, 3);
    file.append(Counts{1, 2, 3, 0x1234, 65535, 0});
    CHECK(file.rows() == 2);
    CHECK(read_file(path).substr(0, 128) == std::string(128, '\0'));
    CHECK_THROWS_WITH(read_feature_file_shape(path), Contains("none that this program has finished"));
    file.append({});
    file.append(Counts{7, 8, 9});
    CHECK_THROWS_AS(file.append(Counts{7, 8}), std::invalid_argument);
    file.close();
    const std::string array("\1\0\2\0\3\0\x34\x12\xFF\xFF\0\0\7\0\x8\0\x9\0", 18);
    CHECK(read_file(path) == expected_file("(3, 3)", array));
    CHECK(read_feature_file_shape(path).rows == 3);
    CHECK(read_feature_file_shape(path).bins == 3);
    const ProgramResult numpy = run_program({"python3", "-c",
                                             "import numpy, sys; a = numpy.load(sys.argv[1], mmap_mode='r'); "
                                             "print(a.dtype, a.shape, a.tolist())",
                                             path.string()});
    if (numpy.exit_code != 0) {
        WARN("not run: there is no numpy to read the file");
    } else {
        CHECK(numpy.out == "uint16 (3, 3) [[1, 2, 3], [4660, 65535, 0], [7, 8, 9]]\n");
    }
}

TEST_CASE("Features that are signed say so", "[archive]") {
    const TempDir folder;
    const auto path = folder.path() / "f.npy";
    FeatureFile file(path, 2, {}, "<i2");
    file.append(Counts{0xFFFF, 1});
    file.close();
    CHECK(read_file(path) == expected_file("(1, 2)", std::string("\xFF\xFF\1\0", 4), "<i2"));
    CHECK(read_feature_file_shape(path).type == "<i2");
    CHECK(read_feature_file_shape(path).bins == 2);
}

TEST_CASE("Features of no face are an empty array", "[archive]") {
    const TempDir folder;
    const auto path = folder.path() / "f.npy";
    FeatureFile(path, 3776).close();
    CHECK(read_file(path) == expected_file("(0, 3776)", ""));
    CHECK(read_feature_file_shape(path).rows == 0);
    CHECK(read_feature_file_shape(path).bins == 3776);
}

TEST_CASE("Features of an interrupted job are added to", "[archive]") {
    const TempDir folder;
    const auto path = folder.path() / "f.npy";
    FileExtent kept;
    {
        FeatureFile file(path, 2);
        file.append(Counts{1, 2});
        kept = file.file().extent();
        file.append(Counts{9, 9, 9, 9});
        file.close();  // as after Ctrl-C, with a header
    }
    FeatureFile file(path, 2, kept);
    CHECK(file.rows() == 1);
    file.append(Counts{3, 4});
    file.close();
    CHECK(read_file(path) == expected_file("(2, 2)", std::string("\1\0\2\0\3\0\4\0", 8)));
    CHECK_THROWS_AS(FeatureFile(path, 3, kept), Error);
}

TEST_CASE("A file that is no file of features is named", "[archive]") {
    const TempDir folder;
    const auto shape_of = [&](const std::string& bytes) {
        return read_feature_file_shape(folder.write("f.npy", bytes));
    };
    const std::string whole = expected_file("(2, 2)", std::string(8, 'x'));
    CHECK(shape_of(whole).rows == 2);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        CHECK_THROWS_AS(shape_of(whole.substr(0, length)), Error);
    }
    CHECK_THROWS_WITH(shape_of(whole + "x"), Contains("2 rows of 2 counts") && Contains("9 bytes"));
    CHECK_THROWS_WITH(shape_of(whole.substr(0, 134)), Contains("6 bytes"));
    for (const char* shape : {"(2, 0)", "(2,)", "(-2, 2)", "(02, 2)", "(99999999999999999999, 2)",
                              "(9223372036854775809, 4)", "(2, 2, 1)"}) {
        CAPTURE(shape);
        CHECK_THROWS_AS(shape_of(expected_file(shape, std::string(8, 'x'))), Error);
    }
    CHECK_THROWS_WITH(read_feature_file_shape(folder.path() / "none"), Contains("No such file"));
    CHECK_THROWS_AS(read_feature_file_shape(folder.path()), Error);
}
