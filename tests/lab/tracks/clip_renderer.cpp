#include "tests/lab/tracks/clip_renderer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "lib/core/splitmix.hpp"
#include "lib/evaluate/landmarks/landmark_points.hpp"

namespace fovea {
namespace {

/// Side of the tiles of the background, in widths of a face.
constexpr double tile_share = 0.2;

/// Pictures whose mean is a frame with motion blur.
constexpr int sub_frames = 8;
/// Places of a face that are asked whether they are visible, in each direction.
constexpr int visibility_grid = 24;
/// Frames from bright to bright.
constexpr double exposure_period = 48;

/// Keeps a head in the frame: room beside and above its centre, in face widths.
Box region_of_centres(const ClipPlan& plan, int face) {
    const double part = plan.crossing ? plan.size.width : static_cast<double>(plan.size.width) / plan.faces;
    const double left = plan.crossing ? 0 : part * face;
    const auto shrunk = [&](double from, double length, double room) {
        const double margin = std::min(room * plan.face_width * plan.zoom, length / 2);
        return std::array{from + margin, length - 2 * margin};
    };
    const auto [x, w] = shrunk(left, part, 0.7);
    const auto [y, h] = shrunk(0, plan.size.height, 0.9);
    return {x, y, w, h};
}

FacePathPlan path_plan(const ClipPlan& plan, int face) {
    FacePathPlan path;
    path.region = region_of_centres(plan, face);
    path.face_width = plan.face_width;
    path.speed = plan.speed;
    path.zoom = plan.zoom;
    path.max_turn = plan.turn * std::numbers::pi / 180;
    path.seed = mixed(plan.seed) + static_cast<std::uint64_t>(face);
    return path;
}

/// The numbers 0 ... count - 1 in a random order.
std::vector<std::size_t> random_order(std::size_t count, std::uint64_t seed) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return mixed(mixed(seed) ^ a) < mixed(mixed(seed) ^ b); });
    return order;
}

/// From 0 up to 1, down to -1 and back in the period.
double swing(double time, double period) {
    return std::sin(2 * std::numbers::pi * time / period);
}

/// Nearly normal: the sum of eight random bytes.
double grain(std::uint64_t seed, std::uint64_t index) {
    constexpr double mean = 8 * 127.5, deviation = 209.02;  // √(8 (256² - 1) / 12)
    int sum = 0;
    for (std::uint64_t bits = mixed(seed ^ mixed(index)); bits != 0; bits >>= 8)
        sum += static_cast<int>(bits & 255);
    return (sum - mean) / deviation;
}

std::uint8_t grey_of(double value) {
    return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0) + 0.5);
}

/// (0, 0) of a box is the corner of the pixel whose centre is (0, 0) of a point.
Box box_of_points(const Box& box, const Similarity& movement) {
    const Point centre = movement({box.centre().x - 0.5, box.centre().y - 0.5});
    const double w = box.w * movement.scale(), h = box.h * movement.scale();
    return {centre.x + 0.5 - w / 2, centre.y + 0.5 - h / 2, w, h};
}

}  // namespace

Similarity inverse_of(const Similarity& similarity) {
    const double squared = similarity.cosine * similarity.cosine + similarity.sine * similarity.sine;
    return {similarity.to, similarity.from, similarity.cosine / squared, -similarity.sine / squared};
}

ClipRenderer::ClipRenderer(const ClipPlan& plan, const CutOuts& cut_outs) : plan_(plan) {
    const std::vector<std::size_t> order = random_order(cut_outs.faces.size(), plan.seed);
    for (int i = 0; i < plan.faces; ++i) {
        const CutOut& cut_out = cut_outs.faces[order[static_cast<std::size_t>(i) % order.size()]];
        actors_.push_back({cut_out, plan.face_width / cut_out.face_width,
                           FacePath(path_plan(plan, i), static_cast<double>(plan.frames))});
    }
    draw_background(*cut_outs.photos[mixed(plan.seed + 1) % cut_outs.photos.size()]);
}

Similarity ClipRenderer::movement(const Actor& actor, double time) {
    const FacePose pose = actor.path.at(time);
    const double scale = actor.scale * pose.scale;
    return {tight_box(actor.cut_out.face.landmarks).centre(), pose.centre, scale * std::cos(pose.turn),
            scale * std::sin(pose.turn)};
}

Similarity ClipRenderer::movement(int face, double time) const {
    return movement(actors_[static_cast<std::size_t>(face)], time);
}

void ClipRenderer::draw_background(const PhotoLevels& photo) {
    const GreyImage& image = photo.photo();
    const double scale = std::max(static_cast<double>(plan_.size.width) / image.width,
                                  static_cast<double>(plan_.size.height) / image.height);
    const int level = photo.level_for(scale);
    background_.reserve(static_cast<std::size_t>(plan_.size.width) *
                        static_cast<std::size_t>(plan_.size.height));
    const int tile = std::max(8, static_cast<int>(plan_.face_width * tile_share));
    const int across = std::max(1, plan_.size.width / tile), down = std::max(1, plan_.size.height / tile);
    for (int y = 0; y < plan_.size.height; ++y) {
        for (int x = 0; x < plan_.size.width; ++x) {
            const auto number =
                static_cast<std::uint64_t>(y / tile) * 1000 + static_cast<std::uint64_t>(x / tile);
            const double from = random_share(plan_.seed, number);
            const auto other = static_cast<int>(from * across * down);
            const int from_x = other % across * tile + x % tile, from_y = other / across * tile + y % tile;
            const Point place{image.width - 1 - from_x / scale, image.height - 1 - from_y / scale};
            background_.push_back(static_cast<float>(photo.value(level, place)));
        }
    }
}

