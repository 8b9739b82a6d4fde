// Tells which kind of error it is that an image is not there, and that a model is not: show_error IMAGE
// MODEL.

#include <cstdio>

#include <fovea/detect.hpp>
#include <fovea/error.hpp>
#include <fovea/image.hpp>

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    try {
        fovea::api::read_image(argv[1]);
    } catch (const fovea::UsageError& error) {
        std::printf("usage: %s\n", error.what());
    } catch (const fovea::Error& error) {
        std::printf("failure: %s\n", error.what());
    }
    try {
        fovea::api::Detector({.model = argv[2], .device = "cpu"});
    } catch (const fovea::UsageError& error) {
        std::printf("usage: %s\n", error.what());
    }
}
