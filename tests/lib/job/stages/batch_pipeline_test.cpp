// The ways that batches take through the stages of a job, with stations that only pretend to be GPUs.

#include "lib/job/stages/batch_pipeline.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "kernels/core/device.hpp"
#include "lib/job/stages/detection_station.hpp"

using namespace fovea;

namespace {

LoadedImage image_of(std::size_t index, int pixels) {
    LoadedImage image;
    image.index = index;
    image.size = {pixels, 1};
    image.image = {pixels, 1, std::vector<std::uint8_t>(static_cast<std::size_t>(pixels))};
    return image;
}

LoadedImage jpeg_of(std::size_t index, int pixels, std::size_t bytes) {
    LoadedImage image;
    image.index = index;
    image.size = {pixels, 1};
    image.jpeg.emplace().bytes.resize(bytes);
    return image;
}

// Hands out images of these numbers of pixels.
class Images {
  public:
    explicit Images(std::vector<int> pixels) : pixels_(std::move(pixels)) {}
    std::optional<LoadedImage> operator()() {
        if (next_ == pixels_.size()) return std::nullopt;
        const std::size_t index = next_++;
        return image_of(index, pixels_[index]);
    }

  private:
    std::vector<int> pixels_;
    std::size_t next_ = 0;
};

void pause(int microseconds) {
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

// Puts the batch's number and its images' indices on a line.
void write_line(Batch& batch) {
    std::string line = std::to_string(batch.number) + ":";
    for (const LoadedImage& image : batch.images) line += " " + std::to_string(image.index);
    batch.outputs.assign(1, {});
    batch.outputs[0].lines = line;
}

BatchStation host_station() {
    BatchStation station;
    station.workers.push_back(write_line);
    return station;
}

// Like a GPU: what its threads do takes longer for some batches than for others.
BatchStation gpu_station(std::size_t loaders, std::size_t workers) {
    BatchStation station;
    station.batches_ahead = 2;
    for (std::size_t i = 0; i < loaders; ++i) {
        station.loaders.emplace_back(
            [](Batch& batch) { pause(static_cast<int>(batch.number * 37 % 11) * 40); });
    }
    for (std::size_t i = 0; i < workers; ++i) {
        station.workers.emplace_back([](Batch& batch) {
            pause(static_cast<int>(batch.number * 53 % 7) * 70);
            write_line(batch);
        });
    }
    return station;
}

std::vector<std::string> lines_of(BatchPipeline& pipeline) {
    std::vector<std::string> lines;
    while (std::optional<Batch> batch = pipeline.next()) lines.push_back(batch->outputs.at(0).lines);
    return lines;
}

std::vector<std::string> expected_lines(std::size_t batches) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < batches; ++i) lines.push_back(std::to_string(i) + ": " + std::to_string(i));
    return lines;
}

constexpr BatchLimits one_image{1, 100, 1000};

}  // namespace

TEST_CASE("batch pipeline: every batch once and in order, whatever the stations", "[stages]") {
    constexpr std::size_t count = 60;
    const std::vector<std::vector<BatchStation>> topologies{
        {host_station()},
        {gpu_station(1, 1)},
        {gpu_station(2, 3)},
        {gpu_station(2, 3), gpu_station(2, 3), gpu_station(1, 4)},
    };
    for (const auto& stations : topologies) {
        CAPTURE(stations.size(), stations[0].capacity());
        BatchGatherer gatherer(Images(std::vector<int>(count, 3)), one_image, nullptr, nullptr);
        BatchPipeline pipeline(gatherer, stations);
        CHECK(lines_of(pipeline) == expected_lines(count));
        CHECK_FALSE(pipeline.next());
    }
}

