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

/// True if a shell's pattern matches an image's relative path or its file name; '*' does not cross a '/'.
bool matches_pattern(const std::string& pattern, const std::string& image);

/// The name without its image extension (and .gz, .bz2) or the .sfi, .nrm of CSU's lists; other dots stay.
std::string image_stem(std::string_view file_name);

/// The name that a list of images in `folder` means: with '/' for Windows' '\', unless a file has the name as
/// it stands.
std::string listed_name(std::string_view given, const std::filesystem::path& folder);

/// The key of an image that a list in `folder` names `listed`: its path relative to the dataset's `root`,
/// '/'-separated, without "." and avoidable "..". An absolute path that leads out of `root` stays absolute.
std::string image_key(const std::filesystem::path& listed, const std::filesystem::path& folder,
                      const std::filesystem::path& root);

/// The file NAME.ext or NAME.EXT; nothing if neither is there. \param extension ".txt"
std::optional<std::filesystem::path> file_of_stem(const std::filesystem::path& stem,
                                                  const std::string& extension);

/// The regular files of a folder with an extension, in either case. \param extension ".txt"
std::vector<std::filesystem::path> files_ending(const std::filesystem::path& folder,
                                                std::string_view extension);
/// The files of a folder and all folders below it with an extension, in either case.
std::vector<std::filesystem::path> files_below_ending(const std::filesystem::path& folder,
                                                      std::string_view extension);

/// The folder of a file, for joining and messages: "." for a bare name.
std::filesystem::path folder_of(const std::filesystem::path& file);

/// Gets the findings of walk_folder(), in no particular order; names are relative to the folder.
class FolderVisitor {
  public:
    virtual ~FolderVisitor() = default;
    virtual bool wants(std::string_view file_name) const = 0;
    virtual void file(const std::string& name) = 0;
    /// A regular file that wants() refused; `name` is its bare name.
    virtual void passed_over(const std::string& /*name*/) {}
    virtual void not_plain(const std::string& name) = 0;
    virtual void unreadable(const std::string& folder, const std::string& why) = 0;
    /// A folder that is visited, before its files; "" is the first one.
    virtual void folder(const std::string& /*name*/) {}
};

/// Walks through a folder and its sub-folders to the given depth (0: the folder only) for the files that the
/// visitor wants.
///
/// Hidden files and folders (names that begin with '.') are passed over. Every folder is visited once,
/// however many symbolic links lead to it, so loops end; folders are entered by their own names before links
/// are followed. A wanted link that leads nowhere counts as a file: reading it says what is wrong.
/// \throws UsageError if `folder` is no folder; Error if it cannot be read.
void walk_folder(const std::filesystem::path& folder, int depth, FolderVisitor& visitor);

/// Visits one of the folders that walk_folder() visits, without those below. \param name relative to `root`.
/// \throws Error if it is the root itself and cannot be read; ShortageError.
void visit_folder(const std::filesystem::path& root, const std::string& name, FolderVisitor& visitor);

/// The result of a folder scan.
struct FolderScan {
    std::vector<std::string> images;    ///< relative to the folder, in natural order
    std::vector<std::string> warnings;  ///< sub-folders that could not be read, names that are no plain files
    PassedOver passed_over;             ///< only for images_and_videos
};

enum class FolderContent {
    images,            ///< is_image_name()
    images_and_videos  ///< also is_video_name(), and is_unnamed_image() for names without extension
};

/// Scans a folder by walk_folder(), with its errors.
FolderScan scan_images(const std::filesystem::path& folder, int depth,
                       FolderContent content = FolderContent::images);

/// Finds the images of a folder by name or, for lists that name other extensions (.gif, .sfi), by stem.
class ImageIndex {
  public:
    ImageIndex(const std::filesystem::path& folder, int depth);

    /// \param name a file name or a path relative to the folder, as a list gives it (see listed_name()).
    /// \return the file's path relative to the folder: the name itself if it is there, else the image with
    /// the same stem, in the name's sub-folder if it has one. If there are several, the least deep one is
    /// taken, then the first in natural order, uncompressed before compressed.
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
