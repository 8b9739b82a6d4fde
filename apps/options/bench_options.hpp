#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/options/common_options.hpp"
#include "lib/bench/archive_images.hpp"
#include "lib/bench/report/bench_record.hpp"
#include "lib/core/error.hpp"
#include "lib/device/detection_device.hpp"
#include "lib/files/input_files.hpp"

namespace fovea {

/// "16 cores of this machine and cuda:0 (NVIDIA H200)": what a benchmark was measured on.
std::string machine_of(const DetectionDevice& device);

/// "640x480", or several after each other, each once: "tek" (table 4.1 of Tek 2012) or "WxH,WxH,...".
/// \throws UsageError naming the flag
std::vector<Size> parse_sizes(const std::string& text, const std::string& flag);

/// The flags of a benchmark's output.
struct BenchOutput {
    std::optional<std::string> out;
    bool overwrite = false;
    InputFiles inputs{};  ///< no file of the report takes the place of one
};
void add_bench_output_flags(CLI::App& app, BenchOutput& output);

/// Makes the folder of the report, or refuses it before anything is measured. \throws UsageError, Error
void prepare_benchmark_folder(const BenchOutput& output);

/// The outcome of a benchmark.
struct BenchOutcome {
    std::string command;  ///< "bench track"
    ExitCode code = ExitCode::done;
    Json head;             ///< what bench.json has before the numbers
    std::string headline;  ///< above the tables
    std::string verdict;   ///< below the notes
    report::BenchRecord record;
};

/// Shows it in the terminal or as JSON, and writes the report. The measurement took minutes, so it is shown
/// also where its report cannot be written. \return the exit code. \throws Error as write_benchmark
ExitCode show_benchmark(Console& console, const BenchOutput& output, const BenchOutcome& outcome);

/// The folder where a benchmark makes its inputs and results: the one given, which stays, or one that goes
/// with its owner.
class BenchWorkFolder {
  public:
    /// \param given by --work. \param name of the folder; inside a given one it is a folder of its own, as
    /// what is made anew is removed first. \throws UsageError for an empty name; Error if it cannot be made.
    BenchWorkFolder(const std::optional<std::string>& given, const std::string& name);
    ~BenchWorkFolder();
    BenchWorkFolder(const BenchWorkFolder&) = delete;
    BenchWorkFolder& operator=(const BenchWorkFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    bool is_temporary_;
    std::filesystem::path path_;
};

/// The photographs that archives are made of.
struct ArchivePhotographs {
    std::vector<std::string> images;
    DatasetFlags dataset;
};
void add_archive_photographs(CLI::App& app, ArchivePhotographs& photographs);

/// Reads up to 64 of them, and finds their faces on the CPU. Without any named they are those of Debian's
/// libdlib19.1. \throws UsageError if these are not there; what read_archive_sources throws.
std::vector<ArchiveSource> read_sources(const ArchivePhotographs& photographs);

}  // namespace fovea
