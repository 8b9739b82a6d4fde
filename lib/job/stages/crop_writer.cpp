#include "lib/job/stages/crop_writer.hpp"

#include <optional>
#include <system_error>

#include "lib/core/error.hpp"
#include "lib/files/appended_file.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"

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

CropWriter::CropWriter(fs::path folder, const ImageList& images, const CropGeometry& geometry)
    : folder_(std::move(folder)), geometry_(geometry) {
    check_crop_geometry(geometry_);
    make_crop_folder(folder_);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < images.size(); ++i) names.emplace_back(images.name(i));
    stems_ = crop_stems(names);
}

std::size_t CropWriter::write(std::size_t number, ImageView<const std::uint8_t> image,
                              const std::vector<Detection>& detections) const {
    const std::vector<GreyImage> crops = face_crops(image, detections, geometry_);
    std::size_t written = 0;
    for (std::size_t i = 0; i < crops.size(); ++i) {
        if (crops[i].empty()) continue;
        const fs::path file = folder_ / (stems_.at(number) + "-" + std::to_string(i + 1) + ".png");
        make_crop_folder(file.parent_path());
        try {
            replace_file(file, png_of(crops[i]), Durability::whenever);
        } catch (const UsageError&) {
            throw;
        } catch (const Error& error) {
            throw AppendError(error.what());
        }
        ++written;
    }
    return written;
}

}  // namespace fovea
