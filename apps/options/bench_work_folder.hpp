#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace fovea {

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

}  // namespace fovea
