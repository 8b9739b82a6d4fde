#include "lib/dataset/points_file.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/text_file.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

/// The number in the header's line "n_points: 68"; nothing for other lines.
std::optional<std::size_t> stated_count(const TextFile& file, const TextLine& line) {
    const std::size_t colon = line.text.find(':');
    if (colon == std::string_view::npos || trim(line.text.substr(0, colon)) != "n_points")
        return std::nullopt;
    const auto count = spelled_whole(trim(line.text.substr(colon + 1)), 0);
    if (!count) file.fail(line, "the number of points");
    return static_cast<std::size_t>(*count);
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
        std::array<double, 2> place{};
        if (!parse_pixels(line.text, place)) file.fail(line, "a point, \"x y\"");
        points.push_back({place[0], place[1]});
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
    face.box = box_around(points);
    // Points 37-42 and 43-48 of Multi-PIE's 68 outline the eyes.
    if (points.size() == 68) face.eyes = Eyes{mean_of(points, 36, 6), mean_of(points, 42, 6)};
    face.landmarks = std::move(points);
    return face;
}

}  // namespace

Box box_around(const std::vector<Point>& points) {
    const auto [left, right] = std::ranges::minmax(points, {}, &Point::x);
    const auto [top, bottom] = std::ranges::minmax(points, {}, &Point::y);
    return {left.x, top.y, right.x - left.x, bottom.y - top.y};
}

Face read_points_file(const fs::path& path) {
    return face_of(read_points(path));
}

}  // namespace fovea
