#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

namespace fovea {

/// The person that a face of a part is.
struct PersonOfFace {
    std::size_t part = 0;
    std::size_t row = 0;  ///< of its features
    int person = 0;

    friend bool operator==(const PersonOfFace&, const PersonOfFace&) = default;
};

/// Writes people of faces: 4 bytes with the CRC-32 of people.json, and 12 for each face, numbers with the
/// least byte first. A later run reads them in a fraction of the time that results.jsonl takes. \throws Error
void write_numbers(const std::filesystem::path& file, const std::vector<PersonOfFace>& faces,
                   const std::filesystem::path& people);

/// Reads what write_numbers() wrote. \return nothing if the file is not there, is cut off, or belongs to
/// another people.json. \throws Error if a file cannot be read
std::optional<std::vector<PersonOfFace>> read_numbers(const std::filesystem::path& file,
                                                      const std::filesystem::path& people);

}  // namespace fovea
