#include <cmath>
#include <set>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/readers/mat_file.hpp"
#include "lib/dataset/readers/wider.hpp"
#include "lib/dataset/wider_attributes.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

/// One image of a .mat file: its name, and what a list of the file says of it.
struct MatImage {
    std::string image;
    std::size_t event = 0;  ///< positions in the file's lists
    std::size_t position = 0;
};

/// The images in the file's order: event_list{i} and file_list{i}{j}, without extension.
std::vector<MatImage> images_of(MatFile& file) {
    const std::vector<MatValue> events = file.read("event_list").cells();
    const std::vector<MatValue> names = file.read("file_list").cells();
    if (names.size() != events.size()) {
        throw Error(file.name() + ": event_list has " + counted(events.size(), "event") + " and file_list " +
                    std::to_string(names.size()) + "; expected as many.");
    }
    std::vector<MatImage> images;
    std::set<std::string> known;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const std::string event = events[i].text();
        const std::vector<MatValue> of_event = names[i].cells();
        for (std::size_t j = 0; j < of_event.size(); ++j) {
            std::string image = event + "/" + of_event[j].text() + ".jpg";
            if (!known.insert(image).second) of_event[j].fail("an image that was not named before");
            images.push_back({std::move(image), i, j});
        }
    }
    return images;
}

/// The content of a list {event}{image} of the file, checked to have the shape of file_list.
std::vector<std::vector<MatValue>> nested(MatFile& file, const std::string& variable,
                                          const std::vector<MatImage>& images) {
    std::vector<std::size_t> sizes;
    for (const MatImage& image : images) {
        sizes.resize(image.event + 1);
        ++sizes[image.event];
    }
    const MatValue list = file.read(variable);
    std::vector<std::vector<MatValue>> values;
    for (const MatValue& event : list.cells()) values.push_back(event.cells());
    sizes.resize(std::max(sizes.size(), values.size()));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (i >= values.size() || values[i].size() != sizes[i]) {
            list.fail("as many images in its event " + std::to_string(i + 1) + " as file_list has (" +
                      std::to_string(sizes[i]) + "), not " +
                      std::to_string(i < values.size() ? values[i].size() : 0));
        }
    }
    return values;
}

void read_boxes(const MatValue& value, std::vector<Face>& faces) {
    const std::vector<double> numbers = value.matrix(4);
    const std::size_t count = numbers.size() / 4;
    for (std::size_t k = 0; k < count; ++k) {
        Face face;
        face.box = {numbers[k], numbers[count + k], numbers[2 * count + k], numbers[3 * count + k]};
        const bool finite = std::isfinite(face.box.x) && std::isfinite(face.box.y) &&
                            std::isfinite(face.box.w) && std::isfinite(face.box.h);
        if (!finite) {
            value.fail("rows x1 y1 w h of finite numbers; row " + std::to_string(k + 1) + " is none");
        }
        faces.push_back(std::move(face));
    }
}

void read_attribute(const MatValue& value, const std::string& name, std::vector<Face>& faces) {
    const std::vector<double> numbers = value.numbers();
    if (numbers.size() != faces.size()) {
        value.fail("a number for each of the image's " + counted(faces.size(), "face") + ", not " +
                   std::to_string(numbers.size()));
    }
    for (std::size_t k = 0; k < faces.size(); ++k) {
        faces[k].attributes.push_back({name, wider_value(name, shortest_number(numbers[k]))});
    }
}

}  // namespace

std::vector<WiderImage> read_wider_mat(const fs::path& path) {
    MatFile file(path);
    const std::vector<MatImage> listed = images_of(file);
    const auto boxes = nested(file, "face_bbx_list", listed);
    std::vector<WiderImage> images;
    for (const MatImage& image : listed) {
        images.push_back({image.image, {}});
        read_boxes(boxes[image.event][image.position], images.back().faces);
    }
    for (const WiderAttribute& attribute : wider_attributes) {
        const std::string name(attribute.name);
        const std::string variable = name + "_label_list";
        if (!file.has(variable)) continue;
        const auto values = nested(file, variable, listed);
        for (std::size_t i = 0; i < listed.size(); ++i) {
            read_attribute(values[listed[i].event][listed[i].position], name, images[i].faces);
        }
    }
    return images;
}

void mark_wider_level(const fs::path& path, const std::string& level, std::vector<WiderImage>& images) {
    MatFile file(path);
    const std::vector<MatImage> listed = images_of(file);
    const auto positions = nested(file, "gt_list", listed);
    std::map<std::string, WiderImage*> by_name;
    for (WiderImage& image : images) by_name.emplace(image.image, &image);
    for (const MatImage& image : listed) {
        const auto found = by_name.find(image.image);
        if (found == by_name.end()) {
            throw Error(file.name() + ": the image '" + excerpt(image.image) +
                        "' is not in the annotation; name the annotation that belongs to these lists.");
        }
        std::vector<Face>& faces = found->second->faces;
        by_name.erase(found);
        const MatValue& value = positions[image.event][image.position];
        for (const double position : value.numbers()) {
            if (position != std::floor(position) || position < 1 ||
                position > static_cast<double>(faces.size())) {
                value.fail("positions of the " + counted(faces.size(), "face") + " of '" +
                           excerpt(image.image) + "', from 1; " + shortest_number(position) + " is none");
            }
            Face& face = faces[static_cast<std::size_t>(position) - 1];
            if (find_attribute(face.attributes, level) != nullptr) {
                value.fail("each face once; " + shortest_number(position) + " stands twice");
            }
            face.attributes.push_back({level, "yes"});
        }
    }
    if (!by_name.empty()) {
        throw Error(file.name() + ": " + counted(by_name.size(), "image") + " of the annotation " +
                    (by_name.size() == 1 ? "is" : "are") + " not in it, first: '" +
                    excerpt(by_name.begin()->first) + "'; name the annotation that belongs to these lists.");
    }
}

}  // namespace fovea
