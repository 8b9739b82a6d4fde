#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/image/image_inputs.hpp"
#include "lib/inputs/shard.hpp"
#include "lib/video/video_frames.hpp"

namespace fovea {

/// Something among the images that is not read.
struct SkippedInput {
    std::string name;  ///< UTF-8, as names of images are
    std::string reason;
    std::size_t files = 1;

    friend bool operator==(const SkippedInput&, const SkippedInput&) = default;
};

/// The number of their files.
std::size_t files_of(const std::vector<SkippedInput>& skipped);

/// The pictures among the files that were passed over, one entry for each extension: {"*.psd", "2 files in a
/// format that is not read", 2}.
std::vector<SkippedInput> skipped_pictures(const PassedOver& passed_over);

/// The names and places of a job's images in a fixed order; ten million images take less than a gigabyte.
/// Images are files, members of .tar and .zip archives, which are read in place, or frames of videos. Copies
/// share one list.
class ImageList {
  public:
    ImageList();

    /// The samples of a dataset.
    static ImageList of(const Dataset& dataset);
    /// Files named one by one; their paths are their names.
    static ImageList of(const std::vector<std::filesystem::path>& files);

    std::size_t size() const;
    /// The name of image i, the key of its results (Sample::image): UTF-8, other bytes as %XX; unique.
    std::string_view name(std::size_t i) const;
    /// The place of image i for messages: a path, or "archive.tar: member".
    std::string place(std::size_t i) const;
    /// The file of image i, or the archive or video that holds it.
    std::filesystem::path file(std::size_t i) const;
    /// The frame that image i is; nothing if it is no frame of a video.
    std::optional<VideoFrame> frame(std::size_t i) const;
    bool has_frames() const;
    /// The most packets that a video of the list has, as far as its frames were listed; 0 without frames.
    std::size_t max_video_packets() const;
    /// The name of the video that image i is a frame of; empty if it is no frame.
    std::string_view video_name(std::size_t i) const;

    /// "folder", "list", "archive", "files", or the dataset's format.
    const std::string& format() const;
    /// The specification that the list was read from, as the user wrote it.
    const std::string& specification() const;
    /// The lists and archives that were read, for run.json and add_inputs().
    const std::vector<std::filesystem::path>& sources() const;
    /// Those of the sources that hold the images.
    const std::vector<std::filesystem::path>& archives() const;
    /// The inputs that are not read, and the number of their files.
    const std::vector<SkippedInput>& skipped() const;
    std::size_t skipped_files() const;
    /// The number of files of each extension, in folders and archives, that are no images: {"txt": 3}.
    const std::map<std::string, std::size_t>& passed_over() const;
    /// Notes for the user, as Dataset::warnings.
    const std::vector<std::string>& warnings() const;

    /// The SHA-256 of the list file that the list was read from; empty if it was not.
    const std::string& list_sha256() const;
    /// The SHA-256, in hexadecimal, of all names of the whole list in order.
    const std::string& names_sha256() const;

    /// The list of the images i for which belongs(i) is true; it knows their positions in the whole list.
    ImageList part(const std::function<bool(std::size_t i)>& belongs) const;
    /// The position of image i in the whole list; i if this is the whole.
    std::size_t position(std::size_t i) const;
    /// The number of images of the whole list.
    std::size_t whole_size() const;
    bool is_part() const;

    /// The list as bytes, for the journal of a job; from_bytes() reads them. \throws Error
    std::string to_bytes() const;
    static ImageList from_bytes(std::string_view bytes);

    /// Opens the images for reading; the list must outlive the result. In archives, images before `first` are
    /// passed over. \param frames options for decoding frames of videos. \param max_unpacker_bytes as
    /// of ImageListRequest.
    std::unique_ptr<ImageInputs> open_from(std::size_t first, const VideoReadOptions& frames = {},
                                           std::size_t max_unpacker_bytes = 0) const;

  private:
    friend class ImageListBuilder;
    class Implementation;
    std::shared_ptr<Implementation> implementation_;
};

/// Adds the lists, archives and images of a list to the files that no output may replace.
void add_inputs(const ImageList& images, InputFiles& inputs);

/// The source of a list's images, as configured.
struct ImageListRequest {
    std::string specification;       ///< "FORMAT:PATH" or a bare path
    std::vector<std::string> files;  ///< instead of `specification`
    DatasetOptions options;          ///< pattern, limit and root
    /// An archive that takes more memory to unpack is refused; 0: default_unpacker_bytes.
    std::size_t max_unpacker_bytes = 0;
    /// The commands that a list file names may be started.
    bool may_run_commands = false;
};

/// True if a specification names plain images (a folder, a list, standard input, a .tar or .zip archive) and
/// no annotated dataset. \throws UsageError as read_dataset() if it is not there.
bool is_unannotated(const std::string& specification);

/// Reads a list of plain images: a folder with its sub-folders (archives in it count as folders),
/// "list:PATH", "-", "archive:PATH", "pipe:COMMAND", or files. Images of folders are in natural order of
/// their names, images of lists and archives in the order in which they stand there. \throws UsageError,
/// Error as read_dataset().
ImageList read_image_list(const ImageListRequest& request);

/// True if a specification names a list file. \throws UsageError as is_unannotated()
bool is_list_file(const std::string& specification);

/// Reads the images of a part of a list file, and no more than its index besides. \throws UsageError, Error
ImageList read_list_part(const ImageListRequest& request, const Shard& shard);

}  // namespace fovea
