#include "lib/dataset/readers/yolo_labels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "lib/core/error.hpp"
#include "lib/core/keypoints.hpp"
#include "lib/dataset/text_file.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t of_box = 4;
constexpr double most = 1.01;  // beyond rounding, numbers above 1 are pixels
constexpr const char* expected_line =
    "a box, \"class cx cy w h\", and behind it the same number of points in every line, of 2 or 3 numbers "
    "each; outlines are not read";

/// The numbers behind the class.
struct LabelLine {
    int category = 0;
    std::vector<double> numbers;

    std::span<const double> behind_box() const { return std::span(numbers).subspan(of_box); }
};

/// A rectangle that holds points.
struct Extent {
    Point least{std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
    Point most{std::numeric_limits<double>::lowest(), std::numeric_limits<double>::lowest()};

    void add(const Point& point) {
        least = {std::min(least.x, point.x), std::min(least.y, point.y)};
        most = {std::max(most.x, point.x), std::max(most.y, point.y)};
    }
    double width() const { return most.x - least.x; }
    double height() const { return most.y - least.y; }
    bool holds(const Point& point, double margin_x, double margin_y) const {
        return point.x >= least.x - margin_x && point.x <= most.x + margin_x &&
               point.y >= least.y - margin_y && point.y <= most.y + margin_y;
    }
    bool holds_inside(const Point& point) const {
        return point.x > least.x && point.x < most.x && point.y > least.y && point.y < most.y;
    }
};

bool is_known(const Point& point) {
    return point.x >= 0 && point.y >= 0 && (point.x > 0 || point.y > 0);
}

/// The points of two numbers each behind a box that are known.
std::vector<Point> known_points(const LabelLine& line) {
    std::vector<Point> points;
    const std::span<const double> numbers = line.behind_box();
    for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
        const Point point{numbers[i], numbers[i + 1]};
        if (is_known(point)) points.push_back(point);
    }
    return points;
}

/// The box lies in the image and the points in and about the box, over a part of it.
bool is_like_box(const LabelLine& line) {
    constexpr double beyond_image = 0.02, beyond_box = 0.25, least_part = 0.15;
    const double w = line.numbers[2], h = line.numbers[3];
    Extent box;
    box.add({line.numbers[0] - w / 2, line.numbers[1] - h / 2});
    box.add({line.numbers[0] + w / 2, line.numbers[1] + h / 2});
    Extent image;
    image.add({0, 0});
    image.add({1, 1});
    if (!image.holds(box.least, beyond_image, beyond_image) ||
        !image.holds(box.most, beyond_image, beyond_image)) {
        return false;
    }
    Extent extent;
    const std::vector<Point> points = known_points(line);
    for (const Point& point : points) {
        if (!box.holds(point, beyond_box * w, beyond_box * h)) return false;
        extent.add(point);
    }
    return points.size() < 2 || extent.width() >= least_part * w || extent.height() >= least_part * h;
}

/// Width and height, taken for the second point of an outline, lie about the other points.
bool is_like_outline(const LabelLine& line) {
    constexpr double beyond = 0.5;
    if (std::ranges::any_of(line.numbers, [](double number) { return number < 0; })) return false;
    Extent others;
    others.add({line.numbers[0], line.numbers[1]});
    for (const Point& point : known_points(line)) others.add(point);
    return others.holds({line.numbers[2], line.numbers[3]}, beyond * others.width(),
                        beyond * others.height());
}

/// A face's centre lies so; the first point of most outlines does not.
bool is_centre_among_points(const LabelLine& line) {
    Extent extent;
    for (const Point& point : known_points(line)) extent.add(point);
    return extent.holds_inside({line.numbers[0], line.numbers[1]});
}

/// All files' lines, and what they are like together.
class LabelLines {
  public:
    std::vector<LabelLine> read(const fs::path& path) {
        constexpr std::size_t max_in_line = 2048;
        const TextFile file = TextFile::read(path);
        std::vector<LabelLine> lines;
        std::vector<double> numbers(max_in_line);
        file.for_each_content_line([&](const TextLine& line) {
            const std::optional<std::size_t> count = parse_numbers(line.text, numbers);
            if (!count || *count < 1 + of_box) file.fail(line, expected_line);
            check(file, line, std::span(numbers).first(*count));
            lines.push_back({static_cast<int>(numbers[0]),
                             {numbers.begin() + 1, numbers.begin() + static_cast<std::ptrdiff_t>(*count)}});
            note(file, line, lines.back());
        });
        return lines;
    }

