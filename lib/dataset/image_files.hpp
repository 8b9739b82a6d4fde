#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/passed_over.hpp"
#include "lib/files/media_names.hpp"

namespace fovea {

/// True if a shell's pattern fits an image's relative path or its file name; '*' does not cross a '/'.
bool matches_pattern(const std::string& pattern, const std::string& image);

/// The name without its image extension (and .gz, .bz2) or the .sfi, .nrm of CSU's lists; other dots stay.
std::string image_stem(std::string_view file_name);

/// The name that a list of images in `folder` means: '/' stands for the '\' of Windows, unless there is a
/// file of the name as it stands.
std::string listed_name(std::string_view given, const std::filesystem::path& folder);

/// The key of an image that a list in `folder` names `listed`: its path relative to the dataset's `root`,
/// '/'-separated, without "." and avoidable "..". An absolute path that leads out of `root` stays absolute.
std::string image_key(const std::filesystem::path& listed, const std::filesystem::path& folder,
                      const std::filesystem::path& root);

/// The file NAME.ext or NAME.EXT; nothing if neither is there. \param extension ".txt"
std::optional<std::filesystem::path> file_of_stem(const std::filesystem::path& stem,
                                                  const std::string& extension);

/// The plain files of a folder whose names end so, in either case. \param extension ".txt"
std::vector<std::filesystem::path> files_ending(const std::filesystem::path& folder,
                                                std::string_view extension);
/// The same of a folder and all below it.
std::vector<std::filesystem::path> files_below_ending(const std::filesystem::path& folder,
                                                      std::string_view extension);

/// A folder's path for joining and reporting: "." instead of nothing.
std::filesystem::path folder_of(const std::filesystem::path& file);

/// Is told what walk_folder() finds, in no particular order; names are relative to the folder.
class FolderVisitor {
  public:
    virtual ~FolderVisitor() = default;
    virtual bool wants(std::string_view file_name) const = 0;
    virtual void file(const std::string& name) = 0;
    /// A plain file that is not wanted, by its name alone.
    virtual void passed_over(const std::string& /*name*/) {}
    virtual void not_plain(const std::string& name) = 0;
    virtual void unreadable(const std::string& folder, const std::string& why) = 0;
};

/// Walks through a folder and its sub-folders to the given depth (0: the folder only) for the files that the
/// visitor wants.
///
/// Hidden files and folders (names that start with '.') are passed over. Every folder is visited once,
/// however many symbolic links lead to it, so that loops end; folders are entered by their own name before
/// links are followed. A link to nothing that is wanted counts as a file: reading it will say what is
/// wrong. \throws UsageError if `folder` is no folder; Error if it cannot be read.
void walk_folder(const std::filesystem::path& folder, int depth, FolderVisitor& visitor);

/// The result of a folder scan.
struct FolderScan {
    std::vector<std::string> images;    ///< relative to the folder, in natural order
    std::vector<std::string> warnings;  ///< sub-folders that could not be read, names that are no plain files
    PassedOver passed_over;             ///< with content images_and_videos
};

enum class FolderContent {
    images,            ///< is_image_name
    images_and_videos  ///< these, is_video_name, and is_unnamed_image where a name has no extension
};

/// The files of a kind that walk_folder() finds. Errors as there.
FolderScan scan_images(const std::filesystem::path& folder, int depth,
                       FolderContent content = FolderContent::images);

/// The images of a folder, found by name or, where a list says .gif or .sfi and the files are others, by
/// stem.
class ImageIndex {
  public:
    ImageIndex(const std::filesystem::path& folder, int depth);

    /// \param name a file name or a path relative to the folder, as a list gives it (see listed_name()).
    /// \return the file's path relative to the folder: the name itself if it is there, else the image with
    /// the same stem (in the same sub-folder if the name has one, else anywhere), the least deep, then by
    /// natural order, uncompressed before compressed.
    std::optional<std::string> find(const std::string& name) const;

    const std::vector<std::string>& images() const { return images_; }
    const std::vector<std::string>& warnings() const { return warnings_; }

  private:
    std::filesystem::path folder_;
    std::vector<std::string> images_;
    std::vector<std::string> warnings_;
    std::map<std::string, std::vector<std::string>, std::less<>> by_stem_;
};

}  // namespace fovea
