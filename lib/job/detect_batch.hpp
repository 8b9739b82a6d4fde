#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/threads.hpp"
#include "lib/image/gpu_images.hpp"
#include "lib/job/detect_images.hpp"
#include "lib/recognise/recogniser.hpp"

namespace fovea {

/// What a task found in the images of a batch, ready to be written.
struct TaskFindings {
    std::string lines;                    ///< of its results file
    std::vector<std::uint16_t> features;  ///< of its feature file
    std::size_t detections = 0;
    std::size_t crops = 0;
    double detect_seconds = 0;
};

/// Images that go through the stages together.
struct Batch {
    std::size_t number = 0;
    std::vector<LoadedImage> images;
    std::size_t host_bytes = 0;                  ///< that they take there
    std::unique_ptr<ResidentImages> resident{};  ///< where a GPU has them; null: they are on the host
    std::vector<TaskFindings> findings{};        ///< parallel to the tasks
};

/// What one worker needs: detectors and recognisers of its own for every task.
class BatchDetector {
  public:
    /// \param gpu  that the batches' images are on; none: they are on the host, and the tasks' own detectors find faces.
    /// \param limit  runs work on the CPU. All must outlive it.
    /// \throws what DetectTask::make_for_gpu and Recogniser throw.
    BatchDetector(const ImageList& images, const std::vector<DetectTask>& tasks, const Dataset* truth,
                  ThreadLimit& limit, const Device* gpu);

    /// Runs all tasks and fills the findings. An image that one of them cannot scan becomes unreadable for all.
    /// \throws what a detector throws but std::length_error.
    void run(Batch& batch, BusySeconds& detecting, BusySeconds& describing);

    /// What this worker's detector of a task has done; empty if the task's own detector did it.
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
    Found annotated_faces(const DetectTask& task, const Batch& batch, const std::vector<std::size_t>& indices,
                          const std::vector<ImageView<const std::uint8_t>>& views) const;
    void describe(std::size_t task, const Batch& batch, const Found& found, TaskFindings& findings);
    void write_crops(const DetectTask& task, const Batch& batch, const Found& found, TaskFindings& findings);
    void format(const Batch& batch, Found& found, TaskFindings& findings) const;

    const ImageList& images_;
    const std::vector<DetectTask>& tasks_;
    const Dataset* truth_;
    ThreadLimit& limit_;
    const Device* gpu_;
    std::vector<Worker> workers_;
};

}  // namespace fovea