    /// How many numbers a point has. \throws Error if the lines are outlines.
    std::size_t numbers_of_point() const {
        if (behind_box_ == 0) return 2;
        const bool may_be_three = behind_box_ % 3 == 0;
        if (may_be_three && (behind_box_ % 2 != 0 || with_visibility_ == with_points_)) return 3;
        const auto are_most = [&](std::size_t count) { return 10 * count >= 9 * with_points_; };
        const bool are_boxes =
            are_most(like_boxes_) && (!are_most(like_outlines_) || 2 * centre_among_points_ > with_points_);
        if (!are_boxes) throw Error(first_ + ": the labels are outlines: expected " + expected_line);
        return 2;
    }

  private:
    void check(const TextFile& file, const TextLine& line, std::span<const double> numbers) const {
        constexpr double beyond_image = 1;  // points may lie outside
        if (numbers[0] < 0 || numbers[0] != std::floor(numbers[0]) ||
            numbers[0] > std::numeric_limits<int>::max()) {
            file.fail(line, "a class counted from 0");
        }
        for (std::size_t i = 1; i < numbers.size(); ++i) {
            const bool is_share = i <= of_box ? numbers[i] >= 0 && numbers[i] <= most
                                              : std::abs(numbers[i]) <= most + beyond_image;
            if (!is_share) file.fail(line, "shares of the image's sides, from 0 to 1");
        }
        const std::size_t behind = numbers.size() - 1 - of_box;
        const bool has_points = behind > 0;
        const bool fits = behind % 2 == 0 || behind % 3 == 0;
        if (has_points && (!fits || (behind_box_ != 0 && behind != behind_box_)))
            file.fail(line, expected_line);
    }

    void note(const TextFile& file, const TextLine& text, const LabelLine& line) {
        const std::span<const double> behind = line.behind_box();
        if (behind.empty()) return;
        if (with_points_++ == 0) first_ = file.name() + ":" + std::to_string(text.number);
        behind_box_ = behind.size();
        bool has_visibility = behind.size() % 3 == 0;
        for (std::size_t i = 2; i < behind.size(); i += 3)
            has_visibility = has_visibility && (behind[i] == 0 || behind[i] == 1 || behind[i] == 2);
        with_visibility_ += has_visibility ? 1 : 0;
        like_boxes_ += is_like_box(line) ? 1 : 0;
        like_outlines_ += is_like_outline(line) ? 1 : 0;
        centre_among_points_ += is_centre_among_points(line) ? 1 : 0;
    }

    std::size_t behind_box_ = 0;  // numbers in every line that has some
    std::size_t with_points_ = 0;
    std::size_t with_visibility_ = 0;
    std::size_t like_boxes_ = 0;
    std::size_t like_outlines_ = 0;
    std::size_t centre_among_points_ = 0;
    std::string first_;  // "FILE:LINE" of the first line with points
};

YoloBox box_of(const LabelLine& line, std::size_t numbers_of_point) {
    YoloBox box{line.category, {line.numbers[0], line.numbers[1]}, line.numbers[2], line.numbers[3], {}};
    const std::span<const double> behind = line.behind_box();
    for (std::size_t i = 0; i < behind.size(); i += numbers_of_point) {
        Keypoint& point = box.points.emplace_back(Keypoint{{behind[i], behind[i + 1]}});
        if (numbers_of_point == 3) point.visibility = visibility_from(behind[i + 2]);
        const bool is_there =
            numbers_of_point == 3 ? point.point.x >= 0 && point.point.y >= 0 : is_known(point.point);
        if (!is_there) point.visibility = Keypoint::Visibility::unlabelled;
    }
    return box;
}

}  // namespace

std::vector<std::vector<YoloBox>> read_yolo_labels(const std::vector<fs::path>& files) {
    LabelLines labels;
    std::vector<std::vector<LabelLine>> lines;
    for (const fs::path& file : files)
        lines.push_back(file.empty() ? std::vector<LabelLine>{} : labels.read(file));
    const std::size_t numbers_of_point = labels.numbers_of_point();
    std::vector<std::vector<YoloBox>> boxes(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (const LabelLine& line : lines[i]) boxes[i].push_back(box_of(line, numbers_of_point));
    }
    return boxes;
}

}  // namespace fovea
