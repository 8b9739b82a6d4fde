#include "lib/track/look_ahead.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "lib/track/face_tracker.hpp"

using namespace fovea;

namespace {

constexpr int side = 96;

/// Textured pictures that move by (2, 1) pixels a frame. The last ones are larger, and one is unreadable.
struct MovingTexture {
    std::vector<std::vector<std::uint8_t>> frames;
    std::vector<ImageView<const std::uint8_t>> views;

    MovingTexture(int count, std::size_t unreadable, std::size_t larger_from) {
        for (int i = 0; i < count; ++i) {
            const int size = static_cast<std::size_t>(i) < larger_from ? side : side + 8;
            std::vector<std::uint8_t>& pixels = frames.emplace_back();
            for (int y = 0; y < size; ++y) {
                for (int x = 0; x < size; ++x) pixels.push_back(texture(x - 2 * i, y - i));
            }
            views.push_back({pixels.data(), size, size, size});
        }
        if (unreadable < views.size()) views[unreadable] = {};
    }

    static std::uint8_t texture(int x, int y) {
        const double value = std::sin(0.35 * x) * std::cos(0.28 * y) + std::sin(0.11 * x + 0.17 * y);
        return static_cast<std::uint8_t>(std::lround(127 + 60 * value));
    }
    static Box face(std::size_t frame) {
        return {20.0 + 2.0 * static_cast<double>(frame), 20.0 + static_cast<double>(frame), 30, 30};
    }
};

/// Counts the points that it is asked to follow.
class CountingFlow final : public PointFlow {
  public:
    explicit CountingFlow(const TrackerOptions& options) : flow_(make_point_flow(cpu_, options)) {}
    std::unique_ptr<FlowImage> prepare(const ImageView<const std::uint8_t>& image) override {
        return flow_->prepare(image);
    }
    std::vector<FollowedPoint> follow(FlowImage& from, FlowImage& to,
                                      std::span<const Point> points) override {
        asked += points.size();
        return flow_->follow(from, to, points);
    }
    std::size_t asked = 0;

  private:
    const Device cpu_ = Device::cpu();
    std::unique_ptr<PointFlow> flow_;
};

std::vector<TrackerFrame> detected_frames(const MovingTexture& scene, std::size_t every,
                                          std::size_t not_found = ~std::size_t{0}) {
    std::vector<TrackerFrame> frames;
    bool is_due = false;
    for (std::size_t i = 0; i < scene.views.size(); ++i) {
        TrackerFrame& frame = frames.emplace_back();
        frame.image = scene.views[i];
        is_due = is_due || i % every == 0;
        if (!is_due || frame.image.empty()) continue;
        is_due = false;
        frame.detections.emplace();
        if (i == not_found) continue;
        Detection face;
        face.box = MovingTexture::face(i);
        // The boxes differ like a detector's.
        face.box.x += i % 2 == 0 ? 0.5 : -0.25;
        face.score = 0.9;
        frame.detections->push_back(face);
    }
    return frames;
}

struct Followed {
    std::vector<std::vector<Detection>> faces;
    // The tracker itself asks for them.
    std::size_t asked = 0;  ///< points
    int searches = 0;       ///< frames in which it looked for faces
};

/// A patch of texture that moves over another one by a pixel a frame, leaps in frame 6, and is hidden in
/// frames 13 to 15.
struct LeapingPatch {
    static constexpr int width = 200;
    static constexpr int patch = 40;
    std::vector<std::vector<std::uint8_t>> frames;
    std::vector<ImageView<const std::uint8_t>> views;

    explicit LeapingPatch(int count) {
        for (int i = 0; i < count; ++i) {
            std::vector<std::uint8_t>& pixels = frames.emplace_back();
            const int left = left_in(i);
            for (int y = 0; y < width; ++y) {
                for (int x = 0; x < width; ++x) {
                    const bool is_face = x >= left && x < left + patch && y >= 80 && y < 80 + patch;
                    const int value = is_face ? MovingTexture::texture(3 * (x - left), 3 * (y - 80))
                                              : MovingTexture::texture(x, y);
                    pixels.push_back(static_cast<std::uint8_t>(is_face && is_hidden(i) ? 0 : value));
                }
            }
            views.push_back({pixels.data(), width, width, width});
        }
    }

    static int left_in(int frame) { return frame + (frame < 6 ? 20 : 65); }
    static bool is_hidden(int frame) { return frame >= 13 && frame <= 15; }

    /// The place of the patch in an image.
    std::vector<Detection> detect(const ImageView<const std::uint8_t>& image) const {
        const auto view =
            std::find_if(views.begin(), views.end(), [&](const auto& one) { return one.data == image.data; });
        const auto frame = static_cast<int>(view - views.begin());
        if (is_hidden(frame)) return {};
        return {{{static_cast<double>(left_in(frame)), 80, patch, patch}, 0.9}};
    }

