#include "lib/track/box_motion.hpp"

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

// Standard deviations, in sizes of the box.
constexpr double place_noise = 0.05;
constexpr double first_speed_noise = 0.3;
constexpr double acceleration_noise = 0.1;
// The same of the logarithm of the size.
constexpr double size_noise = 0.05;
constexpr double first_growth_noise = 0.05;
constexpr double growth_noise = 0.01;
/// Share of a speed that is left after a frame without an observation.
constexpr double kept_speed = 0.9;

constexpr double square(double value) {
    return value * value;
}

double size_of(const Box& box) {
    return std::log(std::sqrt(std::max(box.area(), 1.0)));
}

}  // namespace

void BoxMotion::Axis::predict(double acceleration) {
    place += speed;
    speed *= kept_speed;
    // The noise is an acceleration that is constant during the frame.
    const double noise = square(acceleration);
    place_variance += 2 * covariance + speed_variance + noise / 4;
    covariance += speed_variance + noise / 2;
    speed_variance += noise;
}

void BoxMotion::Axis::observe(double measured, double variance) {
    const double gain = place_variance / (place_variance + variance);
    const double speed_gain = covariance / (place_variance + variance);
    const double surprise = measured - place;
    place += gain * surprise;
    speed += speed_gain * surprise;
    speed_variance -= speed_gain * covariance;
    place_variance *= 1 - gain;
    covariance *= 1 - gain;
}

BoxMotion::BoxMotion(std::size_t frame, const Box& box)
    : aspect_(box.w / box.h), frame_(frame), observed_(frame) {
    const Point centre = box.centre();
    const double size = size_of(box);
    const double pixels = std::exp(size);
    const auto at_rest = [](double place, double noise, double speed) {
        return Axis{place, 0, square(noise), 0, square(speed)};
    };
    state_.x = at_rest(centre.x, place_noise * pixels, first_speed_noise * pixels);
    state_.y = at_rest(centre.y, place_noise * pixels, first_speed_noise * pixels);
    state_.size = at_rest(size, size_noise, first_growth_noise);
}

BoxMotion::State BoxMotion::state_in(std::size_t frame) const {
    State state = state_;
    for (std::size_t i = frame_; i < frame; ++i) {
        const double pixels = std::exp(state.size.place);
        state.x.predict(acceleration_noise * pixels);
        state.y.predict(acceleration_noise * pixels);
        state.size.predict(growth_noise);
    }
    return state;
}

void BoxMotion::observe(std::size_t frame, const Box& box) {
    State state = state_in(frame);
    // Speeds fade while nothing is observed; an observation tells how fast the box has been.
    const double faded = std::pow(kept_speed, static_cast<double>(frame - observed_));
    for (Axis* axis : {&state.x, &state.y, &state.size}) axis->speed /= faded;
    const double pixels = std::exp(size_of(box));
    const Point centre = box.centre();
    state.x.observe(centre.x, square(place_noise * pixels));
    state.y.observe(centre.y, square(place_noise * pixels));
    state.size.observe(size_of(box), square(size_noise));
    state_ = state;
    aspect_ = box.w / box.h;
    frame_ = observed_ = frame;
}

void BoxMotion::rescale(double x, double y) {
    state_.x.place *= x;
    state_.x.speed *= x;
    state_.y.place *= y;
    state_.y.speed *= y;
    state_.size.place += std::log(std::sqrt(x * y));
}

void BoxMotion::carry(const Similarity& scene) {
    const Point place = scene({state_.x.place, state_.y.place});
    const Point speed{scene.cosine * state_.x.speed - scene.sine * state_.y.speed,
                      scene.sine * state_.x.speed + scene.cosine * state_.y.speed};
    state_.x.place = place.x;
    state_.x.speed = speed.x;
    state_.y.place = place.y;
    state_.y.speed = speed.y;
    state_.size.place += std::log(scene.scale());
}

void BoxMotion::part_from_camera(std::size_t frame, const Similarity& scene) {
    state_ = state_in(frame);
    frame_ = frame;
    add_speed(scene, -1);
}

void BoxMotion::add_speed(const Similarity& scene, double times) {
    const Point moved = scene({state_.x.place, state_.y.place});
    state_.x.speed += times * (moved.x - state_.x.place);
    state_.y.speed += times * (moved.y - state_.y.place);
    state_.size.speed += times * std::log(scene.scale());
}

Box BoxMotion::expected(std::size_t frame) const {
    const State state = state_in(frame);
    const double pixels = std::exp(state.size.place);
    const double w = pixels * std::sqrt(aspect_), h = pixels / std::sqrt(aspect_);
    return {state.x.place - w / 2, state.y.place - h / 2, w, h};
}

double BoxMotion::distance(std::size_t frame, const Box& box) const {
    const State state = state_in(frame);
    const double pixels = std::exp(size_of(box));
    const Point centre = box.centre();
    const auto away = [](const Axis& axis, double place, double noise) {
        return square(place - axis.place) / (axis.place_variance + square(noise));
    };
    return std::sqrt((away(state.x, centre.x, place_noise * pixels) +
                      away(state.y, centre.y, place_noise * pixels) +
                      away(state.size, size_of(box), size_noise)) /
                     3);
}

}  // namespace fovea
