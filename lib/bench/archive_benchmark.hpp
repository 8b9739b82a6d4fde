#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/view.hpp"
#include "lib/bench/archive_images.hpp"
#include "lib/bench/timed_run.hpp"
#include "lib/device/detection_device.hpp"
#include "lib/files/find_model.hpp"
#include "lib/image/nvjpeg.hpp"

namespace fovea {

/// A decoder for an archive's images: no job is faster than decoding alone.
struct DecodeLimit {
    std::optional<NvJpegBackend> backend;  ///< empty: TurboJPEG
    int threads = 0;                       ///< TurboJPEG's; 0 = all

    friend bool operator==(const DecodeLimit&, const DecodeLimit&) = default;
};

/// A row of the table: work of `fovea detect` whose speed is measured.
struct ArchiveRow {
    std::string key;   ///< its name for --row
    std::string work;  ///< for people
    Size size;         ///< of the JPEG files
    bool on_gpu = true;
    std::vector<std::string> flags;  ///< of detect, beside the flags that all rows have
    std::string recogniser;          ///< that describes faces by their landmarks; empty: none
    DecodeLimit limit;
    std::size_t max_images = ~std::size_t{0};
};

/// The rows in their order.
const std::vector<ArchiveRow>& archive_rows();
std::vector<std::string> archive_row_keys();

struct ArchiveBenchmarkRequest {
    std::filesystem::path program;  ///< fovea itself
    std::filesystem::path work;     ///< folder for archives and results; is made if it is not there
    std::vector<std::string> rows;  ///< keys
    std::size_t images = 1000;      ///< number of each size
    int repeat = 5;
    std::uint64_t seed = 1;
    DetectionDevice device;
    int threads = 0;  ///< of `fovea detect`, except in the row of two threads; 0 = its own choice
    std::string model = default_model;
    double limit_seconds = 1;  ///< time of one measurement of a limit
};

/// The speed of decoding an archive's images and doing nothing else.
struct MeasuredLimit {
    Size size;
    DecodeLimit limit;
    std::string name;              ///< "JPEG engines of cuda:0"
    double images_per_second = 0;  ///< median
    std::string unavailable;       ///< the reason, a sentence, if it cannot be measured
};

struct ArchiveRowResult {
    ArchiveRow row;
    std::string not_run;  ///< the reason, a sentence, if the machine cannot run it
    TimedRuns runs;
    std::optional<MeasuredLimit> limit;
    std::vector<std::string> command;
};

struct ArchiveBenchmark {
    std::vector<ArchiveRowResult> rows;
    bool interrupted = false;
};

/// Makes archives from the sources, and measures `fovea detect` on them as a user would run it: each run is a
/// process of its own.
/// \throws UsageError for an unknown row; Error with the program's own words if it fails, or if its results
/// differ from run to run.
ArchiveBenchmark run_archive_benchmark(const ArchiveBenchmarkRequest& request,
                                       const std::vector<ArchiveSource>& sources, const JobHooks& hooks);

}  // namespace fovea
