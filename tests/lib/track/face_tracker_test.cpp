#include "lib/track/face_tracker.hpp"

#include <map>

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

/// The frame's number is its first pixel: the flow of a scripted scene knows by it where everything is.
struct Scene {
    static constexpr int side = 200;

    std::vector<std::vector<std::uint8_t>> frames;
    /// Pixels to the right in each frame; nothing: points cannot be followed into or out of the frame.
    std::vector<std::optional<double>> shift;

    explicit Scene(int count, double speed = 1) {
        for (int i = 0; i < count; ++i) {
            frames.emplace_back(static_cast<std::size_t>(side) * side, static_cast<std::uint8_t>(i));
            shift.emplace_back(speed * i);
        }
    }
    Box face(int frame) const { return {20 + *shift[static_cast<std::size_t>(frame)], 50, 40, 40}; }
    ImageView<const std::uint8_t> view(std::size_t frame) const {
        return {frames[frame].data(), side, side, side};
    }
};

struct SceneImage final : FlowImage {
    std::size_t frame = 0;
};

/// Moves all points as the scene does.
class SceneFlow final : public PointFlow {
  public:
    explicit SceneFlow(const Scene& scene) : scene_(scene) {}
    std::unique_ptr<FlowImage> prepare(const ImageView<const std::uint8_t>& image) override {
        auto prepared = std::make_unique<SceneImage>();
        prepared->frame = image.data[0];
        return prepared;
    }
    std::vector<FollowedPoint> follow(FlowImage& from, FlowImage& to,
                                      std::span<const Point> points) override {
        const auto first = scene_.shift[static_cast<SceneImage&>(from).frame];
        const auto second = scene_.shift[static_cast<SceneImage&>(to).frame];
        std::vector<FollowedPoint> followed;
        for (const Point& point : points) {
            if (first && second)
                followed.push_back({{point.x + *second - *first, point.y}, true, 0});
            else
                followed.push_back({});
        }
        return followed;
    }

  private:
    const Scene& scene_;
};

using Detected = std::map<int, std::vector<Detection>>;

struct Outcome {
    std::vector<std::vector<Detection>> frames;
    std::vector<int> late;  ///< frames in hand when each was handed out

    /// "1" for a detection, "1+3" for a place followed over three frames, "" for none.
    std::vector<std::string> faces() const {
        std::vector<std::string> texts;
        for (const std::vector<Detection>& faces : frames) {
            std::string& text = texts.emplace_back();
            for (const Detection& face : faces) {
                if (!text.empty()) text += " ";
                text += std::to_string(face.details->track.value());
                if (face.details->followed) text += "+" + std::to_string(*face.details->followed);
            }
        }
        return texts;
    }
};

/// \param detected of the frames in which a detector runs. \param at_once what it finds in others if it is
/// asked; null: it cannot be asked. \param asked receives these frames.
Outcome track(const Scene& scene, const Detected& detected, const TrackerOptions& options,
              const std::set<int>& unreadable = {}, std::map<int, std::vector<Detection>>* at_once = nullptr,
              std::vector<int>* asked = nullptr) {
    Outcome outcome;
    SceneFlow flow(scene);
    int numbers = 0, added = 0;
    FaceTracker tracker(
        options, options.mode == FollowMode::flow ? &flow : nullptr, nullptr, ImageBatch::on_host,
        [&](const Track&, const ImageView<const std::uint8_t>&, const std::set<int>&) { return ++numbers; },
        [&](std::span<TrackedFrame> frames) {
            for (TrackedFrame& frame : frames) {
                CHECK(frame.place == outcome.frames.size());
                outcome.frames.push_back(frame.faces);
                outcome.late.push_back(added - static_cast<int>(frame.place));
            }
        },
        at_once == nullptr ? FaceTracker::DetectNow{} : [&](const ImageView<const std::uint8_t>& image) {
            asked->push_back(image.data[0]);
            return (*at_once)[image.data[0]];
        });
    for (std::size_t i = 0; i < scene.frames.size(); ++i) {
        TrackerFrame frame{scene.view(i)};
        if (unreadable.contains(static_cast<int>(i))) frame.image = {};
        const auto found = detected.find(static_cast<int>(i));
        if (found != detected.end()) frame.detections = found->second;
        ++added;
        tracker.add(std::move(frame));
    }
    tracker.finish();
    CHECK(outcome.frames.size() == scene.frames.size());
    return outcome;
}

