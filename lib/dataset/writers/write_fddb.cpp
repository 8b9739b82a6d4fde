#include <numbers>
#include <set>

#include "lib/core/error.hpp"
#include "lib/dataset/writers/writers.hpp"

namespace fovea {
namespace {

/// The ellipse inscribed in a box, its long axis upright where the box is not wider than high.
Ellipse inscribed_ellipse(const Box& box) {
    const bool upright = box.h >= box.w;
    return {box.centre(), (upright ? box.h : box.w) / 2, (upright ? box.w : box.h) / 2,
            upright ? std::numbers::pi / 2 : 0.0};
}

std::string ellipse_line(const Ellipse& ellipse, const std::string& image) {
    std::string line;
    for (const double value : {ellipse.major_radius, ellipse.minor_radius, ellipse.angle_rad,
                               ellipse.centre.x, ellipse.centre.y}) {
        line += coordinate(value, image) + " ";
    }
    return line + "1\n";
}

}  // namespace

/// One ellipse list: image without extension, number of faces, "ra rb theta cx cy 1" each. A face that
/// was annotated with a box becomes the ellipse inscribed in it, whose own box is that box again.
WrittenDataset write_fddb(const Dataset& dataset, const ImageSizeLookup&, Losses& losses) {
    std::string text;
    std::set<std::string> names;
    LossCounter inscribed, other_extension;
    for (const Sample& sample : dataset.samples) {
        if (!sample.annotated) continue;
        const std::string name = name_without_extension(line_name(sample.image, "fddb"));
        if (!names.insert(name).second) {
            throw Error("Two images share the name '" + excerpt(name) +
                        "' in the format fddb, which names them without extension; rename one.");
        }
        other_extension.add(name + ".jpg" != sample.image);
        std::string faces;
        for (const Face& face : sample.faces) {
            inscribed.add(!face.ellipse);
            faces += ellipse_line(face.ellipse ? *face.ellipse : inscribed_ellipse(face.box), sample.image);
        }
        text += name + "\n" + std::to_string(sample.faces.size()) + "\n" + faces;
    }
    inscribed.report(losses, "face is", "faces are", "written as the ellipse inscribed in the box.");
    other_extension.report(losses, "image loses", "images lose",
                           "the extension: the format has none, and .jpg is what readers add.");
    return counted_dataset({false, {{"", std::move(text)}}}, dataset);
}

}  // namespace fovea
