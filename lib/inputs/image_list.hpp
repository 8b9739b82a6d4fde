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
#include "lib/video/video_frames.hpp"

namespace fovea {

/// Something among the images that is not read: its name (UTF-8, as images') and why.
struct SkippedInput {
    std::string name;
    std::string reason;
    std::size_t files = 1;

    friend bool operator==(const SkippedInput&, const SkippedInput&) = default;
};

/// The pictures among files that are no images, an entry for each extension: {"*.psd", "2 files in a format
/// that is not read", 2}.
std::vector<SkippedInput> skipped_pictures(const PassedOver& passed_over);

/// The images of a job in a fixed order, with names and places, and nothing else of them: ten million take
/// less than a gigabyte. Copies share one list. Images are files, members of .tar and .zip archives, which
/// are read in place, or frames of videos.
class ImageList {
  public:
    ImageList();

    /// The samples of a dataset.
    static ImageList of(const Dataset& dataset);
    /// Files named one by one; their paths are their names.
    static ImageList of(const std::vector<std::filesystem::path>& files);

    std::size_t size() const;
    /// The key of results, as Sample::image: UTF-8 (bytes that are not stand as %XX), each name once.
    std::string_view name(std::size_t i) const;
    /// The name of an image's place in messages: a path, or "archive.tar: member".
    std::string place(std::size_t i) const;
    /// The file an image is, or the archive or video it is in.
    std::filesystem::path file(std::size_t i) const;
    /// The frame that an image is; nothing if it is a picture of its own.
    std::optional<VideoFrame> frame(std::size_t i) const;
    bool has_frames() const;
    /// Packets of the video that has the most, as far as its frames were listed; 0 without frames.
    std::size_t max_video_packets() const;
    /// The name of the video that it is a frame of; empty if it is none.
    std::string_view video_name(std::size_t i) const;

    /// "folder", "list", "archive", "files", or the dataset's format.
    const std::string& format() const;
    /// The specification it was read from, as the user wrote it.
    const std::string& specification() const;
    /// Lists and archives that were read, for run.json and for add_inputs().
    const std::vector<std::filesystem::path>& sources() const;
    const std::vector<SkippedInput>& skipped() const;
    std::size_t skipped_files() const;
    /// The files of folders and archives that are no images, counted by extension: {"txt": 3}.
    const std::map<std::string, std::size_t>& passed_over() const;
    /// Notes for the user, as Dataset::warnings.
    const std::vector<std::string>& warnings() const;

    /// SHA-256, hexadecimal, of all names of the whole list in order.
    const std::string& names_sha256() const;

    /// A part of a list is a list; it knows where its images stand in the whole.
    ImageList part(const std::function<bool(std::size_t i)>& belongs) const;
    std::size_t position(std::size_t i) const;  ///< in the whole list; i if this is the whole
    std::size_t whole_size() const;             ///< size() if this is the whole
    bool is_part() const;

    /// The list as bytes, for the journal of a job, and back. \throws Error if the bytes are not such a
    /// list's.
    std::string to_bytes() const;
    static ImageList from_bytes(std::string_view bytes);

    /// Opens the list's images for reading; the list must outlive it. In archives, images before `first` are
    /// passed over. \param frames how frames of videos are decoded. \param max_unpacker_bytes of
    /// ImageListRequest
    std::unique_ptr<ImageInputs> open_from(std::size_t first, const VideoReadOptions& frames = {},
                                           std::size_t max_unpacker_bytes = 0) const;

  private:
    friend class ImageListBuilder;
    class Implementation;
    std::shared_ptr<Implementation> implementation_;
};

/// Its lists, archives and images.
void add_inputs(const ImageList& images, InputFiles& inputs);

/// The source of the images of a list, as configured: see DatasetOptions for pattern, limit and root.
struct ImageListRequest {
    std::string specification;       ///< "FORMAT:PATH" or a bare path
    std::vector<std::string> files;  ///< instead of it
    DatasetOptions options;
    std::size_t max_unpacker_bytes = 0;  ///< an archive that takes more to be unpacked is refused; 0: default
};

/// True if a specification names plain images (a folder, a list, standard input, a .tar or .zip archive)
/// rather than an annotated dataset. \throws UsageError as read_dataset for what is not there.
bool is_unannotated(const std::string& specification);

/// Reads a list of plain images: a folder with its sub-folders (archives in it count as folders),
/// "list:PATH", "-", "archive:PATH", or files. Order: folders in natural order of names, as read_dataset has
/// it; lists in their own; members of an archive in the archive's. \throws UsageError, Error as read_dataset.
ImageList read_image_list(const ImageListRequest& request);

}  // namespace fovea
