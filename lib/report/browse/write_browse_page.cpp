#include "lib/report/browse/write_browse_page.hpp"

#include <utility>
#include <vector>

#include "lib/files/file.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/report/browse/browse_data.hpp"
#include "lib/report/browse/browse_pictures.hpp"
#include "lib/results/results_lines.hpp"

namespace fovea::report {
namespace fs = std::filesystem;
namespace {

/// Reads the results, and writes the landmarks of their faces.
BrowseArchive read_archive(const fs::path& results, const KnownPeople& known, const fs::path& folder,
                           const JobHooks& hooks) {
    BrowseGatherer gatherer(known);
    ResultsLines lines(results);
    std::vector<std::vector<std::vector<Point>>> landmarks;
    std::size_t written = 0;
    const auto write_landmarks = [&] {
        write_file(folder / browse_file("landmarks", written, "js"), landmarks_script(written, landmarks));
        ++written;
        landmarks.clear();
    };
    while (const std::optional<ImageResult> result = lines.next()) {
        if (hooks.is_cancelled()) throw JobCancelled{};
        gatherer.add(*result);
        auto& of_image = landmarks.emplace_back();
        for (const Detection& detection : result->detections)
            of_image.push_back(detection.details->landmarks);
        if (landmarks.size() == browse_landmark_images) write_landmarks();
    }
    if (!landmarks.empty()) write_landmarks();
    BrowseArchive archive = gatherer.take();
    if (!archive.has_landmarks) remove_tree(folder / "landmarks");
    return archive;
}

}  // namespace

BrowseArchive write_browse_page(const fs::path& results, const KnownPeople& known, const ImageList& images,
                                const DecodeOptions& options, const std::string& title,
                                const OutputFolder& folder, const JobHooks& hooks) {
    StagedFolder staged(folder, "browse");
    const fs::path parts = staged.folder();
    for (const char* name : {"covers", "data", "images", "landmarks", "tiles"})
        make_output_folder(parts / name, "page");
    hooks.begin_stage("reading results");
    BrowseArchive archive = read_archive(results, known, parts, hooks);
    archive.title = title;

    hooks.begin_stage("cutting out faces");
    const fs::path crops = parts / "crops";
    cut_faces(archive, images, options, folder.path(), crops, hooks.counter("images"));
    order_faces(archive, known);
    hooks.begin_stage("writing the page");
    write_sprites(archive, crops, parts, hooks.counter("sprites"));
    remove_file(crops);
    const auto chunks = [](std::size_t rows) { return (rows + browse_chunk - 1) / browse_chunk; };
    for (std::size_t n = 0; n < chunks(archive.faces.size()); ++n)
        write_file(parts / browse_file("data", n, "js"), faces_script(archive, n));
    const std::string root = page_root(archive);
    for (std::size_t n = 0; n < chunks(archive.images.size()); ++n)
        write_file(parts / browse_file("images", n, "js"), images_script(archive, n, root));
    write_file(parts / "index.html", browse_page(archive));
    staged.publish();
    return archive;
}

}  // namespace fovea::report