TEST_CASE("batch pipeline: no images, and an end before the last batch is taken", "[stages]") {
    {
        BatchGatherer gatherer(Images({}), one_image, nullptr, nullptr);
        BatchPipeline pipeline(gatherer, {gpu_station(2, 3)});
        CHECK_FALSE(pipeline.next());
    }
    BatchGatherer gatherer(Images(std::vector<int>(1000, 3)), one_image, nullptr, nullptr);
    BatchPipeline pipeline(gatherer, {gpu_station(2, 3), gpu_station(2, 3)});
    CHECK(pipeline.next());
    pipeline.stop();
    CHECK_FALSE(pipeline.next());
}

TEST_CASE("batch pipeline: loaders get memory, and no more batches are there than it is for", "[stages]") {
    std::atomic<int> resident{0}, max_resident{0};
    std::mutex mutex;
    std::set<const ResidentImages*> pieces;
    BatchStation station;
    station.batches_ahead = 1;
    for (int i = 0; i < 2; ++i) {
        station.loaders.emplace_back([&](Batch& batch) {
            REQUIRE(batch.resident != nullptr);
            {
                const std::lock_guard lock(mutex);
                pieces.insert(batch.resident.get());
            }
            max_resident = std::max(max_resident.load(), ++resident);
        });
    }
    station.workers.emplace_back([&](Batch& batch) {
        pause(200);
        --resident;
        write_line(batch);
    });
    REQUIRE(station.capacity() == 4);
    BatchGatherer gatherer(Images(std::vector<int>(40, 3)), one_image, nullptr, nullptr);
    BatchPipeline pipeline(gatherer, {station});
    // Nobody takes them: everything fills up.
    pause(20000);
    CHECK(max_resident.load() >= 2);
    CHECK(lines_of(pipeline) == expected_lines(40));
    CHECK(max_resident.load() <= 4);
    CHECK(pieces.size() <= 4);
}

TEST_CASE("batch pipeline: a GPU whose memory is used gives the host's memory back before it detects",
          "[stages]") {
    std::vector<std::size_t> held;
    BatchStation station;
    station.loaders.emplace_back([&](Batch& batch) { held.push_back(batch.host_bytes); });
    station.workers.emplace_back([&](Batch& batch) {
        held.push_back(batch.host_bytes);
        held.push_back(batch.images.at(0).image.pixels.size());
        write_line(batch);
    });
    BatchGatherer gatherer(Images({7}), one_image, nullptr, nullptr);
    BatchPipeline pipeline(gatherer, {station});
    CHECK(lines_of(pipeline).size() == 1);
    CHECK(held == std::vector<std::size_t>{7, 0, 0});
}

TEST_CASE("batch pipeline: a loader that is not ready keeps no batch from the others", "[stages]") {
    constexpr std::size_t count = 30;
    std::mutex mutex;
    std::condition_variable changed;
    bool is_all_loaded = false;
    std::multiset<std::size_t> prepared;
    std::size_t by_first = 0, by_second = 0;
    BatchStation station;
    station.batches_ahead = 2;
    // The second one is ready when all batches were loaded: it would wait for good if it held one of them.
    station.prepare_loader = [&](std::size_t loader) {
        std::unique_lock lock(mutex);
        prepared.insert(loader);
        if (loader == 1) changed.wait(lock, [&] { return is_all_loaded; });
    };
    station.loaders.emplace_back([&](Batch&) {
        const std::lock_guard lock(mutex);
        is_all_loaded = ++by_first == count;
        changed.notify_all();
    });
    station.loaders.emplace_back([&](Batch&) { ++by_second; });
    station.workers.emplace_back(write_line);
    BatchGatherer gatherer(Images(std::vector<int>(count, 3)), one_image, nullptr, nullptr);
    BatchPipeline pipeline(gatherer, {station});
    CHECK(lines_of(pipeline) == expected_lines(count));
    pipeline.stop();
    CHECK(prepared == std::multiset<std::size_t>{0, 1});
    CHECK(by_second == 0);
}

