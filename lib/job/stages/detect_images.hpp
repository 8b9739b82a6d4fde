#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/box_offsets.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/detect/detector.hpp"
#include "lib/image/nvjpeg.hpp"
#include "lib/image/prefetch.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/job/journal/feature_file.hpp"
#include "lib/job/stages/frame_routes.hpp"
#include "lib/job/stages/stage_load.hpp"
#include "lib/landmark/add_landmarks.hpp"
#include "lib/recognise/recogniser_config.hpp"
#include "lib/results/results.hpp"
#include "lib/results/tally.hpp"

namespace fovea {

class CropWriter;
struct DetectionStation;
struct StationContext;

/// The recogniser that describes the faces of a task's detections, and the file that takes their features.
struct FeatureTask {
    RecogniserConfig recogniser;
    FeatureFile* file = nullptr;
};

/// One detector of a run and the file that takes its results.
struct DetectorTask {
    /// Null: every annotated face that is not marked ignore or crowd is a detection, with its box and a score
    /// of 1.
    const Detector* detector = nullptr;
    DetectorOptions options;
    ResultsWriter* writer = nullptr;
    std::optional<LandmarkStage> landmarks{};  ///< finds landmarks in its detections
    CropWriter* crops = nullptr;               ///< takes the faces of its detections; null: none are cut out
    std::optional<FeatureTask> features{};     ///< needs landmarks
    bool measures_faces = false;               ///< by a FaceMeter
    BoxOffsets box_offsets{};                  ///< of the boxes that are written
};

struct DetectImagesOptions {
    int threads = 0;  ///< of detection, and as many of decoding; 0 = all cores
    int max_readers = std::numeric_limits<int>::max();    ///< threads of decoding, at most
    std::size_t prefetch_bytes = std::size_t{256} << 20;  ///< read or decoded images that may wait
    /// Host memory of the images in all batches; one batch alone may take more.
    std::size_t host_bytes = std::size_t{512} << 20;
    /// Buffers of earlier images that wait for later ones.
    std::size_t spare_bytes = std::size_t{64} << 20;
    /// An image that takes more while it is decoded is unreadable; 0 = no limit.
    std::size_t max_image_bytes = 0;
    std::size_t max_unpacker_bytes = 0;  ///< of ImageListRequest
    DecodeOptions decode;
    std::size_t batch_images = 16;  ///< handed to a detector at once, at most
    std::size_t first_batch_images = std::numeric_limits<std::size_t>::max();  ///< BatchLimits::first_images
    /// Pixels handed to a detector at once, at most; a larger image is a batch of its own.
    std::size_t batch_bytes = std::size_t{64} << 20;
    /// The GPUs that images are brought to; each has workers of its own. Empty: images stay on the host.
    std::vector<int> gpus;
    /// Decodes the JPEG files that it can decode, on those GPUs.
    std::optional<NvJpegBackend> nvjpeg{};
    /// An idle CPU decodes files that nvJPEG could decode: grey values then depend on the timing.
    bool mixed_decoders = false;
    /// Asked for every video whether those GPUs decode it. Frames are the same bytes on the CPU. Empty:
    /// none is.
    WhyNotOnGpu why_not_on_gpu{};
    /// Makes the part of the pipeline that works on one of the GPUs; empty = make_gpu_station.
    std::function<DetectionStation(int gpu, const StationContext& context)> make_station{};
    std::size_t first = 0;           ///< images before it were done by an earlier run
    const Dataset* truth = nullptr;  ///< whose samples the images are; for tasks without a detector
    /// Progress is told after each batch. Once cancelled, the images in flight are the last.
    JobHooks hooks{};
    /// Called by the same thread when the results of the first `images` images are written; `unreadable` of
    /// this run's images could not be read.
    std::function<void(std::size_t images, std::size_t unreadable)> written;
};

struct DetectorTaskResult {
    std::size_t detections = 0;
    std::size_t crops = 0;  ///< files of faces written
    double detect_seconds = 0;
    EngineCounters counters;  ///< what its engines did
};

/// Images by who decoded them.
struct DecodedCounts {
    std::size_t cpu = 0;
    std::size_t nvjpeg = 0;
    std::size_t nvdec = 0;              ///< frames of videos
    std::size_t refused_by_nvjpeg = 0;  ///< images decoded by the CPU for that reason
    std::size_t reduced = 0;            ///< decoded at a half, a quarter or an eighth of their size
};

/// Its counts are of the images written to the results, without those of an earlier run.
struct DetectImagesResult : ImageCounts {
    std::vector<DetectorTaskResult> tasks;  ///< parallel to the tasks
    DecodedCounts decoded;
    bool interrupted = false;        ///< ended before the last image, cancelled or by `error`
    std::string error;               ///< why a device failed or something was short on the way; else empty
    bool was_short = false;          ///< it was memory, descriptors or a disk: running again goes on
    std::size_t pixels = 0;          ///< of the images, as displayed
    std::vector<StageLoad> stages;   ///< how busy each stage was
    double decode_wait_seconds = 0;  ///< the detectors' waiting for a decoded image
    double write_seconds = 0;
    /// Time before the first image: loading the GPUs' libraries, making decoders and detectors there.
    double set_up_seconds = 0;
    double total_seconds = 0;  ///< from the first image on
};

/// Reads and decodes the images of a list once, runs every detector on each, and writes one result per image
/// and detector in the list's order.
///
/// All stages overlap. Some threads read and decode ahead. Each GPU has a thread that decodes or uploads
/// batches and some that detect, find landmarks and describe faces; the CPU has one worker, with all cores.
/// The calling thread writes. Queues between the stages are bounded, and so is memory, whatever the images.
/// The results do not depend on the number of threads, the batches, the GPUs or the timing (but see
/// mixed_decoders). An image that cannot be decoded, or that a detector cannot scan (too wide:
/// std::length_error), is recorded in every results file with its reason. A device that fails (DeviceError)
/// and a shortage (ShortageError, std::bad_alloc) end the job: what was written before stays, nothing of the
/// batch in work is written to any file, and the result says why.
///
/// \throws Error if results cannot be written; what a detector throws; NvJpegUnavailable. Lines written
/// before remain valid.
DetectImagesResult detect_images(const ImageList& images, const std::vector<DetectorTask>& tasks,
                                 const DetectImagesOptions& options);

/// Does it for the samples of a dataset, which are the truth as well.
DetectImagesResult detect_images(const Dataset& dataset, const std::vector<DetectorTask>& tasks,
                                 const DetectImagesOptions& options);

}  // namespace fovea
