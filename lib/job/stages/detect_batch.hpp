#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <opencv2/core/mat.hpp>

#include "lib/core/threads.hpp"
#include "lib/job/stages/batch.hpp"
#include "lib/job/stages/detect_images.hpp"
#include "lib/landmark/face_quality.hpp"
#include "lib/recognise/recogniser.hpp"

namespace fovea {

/// Runs all tasks on batches, with detectors and recognisers of its own. For one thread at a time.
class BatchDetector {
  public:
    /// All references must outlive this. \param limit runs work on the CPU. \param gpu the GPU that the
    /// batches' images are on; null: they are on the host, and the tasks' own detectors find faces.
    /// \throws what Detector::copy_for_gpus and Recogniser throw.
    BatchDetector(const ImageList& images, const std::vector<DetectorTask>& tasks, const Dataset* truth,
                  ThreadLimit& limit, const Device* gpu);

    /// Runs all tasks and fills the outputs. An image that one of them cannot scan becomes unreadable
    /// for all.
    /// \throws what a detector throws, except std::length_error.
    void run(Batch& batch, BusySeconds& detecting, BusySeconds& describing);

    /// The counts of this worker's detector of a task; empty if the task's own detector did the work.
    std::optional<EngineCounters> counters(std::size_t task) const;

  private:
    struct Worker {
        std::unique_ptr<Detector> detector;  // on the GPU
        std::unique_ptr<Recogniser> recogniser;
    };
    using Found = std::vector<std::vector<Detection>>;  // one list per image

    void detect(std::size_t task, Batch& batch, Found& found);
    void detect_at_scale(std::size_t task, Batch& batch, int scale, Found& found);
    bool detect_in(std::size_t task, const Batch& batch, const std::vector<std::size_t>& indices, int scale,
                   Found& found, std::string& why);
    Found detections_of(std::size_t task, const std::vector<ImageView<const std::uint8_t>>& views,
                        const DetectorOptions& options, bool resident) const;
    Found annotated_faces(const DetectorTask& task, const Batch& batch,
                          const std::vector<std::size_t>& indices,
                          const std::vector<ImageView<const std::uint8_t>>& views) const;
    void describe(std::size_t task, const Batch& batch, const Found& found, BatchOutput& output);
    std::vector<std::string> write_aligned(const CropWriter& crops, const Batch& batch, std::size_t i,
                                           const std::vector<Detection>& faces) const;
    cv::Mat picture_of(const CropWriter& crops, const Batch& batch, std::size_t i) const;
    void write_boxes(const CropWriter& crops, const Batch& batch, std::vector<ImageResult>& results) const;
    ImageResult result_of(const DetectorTask& task, const Batch& batch, std::size_t i,
                          std::vector<Detection>&& faces) const;
    void format(const DetectorTask& task, const Batch& batch, Found& found, BatchOutput& output) const;

    const ImageList& images_;
    const std::vector<DetectorTask>& tasks_;
    const Dataset* truth_;
    ThreadLimit& limit_;
    const Device* gpu_;
    const Device cpu_ = Device::cpu();
    FaceMeter host_meter_{cpu_};
    std::optional<FaceMeter> gpu_meter_;
    std::vector<Worker> workers_;
};

}  // namespace fovea