TrackerOptions every_third() {
    TrackerOptions options;
    options.redetect = 3;
    options.look_back = 6;
    options.max_followed = 9;
    options.max_lost = 9;
    return options;
}

std::vector<Detection> one(const Box& box, double score = 0.9) {
    return {{box, score}};
}

}  // namespace

TEST_CASE("A face is followed between detections, and back to where it came from", "[track]") {
    const Scene scene(10);
    const Outcome outcome =
        track(scene, {{0, {}}, {3, one(scene.face(3))}, {6, one(scene.face(6))}, {9, one(scene.face(9))}},
              every_third());
    CHECK(outcome.faces() ==
          std::vector<std::string>{"1+3", "1+2", "1+1", "1", "1+1", "1+1", "1", "1+1", "1+1", "1"});
    for (int i = 0; i < 10; ++i) {
        const Box& box = outcome.frames[static_cast<std::size_t>(i)][0].box;
        CHECK(box.x == Approx(scene.face(i).x));
        CHECK(box.w == Approx(40));
    }
}

TEST_CASE("Between two detections both ways meet in a weighted mean", "[track]") {
    // The second detection is 6 pixels to the right of where flow has the face.
    const Scene scene(7);
    Box late = scene.face(6);
    late.x += 6;
    TrackerOptions options = every_third();
    options.redetect = 6;
    const Outcome outcome = track(scene, {{0, one(scene.face(0))}, {6, one(late)}}, options);
    for (int i = 0; i <= 6; ++i)
        CHECK(outcome.frames[static_cast<std::size_t>(i)].at(0).box.x == Approx(scene.face(i).x + i));
}

TEST_CASE("A face that a detector misses is followed on, if it is detected again", "[track]") {
    const Scene scene(13);
    const Detected detected{
        {0, one(scene.face(0))}, {3, one(scene.face(3))}, {6, {}}, {9, {}}, {12, one(scene.face(12))}};
    TrackerOptions options = every_third();
    options.look_back = 12;
    CHECK(track(scene, detected, options).faces() == std::vector<std::string>{"1", "1+1", "1+1", "1", "1+1",
                                                                              "1+2", "1+3", "1+4", "1+4",
                                                                              "1+3", "1+2", "1+1", "1"});
    SECTION("else only up to the next detection that could have found it") {
        Detected lost = detected;
        lost[12] = {};
        CHECK(track(scene, lost, options).faces() ==
              std::vector<std::string>{"1", "1+1", "1+1", "1", "1+1", "1+2", "1+3", "", "", "", "", "", ""});
    }
}

TEST_CASE("A track needs its number of detections", "[track]") {
    const Scene scene(10);
    TrackerOptions options = every_third();
    const Detected once{{0, {}}, {3, one(scene.face(3))}, {6, {}}, {9, {}}};
    CHECK(track(scene, once, options).faces() == std::vector<std::string>(10));
    options.min_detections = 1;
    CHECK(track(scene, once, options).faces() ==
          std::vector<std::string>{"1+3", "1+2", "1+1", "1", "1+1", "1+2", "1+3", "", "", ""});
}

TEST_CASE("A track that could have no second detection counts at the end", "[track]") {
    const Scene scene(5);
    CHECK(track(scene, {{0, {}}, {3, one(scene.face(3))}}, every_third()).faces() ==
          std::vector<std::string>{"1+3", "1+2", "1+1", "1", "1+1"});
}

