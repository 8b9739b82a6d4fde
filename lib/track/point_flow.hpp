#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/core/view.hpp"
#include "lib/core/types.hpp"
#include "lib/track/tracker_options.hpp"

namespace fovea {

/// An image with what following points into it and out of it needs.
class FlowImage {
  public:
    virtual ~FlowImage() = default;
};

/// A point that was followed into another image.
struct FollowedPoint {
    Point place;
    bool found = false;
    /// Pixels between the point and its place after it was followed there and back: the forward-backward
    /// error of Z. Kalal, K. Mikolajczyk, J. Matas, "Forward-backward error: automatic detection of tracking
    /// failures", ICPR 2010.
    double return_error = 0;
};

/// Points that are to be followed from an image into another one.
struct PointsToFollow {
    FlowImage* from = nullptr;
    FlowImage* to = nullptr;
    std::span<const Point> points;
};

/// Follows points from image to image by pyramidal Lucas-Kanade flow, on one device. The places are equal in
/// every bit on every device. For one thread at a time.
class PointFlow {
  public:
    virtual ~PointFlow() = default;

    /// Prepares an image. \param image 8-bit grey, in the device's memory; must stay as it is while the
    /// FlowImage lives.
    /// \throws std::bad_alloc; DeviceError
    virtual std::unique_ptr<FlowImage> prepare(const ImageView<const std::uint8_t>& image) = 0;

    /// Follows points from one image into another of the same size, and back. prepare() made both images.
    /// \throws DeviceError
    virtual std::vector<FollowedPoint> follow(FlowImage& from, FlowImage& to,
                                              std::span<const Point> points) = 0;

    /// Does follow() for each entry; a GPU follows all at once. All images have the same size.
    virtual std::vector<std::vector<FollowedPoint>> follow_each(std::span<const PointsToFollow> all) {
        std::vector<std::vector<FollowedPoint>> followed;
        for (const PointsToFollow& one : all) followed.push_back(follow(*one.from, *one.to, one.points));
        return followed;
    }
};

/// Makes the flow of a device, which must outlive it. \throws DeviceError
std::unique_ptr<PointFlow> make_point_flow(const Device& device, const TrackerOptions& options);

}  // namespace fovea
