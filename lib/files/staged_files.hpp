#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/files/descriptor.hpp"
#include "lib/files/file.hpp"
#include "lib/files/input_files.hpp"

namespace fovea {

/// Makes a folder as make_named_folder() does. \param whose names its content in messages: "report",
/// "benchmark". \throws UsageError if it cannot be made; Error if the disk is full; ShortageError.
void make_output_folder(const std::filesystem::path& folder, const std::string& whose);

/// Makes an output folder, and all folders between it and a file below it. \throws as make_output_folder().
void make_folders_to(const std::filesystem::path& file, const std::filesystem::path& output_folder,
                     const std::string& whose);

/// Makes the folder that a file is to lie in, as make_named_folder() does. \throws as make_output_folder().
void make_parent_folder(const std::filesystem::path& file);

/// Checks, before long work, that its output folder can be written to at its end; makes nothing.
/// \param flag the flag that names the folder, for messages: "--out". \throws UsageError if the folder may
/// not be written to, or is not there and could not be made.
void check_output_folder(const std::filesystem::path& folder, const std::string& flag);

/// Refuses an output file whose name is a folder's or ends with a slash. \param flag the flag that names the
/// file, for messages: "--out". \throws UsageError
void refuse_folder(const std::filesystem::path& file, const std::string& flag);

/// Checks, before long work, that an output file can be written, and makes its folder.
/// \throws UsageError as refuse_folder(), and if the folder cannot be made or written to.
void prepare_output(const std::filesystem::path& file, const std::string& flag);

/// Refuses to replace a file that is not empty, unless --overwrite was given (`overwrite`). Devices and pipes
/// hold nothing that could be lost. \throws UsageError
void refuse_to_replace(const std::filesystem::path& file, bool overwrite);

/// True for a relative name that leads nowhere outside of its folder: lists of files may have been edited, or
/// come from somebody else. Backslashes separate, too, as folders are carried to other systems.
bool is_name_below(const std::filesystem::path& name);

/// The name that a file has until it is complete: ".part" behind its own.
std::filesystem::path part_of(std::filesystem::path file);

/// The file that a finished one replaces: `file`, or the place where a link of that name leads.
/// \throws UsageError if a device, a pipe or a folder has the name.
std::filesystem::path replaceable_file(const std::filesystem::path& file);

/// A file that is written as part_of() its name by the owner of this. publish() gives it its name; without it
/// the part is removed.
class StagedFile {
  public:
    /// \param file may be a link: it stays, and the file that it leads to is replaced.
    /// \throws as replaceable_file().
    explicit StagedFile(const std::filesystem::path& file);
    ~StagedFile();
    StagedFile(StagedFile&& other) noexcept;
    StagedFile& operator=(StagedFile&&) = delete;

    std::filesystem::path part() const { return part_of(file_); }

    /// Renames the part, in place of an older file. \throws as rename_file(); then the part is removed.
    void publish(Durability durability);

  private:
    std::filesystem::path file_;
    bool is_staged_ = true;
};

/// Files that take their places in a folder together. Until publish() they are parts, which are removed
/// without it.
class StagedFiles {
  public:
    /// Makes the folder: parameters and errors are those of make_output_folder().
    StagedFiles(OutputFolder folder, const std::string& whose) : folder_(std::move(folder)) {
        make_output_folder(folder_.path(), whose);
    }

    const std::filesystem::path& folder() const { return folder_.path(); }

    /// Writes a file's part. \param name relative to the folder; its sub-folders must exist.
    /// \throws Error as path_below(), and if the part cannot be written; UsageError as replaceable_file(),
    /// and if the file is an input.
    void add(const std::string& name, std::string_view bytes);

    /// Renames the parts in the order in which they were added, in place of older files. \throws Error if the
    /// system refuses; then earlier files are in their places.
    void publish();

    /// Publishes a report, and keeps a list of its files in the folder. First, files of the last report of
    /// this kind that this one does not write are removed: they would look like its own.
    /// \param kind "report", "compare": reports of several kinds may lie in one folder.
    /// \throws UsageError if an input would be removed; Error if the system refuses.
    void publish_report(const std::string& kind);

  private:
    OutputFolder folder_;
    std::vector<StagedFile> files_;   // not yet published
    std::vector<std::string> names_;  // of these
};

/// A folder in an output folder, in which long work collects its files until all are complete. It is removed
/// with this; files that a killed command left in it are removed by the next one.
class StagedFolder {
  public:
    /// Makes both folders. \param kind "track": the folder is OUTPUT/.track-parts.
    /// \throws as make_output_folder(); Error if another program writes there.
    StagedFolder(OutputFolder output, std::string kind);
    ~StagedFolder();
    StagedFolder(const StagedFolder&) = delete;
    StagedFolder& operator=(const StagedFolder&) = delete;

    const std::filesystem::path& folder() const { return folder_; }

    /// Moves the files to their places below the output folder, as StagedFiles::publish_report() does, with
    /// its errors. Links there stay.
    void publish();

  private:
    OutputFolder output_;
    std::string kind_;
    std::filesystem::path folder_;
    FileDescriptor lock_;
};

/// Removes the files that the last report of a kind wrote into a folder, and their list. Other files stay.
/// \throws as StagedFiles::publish_report().
void remove_report(const OutputFolder& folder, const std::string& kind);

}  // namespace fovea
