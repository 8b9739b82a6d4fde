#include "lib/job/stages/detect_images.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/error.hpp"
#include "lib/core/threads.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/job/stages/detect_batch.hpp"
#include "lib/job/stages/detection_station.hpp"
#include "lib/json/json.hpp"
#include "lib/results/formats/read_results.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/engine_fakes.hpp"
#include "tests/support/threads.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

std::string flat_pgm(int width, int height, int grey) {
    return "P5\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n" +
           std::string(static_cast<std::size_t>(width * height), static_cast<char>(grey));
}

// Images "0.pgm", "1.pgm", ...: number i is 10+i wide, 5 high and of grey value i; those in `broken` are no
// images.
Dataset make_dataset(const TempDir& folder, int count, const std::vector<int>& broken = {}) {
    Dataset dataset;
    dataset.root = folder.path();
    for (int i = 0; i < count; ++i) {
        Sample sample;
        sample.image = std::to_string(i) + ".pgm";
        const bool is_broken = std::find(broken.begin(), broken.end(), i) != broken.end();
        sample.path = folder.write(sample.image, is_broken ? "not an image" : flat_pgm(10 + i, 5, i));
        dataset.samples.push_back(sample);
    }
    return dataset;
}

std::vector<ImageResult> expected_results(int count, const std::vector<int>& broken, int added) {
    std::vector<ImageResult> results;
    for (int i = 0; i < count; ++i) {
        ImageResult result;
        result.image = std::to_string(i) + ".pgm";
        if (std::find(broken.begin(), broken.end(), i) == broken.end()) {
            result.width = 10 + i;
            result.height = 5;
            Detection detection;
            detection.box = {0, 0, 10.0 + i, 5};
            detection.score = i + added;
            result.detections.push_back(detection);
        }
        results.push_back(result);
    }
    return results;
}

// A GPU that is none: it keeps a batch's images, and finds in them what the host finds.
DetectionStation fake_gpu_station(const StationContext& context, int failing_batch = -1) {
    struct Place {
        std::mutex mutex;
        std::map<std::size_t, std::vector<GreyImage>> images;
    };
    const auto place = std::make_shared<Place>();
    DetectionStation station;
    station.work.batches_ahead = 2;
    for (int i = 0; i < 2; ++i) {
        station.work.loaders.emplace_back([place](Batch& batch) {
            const std::lock_guard lock(place->mutex);
            for (const LoadedImage& image : batch.images) place->images[batch.number].push_back(image.image);
        });
    }
    for (int i = 0; i < 3; ++i) {
        const auto detector =
            std::make_shared<BatchDetector>(context.images, context.tasks, nullptr, context.limit, nullptr);
        station.work.workers.emplace_back([=, &times = context.times](Batch& batch) {
            if (static_cast<int>(batch.number) == failing_batch) throw DeviceError("cuda:1 was lost");
            std::vector<GreyImage> images;
            {
                const std::lock_guard lock(place->mutex);
                images = std::move(place->images.at(batch.number));
            }
            for (std::size_t n = 0; n < images.size(); ++n) batch.images[n].image = std::move(images[n]);
            auto resident = std::move(batch.resident);
            detector->run(batch, times.detecting, times.describing);
            batch.resident = std::move(resident);
        });
    }
    station.counters = [](std::size_t) {
        EngineCounters counters;
        counters.graph_replays = 3;
        return counters;
    };
    return station;
}

void check_results(const std::filesystem::path& file, const std::vector<ImageResult>& expected) {
    const std::vector<ImageResult> results = read_results("jsonl:" + file.string()).images;
    REQUIRE(results.size() == expected.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        CAPTURE(i);
        CHECK(results[i].image == expected[i].image);
        CHECK(results[i].width == expected[i].width);
        CHECK(results[i].ok() == (expected[i].width > 0));
        REQUIRE(results[i].detections.size() == expected[i].detections.size());
        if (results[i].detections.empty()) continue;
        CHECK(results[i].detections[0].box == expected[i].detections[0].box);
        CHECK(results[i].detections[0].score == expected[i].detections[0].score);
    }
}

}  // namespace

