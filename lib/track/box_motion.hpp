#pragma once

#include <cstddef>

#include "lib/core/types.hpp"
#include "lib/track/similarity.hpp"

namespace fovea {

/// How a box moves and grows: a Kalman filter of constant velocity for its centre and for the logarithm of
/// its size, whose noise is proportional to the size. Speeds fade while nothing is observed.
/// Sources: A. Bewley et al., "Simple online and realtime tracking" (SORT), ICIP 2016, for the filter; the
/// scaled noise is that of DeepSORT (N. Wojke et al., ICIP 2017). The values are our own.
class BoxMotion {
  public:
    /// Begins in a frame, at rest.
    BoxMotion(std::size_t frame, const Box& box);

    /// Takes the box of a later frame.
    void observe(std::size_t frame, const Box& box);
    /// Follows frames of another size. \param x, y new sizes divided by old ones.
    void rescale(double x, double y);

    /// Follows a picture that moves as a whole, because the camera does. \param scene how the picture has
    /// moved into a frame behind the last observed one.
    void carry(const Similarity& scene);
    /// From a frame on, speeds are those against the picture, and carry() adds what the camera does.
    /// \param frame not before the last observed one. \param scene the move of the picture out of it.
    void part_from_camera(std::size_t frame, const Similarity& scene);
    /// Speeds are those in the frame again. \param scene the move of the picture into the observed frame.
    void rejoin_camera(const Similarity& scene) { add_speed(scene, 1); }

    /// The box that is expected in the last observed frame or a later one.
    Box expected(std::size_t frame) const;
    /// How far a box is from the expected one, in standard deviations: the root of the mean square over both
    /// directions and the size.
    double distance(std::size_t frame, const Box& box) const;

  private:
    /// One coordinate with its speed per frame, and their covariance.
    struct Axis {
        double place = 0, speed = 0;
        double place_variance = 0, covariance = 0, speed_variance = 0;

        void predict(double acceleration);
        void observe(double measured, double variance);
    };
    struct State {
        Axis x, y, size;  ///< pixels; size: the logarithm of the root of the area
    };

    State state_in(std::size_t frame) const;
    void add_speed(const Similarity& scene, double times);

    State state_;
    double aspect_ = 1;     // width / height, as observed last
    std::size_t frame_;     // of the state
    std::size_t observed_;  // the last one; not behind frame_
};

}  // namespace fovea
