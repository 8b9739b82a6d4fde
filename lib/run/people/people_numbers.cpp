#include "lib/run/people/people_numbers.hpp"

#include <string>

#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/packed.hpp"

namespace fovea {
namespace {

constexpr std::size_t head_bytes = 4, face_bytes = 12;

}  // namespace

void write_numbers(const std::filesystem::path& file, const std::vector<PersonOfFace>& faces,
                   const std::filesystem::path& people) {
    std::string bytes;
    append_number(bytes, crc32_of(read_file(people)), head_bytes);
    for (const PersonOfFace& face : faces) {
        append_number(bytes, face.part, 4);
        append_number(bytes, face.row, 4);
        append_number(bytes, static_cast<std::uint32_t>(face.person), 4);
    }
    replace_file(file, bytes);
}

std::optional<std::vector<PersonOfFace>> read_numbers(const std::filesystem::path& file,
                                                      const std::filesystem::path& people) {
    if (!is_file(file)) return std::nullopt;
    const std::string bytes = read_file(file);
    if (bytes.size() % face_bytes != head_bytes) return std::nullopt;
    if (number_at(bytes, 0, head_bytes) != crc32_of(read_file(people))) return std::nullopt;
    std::vector<PersonOfFace> faces;
    for (std::size_t at = head_bytes; at < bytes.size(); at += face_bytes)
        faces.push_back({number_at(bytes, at, 4), number_at(bytes, at + 4, 4),
                         static_cast<int>(number_at(bytes, at + 8, 4))});
    return faces;
}

}  // namespace fovea