TEST_CASE("batch pipeline: a loader that cannot be made ready fails with its first batch", "[stages]") {
    BatchStation station = gpu_station(1, 1);
    station.prepare_loader = [](std::size_t) { throw DeviceError("cuda:0 has no memory left"); };
    {
        BatchGatherer gatherer(Images({3, 3}), one_image, nullptr, nullptr);
        BatchPipeline pipeline(gatherer, {station});
        CHECK_THROWS_WITH(pipeline.next(), "cuda:0 has no memory left");
    }
    BatchGatherer gatherer(Images({}), one_image, nullptr, nullptr);
    BatchPipeline pipeline(gatherer, {station});
    CHECK_FALSE(pipeline.next());
}

TEST_CASE("batch pipeline: a lost GPU ends the job behind the last batch before it", "[stages]") {
    const bool fails_loading = GENERATE(false, true);
    BatchStation lost = gpu_station(2, 3);
    for (auto& work : fails_loading ? lost.loaders : lost.workers) {
        work = [work](Batch& batch) {
            if (batch.number == 17) throw DeviceError("cuda:1 fell off the bus");
            work(batch);
        };
    }
    BatchGatherer gatherer(Images(std::vector<int>(100, 3)), one_image, nullptr, nullptr);
    // Whichever of the two gets batch 17 is lost.
    BatchPipeline pipeline(gatherer, {lost, lost});
    std::vector<std::string> lines;
    CHECK_THROWS_WITH(
        [&] {
            while (std::optional<Batch> batch = pipeline.next()) lines.push_back(batch->outputs.at(0).lines);
        }(),
        "cuda:1 fell off the bus");
    CHECK(lines == expected_lines(17));
}

TEST_CASE("batch pipeline: what fails while images are read is thrown after the batches before it",
          "[stages]") {
    std::size_t asked = 0;
    BatchGatherer gatherer(
        [&]() -> std::optional<LoadedImage> {
            if (asked == 5) throw std::runtime_error("the disk is gone");
            return image_of(asked++, 3);
        },
        {2, 100, 1000}, nullptr, nullptr);
    BatchPipeline pipeline(gatherer, {gpu_station(2, 3)});
    REQUIRE(pipeline.next());
    REQUIRE(pipeline.next());
    // The fifth image waits for a sixth, which never comes.
    CHECK_THROWS_WITH(pipeline.next(), "the disk is gone");
}

TEST_CASE("batch gatherer: batches end by images, by bytes and by the host's memory", "[stages]") {
    const auto batches = [](std::vector<int> pixels, const BatchLimits& limits) {
        BatchGatherer gatherer(Images(std::move(pixels)), limits, nullptr, nullptr);
        std::vector<std::size_t> sizes;
        for (Batch batch; gatherer.fill(batch); batch = {}) {
            sizes.push_back(batch.images.size());
            gatherer.release(batch);
        }
        return sizes;
    };
    CHECK(batches({1, 1, 1, 1, 1}, {2, 100, 1000}) == std::vector<std::size_t>{2, 2, 1});
    CHECK(batches({4, 6, 1, 50, 2}, {10, 10, 1000}) == std::vector<std::size_t>{2, 1, 1, 1});
    // An image larger than all the memory goes alone.
    CHECK(batches({4, 5000, 2, 2}, {10, 100000, 10}) == std::vector<std::size_t>{1, 1, 2});
    CHECK(batches({}, {10, 10, 10}).empty());
}

TEST_CASE("batch gatherer: a JPEG file counts with its bytes on the host, with its pixels in a batch",
          "[stages]") {
    std::size_t next = 0;
    BatchGatherer gatherer([&] { return next < 4 ? std::optional(jpeg_of(next++, 60, 5)) : std::nullopt; },
                           {10, 130, 1000}, nullptr, nullptr);
    Batch batch;
    REQUIRE(gatherer.fill(batch));
    CHECK(batch.images.size() == 2);
    CHECK(batch.host_bytes == 10);
    gatherer.release(batch);
    CHECK_FALSE(batch.images[0].jpeg.has_value());
    gatherer.release(batch);
    CHECK(batch.host_bytes == 0);
}

