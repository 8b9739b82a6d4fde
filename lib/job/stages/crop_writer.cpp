#include "lib/job/stages/crop_writer.hpp"

#include <optional>
#include <system_error>

#include "lib/core/error.hpp"
#include "lib/files/appended_file.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/output_path.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/image/colour.hpp"
#include "lib/landmark/box_crops.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

void make_crop_folder(const fs::path& folder) {
    const std::optional<FolderFailure> failure = make_folder(folder);
    if (!failure) return;
    const std::string message = "the folder '" + folder.string() +
                                "' of the faces' crops cannot be made: " + failure->reason + "; name another";
    const std::error_code error = failure->error;
    if (error && error != std::errc::not_a_directory && error != std::errc::file_exists) throw Error(message);
    throw UsageError(message);
}

}  // namespace

CropWriter::CropWriter(OutputFolder folder, const ImageList& images, const CropOptions& options,
                       const DecodeOptions& decode, const CropGeometry& geometry)
    : folder_(std::move(folder)), options_(options), decode_(decode), geometry_(geometry) {
    check_crop_options(options_);
    check_crop_geometry(geometry_);
    make_output_folder(folder_.path(), "crops");
    std::vector<std::string> names;
    for (std::size_t i = 0; i < images.size(); ++i) names.emplace_back(images.name(i));
    stems_ = crop_stems(names);
}

cv::Mat CropWriter::picture_of(std::span<const std::uint8_t> file) const {
    return read_picture(file, decode_);
}

std::vector<std::string> CropWriter::write_aligned(std::size_t number, ImageView<const std::uint8_t> image,
                                                   const std::vector<Detection>& detections) const {
    const std::vector<GreyImage> crops = face_crops(image, detections, geometry_);
    std::vector<std::string> names(detections.size());
    for (std::size_t i = 0; i < crops.size(); ++i) {
        if (crops[i].empty()) continue;
        // A header over the pixels, which the encoder only reads.
        const cv::Mat crop(crops[i].height, crops[i].width, CV_8UC1,
                           const_cast<std::uint8_t*>(crops[i].pixels.data()));
        names[i] = write(number, i, crop_file(crop, options_));
    }
    return names;
}

std::vector<std::string> CropWriter::write_boxes(std::size_t number, const cv::Mat& picture,
                                                 const std::vector<Detection>& detections) const {
    std::vector<std::string> names(detections.size());
    for (std::size_t i = 0; i < detections.size(); ++i) {
        const cv::Mat crop = box_crop(picture, detections[i].box, options_);
        if (!crop.empty()) names[i] = write(number, i, crop_file(crop, options_));
    }
    return names;
}

std::string CropWriter::write(std::size_t number, std::size_t detection, const std::string& bytes) const {
    const std::string name =
        stems_.at(number) + "-" + std::to_string(detection + 1) + (options_.as_jpeg ? ".jpg" : ".png");
    const fs::path file = path_below(folder_.path(), name);
    folder_.inputs().refuse(file);
    make_crop_folder(file.parent_path());
    try {
        replace_file(file, bytes, Durability::whenever);
    } catch (const UsageError&) {
        throw;
    } catch (const Error& error) {
        throw AppendError(error.what());
    }
    return name;
}

}  // namespace fovea