TEST_CASE("A lost face goes on under its number where it is detected again", "[track]") {
    // Nothing can be followed through frame 5; the face stands still, so that its last box is where it was.
    Scene scene(13, 0);
    scene.shift[5].reset();
    const Box face = scene.face(0);
    const Detected detected{{0, one(face)}, {3, one(face)}, {6, {}}, {9, one(face)}, {12, one(face)}};
    CHECK(track(scene, detected, every_third()).faces() ==
          std::vector<std::string>{"1", "1+1", "1+1", "1", "1+1", "1+2", "1+3", "1+2", "1+1", "1", "1+1",
                                   "1+1", "1"});
    SECTION("but not after a longer time") {
        TrackerOptions options = every_third();
        options.max_lost = 4;
        CHECK(track(scene, detected, options).faces() ==
              std::vector<std::string>{"1", "1+1", "1+1", "1", "1+1", "", "2+3", "2+2", "2+1", "2", "2+1",
                                       "2+1", "2"});
    }
}

TEST_CASE("A cut ends a track, and the next one begins behind it", "[track]") {
    // No point comes back over the cut from frame 4 to frame 5.
    class CutFlow final : public PointFlow {
      public:
        std::unique_ptr<FlowImage> prepare(const ImageView<const std::uint8_t>& image) override {
            auto prepared = std::make_unique<SceneImage>();
            prepared->frame = image.data[0];
            return prepared;
        }
        std::vector<FollowedPoint> follow(FlowImage& from, FlowImage& to,
                                          std::span<const Point> points) override {
            const bool is_cut =
                (static_cast<SceneImage&>(from).frame < 5) != (static_cast<SceneImage&>(to).frame < 5);
            std::vector<FollowedPoint> followed;
            for (const Point& point : points) followed.push_back({point, true, is_cut ? 50.0 : 0});
            return followed;
        }
    };
    const Scene scene(10, 0);
    CutFlow flow;
    int numbers = 0;
    std::vector<std::string> faces;
    FaceTracker tracker(
        every_third(), &flow, nullptr, ImageBatch::on_host,
        [&](const Track&, const ImageView<const std::uint8_t>&, const std::set<int>&) { return ++numbers; },
        [&](std::span<TrackedFrame> frames) {
            for (const TrackedFrame& frame : frames) {
                std::string& text = faces.emplace_back();
                for (const Detection& face : frame.faces) text += std::to_string(*face.details->track);
            }
        });
    for (std::size_t i = 0; i < 10; ++i) {
        TrackerFrame frame{scene.view(i)};
        if (i % 3 == 0) frame.detections = one(i < 5 ? Box{20, 50, 40, 40} : Box{120, 50, 40, 40});
        tracker.add(std::move(frame));
    }
    tracker.finish();
    CHECK(faces == std::vector<std::string>{"1", "1", "1", "1", "1", "2", "2", "2", "2", "2"});
}

