#include <array>
#include <optional>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/name_blocks.hpp"
#include "lib/dataset/readers/wider.hpp"
#include "lib/dataset/wider_attributes.hpp"

namespace fovea {
namespace {

/// Four numbers, and all of the attributes or none: a line that was cut off has some.
Face read_face(const TextFile& file, const TextLine& line) {
    constexpr std::size_t of_box = 4;
    const std::vector<std::string_view> fields = split_fields(line.text);
    const bool is_whole = fields.size() == of_box || fields.size() >= of_box + wider_attributes.size();
    std::array<double, of_box> box{};
    if (!is_whole || !parse_pixels(fields, box))
        file.fail(line, "a face, \"x1 y1 w h blur expression illumination invalid occlusion pose\"");
    Face face;
    face.box = {box[0], box[1], box[2], box[3]};
    for (std::size_t i = 0; i < wider_attributes.size() && of_box + i < fields.size(); ++i) {
        const std::string_view name = wider_attributes[i].name;
        face.attributes.push_back({std::string(name), wider_value(name, fields[of_box + i])});
    }
    return face;
}

}  // namespace

std::string wider_value(std::string_view attribute, std::string_view text) {
    const std::optional<std::int64_t> number = spelled_whole(text);
    for (const WiderAttribute& known : wider_attributes) {
        if (attribute != known.name || !number) continue;
        for (std::size_t i = 0; i < known.values.size(); ++i) {
            if (!known.values[i].empty() && *number == static_cast<std::int64_t>(i))
                return std::string(known.values[i]);
        }
    }
    return std::string(text);
}

std::vector<WiderImage> read_wider_text(const std::filesystem::path& path,
                                        const std::filesystem::path& images_folder) {
    const TextFile file = TextFile::read(path);
    std::vector<WiderImage> images;
    NamedOnce named;
    for_each_block(file, [&](const NameBlock& block) {
        WiderImage image{listed_name(block.name.text, images_folder), {}};
        named.add(image.image, file, block.name);
        for (const TextLine& row : block.rows) image.faces.push_back(read_face(file, row));
        images.push_back(std::move(image));
    });
    return images;
}

}  // namespace fovea
