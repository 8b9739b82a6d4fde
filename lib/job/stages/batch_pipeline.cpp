#include "lib/job/stages/batch_pipeline.hpp"

#include <exception>
#include <utility>

namespace fovea {

BatchPipeline::BatchPipeline(BatchGatherer& gatherer, std::vector<BatchStation> stations)
    : gatherer_(gatherer),
      gathered_(stations.size()),
      gathered_parts_(stations.size()),
      order_(max_in_flight(stations)) {
    for (BatchStation& station : stations) lines_.push_back(std::make_unique<Line>(std::move(station)));
    try {
        start();
    } catch (...) {
        stop();
        throw;
    }
}

void BatchPipeline::start() {
    threads_.emplace_back([this] { gather(); });
    for (const auto& line : lines_) {
        for (std::size_t loader = 0; loader < line->station.loaders.size(); ++loader) {
            threads_.emplace_back([this, &line, loader] { load(*line, loader); });
        }
        for (const auto& loader : line->station.frame_loaders) {
            threads_.emplace_back([this, &line, &loader] { load_frames(*line, loader); });
        }
        for (const auto& worker : line->station.workers) {
            threads_.emplace_back([this, &line, &worker] { work(*line, worker); });
        }
    }
}

// One more, so that the next one is gathered while all stations are full.
std::size_t BatchPipeline::max_in_flight(const std::vector<BatchStation>& stations) {
    std::size_t count = 1;
    for (const BatchStation& station : stations) count += station.capacity();
    return count;
}

void BatchPipeline::stop() {
    order_.stop();
    gatherer_.stop();
    gathered_.abandon();
    gathered_parts_.abandon();
    for (const auto& line : lines_) {
        line->loaded.abandon();
        line->memory.close();
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
}

// Batches that were gathered before a cancellation are in flight and still processed.
void BatchPipeline::gather() {
    std::size_t number = 0;
    try {
        for (; order_.wait_for_turn(); ++number) {
            Batch batch;
            batch.number = number;
            if (!gatherer_.fill(batch)) break;
            BoundedQueue<Batch>& queue = batch.frames ? gathered_parts_ : gathered_;
            if (!queue.push(std::move(batch))) break;
        }
    } catch (...) {
        order_.fail(number++);
    }
    order_.end_at(number);
    gathered_.close();
    gathered_parts_.close();
}

void BatchPipeline::load(Line& line, std::size_t loader) {
    std::exception_ptr not_ready;
    try {
        if (line.station.prepare_loader) line.station.prepare_loader(loader);
    } catch (...) {
        not_ready = std::current_exception();
    }
    while (std::optional<Batch> batch = gathered_.pop()) {
        const std::size_t number = batch->number;
        try {
            if (not_ready) std::rethrow_exception(not_ready);
            batch->resident = line.memory.acquire();
            if (batch->resident == nullptr) return;
            line.station.loaders[loader](*batch);
            if (!line.loaded.push(std::move(*batch))) return;
        } catch (...) {
            order_.fail(number);
            break;
        }
    }
    end_loading(line);
}

void BatchPipeline::load_frames(Line& line, const BatchStation::FrameWork& loader) {
    const BatchStation::Pieces pieces{[&] { return line.memory.acquire(); },
                                      [&](Batch piece) { return line.loaded.push(std::move(piece)); },
                                      [&] { return line.loaded.is_empty(); }};
    while (std::optional<Batch> batch = gathered_parts_.pop()) {
        const std::size_t number = batch->number;
        try {
            loader(*batch, pieces);
            batch->frames.reset();
            gatherer_.release(*batch);
        } catch (...) {
            order_.fail(number);
            break;
        }
    }
    end_loading(line);
}

void BatchPipeline::end_loading(Line& line) {
    if (--line.loading == 0) line.loaded.close();
}

void BatchPipeline::work(Line& line, const BatchStation::Work& worker) {
    const bool are_loaded = !line.station.loaders.empty() || !line.station.frame_loaders.empty();
    BoundedQueue<Batch>& waiting = are_loaded ? line.loaded : gathered_;
    while (std::optional<Batch> batch = waiting.pop()) {
        const std::size_t number = batch->number;
        try {
            const bool is_resident = batch->resident != nullptr;
            if (is_resident) batch->resident->wait();
            // Not by the thread that loads: giving back the memory of hundreds of files takes as long as it
            // takes a GPU to decode a part of them.
            if (is_resident) gatherer_.release_loaded(*batch);
            worker(*batch);
            if (is_resident) line.memory.release(std::move(batch->resident));
            gatherer_.release(*batch);
            order_.deliver(std::move(*batch));
        } catch (...) {
            order_.fail(number);
            return;
        }
    }
}

}  // namespace fovea
