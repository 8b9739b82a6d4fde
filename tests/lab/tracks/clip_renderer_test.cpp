#include "tests/lab/tracks/clip_renderer.hpp"

#include <cmath>
#include <numbers>

#include <catch2/catch.hpp>

#include "lib/evaluate/landmarks/landmark_points.hpp"
#include "tests/support/images.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

constexpr std::uint8_t ground = 40;

// A flat photograph with one round dot that fades smoothly, and a face about it, 80 pixels wide. The dot is
// its fifth landmark.
struct DottedFace {
    explicit DottedFace(double radius) : dot_radius(radius) {
        GreyImage image{300, 320, std::vector<std::uint8_t>(std::size_t{300} * 320, ground)};
        for (int y = 0; y < image.height; ++y) {
            for (int x = 0; x < image.width; ++x) {
                const double away = std::hypot(x - dot.x, y - dot.y);
                if (away >= radius) continue;
                const double value = ground + 100 * (1 + std::cos(std::numbers::pi * away / radius));
                image.pixels[static_cast<std::size_t>(y * image.width + x)] =
                    static_cast<std::uint8_t>(std::lround(value));
            }
        }
        Face face;
        face.box = {112, 108, 76, 84};
        face.landmarks = {{110, 120}, {190, 120}, {110, 200}, {190, 200}, dot};
        cut_outs.photos.push_back(std::make_shared<const PhotoLevels>(std::move(image)));
        cut_outs.faces.push_back(cut_out_face(cut_outs.photos[0], face));
    }

    Point dot{154.3, 158.6};
    double dot_radius;
    CutOuts cut_outs;
};

Point centroid(const GreyImage& image, const Point& about, double radius) {
    double sum = 0, x_sum = 0, y_sum = 0;
    const ImageView<const std::uint8_t> view = image.view();
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            if (std::hypot(x - about.x, y - about.y) > radius) continue;
            const double weight = view(x, y) - ground;
            sum += weight;
            x_sum += weight * x;
            y_sum += weight * y;
        }
    }
    return {x_sum / sum, y_sum / sum};
}

CutOuts textured_faces(int count) {
    CutOuts cut_outs;
    for (int i = 0; i < count; ++i) {
        Face face;
        face.box = {70, 80, 60, 60};
        face.landmarks = {{70, 80}, {130, 80}, {70, 140}, {130, 140}};
        cut_outs.photos.push_back(std::make_shared<const PhotoLevels>(
            smooth_noise(200, 220, 4, 100 + static_cast<std::uint32_t>(i))));
        cut_outs.faces.push_back(cut_out_face(cut_outs.photos.back(), face));
    }
    return cut_outs;
}

ClipPlan still_clip() {
    ClipPlan plan;
    plan.size = {240, 200};
    plan.frames = 4;
    plan.faces = 1;
    plan.face_width = 60;
    plan.speed = 0;
    plan.zoom = 1;
    plan.turn = 0;
    return plan;
}

}  // namespace

TEST_CASE("a landmark is drawn where the truth has it, to a hundredth of a pixel", "[track-bench]") {
    // Scales from 0.2 (drawn from halved photographs) to 2, all turns, moving.
    const double width = GENERATE(16.0, 30.0, 61.0, 80.0, 133.0, 160.0);
    const DottedFace f(width < 20 ? 40 : width < 40 ? 24 : 12);
    ClipPlan plan;
    plan.size = {400, 360};
    plan.frames = 30;
    plan.faces = 1;
    plan.face_width = width;
    plan.speed = 0.15;
    plan.zoom = 1.3;
    plan.turn = 180;
    plan.seed = 5;
    const ClipRenderer renderer(plan, f.cut_outs);
    double farthest = 0, way = 0;
    Point before{};
    for (int frame = 0; frame < plan.frames; ++frame) {
        const std::vector<TrueFace> truth = renderer.truth(frame);
        REQUIRE(truth.size() == 1);
        REQUIRE(truth[0].face.landmarks.size() == 5);
        const Point expected = truth[0].face.landmarks[4];
        const double scale = renderer.movement(0, frame).scale();
        const Point found = centroid(renderer.frame(frame), expected, f.dot_radius * scale + 2);
        farthest = std::max(farthest, distance(found, expected));
        if (frame > 0) way += distance(expected, before);
        before = expected;
    }
    CAPTURE(width, farthest);
    CHECK(farthest < 0.01);
    CHECK(way > width);
}

TEST_CASE("with motion blur a landmark is at its mean place", "[track-bench]") {
    const DottedFace f(12);
    ClipPlan plan;
    plan.size = {400, 360};
    plan.faces = 1;
    plan.frames = 8;
    plan.face_width = 80;
    plan.speed = 0.1;
    plan.blur = 1;
    const ClipRenderer renderer(plan, f.cut_outs);
    const Point expected = renderer.truth(4)[0].face.landmarks[4];
    // Within a frame the path is nearly straight, and evenly fast.
    CHECK(distance(centroid(renderer.frame(4), expected, 30), expected) < 0.1);
    ClipPlan sharp = plan;
    sharp.blur = 0;
    CHECK(renderer.frame(4).pixels != ClipRenderer(sharp, f.cut_outs).frame(4).pixels);
}

TEST_CASE("the box moves and grows with the face, but does not turn", "[track-bench]") {
    const DottedFace f(12);
    ClipPlan plan = still_clip();
    plan.size = {400, 360};
    plan.face_width = 160;  // twice as large
    plan.turn = 180;
    const ClipRenderer renderer(plan, f.cut_outs);
    const TrueFace face = renderer.truth(0).at(0);
    CHECK(face.face.box.w == Approx(152));
    CHECK(face.face.box.h == Approx(168));
    const Similarity movement = renderer.movement(0, 0);
    // The box's middle is that of the pixels 112 to 187: the point 149.5.
    const Point middle = movement({149.5, 149.5});
    CHECK(face.face.box.x + 76 == Approx(middle.x + 0.5));
    CHECK(face.face.box.y + 84 == Approx(middle.y + 0.5));
    const Point back = inverse_of(movement)(middle);
    CHECK(back.x == Approx(149.5));
    CHECK(back.y == Approx(149.5));
}