TEST_CASE("results stand in dataset order for every detector, whatever the batches and threads",
          "[pipeline]") {
    const TempDir folder;
    const std::vector<int> broken{0, 7, 11};
    const Dataset dataset = make_dataset(folder, 23, broken);
    const int threads = GENERATE(1, 4);
    const std::size_t batch = GENERATE(1, 2, 7, 100);
    CAPTURE(threads, batch);

    FakeDetector first;
    FakeDetector second;
    DetectorOptions second_options;
    second_options.min_neighbors = 100;
    DetectImagesResult outcome;
    std::vector<JobProgress> progress;
    {
        ResultsWriter first_writer(folder.path() / "first.jsonl");
        ResultsWriter second_writer(folder.path() / "second.jsonl");
        DetectImagesOptions options;
        options.threads = threads;
        options.batch_images = batch;
        options.hooks.progress = [&](const JobProgress& p) { progress.push_back(p); };
        DetectorOptions first_options;
        first_options.min_neighbors = 1;
        outcome = detect_images(
            dataset, {{&first, first_options, &first_writer}, {&second, second_options, &second_writer}},
            options);
        first_writer.close();
        second_writer.close();
    }
    check_results(folder.path() / "first.jsonl", expected_results(23, broken, 1));
    check_results(folder.path() / "second.jsonl", expected_results(23, broken, 100));
    CHECK(outcome.images == 23);
    CHECK_FALSE(outcome.interrupted);
    REQUIRE(outcome.unreadable.size() == 3);
    CHECK(outcome.unreadable[1].image == "7.pgm");
    CHECK_FALSE(outcome.unreadable[1].reason.empty());
    CHECK(outcome.tasks.at(0).detections == 20);
    CHECK(outcome.tasks.at(1).detections == 20);
    CHECK(first.batches == second.batches);
    for (const std::size_t size : first.batches) CHECK(size <= batch);
    REQUIRE(progress.size() == (23 + batch - 1) / batch);
    CHECK(progress.back().done == 23);
    CHECK(progress.back().total == 23);
    CHECK(progress.back().unreadable == 3);
    std::size_t pixels = 0;
    for (const auto& result : expected_results(23, broken, 0))
        pixels += static_cast<std::size_t>(result.width * result.height);
    CHECK(outcome.pixels == pixels);
}

TEST_CASE("box offsets move the boxes that are written", "[pipeline]") {
    const TempDir folder;
    const Dataset dataset = make_dataset(folder, 3);  // each image is one detection
    FakeDetector detector;
    DetectorOptions options;
    options.min_neighbors = 1;
    ResultsWriter writer(folder.path() / "r.jsonl");
    DetectorTask task{&detector, options, &writer};
    task.box_offsets = {-0.5, 0.25, 0.25, -0.25};
    detect_images(dataset, {task}, {});
    writer.close();
    std::vector<ImageResult> expected = expected_results(3, {}, 1);
    for (ImageResult& image : expected) {
        const double width = image.width;
        image.detections[0].box = {-0.5 * width, 1.25, 1.75 * width, 2.5};
    }
    check_results(folder.path() / "r.jsonl", expected);
}

TEST_CASE("a batch is bounded by its bytes, and one large image is a batch of its own", "[pipeline]") {
    const TempDir folder;
    const Dataset dataset = make_dataset(folder, 6);  // 50, 55, 60, 65, 70, 75 bytes
    FakeDetector detector;
    ResultsWriter writer(folder.path() / "r.jsonl");
    DetectImagesOptions options;
    options.threads = 1;
    SECTION("two fit") {
        options.batch_bytes = 145;
        detect_images(dataset, {{&detector, {}, &writer}}, options);
        CHECK(detector.batches == std::vector<std::size_t>{2, 2, 2});
    }
    SECTION("none fits") {
        options.batch_bytes = 1;
        options.prefetch_bytes = 1;
        detect_images(dataset, {{&detector, {}, &writer}}, options);
        CHECK(detector.batches == std::vector<std::size_t>(6, 1));
    }
}

