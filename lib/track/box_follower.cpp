#include "lib/track/box_follower.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "lib/track/similarity.hpp"

namespace fovea {
namespace {

/// The outer tenth of a box shows background and hair.
constexpr double margin = 0.1;
/// Pixels: less than this is noise, however small the face.
constexpr double min_error = 0.5;

/// Points in each direction that tell a cut, and how many of them must have texture.
constexpr int scene_grid = 10;
constexpr std::size_t min_scene_points = 20;
/// Share of them that come back if the scene is the same, and pixels between such a point and its return.
constexpr double min_scene_share = 0.2;
constexpr double max_scene_error = 1;

std::vector<Point> grid_in(const Box& box, int across) {
    std::vector<Point> points;
    points.reserve(static_cast<std::size_t>(across) * static_cast<std::size_t>(across));
    const auto place = [&](int i) { return margin + (1 - 2 * margin) * (i + 0.5) / across; };
    for (int j = 0; j < across; ++j) {
        for (int i = 0; i < across; ++i)
            points.push_back({box.x + box.w * place(i), box.y + box.h * place(j)});
    }
    return points;
}

/// Its centre is in the image.
bool is_in_image(const Box& box, const ImageView<const std::uint8_t>& image) {
    const Point centre = box.centre();
    return centre.x >= 0 && centre.y >= 0 && centre.x < image.width && centre.y < image.height;
}

}  // namespace

std::vector<std::vector<Point>> BoxFollower::points_of(const FrameWindow& window,
                                                       std::span<const BoxMove> moves) const {
    std::vector<std::vector<Point>> points;
    if (options_.points == FollowedPoints::grid || landmarks_ == nullptr) {
        for (const BoxMove& move : moves) points.push_back(grid_in(move.box, options_.grid));
        return points;
    }
    std::vector<ImageView<const std::uint8_t>> images;
    std::map<std::size_t, std::uint32_t> number_of;
    std::vector<LandmarkTask> tasks;
    for (const BoxMove& move : moves) {
        const auto [number, is_new] = number_of.emplace(move.from, static_cast<std::uint32_t>(images.size()));
        if (is_new) images.push_back(window.image(move.from));
        const Box& box = move.box;
        tasks.push_back({number->second, rect_of_edges({box.x, box.y, box.w, box.h}, landmarks_->edges)});
    }
    return landmarks_->landmarker->find({images, gpu_}, tasks);
}

std::optional<MovedBox> BoxFollower::moved(const Box& box, std::span<const Point> points,
                                           std::span<const FollowedPoint> followed) const {
    const double max_error = std::max(options_.max_return_error * box.w, min_error);
    std::vector<Point> first, second;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!followed[i].found || !(followed[i].return_error <= max_error)) continue;
        first.push_back(points[i]);
        second.push_back(followed[i].place);
    }
    const double min_votes = options_.min_votes * static_cast<double>(points.size());
    if (static_cast<double>(first.size()) < min_votes) return std::nullopt;
    const std::optional<VotedSimilarity> movement =
        fit_voted_similarity(first, second, options_.max_residual, min_error);
    if (!movement || static_cast<double>(movement->votes) < min_votes) return std::nullopt;
    const double scale = movement->similarity.scale();
    if (!(scale <= options_.max_scale_step) || !(scale * options_.max_scale_step >= 1)) return std::nullopt;
    return MovedBox{moved_box(box, movement->similarity),
                    static_cast<double>(movement->votes) / static_cast<double>(points.size())};
}

bool BoxFollower::is_cut(FrameWindow& window, std::size_t from, std::size_t to) const {
    const ImageView<const std::uint8_t>& image = window.image(to);
    const Box whole{0, 0, static_cast<double>(image.width), static_cast<double>(image.height)};
    const std::vector<Point> points = grid_in(whole, scene_grid);
    const PointsToFollow all{&window.flow_image(from), &window.flow_image(to), points};
    const std::vector<FollowedPoint> followed = std::move(flow_.follow_each(std::span(&all, 1)).at(0));
    std::size_t found = 0, returned = 0;
    for (const FollowedPoint& point : followed) {
        found += point.found;
        returned += point.found && point.return_error <= max_scene_error;
    }
    return found >= min_scene_points &&
           static_cast<double>(returned) < min_scene_share * static_cast<double>(found);
}

std::vector<std::optional<MovedBox>> BoxFollower::follow(FrameWindow& window,
                                                         std::span<const BoxMove> moves) const {
    std::vector<std::optional<MovedBox>> result(moves.size());
    if (moves.empty()) return result;
    const std::vector<std::vector<Point>> points = points_of(window, moves);
    std::vector<PointsToFollow> all;
    for (std::size_t i = 0; i < moves.size(); ++i)
        all.push_back({&window.flow_image(moves[i].from), &window.flow_image(moves[i].to), points[i]});
    const std::vector<std::vector<FollowedPoint>> followed = flow_.follow_each(all);
    for (std::size_t i = 0; i < moves.size(); ++i) {
        result[i] = moved(moves[i].box, points[i], followed[i]);
        if (result[i] && !is_in_image(result[i]->box, window.image(moves[i].to))) result[i].reset();
    }
    return result;
}

}  // namespace fovea
