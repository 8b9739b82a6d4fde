#pragma once

#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include "lib/image/read_grey.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea::test {

/// Numbered pictures: a window of 380×300 pixels that moves over a photograph of three faces, 2 pixels to the
/// right and 1 pixel down a frame. The third face enters the window from the right: its
/// centre is inside from frame 8 on.
struct PannedClip {
    static constexpr int frames = 36, width = 380, height = 300;
};

inline const std::string photograph = "/usr/share/doc/libdlib19.1/examples/faces/2008_001322.jpg";

inline bool has_photograph() {
    const bool there = std::filesystem::exists(photograph);
    if (!there) WARN("not run: the example photographs of libdlib19.1 are not installed");
    return there;
}

/// Writes the pictures FOLDER/NAME/0.pgm, 1.pgm, ... \param first the frame to begin with
inline void write_panned_clip(const TempDir& folder, const std::string& name, int count, int first = 0) {
    const GreyImage image = read_grey_image(photograph);
    for (int i = 0; i < count; ++i) {
        const int shift = first + i;
        std::string bytes =
            "P5\n" + std::to_string(PannedClip::width) + " " + std::to_string(PannedClip::height) + "\n255\n";
        for (int y = 0; y < PannedClip::height; ++y) {
            const std::uint8_t* row = image.pixels.data() + (y + 40 + shift) * image.width + 2 * shift;
            bytes.append(row, row + PannedClip::width);
        }
        folder.write(name + "/" + std::to_string(i) + ".pgm", bytes);
    }
}

}  // namespace fovea::test
