#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fovea::test {

/// A member of an archive that a test makes.
struct TestMember {
    enum class Kind { file, folder, symbolic_link, hard_link, fifo };

    std::string name;
    std::string bytes;
    Kind kind = Kind::file;
    std::string target;  ///< of a link
};

enum class TestArchive { ustar, gnu_tar, pax, zip, zip_stored, zip_encrypted };
enum class TestPacking { none, gzip, bzip2, xz, zstd };

/// Writes an archive with libarchive's writer, members in the order given.
std::filesystem::path write_archive(const std::filesystem::path& file, const std::vector<TestMember>& members,
                                    TestArchive format = TestArchive::pax,
                                    TestPacking packing = TestPacking::none);

}  // namespace fovea::test
