#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/mct/mct_cascade.hpp"
#include "kernels/mct/pyramid.hpp"

namespace fovea {

/// The place of a face in an image, its angle, and whether it is mirrored.
struct FacePlace {
    double x = 0;  ///< centre of the window, pixels; a pixel's centre is at half coordinates
    double y = 0;
    double side = 0;       ///< of the window, pixels
    double angle_rad = 0;  ///< of the face, clockwise on the screen
    bool mirrored = false;

    friend bool operator==(const FacePlace&, const FacePlace&) = default;
};

/// A training sample: a window and one more column and row, so that its cell may begin before it.
struct MctPatch {
    static constexpr int edge = MctCascade::window + 1;

    std::uint8_t pixels[edge * edge];
    /// Place of the window in its cell, 0 or 1: pixels (dx, dy) is its top left one.
    std::uint8_t dx = 0;
    std::uint8_t dy = 0;

    ImageView<const std::uint8_t> view() const { return {pixels, edge, edge, edge}; }
};

/// An image and its octaves, to cut patches of any scale from.
class PatchSource {
  public:
    explicit PatchSource(ImageView<const std::uint8_t> image);

    /// Cuts the patch whose window lies at `place`. Pixels are means over 4×4 bilinear samples of the octave
    /// in which a patch's pixel is 1 to 2 wide, like the levels of the pyramid. The border is continued.
    MctPatch cut(const FacePlace& place, int dx, int dy) const;

  private:
    std::vector<GreyBuffer> octaves_;
};

/// The code that a look-up reads in a patch.
int patch_code(const MctPatch& patch, const MctLookup& lookup);

/// All places of a plane's look-ups, row by row. `margin` leaves out that many pixels at every edge.
std::vector<MctLookup> plane_places(MctPlane plane, int margin);

/// Codes of many patches at many places, place by place.
class CodeMatrix {
  public:
    CodeMatrix(std::vector<MctLookup> places, std::span<const MctPatch> patches);

    const std::vector<MctLookup>& places() const { return places_; }
    std::size_t patches() const { return patches_; }
    /// One code a patch.
    std::span<const std::uint16_t> row(std::size_t place) const {
        return {codes_.data() + place * patches_, patches_};
    }

  private:
    std::vector<MctLookup> places_;
    std::size_t patches_ = 0;
    std::vector<std::uint16_t> codes_;
};

}  // namespace fovea
