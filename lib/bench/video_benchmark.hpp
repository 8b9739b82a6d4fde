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
    std::filesystem::path work;                 ///< folder for videos and results; is made if it is not there
    std::vector<std::filesystem::path> videos;  ///< each is measured by itself
    std::vector<std::string> rows;              ///< keys
    int copies = 16;                            ///< number of files of the row "files"
    std::size_t frames = 1000;                  ///< about the frames of each file: the video is repeated
    std::size_t long_frames = 10000;            ///< about the frames of the file of the row "long"
    std::size_t live_frames = 2000;
    int repeat = 3;
    DetectionDevice device;
    int threads = 0;  ///< for the row "cpu"; 0 = all cores
    std::string model = default_model;
};

struct VideoRowResult {
    std::string key;
    std::filesystem::path video;
    std::string work;
    std::string not_run;                   ///< the reason, a sentence, if the machine cannot run it
    TimedRuns runs;                        ///< images are frames
    std::string limit_name;                ///< the decoder that was measured alone
    std::vector<double> limit_per_second;  ///< decoding alone, in the same run
    double detect_per_second = 0;          ///< detection alone, of frames in memory; row "cpu" only
    std::vector<std::string> command;

    double limit() const;
    /// The speed divided by the slower of decoding alone and detection alone.
    double share() const;
};

/// The times of one stream whose frames are detected in order, one by one.
struct LiveResult {
    std::filesystem::path video;
    std::string not_run;
    double frames_per_second = 0;
    /// For every frame, the time from the decoder's output to its boxes on the host.
    std::vector<double> latency_ms;
    double median_ms = 0, p99_ms = 0, max_ms = 0;
    double share_over_40_ms = 0;  ///< share of frames whose decoding and detection took more than 40 ms
};

struct VideoBenchmark {
    std::vector<VideoRowResult> rows;
    std::vector<LiveResult> live;
    bool interrupted = false;
};

/// Measures `fovea detect` on videos as a user would run it, each run in a process of its own, and the
/// decoder alone in turns with it; also one stream in this process, frame by frame.
/// \throws UsageError for an unknown row; VideoError for a video that cannot be read; Error with the
/// program's own words if it fails, or if results differ from run to run.
VideoBenchmark run_video_benchmark(const VideoBenchmarkRequest& request, const JobHooks& hooks);

}  // namespace fovea