void ClipRenderer::draw_head(const Actor& actor, double time, Picture& picture) const {
    const CutOut& head = actor.cut_out;
    const Similarity there = movement(actor, time);
    const Similarity back = inverse_of(there);
    const int level = head.photo->level_for(there.scale());
    const Point centre = there(head.centre);
    const double reach = std::max(head.radius_x, head.radius_y) * there.scale() + 1;
    const auto first = [](double value) { return static_cast<int>(std::floor(std::max(value, 0.0))); };
    const auto last = [](double value, int size) {
        return static_cast<int>(std::ceil(std::min(value, static_cast<double>(size - 1))));
    };
    for (int y = first(centre.y - reach); y <= last(centre.y + reach, plan_.size.height); ++y) {
        float* const row = picture.data() + static_cast<std::ptrdiff_t>(y) * plan_.size.width;
        for (int x = first(centre.x - reach); x <= last(centre.x + reach, plan_.size.width); ++x) {
            const Point place = back({static_cast<double>(x), static_cast<double>(y)});
            const double opacity = head.opacity(place);
            if (opacity <= 0) continue;
            const double value = head.photo->value(level, place);
            row[x] = static_cast<float>(row[x] + opacity * (value - row[x]));
        }
    }
}

double ClipRenderer::bar_left(double time) const {
    const double width = plan_.bar * plan_.face_width;
    const double way = plan_.size.width + width;
    return std::fmod(time * plan_.bar_speed * plan_.face_width, way) - width;
}

void ClipRenderer::draw_bar(double time, Picture& picture) const {
    const double left = bar_left(time);
    const double width = plan_.bar * plan_.face_width;
    for (int x = 0; x < plan_.size.width; ++x) {
        if (x < left || x >= left + width) continue;
        // The bar has a texture of its own, which moves with it: a part of the background.
        const int from = static_cast<int>(x - left) % plan_.size.width;
        for (int y = 0; y < plan_.size.height; ++y) {
            const std::size_t row = static_cast<std::size_t>(y) * static_cast<std::size_t>(plan_.size.width);
            picture[row + static_cast<std::size_t>(x)] =
                255 - background_[row + static_cast<std::size_t>(from)];
        }
    }
}

GreyImage ClipRenderer::frame(int number) const {
    const int parts = plan_.blur > 0 ? sub_frames : 1;
    Picture sum(background_.size());
    for (int part = 0; part < parts; ++part) {
        // Sub-frames lie evenly about the frame's own time, where the truth is.
        const double time = number + plan_.blur * ((part + 0.5) / parts - 0.5);
        Picture picture = background_;
        for (const Actor& actor : actors_) draw_head(actor, time, picture);
        if (plan_.bar > 0) draw_bar(time, picture);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += picture[i];
    }
    const double gain = (1 + plan_.exposure * swing(number, exposure_period)) / parts;
    const double offset = 64 * plan_.exposure * swing(number, 1.7 * exposure_period);
    GreyImage image{plan_.size.width, plan_.size.height, std::vector<std::uint8_t>(sum.size())};
    const std::uint64_t grain_seed = mixed(plan_.seed) + static_cast<std::uint64_t>(number);
    for (std::size_t i = 0; i < sum.size(); ++i) {
        const double noise = plan_.noise > 0 ? plan_.noise * grain(grain_seed, i) : 0;
        image.pixels[i] = grey_of(sum[i] * gain + offset + noise);
    }
    return image;
}

bool ClipRenderer::is_covered(std::size_t face, const Point& place, double time) const {
    if (plan_.bar > 0) {
        const double left = bar_left(time);
        if (place.x >= left && place.x < left + plan_.bar * plan_.face_width) return true;
    }
    for (std::size_t i = face + 1; i < actors_.size(); ++i) {
        const Actor& in_front = actors_[i];
        if (in_front.cut_out.opacity(inverse_of(movement(in_front, time))(place)) >= 0.5) return true;
    }
    return false;
}

double ClipRenderer::visible_share(std::size_t face, double time) const {
    const Actor& actor = actors_[face];
    const Similarity there = movement(actor, time);
    const Box box = tight_box(actor.cut_out.face.landmarks);
    int visible = 0;
    for (int j = 0; j < visibility_grid; ++j) {
        for (int i = 0; i < visibility_grid; ++i) {
            const Point place = there(
                {box.x + box.w * (i + 0.5) / visibility_grid, box.y + box.h * (j + 0.5) / visibility_grid});
            const bool is_inside = place.x >= -0.5 && place.y >= -0.5 && place.x < plan_.size.width - 0.5 &&
                                   place.y < plan_.size.height - 0.5;
            visible += is_inside && !is_covered(face, place, time);
        }
    }
    return static_cast<double>(visible) / (visibility_grid * visibility_grid);
}

std::vector<TrueFace> ClipRenderer::truth(int number) const {
    std::vector<TrueFace> faces;
    for (std::size_t i = 0; i < actors_.size(); ++i) {
        const Similarity there = movement(actors_[i], number);
        TrueFace& true_face = faces.emplace_back();
        true_face.number = static_cast<int>(i);
        true_face.face.box = box_of_points(actors_[i].cut_out.face.box, there);
        for (const Point& point : actors_[i].cut_out.face.landmarks)
            true_face.face.landmarks.push_back(there(point));
        true_face.visible = visible_share(i, number);
    }
    return faces;
}

}  // namespace fovea