    std::vector<TrackerFrame> detected_frames(std::size_t every) const {
        std::vector<TrackerFrame> tracked;
        for (std::size_t i = 0; i < views.size(); ++i) {
            tracked.push_back({views[i]});
            if (i % every == 0) tracked.back().detections = detect(views[i]);
        }
        return tracked;
    }
};

/// \param piece frames at once. \param ahead what the tracker needs is found before. \param detect empty: the
/// detector runs in its turn alone.
Followed follow(std::vector<TrackerFrame> frames, const TrackerOptions& options, std::size_t piece,
                bool ahead, const FaceTracker::DetectNow& detect = {}) {
    CountingFlow flow(options), flow_ahead(options);
    LookAhead::DetectFrames detect_ahead;
    if (detect) {
        detect_ahead = [&](std::span<const ImageView<const std::uint8_t>> images) {
            std::vector<std::vector<Detection>> found;
            for (const ImageView<const std::uint8_t>& image : images) found.push_back(detect(image));
            return found;
        };
    }
    LookAhead look_ahead(options, flow_ahead, nullptr, ImageBatch::on_host, detect_ahead);
    Followed followed;
    int numbers = 0;
    FaceTracker::DetectNow detect_now;
    if (detect) {
        detect_now = [&](const ImageView<const std::uint8_t>& image) {
            ++followed.searches;
            return detect(image);
        };
    }
    FaceTracker tracker(
        options, &flow, nullptr, ImageBatch::on_host,
        [&](const Track&, const ImageView<const std::uint8_t>&, const std::set<int>&) { return ++numbers; },
        [&](std::span<TrackedFrame> finished) {
            for (TrackedFrame& frame : finished) followed.faces.push_back(std::move(frame.faces));
        },
        detect_now);
    for (std::size_t first = 0; first < frames.size(); first += piece) {
        const std::span<TrackerFrame> some =
            std::span(frames).subspan(first, std::min(piece, frames.size() - first));
        if (ahead) tracker.know(look_ahead.find(some));
        tracker.add(some);
    }
    tracker.finish();
    followed.asked = flow.asked;
    return followed;
}

TrackerOptions options_for(int redetect, int look_back) {
    TrackerOptions options;
    options.redetect = redetect;
    options.look_back = look_back;
    options.flow_levels = 3;
    return options;
}

void check_same(const Followed& first, const Followed& second) {
    REQUIRE(first.faces.size() == second.faces.size());
    for (std::size_t i = 0; i < first.faces.size(); ++i) {
        CAPTURE(i);
        REQUIRE(first.faces[i].size() == second.faces[i].size());
        for (std::size_t f = 0; f < first.faces[i].size(); ++f) {
            CHECK(first.faces[i][f].box == second.faces[i][f].box);
            CHECK(first.faces[i][f].details->track == second.faces[i][f].details->track);
            CHECK(first.faces[i][f].details->followed == second.faces[i][f].details->followed);
        }
    }
}

}  // namespace

TEST_CASE("Moves that are found ahead are all that a tracker needs between detections", "[track]") {
    const MovingTexture scene(17, 99, 99);
    for (const std::size_t piece : {1, 5, 17}) {
        for (const int look_back : {0, 60}) {
            CAPTURE(piece, look_back);
            const TrackerOptions options = options_for(4, look_back);
            const Followed alone = follow(detected_frames(scene, 4), options, 1, false);
            const Followed ahead = follow(detected_frames(scene, 4), options, piece, true);
            check_same(alone, ahead);
            CHECK(alone.faces[10].size() == 1);
            CHECK(alone.asked > 0);
            // A shorter piece may end before the next detection: the tracker finds those moves itself.
            if (piece == 17) CHECK(ahead.asked == 0);
        }
    }
}

TEST_CASE("Moves that are found ahead change nothing where faces, frames or sizes are missing", "[track]") {
    const std::size_t unreadable = GENERATE(8, 9, 99);
    const std::size_t larger_from = GENERATE(6, 13, 99);
    const std::size_t not_found = GENERATE(4, 8, 99);
    CAPTURE(unreadable, larger_from, not_found);
    const MovingTexture scene(18, unreadable, larger_from);
    for (const int look_back : {0, 60}) {
        const TrackerOptions options = options_for(4, look_back);
        const Followed alone = follow(detected_frames(scene, 4, not_found), options, 1, false);
        for (const std::size_t piece : {3, 18})
            check_same(alone, follow(detected_frames(scene, 4, not_found), options, piece, true));
    }
}

TEST_CASE("Detections are found ahead where flow loses a face", "[track]") {
    const LeapingPatch scene(25);
    const auto detect = [&](const ImageView<const std::uint8_t>& image) { return scene.detect(image); };
    const TrackerOptions options = options_for(8, 60);
    const Followed alone = follow(scene.detected_frames(8), options, 1, false, detect);
    // Behind the leap in frame 6, and while the patch is hidden; frame 16 is a turn.
    CHECK(alone.searches >= 4);
    CHECK(alone.faces[6].size() == 1);
    CHECK(alone.faces[12].size() == 1);
    for (const std::size_t piece : {1, 7, 25}) {
        CAPTURE(piece);
        const Followed ahead = follow(scene.detected_frames(8), options, piece, true, detect);
        check_same(alone, ahead);
        if (piece == 25) CHECK(ahead.searches == 0);
        if (piece == 25) CHECK(ahead.asked == 0);
    }
}

TEST_CASE("No moves are found ahead where detections are too far apart", "[track]") {
    const MovingTexture scene(LookAhead::max_interval + 4, 99, 999);
    TrackerOptions options = options_for(LookAhead::max_interval + 1, 60);
    CountingFlow flow(options);
    LookAhead look_ahead(options, flow, nullptr, ImageBatch::on_host);
    std::vector<TrackerFrame> frames = detected_frames(scene, LookAhead::max_interval + 1);
    look_ahead.find(frames);
    CHECK(flow.asked == 0);
}
