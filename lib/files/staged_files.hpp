#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/files/descriptor.hpp"
#include "lib/files/file.hpp"
#include "lib/files/input_files.hpp"

namespace fovea {

/// Makes the folder if it is not there, in a folder that is. \param whose what goes into it, for the message:
/// "report", "benchmark".
/// \throws UsageError if it cannot be made; ShortageError where the machine lacks something.
void make_output_folder(const std::filesystem::path& folder, const std::string& whose);

/// Makes an output folder, and all folders between it and a file below it.
/// \throws as make_output_folder.
void make_folders_to(const std::filesystem::path& file, const std::filesystem::path& output_folder,
                     const std::string& whose);

/// The same as make_output_folder, for the folder that a file is to lie in.
void make_parent_folder(const std::filesystem::path& file);

/// For work that takes long and writes a folder at its end; nothing is made. \param flag that names the
/// folder, for the message: "--out". \throws UsageError if the folder may not be written to, or is not there
/// and cannot be made in a folder that is.
void check_output_folder(const std::filesystem::path& folder, const std::string& flag);

/// \param flag that names the file, for the message: "--out". \throws UsageError if a folder has its name, or
/// it ends with a slash.
void refuse_folder(const std::filesystem::path& file, const std::string& flag);

/// The same as check_output_folder(), for a file that is going to be written; makes its folder.
void prepare_output(const std::filesystem::path& file, const std::string& flag);

/// A finished result is replaced only if the user says so. Devices, pipes and empty files hold nothing that
/// could be lost. \param overwrite --overwrite was given. \throws UsageError
void refuse_to_replace(const std::filesystem::path& file, bool overwrite);

/// True for a relative name that leads to a place below the folder that it is relative to. Lists of files may
/// have been edited, or come with a folder of somebody else. Backslashes separate, too: folders are moved.
bool is_name_below(const std::filesystem::path& name);

/// The name that a file has until it is complete: ".part" behind its own.
std::filesystem::path part_of(std::filesystem::path file);

/// The file that a finished one takes the place of: `file`, or where a link of that name leads.
/// \throws UsageError if a device, a pipe or a folder has the name.
std::filesystem::path replaceable_file(const std::filesystem::path& file);

/// A file that whoever has this writes as part_of() its name. It takes its place when it is complete, and is
/// removed if it does not come to that.
class StagedFile {
  public:
    /// \param file may be a link: it stays, and what it leads to is replaced. \throws as replaceable_file().
    explicit StagedFile(const std::filesystem::path& file);
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
    /// Makes the folder. \param whose, \throws  as make_output_folder
    StagedFiles(OutputFolder folder, const std::string& whose) : folder_(std::move(folder)) {
        make_output_folder(folder_.path(), whose);
    }

    const std::filesystem::path& folder() const { return folder_.path(); }

    /// \throws Error as path_below() (output_path.hpp), and if the file cannot be written; UsageError if it
    /// would take the place of an input.
    void add(const std::string& name, std::string_view bytes);

    /// Renames the files in the order in which they were added, replacing older ones. \throws Error if the
    /// system refuses; the files before that one are in their places then.
    void publish();

    /// The same for a report. The names of its files are kept in the folder. Those that an earlier report of
    /// the kind left there, and this one does not write, are removed first: they would look like its own.
    /// \param kind  "report", "compare": reports of several kinds may lie in one folder. \throws UsageError
    /// if an input would be removed; Error if the system refuses.
    void publish_report(const std::string& kind);

  private:
    OutputFolder folder_;
    std::vector<StagedFile> files_;   // not yet published
    std::vector<std::string> names_;  // of these
};

/// A folder below an output folder, for work that takes long and writes many files: they lie in it until all
/// are complete. It vanishes with this; what a command that was killed left in it, the next one removes.
class StagedFolder {
  public:
    /// Makes both folders. \param kind  "track": the folder is OUTPUT/.track-parts.
    /// \throws as make_output_folder; Error if another program writes there.
    StagedFolder(OutputFolder output, std::string kind);
    ~StagedFolder();
    StagedFolder(const StagedFolder&) = delete;
    StagedFolder& operator=(const StagedFolder&) = delete;

    const std::filesystem::path& folder() const { return folder_; }

    /// Puts its files in their places below the output folder, as StagedFiles::publish_report() does; links
    /// there stay. \throws as that
    void publish();

  private:
    OutputFolder output_;
    std::string kind_;
    std::filesystem::path folder_;
    FileDescriptor lock_;
};

/// Removes what the last report of a kind wrote into a folder, and its list. Other files stay.
/// \throws as publish_report.
void remove_report(const OutputFolder& folder, const std::string& kind);

}  // namespace fovea
