#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/detect/detector.hpp"
#include "lib/image/prefetch.hpp"
#include "lib/landmark/add_landmarks.hpp"
#include "lib/results/results.hpp"

namespace fovea {

class CropWriter;

/// One detector of a run and the file that takes its results.
struct DetectTask {
    /// Null: every annotated face that is not marked ignore or crowd is a detection, with its box and a score of 1.
    const Detector* detector = nullptr;
    DetectorOptions options;
    ResultsWriter* writer = nullptr;
    std::optional<LandmarkStage> landmarks{};  ///< finds landmarks in its detections
    CropWriter* crops = nullptr;               ///< takes the faces of its detections; null: none are cut out
};

struct DetectProgress {
    std::size_t done = 0;  ///< images finished by all detectors
    std::size_t total = 0;
    std::size_t unreadable = 0;
};

struct DetectImagesOptions {
    int threads = 0;  ///< of detection, and as many of decoding; 0 = all cores
    std::size_t prefetch_bytes = std::size_t{256} << 20;  ///< decoded images that may wait
    DecodeOptions decode;
    std::size_t batch_images = 16;                    ///< handed to a detector at once, at most
    std::size_t batch_bytes = std::size_t{64} << 20;  ///< likewise; one larger image is a batch of its own
    std::function<void(const DetectProgress&)> progress;  ///< called after each batch
    const std::atomic<bool>* cancel = nullptr;            ///< once true, the images in flight are the last
};

struct UnreadableImage {
    std::string image;  ///< as in Sample::image
    std::string reason;
};

struct DetectTaskOutcome {
    std::size_t detections = 0;
    std::size_t crops = 0;   ///< files of faces written
    std::string crop_error;  ///< why the first image's crops could not be written; empty if all could
    double detect_seconds = 0;
};

struct DetectImagesOutcome {
    std::size_t images = 0;  ///< written to the results, readable or not
    std::vector<UnreadableImage> unreadable;
    std::vector<DetectTaskOutcome> tasks;  ///< parallel to the tasks
    bool interrupted = false;              ///< ended before the last image, cancelled or by `error`
    std::string error;                     ///< why a device failed on the way; empty if none did
    std::size_t pixels = 0;                ///< decoded
    double decode_wait_seconds = 0;        ///< the detectors' waiting for a decoded image
    double write_seconds = 0;
    double total_seconds = 0;
};

/// Decodes the images of a dataset once, runs every detector on each, and writes one result per image and
/// detector in dataset order.
///
/// Decoding runs on threads of its own ahead of the detectors. The results do not depend on the number of
/// threads, the batches or the timing. An image that cannot be decoded, or that one of the detectors cannot
/// scan (out of memory, or too wide: std::bad_alloc, std::length_error), is recorded in every results file
/// with its reason. A device that fails (DeviceError) ends the job: what was written before stays, nothing of
/// the batch in work is written to any file, and the outcome says why.
///
/// \throws Error if results cannot be written; what a detector throws. Lines written before remain valid.
DetectImagesOutcome detect_images(const Dataset& dataset, const std::vector<DetectTask>& tasks,
                                  const DetectImagesOptions& options);

}  // namespace fovea