TEST_CASE("a cancelled job finishes the images in flight and says that it was interrupted", "[pipeline]") {
    const TempDir folder;
    const Dataset dataset = make_dataset(folder, 60);
    FakeDetector detector;
    std::atomic<bool> cancel{false};
    ResultsWriter writer(folder.path() / "r.jsonl");
    DetectImagesOptions options;
    options.threads = 2;
    options.batch_images = 4;
    options.hooks.cancel = &cancel;
    options.hooks.progress = [&](const JobProgress& p) { cancel = p.done >= 8; };
    const DetectImagesResult outcome = detect_images(dataset, {{&detector, {}, &writer}}, options);
    writer.close();
    CHECK(outcome.interrupted);
    // Those whose results made it cancel, and at most three batches that were on their way.
    REQUIRE(outcome.images >= 8);
    REQUIRE(outcome.images < 40);
    DetectorOptions defaults;
    const auto done = static_cast<int>(outcome.images);
    check_results(folder.path() / "r.jsonl", expected_results(done, {}, DetectorTraits{}.min_neighbors));

    // Cancelled before it began: nothing is done. Cancelled with the last image: nothing is missing.
    cancel = true;
    ResultsWriter none(folder.path() / "none.jsonl");
    CHECK(detect_images(dataset, {{&detector, {}, &none}}, options).images == 0);
    cancel = false;
    options.hooks.progress = [&](const JobProgress& p) { cancel = p.done == p.total; };
    ResultsWriter all(folder.path() / "all.jsonl");
    CHECK_FALSE(detect_images(dataset, {{&detector, {}, &all}}, options).interrupted);
}

TEST_CASE("a detector's failure ends the job and leaves no thread behind", "[pipeline]") {
    const TempDir folder;
    const Dataset dataset = make_dataset(folder, 20);
    FakeDetector detector;
    detector.fails = true;
    ResultsWriter writer(folder.path() / "r.jsonl");
    // Threads of loops stay for the next loop.
    const ThreadLimit no_loops(1);
    const std::size_t before = count_threads();
    CHECK_THROWS_WITH(detect_images(dataset, {{&detector, {}, &writer}}, {}), "the detector failed");
    CHECK(detector.max_threads > before);
    // The system counts a thread a little longer than it runs.
    CHECK(comes_true([&] { return count_threads() <= before; }));
}

TEST_CASE("an image that a detector cannot scan is recorded and the job goes on", "[pipeline]") {
    const TempDir folder;
    const Dataset dataset = make_dataset(folder, 9, {4});  // widths 10 to 18
    const std::size_t batch = GENERATE(1, 3, 100);
    CAPTURE(batch);
    FakeDetector first;
    FakeDetector second;
    first.faults.refused_width = 12;
    second.faults.refused_width = 17;
    DetectImagesOptions options;
    options.threads = 2;
    options.batch_images = batch;
    ResultsWriter first_writer(folder.path() / "first.jsonl");
    ResultsWriter second_writer(folder.path() / "second.jsonl");
    const DetectImagesResult outcome =
        detect_images(dataset, {{&first, {}, &first_writer}, {&second, {}, &second_writer}}, options);
    first_writer.close();
    second_writer.close();
    CHECK(outcome.images == 9);
    REQUIRE(outcome.unreadable.size() == 3);
    CHECK(outcome.unreadable[0].image == "2.pgm");
    CHECK(outcome.unreadable[0].reason == "cannot be scanned: too wide");
    CHECK(outcome.unreadable[1].image == "4.pgm");
    CHECK(outcome.unreadable[2].image == "7.pgm");
    CHECK(outcome.unreadable[2].reason == "cannot be scanned: too wide");
    // The same images in both files, whichever detector failed.
    const int added = DetectorTraits{}.min_neighbors;
    check_results(folder.path() / "first.jsonl", expected_results(9, {2, 4, 7}, added));
    check_results(folder.path() / "second.jsonl", expected_results(9, {2, 4, 7}, added));
    CHECK(outcome.tasks.at(0).detections == 6);
    CHECK(outcome.tasks.at(1).detections == 6);
}

TEST_CASE("a lack of memory ends the job and is the result of no image", "[pipeline]") {
    const TempDir folder;
    const Dataset dataset = make_dataset(folder, 9, {});  // widths 10 to 18
    FakeDetector detector;
    detector.faults.large_width = 14;
    DetectImagesOptions options;
    options.threads = 2;
    options.batch_images = 1;
    ResultsWriter writer(folder.path() / "results.jsonl");
    const DetectImagesResult outcome = detect_images(dataset, {{&detector, {}, &writer}}, options);
    writer.close();
    CHECK(outcome.images == 4);
    CHECK(outcome.interrupted);
    CHECK(outcome.was_short);
    CHECK(outcome.error == "there is not enough memory; lower --threads, or end other programs");
    CHECK(outcome.unreadable.empty());
    check_results(folder.path() / "results.jsonl", expected_results(4, {}, DetectorTraits{}.min_neighbors));
}

