// Prints how many faces the detector that ships with Fovea finds in each image.

#include <cstdio>

#include <fovea/detect.hpp>

int main(int argc, char** argv) {
    int exit_code = 0;
    const auto detector = fovea::load_detector(MODELS "/wild.json", fovea::DetectionDevice::cpu());
    for (int i = 1; i < argc; ++i) {
        try {
            const fovea::GreyImage image = fovea::read_grey_image(argv[i]);
            const auto faces = detector->detect(image.view(), {});
            std::printf("%s: %zu\n", argv[i], faces[0].size());
        } catch (const fovea::Error& error) {
            std::fprintf(stderr, "%s: %s\n", argv[i], error.what());
            exit_code = 1;
        }
    }
    return exit_code;
}
