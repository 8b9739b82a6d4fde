#include "tests/support/face_sets.hpp"

#include <fstream>
#include <string>

#include "lib/landmark/face_crops.hpp"
#include "tests/support/images.hpp"

namespace fovea::test {

void write_subjects(const std::filesystem::path& folder, int subjects, int images) {
    for (int s = 1; s <= subjects; ++s) {
        const GreyImage face = smooth_noise(64, 72, 3, static_cast<std::uint32_t>(s));
        const std::string name = (s < 10 ? "s0" : "s") + std::to_string(s);
        std::filesystem::create_directories(folder / name);
        for (int i = 1; i <= images; ++i) {
            const GreyImage grain = noise(64, 72, static_cast<std::uint32_t>(1000 * s + i));
            GreyImage image = face;
            for (std::size_t p = 0; p < image.pixels.size(); ++p) {
                image.pixels[p] = static_cast<std::uint8_t>((7 * image.pixels[p] + grain.pixels[p]) / 8);
            }
            std::ofstream(folder / name / (name + "_000" + std::to_string(i) + ".png"), std::ios::binary)
                << png_of(image);
        }
    }
}

}  // namespace fovea::test
