// Prints the centre of a box, in pixels.

#include <cstdio>

#include <fovea/types.hpp>

int main() {
    const fovea::api::Box box{10, 20, 30, 40};
    const fovea::api::Detection face{box, 0.75};
    const fovea::api::Point centre{face.box.x + face.box.w / 2, face.box.y + face.box.h / 2};
    std::printf("%g %g, score %g, %zu landmarks\n", centre.x, centre.y, face.score, face.landmarks.size());
}
