#include "lib/report/browse/browse_pictures.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <mutex>
#include <span>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <opencv2/imgproc.hpp>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/image/colour.hpp"
#include "lib/image/encode.hpp"
#include "lib/image/exif_date.hpp"
#include "lib/image/formats/byte_source.hpp"
#include "lib/image/frame_opener.hpp"
#include "lib/image/image_inputs.hpp"
#include "lib/landmark/box_crops.hpp"
#include "lib/report/browse/browse_data.hpp"
#include "lib/results/image_names.hpp"

namespace fovea::report {
namespace fs = std::filesystem;
namespace {

/// Photographs that are decoded at once: bounds the memory that they take.
constexpr int photographs_at_once = 4;
/// EXIF data stand at the beginning.
constexpr std::size_t exif_bytes = std::size_t{256} << 10;
constexpr int crop_quality = 95;  // is encoded once more
constexpr int sprite_quality = 85;

/// Appends pieces to a file; any threads may call add().
class CropFile {
  public:
    explicit CropFile(const fs::path& file) : name_(file.string()), stream_(file, std::ios::binary) {}

    /// \return where the piece begins
    std::uint64_t add(const std::vector<unsigned char>& bytes) {
        const std::lock_guard lock(mutex_);
        stream_.write(reinterpret_cast<const char*>(bytes.data()),
                      static_cast<std::streamsize>(bytes.size()));
        if (!stream_) throw Error("'" + name_ + "' cannot be written; is the disk full?");
        return std::exchange(end_, end_ + bytes.size());
    }
    void close() {
        stream_.close();
        if (!stream_) throw Error("'" + name_ + "' cannot be written; is the disk full?");
    }

  private:
    const std::string name_;
    std::ofstream stream_;
    std::mutex mutex_;
    std::uint64_t end_ = 0;
};

std::int64_t date_of_file(const fs::path& file) {
    std::error_code error;
    const fs::file_time_type time = fs::last_write_time(file, error);
    if (error) return 0;
    const auto system = std::chrono::file_clock::to_sys(time);
    return std::chrono::duration_cast<std::chrono::seconds>(system.time_since_epoch()).count();
}

/// The photographs of an archive on their way through several threads.
class FaceCutter {
  public:
    FaceCutter(BrowseArchive& archive, const ImageList& images, const DecodeOptions& options, fs::path page,
               const fs::path& crops, const CountProgress& progress)
        : archive_(archive),
          images_(images),
          options_(options),
          page_(std::move(page)),
          crops_(crops),
          progress_(progress),
          of_list_(images.size(), no_image) {
        pair();
        first_face_.resize(archive.images.size() + 1);
        for (const BrowseFace& face : archive.faces) ++first_face_[face.image + 1];
        for (std::size_t i = 0; i < archive.images.size(); ++i) first_face_[i + 1] += first_face_[i];
        unreadable_.resize(archive.images.size());
        inputs_ = images.open_from(0, video_read_options(options, 1, 0));
    }

    void run() {
        tbb::task_arena arena(std::min(photographs_at_once, tbb::this_task_arena::max_concurrency()));
        arena.execute([&] {
            // Images of archives are opened one after the other: all threads take the next one.
            tbb::parallel_for(0, photographs_at_once, [&](int) {
                try {
                    for (std::size_t i = next_++; i < images_.size(); i = next_++) go_through(i);
                } catch (...) {
                    inputs_->stop();
                    next_ = images_.size();
                    throw;
                }
            });
        });
        crops_.close();
        tell_unreadable();
    }

  private:
    /// Finds the images of the archive in the list.
    void pair() {
        ImageNameIndex names;
        for (std::size_t i = 0; i < images_.size(); ++i) names.add(std::string(images_.name(i)));
        bool is_any_found = archive_.images.empty();
        for (std::size_t image = 0; image < archive_.images.size(); ++image) {
            const std::size_t i = names.find(archive_.images[image].name);
            if (i == no_image) continue;
            of_list_[i] = image;
            is_any_found = true;
        }
        if (is_any_found) return;
        throw UsageError("no image of the results, such as '" + archive_.images.front().name +
                         "', is among the images of '" + images_.specification() +
                         "'; --images names the folder or dataset that the results are of");
    }

    void go_through(std::size_t i) {
        const std::size_t number = of_list_[i];
        if (number == no_image) {
            inputs_->skip(i);
            return;
        }
        BrowseImage& image = archive_.images[number];
        const fs::path file = images_.file(i);
        const bool is_frame = images_.frame(i).has_value();
        if (!is_frame && images_.place(i) == file.string()) image.address = browse_address(page_, file);
        image.date = date_of_file(file);
        try {
            look_at(image, number, *inputs_->open(i));
        } catch (const ImageError& error) {
            unreadable_[number] = error.what();
        }
        const std::lock_guard lock(progress_mutex_);
        ++done_;
        if (progress_) progress_(done_, archive_.images.size());
    }

