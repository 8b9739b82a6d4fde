#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/formats/image.hpp"

namespace fovea {

/// How a face looks in its image; absent where its box holds no pixel of the image.
struct FaceAppearance {
    std::optional<double> sharpness;   ///< face_sharpness()
    std::optional<double> brightness;  ///< mean grey value of the box / 255, in [0, 1]
};

/// Measures the part of a box that lies in the image, its edges rounded to whole pixels.
FaceAppearance measure_face(const GreyImage& image, const Box& box);

/// The appearance of every face of a dataset.
struct DatasetAppearance {
    std::vector<std::vector<FaceAppearance>> faces;  ///< parallel to samples and their faces
    struct Unreadable {
        std::string image;
        std::string reason;
    };
    /// Images whose faces could not be measured, in dataset order.
    std::vector<Unreadable> unreadable;
    bool interrupted = false;
};

struct MeasureFacesOptions {
    DecodeOptions decode;  ///< as when detecting
    int threads = 1;       ///< that decode, >= 1
    /// Progress is told after every image. Once cancelled, that image is the last.
    JobHooks hooks{};
};

/// Decodes the annotated images with faces, ahead on threads of their own, and measures the faces. An image
/// that cannot be decoded is recorded, its faces stay unmeasured. The result does not depend on the number
/// of threads.
DatasetAppearance measure_faces(const Dataset& dataset, const MeasureFacesOptions& options);

}  // namespace fovea
