#include <algorithm>

#include "lib/dataset/writers/writers.hpp"

namespace fovea {
namespace {

/// Changes to the faces on the way into an image.
struct YoloLosses {
    LossCounter clipped;
    LossCounter outside;
};

/// "0 cx cy w h" of the part of the box within the image, in units of its size; nothing if there is none.
std::string label_line(const Box& box, const ImageSize& size, const std::string& image, YoloLosses& lost) {
    const double left = std::max(box.x, 0.0);
    const double top = std::max(box.y, 0.0);
    const double right = std::min(box.x + box.w, static_cast<double>(size.width));
    const double bottom = std::min(box.y + box.h, static_cast<double>(size.height));
    const std::string fields[] = {coordinate((left + right) / 2 / size.width, image),
                                  coordinate((top + bottom) / 2 / size.height, image),
                                  coordinate((right - left) / size.width, image),
                                  coordinate((bottom - top) / size.height, image)};
    if (right <= left || bottom <= top) {
        lost.outside.add();
        return {};
    }
    lost.clipped.add(left != box.x || top != box.y || right != box.x + box.w || bottom != box.y + box.h);
    return "0 " + fields[0] + " " + fields[1] + " " + fields[2] + " " + fields[3] + "\n";
}

}  // namespace

/// The files labels/NAME.txt with "0 cx cy w h" in units of the image's size, and classes.txt. Boxes are
/// clipped to the image, for trainers refuse what lies outside.
WrittenDataset write_yolo(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses) {
    OutputFiles files{true, {{"classes.txt", "face\n"}}};
    YoloLosses lost;
    std::size_t faces = 0;
    LossCounter unknown_size, unread_size;
    for (const Sample& sample : dataset.samples) {
        if (!sample.annotated) continue;
        const std::optional<ImageSize> size = size_of_sample(sample, size_of);
        if (!size || size->width <= 0 || size->height <= 0) {
            unknown_size.add();
            continue;
        }
        std::string labels;
        for (const Face& face : sample.faces) {
            const std::string line = label_line(face.box, *size, sample.image, lost);
            faces += line.empty() ? 0 : 1;
            labels += line;
        }
        unread_size.add(labels.empty() && sample.size.has_value());
        files.files.push_back({"labels/" + path_beside(sample.image, ".txt"), std::move(labels)});
    }
    unknown_size.report(losses, "image has", "images have",
                        "no label file because the size is not known; YOLO programs take it for background.");
    unread_size.report(losses, "image loses", "images lose",
                       "the size: labels state none, and readers measure images with boxes only.");
    lost.clipped.report(losses, "box is", "boxes are", "clipped to the image.");
    lost.outside.report(losses, "box is", "boxes are",
                        "left out: without area, or wholly outside of the image.");
    LossCounter unannotated;
    for (const Sample& sample : dataset.samples) unannotated.add(!sample.annotated);
    unannotated.report(losses, "image has", "images have",
                       "no label file, being not annotated; YOLO programs take it for background.");
    // The list of classes is a file, too.
    const std::size_t images = files.files.size() - 1;
    return {std::move(files), images, faces};
}

}  // namespace fovea
