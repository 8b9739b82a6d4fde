// Prints the size and the mean of an image's grey values: show_image FILE.

#include <cstdio>
#include <numeric>

#include <fovea/image.hpp>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    try {
        const fovea::api::Image image = fovea::api::read_image(argv[1], {.max_megapixels = 1});
        const long sum = std::accumulate(image.pixels.begin(), image.pixels.end(), 0L);
        std::printf("%d x %d, mean %.1f\n", image.width, image.height,
                    static_cast<double>(sum) / static_cast<double>(image.pixels.size()));
    } catch (const fovea::api::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