TEST_CASE("batch gatherer: a full memory makes the next batch wait until one is released", "[stages]") {
    BatchGatherer gatherer(Images({8, 8}), {1, 100, 10}, nullptr, nullptr);
    Batch first, second;
    REQUIRE(gatherer.fill(first));
    std::atomic<bool> is_filled{false};
    std::thread thread([&] { is_filled = gatherer.fill(second); });
    pause(20000);
    CHECK_FALSE(is_filled.load());
    gatherer.release(first);
    thread.join();
    CHECK(is_filled.load());
    CHECK(second.images.at(0).index == 1);
}

TEST_CASE("batch gatherer: stop() and a cancellation end it", "[stages]") {
    {
        BatchGatherer gatherer(Images({8, 8}), {1, 100, 10}, nullptr, nullptr);
        Batch first, second;
        REQUIRE(gatherer.fill(first));
        std::atomic<bool> is_filled{true};
        std::thread thread([&] { is_filled = gatherer.fill(second); });
        pause(5000);
        gatherer.stop();
        thread.join();
        CHECK_FALSE(is_filled.load());
    }
    std::atomic<bool> cancel{true};
    BatchGatherer gatherer(Images({8}), {1, 100, 10}, nullptr, &cancel);
    Batch batch;
    CHECK_FALSE(gatherer.fill(batch));
}

TEST_CASE("batch gatherer: released memory goes to the pool", "[stages]") {
    constexpr int large = 4 << 20;
    BufferPool pool(std::size_t{64} << 20);
    BatchGatherer gatherer(Images({large}), {1, 1 << 30, 1 << 30}, &pool, nullptr);
    Batch batch;
    REQUIRE(gatherer.fill(batch));
    const std::uint8_t* const memory = batch.images.at(0).image.pixels.data();
    gatherer.release(batch);
    CHECK(pool.take(large).data() == memory);
}

TEST_CASE("batch order: batches that finish out of order, and the limit of those in flight", "[stages]") {
    BatchOrder order(2);
    CHECK(order.wait_for_turn());
    CHECK(order.wait_for_turn());
    std::atomic<bool> has_begun{false};
    std::thread third([&] { has_begun = order.wait_for_turn(); });
    const auto batch = [](std::size_t number) {
        Batch made;
        made.number = number;
        return made;
    };
    order.deliver(batch(1));
    pause(5000);
    CHECK_FALSE(has_begun.load());
    order.deliver(batch(0));
    CHECK(order.next()->number == 0);
    third.join();
    CHECK(has_begun.load());
    CHECK(order.next()->number == 1);
    order.end_at(2);
    CHECK_FALSE(order.next());
}

TEST_CASE("batch order: of two failures the earlier one is thrown", "[stages]") {
    BatchOrder order(8);
    const auto fail = [&](std::size_t number, const char* why) {
        try {
            throw std::runtime_error(why);
        } catch (...) {
            order.fail(number);
        }
    };
    fail(2, "second");
    fail(1, "first");
    fail(3, "third");
    Batch batch;
    order.deliver(std::move(batch));
    CHECK(order.next());
    CHECK_THROWS_WITH(order.next(), "first");
}

TEST_CASE("a quota of files for the GPUs' decoders", "[stages]") {
    GpuDecodeQuota quota(2);
    CHECK(quota.try_reserve());
    CHECK(quota.try_reserve());
    CHECK_FALSE(quota.try_reserve());
    quota.release(1);
    CHECK(quota.try_reserve());
    CHECK_FALSE(GpuDecodeQuota(0).try_reserve());
}

TEST_CASE("batch gatherer: the first batches are small", "[stages]") {
    BatchLimits limits{8, 1000, 10000};
    limits.first_images = 3;
    BatchGatherer gatherer(Images(std::vector<int>(20, 3)), limits, nullptr, nullptr);
    std::vector<std::size_t> sizes;
    while (true) {
        Batch batch;
        if (!gatherer.fill(batch)) break;
        sizes.push_back(batch.images.size());
        gatherer.release(batch);
    }
    CHECK(sizes == std::vector<std::size_t>{3, 6, 8, 3});
}
