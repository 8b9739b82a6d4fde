#include "lib/bench/archive_benchmark.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/decode_limits.hpp"
#include "lib/core/error.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/recognise/recogniser_config.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr Size full_hd{1920, 1080}, photograph_size{500, 375};
constexpr std::size_t limit_files = 128;

class ArchiveRun {
  public:
    ArchiveRun(const ArchiveBenchmarkRequest& request, const std::vector<ArchiveSource>& sources,
               const JobHooks& hooks)
        : request_(request), sources_(sources), hooks_(hooks) {}

    ArchiveBenchmark run() {
        for (const ArchiveRow& row : archive_rows()) {
            if (cancelled()) return result_;
            if (wants(row.key)) run_row(row);
        }
        cancelled();
        return result_;
    }

  private:
    void run_row(const ArchiveRow& row) {
        ArchiveRowResult result{row, why_not(row), {}, {}, {}};
        if (result.not_run.empty()) {
            make(row.size, request_.images);
            if (cancelled()) return;
            result.limit = limit_of(row);
            result.command = command_of(row);
            auto runs =
                repeat_timed(result.command, request_.work / "out", request_.repeat, row.work, hooks_);
            if (!runs) return;
            result.runs = std::move(*runs);
        }
        result_.rows.push_back(std::move(result));
    }

    std::string why_not(const ArchiveRow& row) const {
        if (!row.on_gpu) return {};
        if (!request_.device.is_cuda()) {
            std::string why = "--device is the CPU";
            if (cuda_devices(&why).empty()) return "there is no GPU: " + why;
            return why;
        }
        // The backend that asks for nvJPEG; the others decode on the CPU.
        if (row.limit.backend && !nvjpeg_library().loaded) return nvjpeg_library().why_none;
        if (!row.recogniser.empty()) return why_not_described(row.recogniser);
        return {};
    }

    /// A network is the user's to bring.
    static std::string why_not_described(const std::string& recogniser) {
        try {
            const RecogniserConfig config = load_recogniser(recogniser);
            config.kind->describer(config, Device::cpu());
        } catch (const UsageError& error) {
            return error.what();
        }
        return {};
    }

    std::vector<std::string> command_of(const ArchiveRow& row) const {
        std::vector<std::string> words =
            detect_command(request_.program, folder_of(row.size).string(), request_.model,
                           row.on_gpu ? request_.device.name() : "cpu");
        words.insert(words.end(), row.flags.begin(), row.flags.end());
        const bool has_threads =
            std::find(row.flags.begin(), row.flags.end(), "--threads") != row.flags.end();
        if (request_.threads > 0 && !has_threads)
            words.insert(words.end(), {"--threads", std::to_string(request_.threads)});
        if (row.max_images < request_.images)
            words.insert(words.end(), {"--limit", std::to_string(row.max_images)});
        const fs::path out = request_.work / "out";
        words.insert(words.end(), {"--out", (out / "results.jsonl").string()});
        if (!row.recogniser.empty()) {
            words.insert(words.end(), {"--landmarks", "helen", "--recogniser", row.recogniser, "--features",
                                       (out / "features.npy").string()});
        }
        return words;
    }

    std::optional<MeasuredLimit> limit_of(const ArchiveRow& row) {
        for (const MeasuredLimit& known : limits_) {
            if (known.size == row.size && known.limit == row.limit) return known;
        }
        say("the limit of: " + row.work);
        limits_.push_back(measure_decode_limit(
            row.limit, row.size, archive_files(folder_of(row.size), std::min(request_.images, limit_files)),
            request_.device, request_.limit_seconds));
        return limits_.back();
    }

    void make(Size size, std::size_t images) {
        make_archive(folder_of(size), {size, images, request_.seed}, sources_, hooks_);
    }

    fs::path folder_of(Size size) const {
        return request_.work / fmt::format("{}x{}", size.width, size.height);
    }

    bool wants(const std::string& key) const {
        return std::find(request_.rows.begin(), request_.rows.end(), key) != request_.rows.end();
    }
    bool cancelled() {
        result_.interrupted = hooks_.is_cancelled();
        return result_.interrupted;
    }
    void say(const std::string& what) const { hooks_.begin_stage(what); }

    const ArchiveBenchmarkRequest& request_;
    const std::vector<ArchiveSource>& sources_;
    const JobHooks& hooks_;
    std::vector<MeasuredLimit> limits_;
    ArchiveBenchmark result_;
};

}  // namespace

const std::vector<ArchiveRow>& archive_rows() {
    const DecodeLimit engines{NvJpegBackend::engines, 0};
    static const std::vector<ArchiveRow> rows{
        {"1080p", "1080p to detections", full_hd, true, {"--decoder", "nvjpeg"}, "", engines},
        {"faces",
         "1080p with landmarks and features",
         full_hd,
         true,
         {"--decoder", "nvjpeg"},
         "lbp",
         engines},
        {"vectors",
         "1080p with landmarks and a network's vectors",
         full_hd,
         true,
         {"--decoder", "nvjpeg"},
         "dlib-resnet-mirror",
         engines},
        {"cpu-decode", "1080p by CPU decode", full_hd, true, {"--decoder", "cpu"}, "", {}},
        {"small", "500x375 to detections", photograph_size, true, {"--decoder", "nvjpeg"}, "", engines},
        {"cpu", "1080p, CPU only, 2 threads", full_hd, false, {"--threads", "2"}, "", {{}, 2}, 200}};
    return rows;
}

std::vector<std::string> archive_row_keys() {
    std::vector<std::string> keys;
    for (const ArchiveRow& row : archive_rows()) keys.push_back(row.key);
    return keys;
}

ArchiveBenchmark run_archive_benchmark(const ArchiveBenchmarkRequest& request,
                                       const std::vector<ArchiveSource>& sources, const JobHooks& hooks) {
    check_rows(request.rows, archive_row_keys());
    fs::create_directories(request.work);
    return ArchiveRun(request, sources, hooks).run();
}

}  // namespace fovea