TEST_CASE("Lost faces move with the picture", "[track]") {
    // From frame 4 on, nothing comes back in the faces; from frame 5 on, the picture moves to the right,
    // until the first face is where the second one was.
    class PanFlow final : public PointFlow {
      public:
        std::unique_ptr<FlowImage> prepare(const ImageView<const std::uint8_t>& image) override {
            auto prepared = std::make_unique<SceneImage>();
            prepared->frame = image.data[0];
            return prepared;
        }
        std::vector<FollowedPoint> follow(FlowImage& from, FlowImage& to,
                                          std::span<const Point> points) override {
            const std::size_t frame =
                std::max(static_cast<SceneImage&>(from).frame, static_cast<SceneImage&>(to).frame);
            const bool is_back = static_cast<SceneImage&>(from).frame > static_cast<SceneImage&>(to).frame;
            const double shift = frame < 5 ? 0 : is_back ? -20 : 20;
            std::vector<FollowedPoint> followed;
            for (const Point& point : points) {
                const bool is_in_face = point.y > 45 && point.y < 95;
                followed.push_back({{point.x + shift, point.y}, true, is_in_face && frame >= 4 ? 50.0 : 0});
            }
            return followed;
        }
    };
    const Scene scene(13, 0);
    const Box first{20, 50, 40, 40}, second{120, 50, 40, 40};
    PanFlow flow;
    TrackerOptions options = every_third();
    options.max_bridged = 0;
    int numbers = 0;
    std::vector<std::string> faces, decisions;
    FaceTracker tracker(
        options, &flow, nullptr, ImageBatch::on_host,
        [&](const Track&, const ImageView<const std::uint8_t>&, const std::set<int>&) { return ++numbers; },
        [&](std::span<TrackedFrame> frames) {
            for (const TrackedFrame& frame : frames) {
                std::string& text = faces.emplace_back();
                for (const Detection& face : frame.faces) text += std::to_string(*face.details->track);
                CHECK(frame.decisions.size() == 2);
                const TrackDecision& decision = frame.decisions.at(0);
                CHECK(decision.face == 1);
                CHECK(decision.number == 1);
                decisions.push_back(decision.expected ? std::to_string(std::lround(decision.expected->x))
                                                      : "new");
                if (decision.flow) decisions.back() += decision.flow->is_lost() ? " flow lost" : " flow";
                if (decision.detected && decision.detected->joined) decisions.back() += " joined";
                if (decision.state == Track::State::lost) decisions.back() += " lost";
                CHECK(decision.why.empty() == (frame.place != 4 && frame.place != 10));
                CHECK((decision.detector == DetectorRun::turn) == (frame.place % 3 == 0));
            }
        });
    tracker.explain();
    for (std::size_t i = 0; i < 13; ++i) {
        TrackerFrame frame{scene.view(i)};
        if (i == 0 || i == 3) frame.detections = {{first, 0.9}, {second, 0.9}};
        if (i == 6) frame.detections.emplace();
        if (i >= 9 && i % 3 == 0)
            frame.detections = one({120 + 20.0 * static_cast<double>(i - 9), 50, 40, 40});
        tracker.add(std::move(frame));
    }
    tracker.finish();
    CHECK(faces == std::vector<std::string>{"12", "12", "12", "12", "", "", "", "", "", "1", "", "", "1"});
    CHECK(decisions == std::vector<std::string>{"new", "20 flow", "20 flow", "20 flow joined",
                                                "20 flow lost lost", "20 lost", "40 lost", "60 lost",
                                                "80 lost", "100 joined", "140 flow lost lost", "140 lost",
                                                "160 joined"});
}

TEST_CASE("Frames that change size do not mix up faces", "[track]") {
    // Three faces who stand still; from frame 5 on, frames are half as large, or have another shape.
    const Scene scene(12, 0);
    const std::vector<Box> large{{20, 50, 40, 40}, {70, 50, 40, 40}, {140, 50, 40, 40}};
    const auto faces_in = [&](double x, double y, double shift) {
        std::vector<Detection> faces;
        for (const Box& box : large)
            faces.push_back({{(box.x + shift) * x, box.y * y, box.w * x, box.h * y}, 0.9});
        return faces;
    };
    struct Case {
        Size small;
        double shift;  // of all faces, in large pixels
        bool goes_on;
    };
    for (const FollowMode mode : {FollowMode::flow, FollowMode::detections}) {
        for (const Case& c : {Case{{100, 100}, 0, true}, Case{{100, 98}, 0, true}, Case{{100, 100}, 10, true},
                              Case{{100, 100}, 25, false}, Case{{100, 150}, 0, false}}) {
            CAPTURE(mode == FollowMode::flow, c.small.height, c.shift);
            const double x = c.small.width / 200.0, y = c.small.height / 200.0;
            TrackerOptions options = every_third();
            options.mode = mode;
            if (mode == FollowMode::detections) options.redetect = 1;
            SceneFlow flow(scene);
            int numbers = 0;
            std::vector<std::vector<Detection>> frames;
            FaceTracker tracker(
                options, mode == FollowMode::flow ? &flow : nullptr, nullptr, ImageBatch::on_host,
                [&](const Track&, const ImageView<const std::uint8_t>&, const std::set<int>&) {
                    return ++numbers;
                },
                [&](std::span<TrackedFrame> final_frames) {
                    for (TrackedFrame& frame : final_frames) frames.push_back(frame.faces);
                });
            for (std::size_t i = 0; i < 12; ++i) {
                TrackerFrame frame{scene.view(i)};
                if (i >= 5)
                    frame.image = {scene.frames[i].data(), c.small.width, c.small.height, Scene::side};
                const bool is_detected = mode == FollowMode::detections || i % 3 == 0 || i == 5;
                if (is_detected) frame.detections = i < 5 ? faces_in(1, 1, 0) : faces_in(x, y, c.shift);
                tracker.add(std::move(frame));
            }
            tracker.finish();
            REQUIRE(frames.size() == 12);
            CHECK(numbers == (c.goes_on ? 3 : 6));
            for (std::size_t i = 0; i < 12; ++i) {
                CAPTURE(i);
                REQUIRE(frames[i].size() == 3);
                for (std::size_t k = 0; k < 3; ++k) {
                    CHECK(frames[i][k].details->track == (c.goes_on || i < 5 ? 1 : 4) + static_cast<int>(k));
                    CHECK(frames[i][k].box.x == Approx(i < 5 ? large[k].x : (large[k].x + c.shift) * x));
                }
            }
        }
    }
}

