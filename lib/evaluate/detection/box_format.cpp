#include "lib/evaluate/detection/box_format.hpp"

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"

namespace fovea {

Box box_of_corners(const Box& corners) {
    return {corners.x, corners.y, corners.w - corners.x, corners.h - corners.y};
}

std::optional<BoxFormat> box_format_of(const std::string& name) {
    if (name == "xywh") return BoxFormat::xywh;
    if (name == "xyxy") return BoxFormat::xyxy;
    return std::nullopt;
}

void convert_boxes(BoxFormat format, DetectionResults& results, const std::string& source) {
    if (format == BoxFormat::xywh || results.has_corner_columns) return;
    for (ImageResult& image : results.images) {
        for (Detection& detection : image.detections) {
            const Box box = box_of_corners(detection.box);
            if (box.w < 0 || box.h < 0) {
                throw Error(fmt::format(
                    "'{}': a box of the image '{}' has the corners {} {} and {} {}: the second lies "
                    "before the first; is it x y width height? Then leave out --box-format, which holds "
                    "for all --results.",
                    source, image.image, shortest_number(detection.box.x), shortest_number(detection.box.y),
                    shortest_number(detection.box.w), shortest_number(detection.box.h)));
            }
            detection.box = box;
        }
    }
}

}  // namespace fovea
