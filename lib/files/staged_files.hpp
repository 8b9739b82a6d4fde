#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/files/file.hpp"

namespace fovea {

/// Makes the folder if it is not there. \param whose what goes into it, for the message: "report",
/// "benchmark".
/// \throws Error if the system refuses.
void make_output_folder(const std::filesystem::path& folder, const std::string& whose);

/// For work that takes long and writes a file at its end: makes the file's folder if it is missing in a
/// folder that is there. \param flag that names the file, for the message: "--out". \throws UsageError if the
/// folder cannot be made or written to, or the file is a folder itself.
void prepare_output(const std::filesystem::path& file, const std::string& flag);

/// The name that a file has until it is complete: ".part" behind its own.
std::filesystem::path part_of(std::filesystem::path file);

/// A file that whoever has this writes as part_of() its name. It takes its place when it is complete, and is
/// removed if it does not come to that.
class StagedFile {
  public:
    /// \throws UsageError if the command reads the file or its part.
    explicit StagedFile(std::filesystem::path file);
    ~StagedFile();
    StagedFile(StagedFile&& other) noexcept;
    StagedFile& operator=(StagedFile&&) = delete;

    std::filesystem::path part() const { return part_of(file_); }

    /// Renames the part, in place of an older file. \throws as rename_file; the part is removed then.
    void publish(Durability durability);

  private:
    std::filesystem::path file_;
    bool is_staged_ = true;
};

/// Files that take their places in a folder together: until publish() they lie beside them as parts, and are
/// removed if it does not come to that.
class StagedFiles {
  public:
    explicit StagedFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// \throws Error if the file cannot be written.
    void add(const std::string& name, std::string_view bytes);

    /// Renames the files in the order in which they were added, replacing older ones. \throws Error if the
    /// system refuses; the files before that one are in their places then.
    void publish();

  private:
    std::filesystem::path folder_;
    std::vector<StagedFile> files_;  // not yet published
};

}  // namespace fovea
