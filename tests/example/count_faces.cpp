// Prints how many faces the detector that ships with Fovea finds in each image, and the surest of them.

#include <cstdio>
#include <vector>

#include <fovea/detect.hpp>
#include <fovea/library.hpp>

int main(int argc, char** argv) {
    using namespace fovea::api;
    int exit_code = 0;
    add_model_folder(MODELS);
    const Detector detector({.device = "cpu"});
    for (int i = 1; i < argc; ++i) {
        try {
            const Image image = read_image(argv[i]);
            const std::vector<Detection> faces = detector.detect(image.view());
            std::printf("%s: %zu", argv[i], faces.size());
            if (!faces.empty()) {
                const Box& box = faces[0].box;
                std::printf(", the surest at %.17g %.17g %.17g %.17g", box.x, box.y, box.w, box.h);
            }
            std::printf("\n");
        } catch (const Error& error) {
            std::fprintf(stderr, "%s\n", error.what());
            exit_code = 1;
        }
    }
    return exit_code;
}
