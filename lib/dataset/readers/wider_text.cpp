#include <array>
#include <cmath>

#include "lib/core/error.hpp"
#include "lib/dataset/readers/name_blocks.hpp"
#include "lib/dataset/readers/wider.hpp"

namespace fovea {
namespace {

struct AttributeValues {
    const char* name;
    std::array<const char*, 3> values;  ///< by number; nullptr where there is none
};

// In the order of the annotation's columns.
constexpr std::array attributes{
    AttributeValues{"blur", {"clear", "normal", "heavy"}},
    AttributeValues{"expression", {"typical", "exaggerate", nullptr}},
    AttributeValues{"illumination", {"normal", "extreme", nullptr}},
    AttributeValues{"invalid", {"no", "yes", nullptr}},
    AttributeValues{"occlusion", {"none", "partial", "heavy"}},
    AttributeValues{"pose", {"typical", "atypical", nullptr}},
};

Face read_face(const TextFile& file, const TextLine& line) {
    std::array<double, 4 + attributes.size()> numbers{};
    if (!parse_pixels(line.text, numbers)) {
        file.fail(line, "a face, \"x1 y1 w h blur expression illumination invalid occlusion pose\"");
    }
    Face face;
    face.box = {numbers[0], numbers[1], numbers[2], numbers[3]};
    for (std::size_t i = 0; i < attributes.size(); ++i) {
        const std::string name = attributes[i].name;
        const auto value = wider_value(name, numbers[4 + i]);
        if (!value)
            file.fail(line, "another number for " + name + " than " + shortest_number(numbers[4 + i]));
        face.attributes.push_back({name, *value});
    }
    return face;
}

}  // namespace

std::optional<std::string> wider_value(const std::string& attribute, double number) {
    for (const AttributeValues& known : attributes) {
        if (attribute != known.name) continue;
        for (std::size_t i = 0; i < known.values.size(); ++i) {
            if (known.values[i] != nullptr && number == static_cast<double>(i)) return known.values[i];
        }
    }
    return std::nullopt;
}

std::vector<WiderImage> read_wider_text(const std::filesystem::path& path) {
    const TextFile file = TextFile::read(path);
    std::vector<WiderImage> images;
    NamedOnce named;
    for_each_block(file, [&](const NameBlock& block) {
        WiderImage image{std::string(block.name.text), {}};
        named.add(image.image, file, block.name);
        for (const TextLine& row : block.rows) image.faces.push_back(read_face(file, row));
        images.push_back(std::move(image));
    });
    return images;
}

}  // namespace fovea