TEST_CASE("The place of a face in large frames is no place in smaller ones", "[track]") {
    const Scene scene(12, 0);
    SceneFlow flow(scene);
    int numbers = 0;
    FaceTracker tracker(
        every_third(), &flow, nullptr, ImageBatch::on_host,
        [&](const Track&, const ImageView<const std::uint8_t>&, const std::set<int>&) { return ++numbers; },
        [](std::span<TrackedFrame>) {});
    for (std::size_t i = 0; i < 12; ++i) {
        TrackerFrame frame{scene.view(i)};
        // Half as large: the face would be at (10, 25), and another one is where it was in pixels.
        if (i >= 5) frame.image = {scene.frames[i].data(), 100, 100, Scene::side};
        if (i % 3 == 0 || i == 5) frame.detections = one({20, 50, 40, 40});
        tracker.add(std::move(frame));
    }
    tracker.finish();
    CHECK(numbers == 2);
}

TEST_CASE("Two faces keep their numbers", "[track]") {
    const Scene scene(7);
    const auto two = [&](int frame) {
        std::vector<Detection> faces = one(scene.face(frame));
        Box second = scene.face(frame);
        second.y += 90;
        faces.push_back({second, 0.95});
        return faces;
    };
    CHECK(track(scene, {{0, two(0)}, {3, two(3)}, {6, two(6)}}, every_third()).faces() ==
          std::vector<std::string>{"1 2", "1+1 2+1", "1+1 2+1", "1 2", "1+1 2+1", "1+1 2+1", "1 2"});
}

TEST_CASE("A live tracker hands out each frame at once", "[track]") {
    const Scene scene(7);
    TrackerOptions options = every_third();
    options.look_back = 0;
    const Outcome outcome =
        track(scene, {{0, one(scene.face(0))}, {3, one(scene.face(3))}, {6, {}}}, options);
    CHECK(outcome.late == std::vector<int>(7, 1));
    CHECK(outcome.faces() == std::vector<std::string>{"", "", "", "1", "1+1", "1+2", "1+3"});
}

TEST_CASE("Without flow, detections are joined as they are", "[track]") {
    const Scene scene(7);
    TrackerOptions options = every_third();
    options.mode = FollowMode::detections;
    options.redetect = 1;
    Detected detected;
    for (int i = 0; i < 7; ++i) detected[i] = i == 3 ? std::vector<Detection>{} : one(scene.face(i));
    CHECK(track(scene, detected, options).faces() ==
          std::vector<std::string>{"1", "1", "1", "", "1", "1", "1"});
}

TEST_CASE("A frame that cannot be read is followed across", "[track]") {
    const Scene scene(7);
    const Outcome outcome =
        track(scene, {{0, one(scene.face(0))}, {3, one(scene.face(3))}, {6, one(scene.face(6))}},
              every_third(), {1, 4, 5});
    CHECK(outcome.faces() == std::vector<std::string>{"1", "", "1+1", "1", "", "", "1"});
}

TEST_CASE("Sequences of no frames and of one frame", "[track]") {
    CHECK(track(Scene(0), {}, every_third()).frames.empty());
    const Scene scene(1);
    CHECK(track(scene, {{0, one(scene.face(0))}}, every_third()).faces() == std::vector<std::string>{"1"});
}

