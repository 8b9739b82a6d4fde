#include "tests/lab/large_job.hpp"

#include <optional>
#include <system_error>

#include <opencv2/core.hpp>
#include <spdlog/fmt/fmt.h>

#include "lib/bench/timed_run.hpp"
#include "lib/files/file.hpp"
#include "tests/lab/large_tiff.hpp"

namespace fovea {
namespace fs = std::filesystem;

LargeJobResult run_large_job(const LargeJobRequest& request, const std::vector<ArchiveSource>& sources,
                             const JobHooks& hooks) {
    LargeJobResult result;
    result.large = request.large;
    result.interrupted = true;
    const fs::path thumbnails = request.work / "thumbnails";
    make_archive(thumbnails, {thumbnail_size, request.thumbnails, request.seed}, sources, hooks);
    hooks.begin_stage(fmt::format("writing a TIFF of {}x{}", request.large.width, request.large.height));
    const fs::path large = request.work / "large.tif";
    cv::Mat colours = sources[0].picture;
    if (colours.channels() == 1) cv::merge(std::vector<cv::Mat>(3, sources[0].picture), colours);
    write_large_tiff(large, request.large, colours);
    std::vector<fs::path> files = archive_files(thumbnails, request.thumbnails);
    files.insert(files.begin() + static_cast<std::ptrdiff_t>(files.size() / 2), large);
    std::string list;
    for (const fs::path& file : files) list += fs::absolute(file).string() + "\n";
    const fs::path list_file = request.work / "memory.txt";
    write_file(list_file, list);
    const fs::path out = request.work / "out";
    result.command = request.command;
    result.command.insert(result.command.begin() + 2, "list:" + list_file.string());
    result.command.insert(result.command.end(), {"--out", (out / "results.jsonl").string()});
    hooks.begin_stage("memory");
    const std::optional<ProgramRun> program = run_timed(result.command, out, hooks.cancel);
    std::error_code none;
    fs::remove(large, none);
    if (!program) return result;
    result.interrupted = false;
    result.images = program->run.images;
    result.peak_memory_bytes = program->process.peak_memory_bytes;
    result.seconds = program->process.seconds;
    return result;
}

}  // namespace fovea