    void look_at(BrowseImage& image, std::size_t number, codec::EncodedFile& file) {
        const std::span<BrowseFace> faces(archive_.faces.data() + first_face_[number],
                                          first_face_[number + 1] - first_face_[number]);
        cv::Mat picture;
        if (const std::optional<GreyImage> grey = file.take_decoded()) {
            // A header over the pixels.
            picture =
                cv::Mat(grey->height, grey->width, CV_8UC1, const_cast<std::uint8_t*>(grey->pixels.data()));
            cut(picture, faces);
            return;
        }
        std::vector<std::uint8_t> bytes;
        if (faces.empty()) {
            bytes.resize(std::min(exif_bytes, file.size()));
            bytes.resize(file.read(bytes.data(), bytes.size()));
        } else {
            bytes = codec::read_whole(file);
        }
        if (const std::optional<std::int64_t> date = codec::exif_date(bytes)) {
            image.date = *date;
            image.has_camera_date = true;
        }
        if (!faces.empty()) cut(read_picture(bytes, options_), faces);
    }

    void cut(const cv::Mat& picture, std::span<BrowseFace> faces) {
        for (BrowseFace& face : faces) {
            const cv::Mat crop =
                box_crop(picture, face.box, {.kind = CropKind::box, .size = browse_side, .margin = 0.15});
            if (crop.empty()) continue;
            const std::vector<unsigned char> bytes = encode_jpeg(crop, crop_quality);
            face.crop_at = crops_.add(bytes);
            face.crop_bytes = static_cast<std::uint32_t>(bytes.size());
        }
    }

    void tell_unreadable() {
        std::vector<bool> is_found(archive_.images.size());
        for (const std::size_t image : of_list_) {
            if (image != no_image) is_found[image] = true;
        }
        std::unordered_map<std::string, bool> is_told;
        for (const UnreadableImage& image : archive_.unreadable) is_told[image.image] = true;
        for (std::size_t image = 0; image < archive_.images.size(); ++image) {
            const std::string& name = archive_.images[image].name;
            std::string reason = std::move(unreadable_[image]);
            if (!is_found[image]) reason = "not among the images of '" + images_.specification() + "'";
            if (!reason.empty() && !is_told.contains(name)) archive_.unreadable.push_back({name, reason});
        }
    }

    BrowseArchive& archive_;
    const ImageList& images_;
    const DecodeOptions options_;
    const fs::path page_;
    CropFile crops_;
    const CountProgress& progress_;
    std::vector<std::size_t> of_list_;     // the image of the archive, of each one of the list
    std::vector<std::size_t> first_face_;  // of each image; faces come in the order of images
    std::vector<std::string> unreadable_;  // why, of each image
    std::unique_ptr<ImageInputs> inputs_;
    std::atomic<std::size_t> next_ = 0;
    std::mutex progress_mutex_;
    std::size_t done_ = 0;
};

/// The JPEG of a face in a file of such.
cv::Mat crop_of(std::ifstream& stream, const BrowseFace& face, const fs::path& file) {
    std::vector<std::uint8_t> bytes(face.crop_bytes);
    stream.seekg(static_cast<std::streamoff>(face.crop_at));
    stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!stream) throw Error("'" + file.string() + "' cannot be read");
    cv::Mat crop = read_picture(bytes);
    if (crop.channels() == 1) cv::cvtColor(crop, crop, cv::COLOR_GRAY2BGR);
    return crop;
}

cv::Mat sprite_of(const BrowseArchive& archive, const std::vector<std::size_t>& faces,
                  const fs::path& crops) {
    constexpr int side = browse_side * browse_per_row;
    cv::Mat sprite(side, side, CV_8UC3, cv::Scalar::all(128));
    std::ifstream stream(crops, std::ios::binary);
    for (std::size_t i = 0; i < faces.size(); ++i) {
        const BrowseFace& face = archive.faces[faces[i]];
        if (face.crop_bytes == 0) continue;
        const int place = static_cast<int>(i);
        const cv::Rect cell(place % browse_per_row * browse_side, place / browse_per_row * browse_side,
                            browse_side, browse_side);
        crop_of(stream, face, crops).copyTo(sprite(cell));
    }
    return sprite;
}

}  // namespace

void cut_faces(BrowseArchive& archive, const ImageList& images, const DecodeOptions& options,
               const fs::path& page, const fs::path& crops, const CountProgress& progress) {
    FaceCutter(archive, images, options, page, crops, progress).run();
}

void write_sprites(const BrowseArchive& archive, const fs::path& crops, const fs::path& folder,
                   const CountProgress& progress) {
    constexpr std::size_t per_sprite = std::size_t{browse_per_row} * browse_per_row;
    const auto sprites_of = [&](std::size_t faces) { return (faces + per_sprite - 1) / per_sprite; };
    const std::size_t tiles = sprites_of(archive.faces.size());
    const std::size_t all = tiles + sprites_of(archive.people.size());
    std::mutex mutex;
    std::size_t done = 0;
    tbb::parallel_for(std::size_t{0}, all, [&](std::size_t n) {
        const bool is_tile = n < tiles;
        const std::size_t number = is_tile ? n : n - tiles, begin = number * per_sprite;
        const std::size_t count = is_tile ? archive.faces.size() : archive.people.size();
        std::vector<std::size_t> faces;
        for (std::size_t i = begin; i < std::min(begin + per_sprite, count); ++i)
            faces.push_back(is_tile ? i : archive.people[i].cover);
        const std::vector<unsigned char> jpeg = encode_jpeg(sprite_of(archive, faces, crops), sprite_quality);
        write_file(folder / browse_file(is_tile ? "tiles" : "covers", number, "jpg"),
                   {reinterpret_cast<const char*>(jpeg.data()), jpeg.size()});
        const std::lock_guard lock(mutex);
        ++done;
        if (progress) progress(done, all);
    });
}

}  // namespace fovea::report
