#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "lib/core/bounded_queue.hpp"
#include "lib/job/stages/batch_gatherer.hpp"
#include "lib/job/stages/batch_order.hpp"
#include "lib/job/stages/resident_pool.hpp"

namespace fovea {

/// A place where batches are worked on: the host, or a GPU. Each function is called by one thread of its own.
struct BatchStation {
    using Work = std::function<void(Batch&)>;

    /// A loader of frames gets memory for each piece of a batch, and passes the piece on.
    struct Pieces {
        std::function<std::unique_ptr<ResidentImages>()> memory;  ///< for a piece; null: stop
        std::function<bool(Batch)> pass_on;                       ///< false: stop
        std::function<bool()> are_awaited;                        ///< by workers that have nothing to do
    };
    using FrameWork = std::function<void(Batch& part, const Pieces& pieces)>;

    /// Bring a batch's images to the station, into Batch::resident. None: the images stay where they are.
    std::vector<Work> loaders{};
    /// Called once for each loader, by its thread, before it takes a batch; meanwhile other loaders take
    /// batches. If it throws, the next batch that the loader takes fails. None: all loaders are ready.
    std::function<void(std::size_t loader)> prepare_loader{};
    /// Decode parts of videos there and pass them on in pieces, the last of them marked so.
    std::vector<FrameWork> frame_loaders{};
    /// Fill Batch::outputs.
    std::vector<Work> workers{};
    std::size_t batches_ahead = 1;  ///< loaded batches that wait for a worker, at most

    /// Batches that can be at the station at once.
    std::size_t capacity() const {
        return loaders.size() + frame_loaders.size() + workers.size() + batches_ahead;
    }
};

/// Moves batches through their stages: one thread gathers them, each station takes the next one when it is
/// free, loads it and works on it, and next() hands them on in order. Queues between the stages are bounded,
/// and so is memory.
///
/// An exception of a stage ends the pipeline: next() hands on all batches before the one that failed, then
/// throws it.
class BatchPipeline {
  public:
    /// Starts the threads of the stations. \param gatherer must outlive the pipeline. \param stations at
    /// least one, each with a worker.
    BatchPipeline(BatchGatherer& gatherer, std::vector<BatchStation> stations);
    ~BatchPipeline() { stop(); }
    BatchPipeline(const BatchPipeline&) = delete;
    BatchPipeline& operator=(const BatchPipeline&) = delete;

    /// Waits for the next batch with its outputs; nothing after the last one, and once stopped.
    /// \throws what a stage threw.
    std::optional<Batch> next() { return order_.next(); }
    /// Ends all threads as soon as they have done what they are at; batches in flight are dropped.
    void stop();

  private:
    /// A station at work.
    struct Line {
        explicit Line(BatchStation given)
            : station(std::move(given)),
              loading(station.loaders.size() + station.frame_loaders.size()),
              loaded(station.batches_ahead),
              memory(station.loaders.empty() ? 0 : station.capacity()) {}

        const BatchStation station;
        std::atomic<std::size_t> loading;  // threads that load still
        BoundedQueue<Batch> loaded;
        ResidentPool memory;
    };

    void start();
    static std::size_t max_in_flight(const std::vector<BatchStation>& stations);
    void gather();
    void load(Line& line, std::size_t loader);
    void load_frames(Line& line, const BatchStation::FrameWork& loader);
    void end_loading(Line& line);
    void work(Line& line, const BatchStation::Work& worker);

    BatchGatherer& gatherer_;
    BoundedQueue<Batch> gathered_;
    BoundedQueue<Batch> gathered_parts_;
    BatchOrder order_;
    std::vector<std::unique_ptr<Line>> lines_;
    std::vector<std::thread> threads_;
};

}  // namespace fovea
