#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/optical_flow/flow_body.hpp"

namespace fovea {

/// The points of one call, and where their results go.
struct FlowPoints {
    const FlowPoint* points;
    FlowPoint* moved;
    std::uint8_t* found;
    float* errors;  ///< may be nullptr
};

/// The data that the points of one call share: levels, limits and results.
struct FlowTask {
    FlowTask(const FlowPyramid& of_from, const FlowPyramid& of_to, const FlowLimits& of_limits,
             const FlowPoints& of_points)
        : limits(of_limits), points(of_points) {
        for (int l = 0; l <= limits.last_level; ++l) {
            from.push_back(of_from.level(l));
            to.push_back(of_to.level(l));
        }
        if (of_from.is_on_demand()) from_on_demand = &of_from;
        if (of_to.is_on_demand()) to_on_demand = &of_to;
    }

    std::vector<ImageView<const std::uint8_t>> from, to;  ///< [level]
    /// Null unless the pyramid's rows must be asked for.
    const FlowPyramid* from_on_demand = nullptr;
    const FlowPyramid* to_on_demand = nullptr;
    FlowLimits limits;
    FlowPoints points;

    bool wants_differences() const { return points.errors != nullptr && !limits.errors_are_eigenvalues; }
};

/// Follows one point on the CPU through all levels, step by step as OpenCV does.
/// \tparam Window sums over a window. start(image, place) keeps the window's grey values and gradients and
/// gives the FlowMatrix. For a place in another image, mismatch(image, place) gives the FlowMismatch of the
/// values there with the kept ones, and difference(image, place) the sum of their absolute differences.
template <class Window>
class PointFollower {
  public:
    explicit PointFollower(const FlowTask& task)
        : task_(task), half_(half_window(task.limits.window)), window_(task.limits.window) {}

    void begin(std::size_t point) {
        point_ = point;
        found_ = true;
        error_ = 0;
        level_ = task_.limits.last_level;
        is_walking_ = false;
    }

    /// Does the next step: takes the window of a level, or one iteration. Returns false once the point's
    /// results are written.
    bool advance() {
        if (is_walking_) {
            is_walking_ = iterate();
            if (!is_walking_) end_level();
        } else {
            is_walking_ = start_level();
            // If this level cannot be searched, the next one goes on from the same result.
            if (!is_walking_) --level_;
        }
        if (level_ >= 0) return true;
        write_results();
        return false;
    }

  private:
    const FlowLimits& limits() const { return task_.limits; }
    const ImageView<const std::uint8_t>& next() const { return task_.to[static_cast<std::size_t>(level_)]; }
    bool is_valid(FlowPoint corner, const ImageView<const std::uint8_t>& image) const {
        return flow_place_is_valid(corner, limits().window, {image.width, image.height});
    }
    void ask_for_rows(const FlowPyramid* on_demand, int first, int count) const {
        if (on_demand != nullptr) on_demand->make_rows(level_, first, first + count);
    }
    FlowPoint corner_of(FlowPoint centre) const { return {centre.x - half_.x, centre.y - half_.y}; }

    // Returns false if the level cannot be searched.
    bool start_level() {
        const float scale = 1.0F / static_cast<float>(1 << level_);
        const FlowPoint point = task_.points.points[point_];
        const FlowPoint scaled{point.x * scale, point.y * scale};
        if (level_ < limits().last_level) {
            walk_.moved = {walk_.moved.x * 2.0F, walk_.moved.y * 2.0F};
        } else if (limits().starts_at_guess) {
            const FlowPoint guess = task_.points.moved[point_];
            walk_.moved = {guess.x * scale, guess.y * scale};
        } else {
            walk_.moved = scaled;
        }
        const ImageView<const std::uint8_t>& image = task_.from[static_cast<std::size_t>(level_)];
        const FlowPoint corner = corner_of(scaled);
        if (!is_valid(corner, image)) {
            if (level_ == 0) lose(0);
            return false;
        }
        const FlowPlace place = flow_place(corner);
        // A gradient needs a row more on both sides.
        ask_for_rows(task_.from_on_demand, place.y - 1, limits().window.height + 3);
        system_ = flow_system(window_.start(image, place), limits().window, limits().min_eigenvalue);
        if (limits().errors_are_eigenvalues) error_ = system_.min_eigenvalue;
        if (!system_.is_solvable) {
            if (level_ == 0) lose(error_);
            return false;
        }
        walk_.corner = corner_of(walk_.moved);
        walk_.last_step = {};
        walk_.goes_on = true;
        iteration_ = 0;
        return true;
    }

    // Returns false if it was the last iteration.
    bool iterate() {
        if (iteration_ == limits().max_iterations) return false;
        const ImageView<const std::uint8_t>& image = next();
        if (!is_valid(walk_.corner, image)) {
            if (level_ == 0) lose(error_);
            return false;
        }
        const FlowPlace place = flow_place(walk_.corner);
        ask_for_rows(task_.to_on_demand, place.y, limits().window.height + 1);
        const FlowPoint step = flow_step(system_, window_.mismatch(image, place));
        take_step(walk_, step, half_, iteration_, limits().squared_epsilon);
        ++iteration_;
        return walk_.goes_on;
    }

    void end_level() {
        if (level_ == 0 && found_ && task_.wants_differences()) find_difference();
        --level_;
    }

    void find_difference() {
        const FlowPoint corner = corner_of(walk_.moved);
        if (is_valid(corner, next())) {
            const FlowPlace place = flow_place(corner);
            ask_for_rows(task_.to_on_demand, place.y, limits().window.height + 1);
            error_ = flow_error(window_.difference(next(), place), limits().window);
        } else {
            lose(error_);
        }
    }

    void lose(float error) {
        found_ = false;
        error_ = error;
    }

    void write_results() const {
        task_.points.moved[point_] = walk_.moved;
        task_.points.found[point_] = found_ ? 1 : 0;
        if (task_.points.errors != nullptr) task_.points.errors[point_] = error_;
    }

    const FlowTask& task_;
    FlowPoint half_;
    Window window_;
    std::size_t point_ = 0;
    int level_ = -1;
    bool is_walking_ = false;
    int iteration_ = 0;
    FlowSystem system_{};
    FlowWalk walk_{};
    bool found_ = true;
    float error_ = 0;
};

/// Follows points [first, last), a few in turn: the processor goes on with one point while the sums of
/// another are under way.
template <class Window, std::size_t AtOnce>
class FollowerGroup {
  public:
    explicit FollowerGroup(const FlowTask& task) {
        for (auto& follower : followers_) follower = std::make_unique<PointFollower<Window>>(task);
    }

    void follow(std::size_t first, std::size_t last) {
        std::size_t active = 0;
        for (; active < AtOnce && first < last; ++active) followers_[active]->begin(first++);
        while (active > 0) {
            for (std::size_t i = 0; i < active;) {
                if (followers_[i]->advance()) {
                    ++i;
                } else if (first < last) {
                    followers_[i++]->begin(first++);
                } else {
                    std::swap(followers_[i], followers_[--active]);
                }
            }
        }
    }

  private:
    std::unique_ptr<PointFollower<Window>> followers_[AtOnce];
};

}  // namespace fovea
