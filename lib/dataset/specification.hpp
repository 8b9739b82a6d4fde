#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/dataset/dataset_options.hpp"

namespace fovea {

/// Splits a list at its commas. A comma within the name of a file or folder stays: the first part of
/// "a,b.txt,c.txt" is "a,b.txt" if there is no "a" but an "a,b.txt". This holds behind the '=' of an
/// option, too.
std::vector<std::string> split_paths(const std::string& text);

/// A dataset's specification in parts: PATH[,PATH...][,KEY=VALUE...].
class DatasetSpecification {
  public:
    /// \param format   "feret"
    /// \param text     the specification behind "feret:"; a text that is an existing path as it stands is
    /// that path
    /// \param grammar  the path, then the options that the format takes: {"LIST",
    /// "coords=FILE", "images=DIR"}
    /// \throws UsageError for a path that is not there, an option that is not in the grammar, or no path
    /// at all.
    DatasetSpecification(std::string_view format, const std::string& text,
                         std::vector<std::string_view> grammar);

    /// The paths, at least one; all are there.
    const std::vector<std::filesystem::path>& paths() const { return paths_; }
    /// The only path. \throws UsageError if there are several.
    const std::filesystem::path& only_path() const;

    /// The first path if it is a folder, else the folder that holds it.
    std::filesystem::path folder() const;

    /// The value of an option; empty if it is not given. \throws UsageError if it is given twice or has no
    /// value.
    std::string option(std::string_view key) const;

    /// The files or folders that an option, which may stand several times, names relative to the current
    /// folder or, if they are not there, to folder(). \throws UsageError if one is in neither.
    std::vector<std::filesystem::path> option_paths(std::string_view key) const;

    /// The only path of option_paths(); empty if the option is not given. \throws UsageError as option().
    std::filesystem::path option_path(std::string_view key) const;

    /// Throws UsageError "'FORMAT:TEXT' WHAT".
    [[noreturn]] void fail(const std::string& what) const;

  private:
    std::string usage() const;

    std::string text_;
    std::vector<std::string_view> grammar_;
    std::vector<std::filesystem::path> paths_;
    std::vector<std::pair<std::string, std::string>> options_;
};

/// The paths; each folder stands for what `files_in(folder)` returns.
std::vector<std::filesystem::path> files_of_paths(
    const std::vector<std::filesystem::path>& paths,
    const std::function<std::vector<std::filesystem::path>(const std::filesystem::path&)>& files_in);

/// The folder of a set's images: the option images=DIR, else options.root, else `otherwise`.
std::filesystem::path image_root(const DatasetSpecification& specification, const DatasetOptions& options,
                                 const std::filesystem::path& otherwise);

/// The first of `candidates`, the usual places of a set's images, that is a folder; else `otherwise`.
std::filesystem::path first_folder(const std::vector<std::filesystem::path>& candidates,
                                   const std::filesystem::path& otherwise);

}  // namespace fovea
