#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/bench/timed_run.hpp"
#include "lib/device/detection_device.hpp"
#include "lib/files/find_model.hpp"
#include "lib/job/detection_job.hpp"

namespace fovea {

/// Rows of the table: "files" (several files at once), "long" (one file), "live" (frame after frame of one
/// stream) and "cpu" (one file on the CPU alone).
std::vector<std::string> video_row_keys();

struct VideoBenchmarkRequest {
    std::filesystem::path program;              ///< fovea itself
    std::filesystem::path work;                 ///< folder for videos and results, made if it is not there
    std::vector<std::filesystem::path> videos;  ///< each is measured by itself
    std::vector<std::string> rows;              ///< keys
    int copies = 16;                            ///< files of the row "files"
    std::size_t frames = 1000;                  ///< of each of them, about: the video is repeated
    std::size_t long_frames = 10000;            ///< of the one file
    std::size_t live_frames = 2000;
    int repeat = 3;
    DetectionDevice device;
    int threads = 0;  ///< of the row "cpu"; 0 = all cores
    std::string model = default_model;
};

struct VideoRowResult {
    std::string key;
    std::filesystem::path video;
    std::string work;
    std::string not_run;                   ///< a sentence if the machine cannot run it
    TimedRuns runs;                        ///< images are frames
    std::string limit_name;                ///< the decoder that was measured alone
    std::vector<double> limit_per_second;  ///< decoding alone, in the same run
    double detect_per_second = 0;          ///< detection alone, of frames in memory; row "cpu" only
    std::vector<std::string> command;

    double limit() const;
    /// The share of what can be reached: decoding alone, or detection alone where that is slower.
    double share() const;
};

/// One stream in the order of its frames, each detected by itself.
struct LiveResult {
    std::filesystem::path video;
    std::string not_run;
    double frames_per_second = 0;
    /// of every frame: from the decoder's giving it to its boxes on the host
    std::vector<double> latency_ms;
    double median_ms = 0, p99_ms = 0, max_ms = 0;
    double share_over_40_ms = 0;  ///< frames whose decoding and detection together took longer than 40 ms
};

struct VideoBenchmark {
    std::vector<VideoRowResult> rows;
    std::vector<LiveResult> live;
    bool interrupted = false;
};

/// Measures `fovea detect` on videos as a user would run it, each time in a process of its own, beside the
/// decoder alone in the same run; and one stream in this process, frame by frame. \throws UsageError for an
/// unknown row; VideoError for a video that cannot be read; Error with the program's own words if it fails,
/// or if results differ from run to run.
VideoBenchmark run_video_benchmark(const VideoBenchmarkRequest& request, const RunHooks& hooks);

}  // namespace fovea
