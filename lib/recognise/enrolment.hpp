#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/detect/detector.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/json/json.hpp"
#include "lib/landmark/add_landmarks.hpp"
#include "lib/recognise/recogniser.hpp"

namespace fovea {

/// The source of the eyes of faces.
enum class FaceSource {
    automatic,  ///< the annotation's eyes or landmarks where it has them, else detection
    truth,      ///< the annotation alone
    detector,   ///< detector and landmarks alone
    image,      ///< the image as it is, nothing is looked for: see FaceFinder::fallback_eyes
};

/// "auto", "truth", "detector" or "image".
std::string to_string(FaceSource source);
/// The source of a name. \throws UsageError listing the names that there are.
FaceSource face_source_from_string(const std::string& name);

/// Which of an image's faces are taken.
enum class FaceChoice {
    /// For sets of portraits: the detection whose centre is nearest to the image's; of two, the larger one.
    one,
    all,  ///< photographs
    /// The faces that the annotation names (name_of()), wherever they are in the image.
    named,
};

/// The means to find faces. Detector and landmarks may be missing for sources that do not need them.
struct FaceFinder {
    FaceSource source = FaceSource::automatic;
    FaceChoice choice = FaceChoice::one;
    const Detector* detector = nullptr;
    DetectorOptions options;
    /// FaceChoice::one takes a detection of a lower score only if there is no other: the best one.
    std::optional<double> sure_score{};
    LandmarkStage landmarks;
    /// Eyes in units of the image's width and height, for sets whose portraits are centred alike (LFW's).
    /// FaceSource::image takes them in every image; other sources take them in images without a found face,
    /// and mark such faces. Without them, FaceSource::image takes the largest part of the image that has the
    /// crop's shape, from its middle.
    std::optional<Eyes> fallback_eyes{};
};

/// A face that was described.
struct EnrolledFace {
    std::size_t sample = 0;  ///< index in Dataset::samples
    /// Absent if the eyes are from the annotation, the image or the fall-back.
    std::optional<Detection> found;
    std::optional<Box> box;  ///< of the detection or annotation
    Eyes eyes;               ///< image pixels
    bool from_fallback = false;
    /// In an image whose annotation names faces, unless FaceChoice::one took it: the face's own name, empty
    /// if it has none. Absent in others, whose faces all show the sample's subject.
    std::optional<std::string> subject{};
    /// The known quality of the image: {"eye_distance" in pixels, "detector_score", "sharpness"}.
    Json quality;
    std::vector<std::uint16_t> features;  ///< metric().length words
    ImageSize image_size{};
};

/// An image that gave no face, and why: a sentence without full stop.
struct FaceFailure {
    std::size_t sample = 0;
    std::string reason;
    bool unreadable = false;  ///< the file, not the face, was the reason
    ImageSize image_size{};   ///< 0×0 if unreadable
    bool undetected = false;  ///< the detector found no face
};

/// The part of the image that the crop of a face with these eyes shows, were it not turned.
Box shown_box(const Eyes& eyes, const CropGeometry& geometry);

struct EnrolmentOptions {
    int threads = 0;  ///< 0 = all cores
    DecodeOptions decode{};
    std::size_t batch_images = 64;
    std::size_t batch_bytes = std::size_t{64} << 20;
    /// Progress is told after each batch. Once cancelled, the images in flight are the last.
    JobHooks hooks{};
};

/// An image whose file has several pages: the first one was shown.
struct SeveralPages {
    std::size_t sample = 0;
    int pages = 0;
};

struct EnrolmentResult {
    std::size_t images = 0;  ///< gone through
    std::size_t faces = 0;
    /// In the order of samples; every image gave a face or stands here.
    std::vector<FaceFailure> failures;
    std::vector<SeveralPages> several_pages;  ///< in the order of samples
    bool interrupted = false;
};

/// The number of pages behind the first pages.
std::size_t pages_left_out(const std::vector<SeveralPages>& images);

/// Finds and describes the faces of a dataset and hands them to `take` in the order of samples, faces of one
/// image by falling score. The result does not depend on threads and batches.
/// \param samples indices of the wanted samples, rising; empty = all.
/// \throws UsageError if the source needs what the dataset or finder has not; DeviceError; what
/// `take` throws.
EnrolmentResult enrol_faces(const Dataset& dataset, const FaceFinder& finder, const Recogniser& recogniser,
                            const EnrolmentOptions& options, const std::function<void(EnrolledFace&&)>& take,
                            const std::vector<std::size_t>& samples = {});

}  // namespace fovea
