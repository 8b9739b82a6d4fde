#include "lib/track/box_follower.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>

#include "lib/track/similarity.hpp"

namespace fovea {
namespace {

/// The outer tenth of a box shows background and hair.
constexpr double margin = 0.1;
/// Pixels: less than this is noise, however small the face.
constexpr double min_error = 0.5;

/// Points in each direction that tell how a scene moves, and how many of them must have texture.
constexpr int scene_grid = 10;
constexpr std::size_t min_scene_points = 20;
/// Share of these that come back if the scene is the same, and pixels between such a point and its return.
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

/// A grid over the whole picture.
std::vector<Point> scene_points(const ImageView<const std::uint8_t>& image) {
    return grid_in({0, 0, static_cast<double>(image.width), static_cast<double>(image.height)}, scene_grid);
}

bool contains(const Box& box, const Point& point) {
    return point.x >= box.x && point.y >= box.y && point.x < box.x + box.w && point.y < box.y + box.h;
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
    // A face is followed both ways from one detection.
    std::vector<ImageView<const std::uint8_t>> images;
    std::map<std::size_t, std::uint32_t> image_of;
    std::vector<LandmarkTask> tasks;
    std::map<std::tuple<std::size_t, double, double, double, double>, std::size_t> task_of;
    std::vector<std::size_t> tasks_of_moves;
    for (const BoxMove& move : moves) {
        const auto [image, is_new_image] =
            image_of.emplace(move.from, static_cast<std::uint32_t>(images.size()));
        if (is_new_image) images.push_back(window.image(move.from));
        const Box& box = move.box;
        const auto [task, is_new] =
            task_of.emplace(std::tuple(move.from, box.x, box.y, box.w, box.h), tasks.size());
        if (is_new)
            tasks.push_back({image->second, rect_of_edges({box.x, box.y, box.w, box.h}, landmarks_->edges)});
        tasks_of_moves.push_back(task->second);
    }
    const std::vector<std::vector<Point>> found = landmarks_->landmarker->find({images, gpu_}, tasks);
    for (const std::size_t task : tasks_of_moves) points.push_back(found[task]);
    return points;
}

MovedBox BoxFollower::moved(const Box& box, std::span<const Point> points,
                            std::span<const FollowedPoint> followed) const {
    const double max_error = std::max(options_.max_return_error * box.w, min_error);
    std::vector<Point> first, second;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!followed[i].found || !(followed[i].return_error <= max_error)) continue;
        first.push_back(points[i]);
        second.push_back(followed[i].place);
    }
    const auto share = [&](std::size_t count) {
        return static_cast<double>(count) / static_cast<double>(points.size());
    };
    if (share(first.size()) < options_.min_votes) return {{}, share(first.size()), FlowLoss::few_return};
    const std::optional<VotedSimilarity> movement =
        fit_voted_similarity(first, second, options_.max_residual, min_error);
    const double agreement = movement ? share(movement->votes) : 0;
    if (!movement || agreement < options_.min_votes) return {{}, agreement, FlowLoss::disagreement};
    const double scale = movement->similarity.scale();
    if (!(scale <= options_.max_scale_step) || !(scale * options_.max_scale_step >= 1))
        return {{}, agreement, FlowLoss::scale};
    return {moved_box(box, movement->similarity), agreement};
}

std::vector<std::vector<FollowedPoint>> BoxFollower::follow_scenes(FrameWindow& window,
                                                                   std::span<const FramePair> pairs) const {
    if (pairs.empty()) return {};
    std::vector<std::vector<Point>> points;
    for (const FramePair& pair : pairs) points.push_back(scene_points(window.image(pair.to)));
    std::vector<PointsToFollow> all;
    for (std::size_t i = 0; i < pairs.size(); ++i)
        all.push_back({&window.flow_image(pairs[i].from), &window.flow_image(pairs[i].to), points[i]});
    return flow_.follow_each(all);
}

SceneMove BoxFollower::scene_move(FrameWindow& window, const FramePair& pair,
                                  std::span<const FollowedPoint> followed, std::span<const Box> faces) const {
    const std::vector<Point> points = scene_points(window.image(pair.to));
    std::size_t returned = 0;
    std::vector<Point> first, second;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!followed[i].found || !(followed[i].return_error <= max_scene_error)) continue;
        ++returned;
        if (std::any_of(faces.begin(), faces.end(), [&](const Box& box) { return contains(box, points[i]); }))
            continue;
        first.push_back(points[i]);
        second.push_back(followed[i].place);
    }
    SceneMove move;
    const auto is_few = [&](std::size_t all) {
        return static_cast<double>(returned) < min_scene_share * static_cast<double>(all);
    };
    // Points leave a picture that shows something else; those with texture find themselves.
    const std::size_t ends[]{pair.from, pair.to};
    move.is_cut =
        is_few(points.size()) && std::all_of(std::begin(ends), std::end(ends), [&](std::size_t end) {
            const FramePair same{end, end};
            const std::vector<FollowedPoint> at_rest = follow_scenes(window, {&same, 1}).at(0);
            const auto textured = static_cast<std::size_t>(std::count_if(
                at_rest.begin(), at_rest.end(), [](const FollowedPoint& p) { return p.found; }));
            return textured >= min_scene_points && is_few(textured);
        });
    if (first.size() < min_scene_points) return move;
    const std::optional<VotedSimilarity> voted =
        fit_voted_similarity(first, second, options_.max_residual, min_error);
    if (!voted || 2 * voted->votes < first.size()) return move;
    const double scale = voted->similarity.scale();
    if (scale <= options_.max_scale_step && scale * options_.max_scale_step >= 1)
        move.background = voted->similarity;
    return move;
}

std::vector<MovedBox> BoxFollower::follow(FrameWindow& window, std::span<const BoxMove> moves) const {
    std::vector<MovedBox> result(moves.size());
    if (moves.empty()) return result;
    const std::vector<std::vector<Point>> points = points_of(window, moves);
    std::vector<PointsToFollow> all;
    for (std::size_t i = 0; i < moves.size(); ++i)
        all.push_back({&window.flow_image(moves[i].from), &window.flow_image(moves[i].to), points[i]});
    const std::vector<std::vector<FollowedPoint>> followed = flow_.follow_each(all);
    for (std::size_t i = 0; i < moves.size(); ++i) {
        result[i] = moved(moves[i].box, points[i], followed[i]);
        if (!result[i].is_lost() && !is_in_image(result[i].box, window.image(moves[i].to)))
            result[i] = {{}, result[i].agreement, FlowLoss::outside};
    }
    return result;
}

}  // namespace fovea
