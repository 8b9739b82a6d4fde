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

/// The machine of a benchmark in words: "16 cores of this machine and cuda:0 (NVIDIA H200)".
std::string machine_of(const DetectionDevice& device);

/// Reads sizes: "WxH", "WxH,WxH,..." or "tek" (table 4.1 of Tek 2012); repeated ones are dropped.
/// \throws UsageError naming the flag.
std::vector<Size> parse_sizes(const std::string& text, const std::string& flag);

/// The flags of a benchmark's output.
struct BenchOutput {
    std::optional<std::string> out;
    bool overwrite = false;
    InputFiles inputs{};  ///< files that the report must not replace
};
void add_bench_output_flags(CLI::App& app, BenchOutput& output);

/// Makes the folder of the report, or refuses it before anything is measured. \throws UsageError, Error
void prepare_benchmark_folder(const BenchOutput& output);

/// The outcome of a benchmark.
struct BenchOutcome {
    std::string command;  ///< "bench track"
    ExitCode code = ExitCode::done;
    Json head;             ///< the members of bench.json before the numbers
    std::string headline;  ///< above the tables
    std::string verdict;   ///< below the notes
    report::BenchRecord record;
};

/// Shows an outcome in the terminal or as JSON, and writes the report. The measurement took minutes, so it is
/// shown even if its report cannot be written. \return the exit code. \throws Error as write_benchmark()
ExitCode show_benchmark(Console& console, const BenchOutput& output, const BenchOutcome& outcome);

/// The folder in which a benchmark makes its inputs and results: one in the folder of --work, which stays, or
/// a temporary one, which is removed with this.
class BenchWorkFolder {
  public:
    /// \param given the folder of --work. \param name the benchmark's folder in it, so that nothing else of
    /// the user is removed. \throws UsageError for an empty `given`; Error if no temporary folder can
    /// be made.
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

/// Reads up to 64 photographs and finds their faces on the CPU. If the flags name none, it takes the
/// photographs of Debian's libdlib19.1. \throws UsageError if these are not there; as read_archive_sources().
std::vector<ArchiveSource> read_sources(const ArchivePhotographs& photographs);

}  // namespace fovea
