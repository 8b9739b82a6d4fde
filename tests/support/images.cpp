#include "tests/support/images.hpp"

#include <algorithm>
#include <filesystem>

namespace fovea::test {
namespace {

// A linear congruential generator (Numerical Recipes' constants): the high bits are good enough for texture.
class Generator {
  public:
    explicit Generator(std::uint32_t seed) : state_(seed * 2654435761U + 1) {}
    int byte() {
        state_ = state_ * 1664525U + 1013904223U;
        return static_cast<int>(state_ >> 24);
    }

  private:
    std::uint32_t state_;
};

}  // namespace

GreyImage noise(int width, int height, std::uint32_t seed) {
    Generator generator(seed);
    GreyImage image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width) * height)};
    for (auto& pixel : image.pixels) pixel = static_cast<std::uint8_t>(generator.byte());
    return image;
}

GreyImage smooth_noise(int width, int height, int radius, std::uint32_t seed) {
    const GreyImage source = noise(width, height, seed);
    std::vector<int> means(source.pixels.size());
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            int sum = 0;
            int count = 0;
            for (int v = std::max(0, y - radius); v <= std::min(height - 1, y + radius); ++v) {
                for (int u = std::max(0, x - radius); u <= std::min(width - 1, x + radius); ++u) {
                    sum += source.pixels[static_cast<std::size_t>(v) * width + u];
                    ++count;
                }
            }
            means[static_cast<std::size_t>(y) * width + x] = 256 * sum / count;
        }
    }
    const auto [low, high] = std::minmax_element(means.begin(), means.end());
    const int range = std::max(1, *high - *low);
    GreyImage image{width, height, std::vector<std::uint8_t>(means.size())};
    for (std::size_t i = 0; i < means.size(); ++i) {
        image.pixels[i] = static_cast<std::uint8_t>(255L * (means[i] - *low) / range);
    }
    return image;
}

std::string pgm_of(const GreyImage& image) {
    return "P5\n" + std::to_string(image.width) + " " + std::to_string(image.height) + "\n255\n" +
           std::string(image.pixels.begin(), image.pixels.end());
}

std::vector<std::string> debian_photographs() {
    const std::filesystem::path folder = "/usr/share/doc/libdlib19.1/examples/faces";
    std::vector<std::string> files;
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
        if (entry.path().extension() == ".jpg") files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace fovea::test