TEST_CASE("A face that leaves the image is lost", "[track]") {
    // 25 pixels a frame: its centre is outside from frame 7 on.
    const Scene scene(10, 25);
    const Outcome outcome =
        track(scene, {{0, one(scene.face(0))}, {3, one(scene.face(3))}, {6, one(scene.face(6))}, {9, {}}},
              every_third());
    CHECK(outcome.faces() == std::vector<std::string>{"1", "1+1", "1+1", "1", "1+1", "1+1", "1", "", "", ""});
}

TEST_CASE("A detector looks at once for a face that flow has lost", "[track]") {
    Scene scene(13);
    scene.shift[4] = std::nullopt;
    const Scene whole(13);
    const Detected detected{{0, one(whole.face(0))}, {3, one(whole.face(3))}, {6, {}}, {9, {}}, {12, {}}};
    std::map<int, std::vector<Detection>> at_once{{5, one(whole.face(5))}};
    std::vector<int> asked;
    const Outcome outcome = track(scene, detected, every_third(), {}, &at_once, &asked);
    // Lost in frame 4, where the detector finds nothing; found in frame 5; frame 4 is filled.
    CHECK(asked[0] == 4);
    CHECK(asked[1] == 5);
    CHECK(outcome.faces()[4] == "1+1");
    CHECK(outcome.faces()[5] == "1");
    CHECK(outcome.frames[4].at(0).box.x == Approx(24));
}

TEST_CASE("A detector does not look for a lost face for ever", "[track]") {
    Scene scene(20);
    scene.shift[4] = std::nullopt;
    const Scene whole(20);
    TrackerOptions options = every_third();
    options.redetect = 100;
    options.max_search = 3;
    std::map<int, std::vector<Detection>> at_once;
    std::vector<int> asked;
    track(scene, {{0, one(whole.face(0))}, {3, one(whole.face(3))}}, options, {}, &at_once, &asked);
    CHECK(asked == std::vector<int>{4, 5, 6, 7});
}

TEST_CASE("A detector looks for a face that it did not find in its turn", "[track]") {
    const Scene scene(10);
    const Detected detected{{0, one(scene.face(0))}, {3, one(scene.face(3))}, {6, {}}, {9, {}}};
    std::map<int, std::vector<Detection>> at_once{{8, one(scene.face(8))}};
    std::vector<int> asked;
    const Outcome outcome = track(scene, detected, every_third(), {}, &at_once, &asked);
    CHECK(asked == std::vector<int>{7, 8});
    CHECK(outcome.faces()[7] == "1+1");
    CHECK(outcome.faces()[8] == "1");
}

TEST_CASE("Faces that a detector finds out of its turn begin no track", "[track]") {
    Scene scene(13);
    scene.shift[4] = std::nullopt;
    const Scene whole(13);
    const Detected detected{{0, one(whole.face(0))}, {3, one(whole.face(3))}, {6, {}}, {9, {}}, {12, {}}};
    const Box other{150, 150, 20, 20};
    std::map<int, std::vector<Detection>> at_once{
        {4, one(other)}, {5, {{whole.face(5), 0.9}, {other, 0.9}}}, {7, one(other)}, {8, one(other)}};
    std::vector<int> asked;
    const Outcome outcome = track(scene, detected, every_third(), {}, &at_once, &asked);
    for (const std::vector<Detection>& faces : outcome.frames) {
        for (const Detection& face : faces) CHECK(face.details->track == 1);
    }
}

TEST_CASE("The speed of a face that was detected once is not guessed for long", "[track]") {
    // Nothing can be followed, and the second detection is a width away from the first.
    const auto numbers = [](int frame) {
        Scene scene(10, 0);
        for (std::size_t i = 1; i < 10; ++i) scene.shift[i] = std::nullopt;
        Box moved = scene.face(0);
        moved.x += 40;
        TrackerOptions options = every_third();
        options.redetect = frame;
        Detected detected{{0, one(scene.face(0))}};
        detected[frame] = one(moved);
        std::map<int, std::vector<Detection>> at_once;
        std::vector<int> asked;
        std::size_t faces = 0;
        for (const std::vector<Detection>& found :
             track(scene, detected, options, {}, &at_once, &asked).frames)
            faces += found.size();
        return faces;
    };
    CHECK(numbers(3) >= 2);
    CHECK(numbers(4) == 0);
}