TEST_CASE("only unreadable images: no detector is asked", "[pipeline]") {
    const TempDir folder;
    const Dataset dataset = make_dataset(folder, 3, {0, 1, 2});
    FakeDetector detector;
    ResultsWriter writer(folder.path() / "r.jsonl");
    const DetectImagesResult outcome = detect_images(dataset, {{&detector, {}, &writer}}, {});
    CHECK(outcome.unreadable.size() == 3);
    CHECK(detector.batches.empty());
}

TEST_CASE("a thread limit gives exactly so many threads and ends with its scope", "[pipeline]") {
    CHECK(resolve_threads(0) >= 1);
    CHECK(resolve_threads(5) == 5);
    const int threads = GENERATE(1, 3);
    int inside = 0;
    {
        ThreadLimit limit(threads);
        CHECK(limit.threads() == threads);
        limit.run([&] { inside = tbb::this_task_arena::max_concurrency(); });
    }
    CHECK(inside == threads);
}

TEST_CASE("the manifest lies beside its results", "[pipeline]") {
    CHECK(manifest_path("results.jsonl") == "run.json");
    CHECK(manifest_path("out/results.jsonl") == "out/run.json");
    CHECK(manifest_path("out/profiles.jsonl") == "out/profiles.run.json");
    CHECK(manifest_path("a.b/c.d.jsonl") == "a.b/c.d.run.json");
    CHECK(manifest_path("plain") == "plain.run.json");
    CHECK(manifest_path("-").empty());
    CHECK(manifest_path("/dev/stdout").empty());
    CHECK(manifest_path("/dev/fd/63").empty());
    CHECK(manifest_path("/proc/self/fd/1").empty());
    CHECK(manifest_path("/devices/r.jsonl") == "/devices/r.run.json");
}

TEST_CASE("a JSON file is written in full or not at all", "[pipeline]") {
    const TempDir folder;
    const auto file = folder.write("run.json", "old");
    write_json_file(file, {{"key", 1}});
    CHECK(read_bytes(file) == "{\n  \"key\": 1\n}\n");
    CHECK_THROWS_AS(write_json_file(folder.path() / "missing" / "run.json", {}), Error);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a pipe is written to and not replaced, and a link stays a link", "[pipeline]") {
    namespace fs = std::filesystem;
    const TempDir folder;
    const fs::path pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    REQUIRE(reader >= 0);
    write_json_file(pipe, {{"key", 1}});
    char bytes[64];
    const ssize_t count = ::read(reader, bytes, sizeof bytes);
    ::close(reader);
    CHECK(std::string(bytes, static_cast<std::size_t>(std::max<ssize_t>(count, 0))) ==
          "{\n  \"key\": 1\n}\n");
    CHECK(fs::is_fifo(pipe));

    const fs::path file = folder.write("elsewhere/run.json", "old");
    const fs::path link = folder.path() / "link.json";
    fs::create_symlink(file, link);
    write_json_file(link, {{"key", 2}});
    CHECK(fs::is_symlink(link));
    CHECK(read_bytes(file) == "{\n  \"key\": 2\n}\n");
}

TEST_CASE("a task without a detector takes the annotated faces that count", "[pipeline][landmarks]") {
    const TempDir folder;
    Dataset dataset = make_dataset(folder, 3, {2});
    for (Sample& sample : dataset.samples) {
        sample.annotated = true;
        sample.faces.resize(4);
        for (std::size_t i = 0; i < 4; ++i) sample.faces[i].box = {static_cast<double>(i), 0, 3, 4};
        sample.faces[1].ignore = true;
        sample.faces[2].crowd = true;
    }
    dataset.samples[1].faces.clear();
    const auto file = folder.path() / "truth.jsonl";
    ResultsWriter writer(file);
    const DetectImagesResult outcome = detect_images(dataset, {{nullptr, {}, &writer}}, {});
    writer.close();
    CHECK(outcome.tasks.at(0).detections == 2);
    const std::vector<ImageResult> results = read_results("jsonl:" + file.string()).images;
    REQUIRE(results.size() == 3);
    REQUIRE(results[0].detections.size() == 2);
    CHECK(results[0].detections[0].box == Box{0, 0, 3, 4});
    CHECK(results[0].detections[1].box == Box{3, 0, 3, 4});
    CHECK(results[0].detections[1].score == 1);
    CHECK(results[1].ok());
    CHECK(results[1].detections.empty());
    CHECK_FALSE(results[2].ok());
}

