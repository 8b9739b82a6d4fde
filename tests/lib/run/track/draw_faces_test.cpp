#include "lib/run/track/draw_faces.hpp"

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

ColourFrame black(int width, int height) {
    ColourFrame frame;
    frame.width = width;
    frame.height = height;
    frame.y.assign(static_cast<std::size_t>(width * height), 16);
    frame.u.assign(static_cast<std::size_t>(frame.chroma_width() * frame.chroma_height()), 128);
    frame.v = frame.u;
    return frame;
}

Detection face(int track) {
    Detection detection{{40, 40, 60, 50}, 1};
    detection.details.edit().track = track;
    return detection;
}

}  // namespace

TEST_CASE("Boxes are drawn on all planes of a frame, in the colour of their track", "[track]") {
    ColourFrame frame = black(161, 121);
    const std::vector<Detection> faces{face(1)};
    draw_faces(frame, faces);
    const auto y = [&](int x, int row) { return frame.y[static_cast<std::size_t>(row * 161 + x)]; };
    const auto u = [&](int x, int row) { return frame.u[static_cast<std::size_t>(row * 81 + x)]; };
    CHECK(y(40, 65) != 16);
    CHECK(y(100, 65) != 16);
    CHECK(y(70, 90) != 16);
    CHECK(y(70, 65) == 16);
    CHECK(u(20, 32) != 128);
    CHECK(u(35, 32) == 128);
    ColourFrame other = black(161, 121);
    const std::vector<Detection> others{face(2)};
    draw_faces(other, others);
    CHECK(other.y[65 * 161 + 40] != y(40, 65));
}

TEST_CASE("Faces that leave the frame, or are huge, harm nothing", "[track]") {
    ColourFrame frame = black(16, 16);
    std::vector<Detection> faces{face(3), face(4)};
    faces[0].box = {-1e300, -5, 1e308, 1e9};
    faces[0].details.edit().landmarks = {{1e300, -1e300}, {8, 8}};
    faces[1].box = {10, 10, 100, 100};
    draw_faces(frame, faces);
    CHECK(frame.y.size() == 256);
}
