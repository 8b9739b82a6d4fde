#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::report {

/// Makes the folder if it is not there. \param whose what goes into it, for the message: "report", "benchmark".
/// \throws Error if the system refuses.
void make_output_folder(const std::filesystem::path& folder, const std::string& whose);

/// Files that take their places in a folder together: until publish() they lie beside them under names of
/// their own (".part" behind), and are removed if it does not come to that.
class StagedFiles {
  public:
    explicit StagedFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
    ~StagedFiles();
    StagedFiles(const StagedFiles&) = delete;
    StagedFiles& operator=(const StagedFiles&) = delete;

    /// \throws Error if the file cannot be written.
    void add(const std::string& name, std::string_view bytes);

    /// Renames the files in the order in which they were added, replacing older ones. \throws Error if the
    /// system refuses; the files before that one are in their places then.
    void publish();

  private:
    std::filesystem::path staged(const std::string& name) const;

    std::filesystem::path folder_;
    std::vector<std::string> names_;  // not yet published
};

}  // namespace fovea::report
