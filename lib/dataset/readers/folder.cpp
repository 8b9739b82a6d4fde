#include "lib/files/folder.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "lib/core/error.hpp"
#include "lib/dataset/image_files.hpp"
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

// True if the bytes are the beginning of a .tar or .zip archive, or of something packed by gzip, bzip2, xz or
// Zstandard. There are at least 512 of them, if the file has so many.
bool begins_like_archive(std::string_view head) {
    using namespace std::string_view_literals;
    constexpr std::array magics{"PK\3\4"sv, "PK\5\6"sv, "\x1F\x8B"sv, "\xFD\x37zXZ\0"sv,
                                "\x28\xB5\x2F\xFD"sv};
    constexpr std::size_t place_of_ustar = 257;
    const bool is_bzip2 = head.starts_with("BZh") && head.size() > 4 && head.substr(4).starts_with("1AY&SY");
    return is_bzip2 ||
           std::any_of(magics.begin(), magics.end(),
                       [&](std::string_view magic) { return head.starts_with(magic); }) ||
           (head.size() >= 512 && head.substr(place_of_ustar, 5) == "ustar");
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

Certainty recognise_folder(const PathFacts& facts) {
    return facts.is_folder() ? Certainty::fallback : Certainty::none;
}

/// Images below a folder, no annotation. The sub-folders' names are the subjects if every image lies in one
/// (LFW, ORL, Yale).
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

Certainty recognise_image(const PathFacts& facts) {
    return certain_if(!facts.is_folder() && is_image_name(facts.name()));
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

Certainty recognise_archive(const PathFacts& facts) {
    // The oldest kind of .tar has no mark of its own.
    return certain_if(begins_like_archive(facts.head()) ||
                      (facts.has_zeros() && is_archive_name(facts.name())));
}

Certainty recognise_list_file(const PathFacts& facts) {
    return certain_if(facts.head().starts_with("FVLIST\n"));
}

/// Refuses a list file for a command that needs its images as files.
Dataset read_list_file_dataset(const std::string& path, const DatasetOptions&) {
    throw UsageError(
        "'" + path +
        "' is a list of 'fovea list', which fovea detect and fovea track read; name the folder or the "
        "list of images for other commands.");
}

/// Refuses an archive for a command that needs its images as files.
Dataset read_pipe_dataset(const std::string& path, const DatasetOptions&) {
    throw UsageError("'" + path +
                     "' gives an archive: fovea list, fovea detect and fovea track read the images in it, "
                     "other commands need them as files.");
}

/// Refuses an archive for a command that needs its images as files.
Dataset read_archive_dataset(const std::string& path, const DatasetOptions&) {
    throw UsageError("'" + path +
                     "' is an archive: fovea detect and fovea track read the images in it, other commands "
                     "need them as files; "
                     "unpack it and name the folder.");
}

}  // namespace fovea
