#include "lib/bench/archive_images.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <random>
#include <system_error>

#include <opencv2/imgproc.hpp>
#include <spdlog/fmt/fmt.h>
#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/statistics/random_draw.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/sha256.hpp"
#include "lib/image/colour.hpp"
#include "lib/image/encode.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/read_grey.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr int quality = 90;
constexpr int window_tries = 16;

// Grain reaches further than the picture, so that every picture has another part of it.
constexpr int grain_margin = 256;
constexpr double grain_deviation = 3;

// In [0, 1].
double draw_share(std::mt19937_64& generator) {
    constexpr std::uint64_t steps = 1 << 20;
    return static_cast<double>(draw_below(generator, steps + 1)) / static_cast<double>(steps);
}

bool holds(const cv::Rect& window, const Box& face) {
    return face.x >= window.x && face.y >= window.y && face.x + face.w <= window.x + window.width &&
           face.y + face.h <= window.y + window.height;
}

// A part of the picture of the size's shape, as large as it can be or down to half of that.
cv::Rect draw_window(cv::Size whole, Size shape, std::mt19937_64& generator) {
    const double aspect = static_cast<double>(shape.width) / shape.height;
    const double widest = std::min<double>(whole.width, whole.height * aspect);
    const double width = widest * (0.5 + 0.5 * draw_share(generator));
    const cv::Size size(std::max(1, static_cast<int>(width)), std::max(1, static_cast<int>(width / aspect)));
    return {{static_cast<int>(draw_share(generator) * (whole.width - size.width)),
             static_cast<int>(draw_share(generator) * (whole.height - size.height))},
            size};
}

cv::Rect choose_window(const ArchiveSource& source, Size shape, int faces, std::mt19937_64& generator) {
    cv::Rect best;
    long least = -1;
    for (int i = 0; i < window_tries; ++i) {
        const cv::Rect window = draw_window(source.picture.size(), shape, generator);
        const long inside = std::count_if(source.faces.begin(), source.faces.end(),
                                          [&](const Box& face) { return holds(window, face); });
        const long off = std::labs(inside - faces);
        if (least >= 0 && off >= least) continue;
        best = window;
        least = off;
        if (off == 0) break;
    }
    return best;
}

std::string sha256_of(const std::vector<ArchiveSource>& sources) {
    std::string text;
    for (const ArchiveSource& source : sources) {
        const cv::Mat whole = source.picture.isContinuous() ? source.picture : source.picture.clone();
        const auto* const bytes = reinterpret_cast<const char*>(whole.data);
        text += fmt::format("{}x{}x{} {}", whole.cols, whole.rows, whole.channels(),
                            fovea::sha256_of({bytes, whole.total() * whole.elemSize()}));
        for (const Box& face : source.faces)
            text += fmt::format(" {} {} {} {}", face.x, face.y, face.w, face.h);
    }
    return fovea::sha256_of(text);
}

Json recipe_to_json(const ArchiveRecipe& recipe, const std::vector<ArchiveSource>& sources) {
    return {{"size", {recipe.size.width, recipe.size.height}},
            {"images", recipe.images},
            {"seed", recipe.seed},
            {"quality", quality},
            {"sources_sha256", sha256_of(sources)}};
}

// Beside the folder: in it would be a file that is no image.
fs::path recipe_file(const fs::path& folder) {
    return folder.string() + ".json";
}

// True if all images of the recipe are there.
bool prepare_folder(const fs::path& folder, const std::string& recipe) {
    std::error_code none;
    if (is_there(recipe_file(folder))) {
        if (read_file(recipe_file(folder)) == recipe) return true;
        fs::remove(recipe_file(folder));
        fs::remove_all(folder);
    } else if (is_there(folder) && !fs::is_empty(folder, none)) {
        throw UsageError(
            folder.string() +
            " holds files that are no test archive of this program; name another folder with --work");
    }
    return false;
}

std::uint64_t read_all(const std::vector<fs::path>& files, const JobHooks& hooks) {
    hooks.begin_stage("reading the archive once");
    std::atomic<std::uint64_t> bytes{0};
    tbb::parallel_for(std::size_t{0}, files.size(),
                      [&](std::size_t i) { bytes += read_file(files[i]).size(); });
    return bytes;
}

}  // namespace

