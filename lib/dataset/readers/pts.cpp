#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <set>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/read_dataset.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/folder.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr const char* expected_line = "a point, \"x y\"";

/// The number in the header's line "n_points: 68"; nothing for other lines.
std::optional<std::size_t> stated_count(const TextFile& file, const TextLine& line) {
    constexpr std::string_view key = "n_points:";
    if (!line.text.starts_with(key)) return std::nullopt;
    const std::string_view digits = trim(line.text.substr(key.size()));
    std::size_t count = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (error != std::errc() || stop != digits.data() + digits.size())
        file.fail(line, "the number of points");
    return count;
}

/// The points of a file: those between '{' and '}' of the usual form (version, n_points, braces), or bare
/// lines.
std::vector<Point> read_points(const fs::path& path) {
    const TextFile file = TextFile::read(path);
    std::vector<Point> points;
    std::optional<std::size_t> stated;
    for (const TextLine& line : file.content_lines()) {
        if (const auto count = stated_count(file, line)) stated = count;
        if (line.text.find(':') != std::string_view::npos || line.text == "{" || line.text == "}") continue;
        const auto fields = split_fields(line.text);
        if (fields.size() != 2) file.fail(line, expected_line);
        const auto x = parse_pixels(fields[0]);
        const auto y = parse_pixels(fields[1]);
        if (!x || !y) file.fail(line, expected_line);
        points.push_back({*x, *y});
    }
    if (points.empty()) throw Error(file.name() + ": the file holds no point.");
    if (stated && *stated != points.size()) {
        throw Error(file.name() + ": n_points is " + std::to_string(*stated) + ", but the file holds " +
                    counted(points.size(), "point") + "; correct it.");
    }
    return points;
}

Point mean_of(const std::vector<Point>& points, std::size_t first, std::size_t count) {
    Point mean;
    for (std::size_t i = first; i < first + count; ++i) {
        mean.x += points[i].x / static_cast<double>(count);
        mean.y += points[i].y / static_cast<double>(count);
    }
    return mean;
}

Face face_of(std::vector<Point> points) {
    Face face;
    const auto [left, right] = std::minmax_element(points.begin(), points.end(),
                                                   [](const Point& a, const Point& b) { return a.x < b.x; });
    const auto [top, bottom] = std::minmax_element(points.begin(), points.end(),
                                                   [](const Point& a, const Point& b) { return a.y < b.y; });
    face.box = {left->x, top->y, right->x - left->x, bottom->y - top->y};
    // Points 37-42 and 43-48 of Multi-PIE's 68 outline the eyes.
    if (points.size() == 68) face.eyes = Eyes{mean_of(points, 36, 6), mean_of(points, 42, 6)};
    face.landmarks = std::move(points);
    return face;
}

/// The files of an image's faces: a.pts, and a_1.pts, a_2.pts, ... where no image has that name itself.
std::vector<fs::path> points_files(const fs::path& image, const std::set<std::string>& stems) {
    const std::string stem = fs::path(image).replace_extension().string();
    std::vector<fs::path> files;
    if (is_file(stem + ".pts")) files.emplace_back(stem + ".pts");
    for (int number = 1;; ++number) {
        const std::string numbered = stem + "_" + std::to_string(number);
        if (stems.contains(numbered) || !is_file(numbered + ".pts")) return files;
        files.emplace_back(numbered + ".pts");
    }
}

}  // namespace

Face read_points_file(const fs::path& path) {
    return face_of(read_points(path));
}

Dataset read_pts_dataset(const std::string& path, const DatasetOptions&) {
    if (!is_folder(path)) {
        throw UsageError("'" + path +
                         "' is not a folder; pts: needs one that holds images and, beside each, "
                         "its points: 1.jpg and 1.pts, or 1_1.pts, 1_2.pts of several faces.");
    }
    Dataset dataset;
    dataset.format = "pts";
    dataset.root = path;
    FolderScan scan = scan_images(path, std::numeric_limits<int>::max());
    dataset.warnings = std::move(scan.warnings);
    std::set<std::string> stems;
    for (const std::string& image : scan.images)
        stems.insert((dataset.root / image).replace_extension().string());
    std::size_t without = 0;
    for (std::string& image : scan.images) {
        Sample sample;
        sample.path = dataset.root / image;
        for (fs::path& points : points_files(sample.path, stems)) {
            sample.faces.push_back(read_points_file(points));
            dataset.sources.push_back(std::move(points));
        }
        if (sample.faces.empty()) {
            ++without;
            continue;
        }
        if (sample.faces.size() == 1) sample.eyes = sample.faces.front().eyes;
        sample.annotated = true;
        sample.image = std::move(image);
        dataset.samples.push_back(std::move(sample));
    }
    if (dataset.samples.empty()) {
        throw UsageError("The folder '" + path +
                         "' holds no image with points beside it, as 1.jpg and 1.pts or 1_1.pts.");
    }
    if (without > 0) {
        dataset.warnings.push_back(counted(without, "image") + " of the folder " +
                                   (without == 1 ? "has" : "have") + " no .pts file and " +
                                   (without == 1 ? "is" : "are") + " left out");
    }
    return dataset;
}

bool is_pts_folder(const fs::path& folder) {
    return !files_of(folder, [](const std::string& name) {
                return fs::path(name).extension() == ".pts";
            }).empty();
}

}  // namespace fovea