TEST_CASE("several GPUs: the results of the host, and the stages of both", "[pipeline]") {
    const TempDir folder;
    const std::vector<int> broken{3, 20};
    const Dataset dataset = make_dataset(folder, 37, broken);
    FakeDetector detector;
    const std::size_t host_bytes = GENERATE(std::size_t{200}, std::size_t{1} << 20);
    CAPTURE(host_bytes);
    DetectImagesResult outcome;
    {
        ResultsWriter writer(folder.path() / "r.jsonl");
        DetectImagesOptions options;
        options.batch_images = 4;
        options.host_bytes = host_bytes;
        options.gpus = {0, 1};
        std::vector<int> made;
        options.make_station = [&](int gpu, const StationContext& context) {
            made.push_back(gpu);
            CHECK(context.quota == nullptr);
            return fake_gpu_station(context);
        };
        outcome = detect_images(dataset, {{&detector, {}, &writer}}, options);
        writer.close();
        CHECK(made == std::vector<int>{0, 1});
    }
    check_results(folder.path() / "r.jsonl", expected_results(37, broken, DetectorTraits{}.min_neighbors));
    CHECK(outcome.images == 37);
    CHECK(outcome.unreadable.size() == 2);
    CHECK_FALSE(outcome.interrupted);
    // The work of both GPUs together.
    CHECK(outcome.tasks.at(0).counters.graph_replays == 6);
    REQUIRE(outcome.stages.size() == 4);
    CHECK(outcome.stages[1].name == "gpu_load");
    CHECK(outcome.stages[1].threads == 4);
    CHECK(outcome.stages[2].name == "detect");
    CHECK(outcome.stages[2].threads == 6);
}

TEST_CASE("a lost GPU ends a job: batches before it are kept, and the outcome says why", "[pipeline]") {
    const TempDir folder;
    const Dataset dataset = make_dataset(folder, 37);
    FakeDetector detector;
    DetectImagesResult outcome;
    {
        ResultsWriter writer(folder.path() / "r.jsonl");
        DetectImagesOptions options;
        options.batch_images = 4;
        options.gpus = {0, 1};
        options.make_station = [&](int, const StationContext& context) {
            return fake_gpu_station(context, 5);
        };
        outcome = detect_images(dataset, {{&detector, {}, &writer}}, options);
        writer.close();
    }
    check_results(folder.path() / "r.jsonl", expected_results(20, {}, DetectorTraits{}.min_neighbors));
    CHECK(outcome.images == 20);
    CHECK(outcome.interrupted);
    CHECK(outcome.error == "cuda:1 was lost");
    CHECK_FALSE(outcome.was_short);
}

TEST_CASE("mixed decoders: a station is told of the quota", "[pipeline]") {
    const TempDir folder;
    const Dataset dataset = make_dataset(folder, 3);
    FakeDetector detector;
    ResultsWriter writer(folder.path() / "r.jsonl");
    DetectImagesOptions options;
    options.gpus = {0};
    options.batch_images = 1;
    options.nvjpeg = NvJpegBackend::engines;
    options.mixed_decoders = true;
    std::size_t reserved = 0;
    options.make_station = [&](int, const StationContext& context) {
        REQUIRE(context.quota != nullptr);
        while (context.quota->try_reserve()) ++reserved;
        return fake_gpu_station(context);
    };
    // The CPU decodes all if no room is left for the GPU.
    const DetectImagesResult outcome = detect_images(dataset, {{&detector, {}, &writer}}, options);
    CHECK(reserved == 2);
    CHECK(outcome.decoded.cpu == 3);
    CHECK(outcome.images == 3);
    writer.close();
}