TEST_CASE("equal plans give equal frames, other seeds give others", "[track-bench]") {
    const CutOuts cut_outs = textured_faces(2);
    ClipPlan plan = still_clip();
    plan.faces = 2;
    plan.speed = 0.05;
    plan.turn = 20;
    plan.zoom = 1.2;
    plan.bar = 0.5;
    plan.exposure = 0.3;
    plan.blur = 0.5;
    plan.noise = 5;
    const ClipRenderer first(plan, cut_outs), second(plan, cut_outs);
    for (const int frame : {3, 0, 1}) CHECK(first.frame(frame).pixels == second.frame(frame).pixels);
    CHECK(first.frame(0).pixels != first.frame(1).pixels);
    plan.seed = 2;
    CHECK(ClipRenderer(plan, cut_outs).frame(0).pixels != first.frame(0).pixels);
}

TEST_CASE("a bar hides the part of a face that it covers", "[track-bench]") {
    const CutOuts cut_outs = textured_faces(1);
    ClipPlan plan = still_clip();
    plan.frames = 400;
    plan.bar = 0.5;        // 30 pixels
    plan.bar_speed = 0.1;  // 6 pixels a frame
    const ClipRenderer renderer(plan, cut_outs);
    const double centre = renderer.movement(0, 0).to.x;
    double least = 1;
    int hidden_frames = 0;
    for (int frame = 0; frame < 45; ++frame) {
        const double visible = renderer.truth(frame).at(0).visible;
        // The bar is at 6 t - 30 to 6 t, the face 30 pixels to either side of its centre.
        const double left = std::max(6.0 * frame - 30, centre - 30),
                     right = std::min(6.0 * frame, centre + 30);
        const double hidden = std::max(0.0, right - left) / 60;
        CHECK(visible == Approx(1 - hidden).margin(1.01 / 24));
        hidden_frames += hidden > 0;
        least = std::min(least, visible);
    }
    CHECK(hidden_frames >= 14);
    CHECK(least == Approx(0.5).margin(1.01 / 24));
}

TEST_CASE("a face in front hides the one behind, and the frame's edge what is beyond", "[track-bench]") {
    const CutOuts cut_outs = textured_faces(2);
    ClipPlan plan = still_clip();
    // So small that both faces can only be in its middle.
    plan.size = {70, 90};
    plan.faces = 2;
    plan.crossing = true;
    const std::vector<TrueFace> both = ClipRenderer(plan, cut_outs).truth(0);
    REQUIRE(both.size() == 2);
    CHECK(both[0].visible == 0);
    CHECK(both[1].visible == 1);
    // The middle 42 of the 60 pixels of the face are in the frame: 16 or 17 of 24 columns.
    plan.size = {42, 90};
    plan.faces = 1;
    const double visible = ClipRenderer(plan, cut_outs).truth(0).at(0).visible;
    CHECK(visible == Approx(42.0 / 60).margin(1.01 / 24));
}

TEST_CASE("brightness swings and noise has the deviation asked for", "[track-bench]") {
    CutOuts cut_outs = textured_faces(1);
    cut_outs.photos = {std::make_shared<const PhotoLevels>(
        GreyImage{200, 200, std::vector<std::uint8_t>(std::size_t{200} * 200, 120)})};
    ClipPlan plan = still_clip();
    plan.faces = 0;
    plan.noise = 10;
    const GreyImage noisy = ClipRenderer(plan, cut_outs).frame(1);
    double sum = 0, squares = 0;
    for (const std::uint8_t pixel : noisy.pixels) {
        sum += pixel - 120;
        squares += (pixel - 120) * (pixel - 120);
    }
    const auto count = static_cast<double>(noisy.pixels.size());
    CHECK(sum / count == Approx(0).margin(0.2));
    CHECK(std::sqrt(squares / count) == Approx(10).margin(0.2));
    plan.noise = 0;
    plan.exposure = 0.5;
    // A quarter of the period: the gain is 1.5, and the offset 32 sin(2 pi 12 / 81.6) = 25.55.
    CHECK(ClipRenderer(plan, cut_outs).frame(12).pixels[0] == 206);
    CHECK(ClipRenderer(plan, cut_outs).frame(0).pixels[0] == 120);
}

TEST_CASE("the mean speed of a path is the one asked for", "[track-bench]") {
    FacePathPlan plan;
    plan.region = {100, 100, 800, 600};
    plan.face_width = 80;
    plan.speed = 0.05;  // 4 pixels a frame
    const double frames = 20000;
    const FacePath path(plan, frames);
    double way = 0, fastest = 0;
    for (int t = 0; t < frames; ++t) {
        const FacePose a = path.at(t), b = path.at(t + 1);
        const double step = std::hypot(b.centre.x - a.centre.x, b.centre.y - a.centre.y);
        way += step;
        fastest = std::max(fastest, step);
        CHECK((a.centre.x >= 100 && a.centre.x <= 900 && a.centre.y >= 100 && a.centre.y <= 700));
    }
    CHECK(way / frames == Approx(4).epsilon(0.02));
    CHECK(fastest <= 1.5 * 4 + 1e-9);  // the slope of 3u² - 2u³ is 3/2 in the middle
    CHECK(path.at(-5).centre == path.at(0).centre);
}
