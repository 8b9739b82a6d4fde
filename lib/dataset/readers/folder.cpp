#include "lib/files/folder.hpp"

#include <algorithm>
#include <limits>

#include "lib/core/error.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/read_dataset.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/files/file.hpp"

namespace fovea {
namespace {

/// "alice" for "alice/1.jpg"; nothing for images elsewhere.
std::string folder_subject(const std::string& image) {
    const std::size_t slash = image.find('/');
    if (slash == std::string::npos || image.find('/', slash + 1) != std::string::npos) return {};
    return image.substr(0, slash);
}

}  // namespace

void throw_no_images(const std::string& folder, const PassedOver& passed_over) {
    std::string found;
    for (const std::string& sentence : passed_over.sentences()) found += " " + sentence + ".";
    throw UsageError("The folder '" + folder +
                     "' holds no images: no file ends as images do (jpg, png, tif, webp, heic, avif, jxl, "
                     "jp2, dng, cr2, ...), or as videos do (mp4, mov, mkv, ...)." +
                     found);
}

Dataset read_folder_dataset(const std::string& path, const DatasetOptions&) {
    Dataset dataset;
    dataset.format = "folder";
    dataset.root = path;
    FolderScan scan = scan_images(path, std::numeric_limits<int>::max(), FolderContent::images_and_videos);
    dataset.warnings = std::move(scan.warnings);
    if (scan.images.empty()) throw_no_images(path, scan.passed_over);
    dataset.passed_over = std::move(scan.passed_over);
    const bool by_subject =
        std::none_of(scan.images.begin(), scan.images.end(),
                     [](const std::string& image) { return folder_subject(image).empty(); });
    for (std::string& image : scan.images) {
        Sample sample;
        sample.path = dataset.root / image;
        if (by_subject) sample.subject = folder_subject(image);
        sample.image = std::move(image);
        dataset.samples.push_back(std::move(sample));
    }
    return dataset;
}

Dataset read_image_dataset(const std::string& path, const DatasetOptions&) {
    if (!is_there(path)) throw UsageError("There is no file '" + path + "'; check the path.");
    if (is_folder(path)) {
        throw UsageError("'" + path + "' is a folder where an image file is needed; use folder:" + path +
                         ".");
    }
    Dataset dataset;
    dataset.format = "image";
    dataset.root = folder_of(path);
    Sample sample;
    sample.path = path;
    sample.image = sample.path.filename().string();
    dataset.samples.push_back(std::move(sample));
    return dataset;
}

Dataset read_archive_dataset(const std::string& path, const DatasetOptions&) {
    throw UsageError(
        "'" + path +
        "' is an archive: fovea detect reads the images in it, other commands need them as files; "
        "unpack it and name the folder.");
}

}  // namespace fovea
