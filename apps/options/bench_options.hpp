#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/options/common_options.hpp"
#include "lib/bench/archive_images.hpp"
#include "lib/device/detection_device.hpp"

namespace fovea {

/// "16 cores of this machine and cuda:0 (NVIDIA H200)": what a benchmark was measured on.
std::string machine_of(const DetectionDevice& device);

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