std::vector<ArchiveSource> read_archive_sources(const Dataset& dataset, const Detector& detector,
                                                const DetectorOptions& options, std::size_t most) {
    std::vector<ArchiveSource> sources;
    std::string why_none = "there is no image in " + dataset.name;
    bool any_face = false;
    for (const Sample& sample : dataset.samples) {
        if (sources.size() == most) break;
        ArchiveSource source;
        try {
            source.picture = read_picture(sample.place());
            const GreyImage grey = read_grey_image(sample.place());
            const ImageView<const std::uint8_t> view = grey.view();
            const std::vector<std::vector<Detection>> found = detector.detect(view, options);
            for (const Detection& detection : found[0]) source.faces.push_back(detection.box);
        } catch (const ImageError& error) {
            why_none = sample.path.string() + ": " + error.what();
            continue;
        }
        any_face = any_face || !source.faces.empty();
        sources.push_back(std::move(source));
    }
    if (sources.empty()) throw Error("no photograph to make an archive from: " + why_none);
    if (any_face) std::erase_if(sources, [](const ArchiveSource& source) { return source.faces.empty(); });
    return sources;
}

// The same brightness in every channel.
cv::Mat archive_grain(const ArchiveRecipe& recipe) {
    cv::Mat grain(recipe.size.height + grain_margin, recipe.size.width + grain_margin, CV_16SC1);
    cv::RNG(recipe.seed).fill(grain, cv::RNG::NORMAL, 0, grain_deviation);
    return grain;
}

cv::Mat archive_picture(const std::vector<ArchiveSource>& sources, const ArchiveRecipe& recipe,
                        std::size_t index, const cv::Mat& grain) {
    std::mt19937_64 generator = repetition_generator(recipe.seed, index);
    const ArchiveSource& source = sources[draw_below(generator, sources.size())];
    const cv::Rect window = choose_window(source, recipe.size, index % 2 == 0 ? 1 : 2, generator);
    const cv::Size size(recipe.size.width, recipe.size.height);
    const bool shrinks = size.width <= window.width && size.height <= window.height;
    cv::Mat picture;
    cv::resize(source.picture(window), picture, size, 0, 0, shrinks ? cv::INTER_AREA : cv::INTER_CUBIC);
    if (draw_below(generator, 2) == 1) cv::flip(picture, picture, 1);
    const double gain = 0.85 + 0.3 * draw_share(generator);
    const double offset = 30 * draw_share(generator) - 15;
    picture.convertTo(picture, CV_16S, gain, offset);
    const cv::Rect part({static_cast<int>(draw_below(generator, grain_margin + 1)),
                         static_cast<int>(draw_below(generator, grain_margin + 1))},
                        size);
    cv::Mat added = grain(part);
    if (picture.channels() == 3) cv::merge(std::vector<cv::Mat>(3, added), added);
    cv::add(picture, added, picture);
    picture.convertTo(picture, CV_8U);
    return picture;
}

std::vector<fs::path> archive_files(const fs::path& folder, std::size_t images) {
    std::vector<fs::path> files;
    for (std::size_t i = 0; i < images; ++i)
        files.push_back(folder / fmt::format("{:03}", i / 1000) / fmt::format("{:06}.jpg", i));
    return files;
}

std::uint64_t make_archive(const fs::path& folder, const ArchiveRecipe& recipe,
                           const std::vector<ArchiveSource>& sources, const JobHooks& hooks) {
    const std::string text = recipe_to_json(recipe, sources).dump(2) + "\n";
    const std::vector<fs::path> files = archive_files(folder, recipe.images);
    if (!prepare_folder(folder, text)) {
        hooks.begin_stage(fmt::format("making {} of {}x{}", counted(recipe.images, "image"),
                                      recipe.size.width, recipe.size.height));
        for (std::size_t i = 0; i < files.size(); i += 1000) fs::create_directories(files[i].parent_path());
        const cv::Mat grain = archive_grain(recipe);
        const auto cancelled = [&] { return hooks.is_cancelled(); };
        tbb::parallel_for(std::size_t{0}, files.size(), [&](std::size_t i) {
            if (cancelled()) return;
            const std::vector<std::uint8_t> jpeg =
                encode_jpeg(archive_picture(sources, recipe, i, grain), quality);
            write_file(files[i], {reinterpret_cast<const char*>(jpeg.data()), jpeg.size()});
        });
        if (cancelled()) return 0;
        // Last: its presence says that all files are there.
        write_file(recipe_file(folder), text);
    }
    return read_all(files, hooks);
}

}  // namespace fovea
