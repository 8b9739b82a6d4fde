#include "lib/train/landmarks/landmark_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <catch2/catch.hpp>

#include "kernels/landmark/find_landmarks.hpp"
#include "lib/core/error.hpp"
#include "lib/core/threads.hpp"
#include "lib/json/json.hpp"
#include "lib/train/landmarks/landmark_samples.hpp"
#include "tests/lib/train/landmarks/synthetic_landmarks.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

struct Drawn {
    explicit Drawn(int faces) {
        write_landmark_faces(folder, "faces", faces);
        config = small_landmark_training("pts:" + (folder.path() / "faces").string());
    }
    LandmarkTrainingData load() const { return load_landmark_training_data(config); }

    TempDir folder;
    LandmarkTrainConfig config;
};

bool same(const LandmarkTrainingState& a, const LandmarkTrainingState& b) {
    if (a.levels != b.levels || a.cascades.size() != b.cascades.size()) return false;
    for (std::size_t i = 0; i < a.cascades.size(); ++i) {
        const LandmarkCascade& x = a.cascades[i];
        const LandmarkCascade& y = b.cascades[i];
        if (x.pixels != y.pixels || x.splits != y.splits || x.leaf_unit != y.leaf_unit ||
            x.quantised_leaves != y.quantised_leaves) {
            return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("landmarks are learned far better than the mean face knows them", "[train][landmark]") {
    Drawn drawn(120);
    drawn.config.copies.count = 10;
    drawn.config.trees.trees = 50;
    const LandmarkTrainingData data = drawn.load();
    CHECK(data.faces.size() == 90);
    CHECK(data.validation_faces.size() == 30);
    const LandmarkTrainingState state = train_landmark_cascades(drawn.config, data, {}, {});
    REQUIRE(state.cascades.size() == 3);
    REQUIRE(state.levels.size() == 4);
    for (std::size_t i = 1; i < 4; ++i) {
        CHECK(state.levels[i].training_nme < state.levels[i - 1].training_nme);
    }
    CAPTURE(state.levels[0].training_nme, state.levels[3].training_nme, state.levels[0].validation_nme[0],
            state.levels[3].validation_nme[0]);
    CHECK(state.levels[3].training_nme < 0.35 * state.levels[0].training_nme);
    CHECK(state.levels[3].validation_nme[0] < 0.6 * state.levels[0].validation_nme[0]);
    CHECK(state.levels[3].clipped < 0.05);
}

TEST_CASE("the shapes of a training are those of find_landmarks in every bit", "[train][landmark]") {
    Drawn drawn(40);
    drawn.config.copies.rotation_deg = 0;
    drawn.config.copies.mirrored = false;
    drawn.config.trees.refit_after = GENERATE(0, 1, 2);
    CAPTURE(drawn.config.trees.refit_after);
    const LandmarkTrainingData data = drawn.load();
    LandmarkModel model = untrained_landmarks(drawn.config, data);
    const LandmarkTables tables = make_landmark_tables(model);
    LandmarkSamples samples = make_training_samples(drawn.config, data, model);
    model.cascades = train_landmark_cascades(drawn.config, data, {}, {}).cascades;
    for (std::size_t level = 0; level < model.cascades.size(); ++level) {
        if (level > 0 && level == model.refit_after) refit_boxes(model, tables, nullptr, 0, samples);
        advance_shapes(model, tables, model.cascades[level], data.images, samples);
    }
    // The finest rounding that there is: 1/256 of a pixel shows more bits of a shape than it has behind the
    // point.
    model.subpixels = 256;
    std::vector<ImageView<const std::uint8_t>> images;
    for (const GreyImage& image : data.images) images.push_back(image.view());
    std::vector<LandmarkTask> tasks;
    for (const LandmarkSample& sample : samples.samples) tasks.push_back({sample.image, sample.box});
    std::vector<std::int32_t> positions(tasks.size() * model.initial_shape.size());
    find_landmarks(model, tables, images, tasks, positions.data());
    for (std::size_t s = 0; s < tasks.size(); ++s) {
        for (std::size_t i = 0; i < model.initial_shape.size(); i += 2) {
            const float* const point = samples.shapes.data() + s * samples.stride + i;
            const ImagePlace place = place_of(samples.samples[s].to_image, point[0], point[1]);
            const std::int32_t* const found = positions.data() + s * model.initial_shape.size() + i;
            CAPTURE(s, i);
            REQUIRE(found[0] == rounded_coordinate(place.x, model.subpixels));
            REQUIRE(found[1] == rounded_coordinate(place.y, model.subpixels));
        }
    }
}

TEST_CASE("a training of landmarks does not depend on threads, but on the seed", "[train][landmark]") {
    Drawn drawn(30);
    drawn.config.trees.cascades = 2;
    const LandmarkTrainingData data = drawn.load();
    const auto train = [&](int threads) {
        LandmarkTrainingState state;
        ThreadLimit(threads).run([&] { state = train_landmark_cascades(drawn.config, data, {}, {}); });
        return state;
    };
    const LandmarkTrainingState one = train(1);
    CHECK(same(one, train(2)));
    CHECK(same(one, train(5)));
    drawn.config.seed = 2;
    CHECK_FALSE(same(one, train(1)));
}

TEST_CASE("boxes that are fitted anew leave the landmarks where they are in the image", "[train][landmark]") {
    Drawn drawn(24);
    const LandmarkTrainingData data = drawn.load();
    const LandmarkModel model = untrained_landmarks(drawn.config, data);
    const LandmarkTables tables = make_landmark_tables(model);
    LandmarkSamples before = make_training_samples(drawn.config, data, model);
    // The shapes are right but for one point, which is two tenths of the box away.
    before.shapes = before.targets;
    for (std::size_t s = 0; s < before.count(); ++s) before.shapes[s * before.stride] += 0.2F;
    LandmarkSamples exact = before, moved = before;
    refit_boxes(model, tables, nullptr, 0, exact);
    const RefitError error{0.05, 0.1, 5};
    refit_boxes(model, tables, &error, 3, moved);
    double shifts = 0, logs = 0, turns = 0;
    for (std::size_t s = 0; s < before.count(); ++s) {
        CAPTURE(s);
        const std::size_t at = s * before.stride;
        for (const LandmarkSamples* after : {&exact, &moved}) {
            REQUIRE(std::equal(model.initial_shape.begin(), model.initial_shape.end(),
                               after->shapes.begin() + static_cast<std::ptrdiff_t>(at)));
            for (std::size_t i = 0; i < model.initial_shape.size(); i += 2) {
                const auto place = [&](const LandmarkSamples& samples) {
                    return place_of(samples.samples[s].to_image, samples.targets[at + i],
                                    samples.targets[at + i + 1]);
                };
                REQUIRE(place(*after).x == Approx(place(before).x).margin(1e-3));
                REQUIRE(place(*after).y == Approx(place(before).y).margin(1e-3));
            }
        }
        // Errors are measured in pixels of the same size.
        const UnitToImage &fitted = exact.samples[s].to_image, &other = moved.samples[s].to_image;
        CHECK(exact.samples[s].span.width == Approx(std::hypot(fitted.xx, fitted.yx)));
        CHECK(exact.samples[s].span.height == exact.samples[s].span.width);
        const double scale = std::hypot(fitted.xx, fitted.yx);
        const ImagePlace from = place_of(fitted, 0.5F, 0.5F), to = place_of(other, 0.5F, 0.5F);
        shifts += std::pow(std::hypot(to.x - from.x, to.y - from.y) / scale, 2);
        logs += std::pow(std::log(std::hypot(other.xx, other.yx) / scale), 2);
        turns += std::pow(std::asin((fitted.xx * other.yx - fitted.yx * other.xx) /
                                    (scale * std::hypot(other.xx, other.yx))),
                          2);
    }
    const auto count = static_cast<double>(before.count());
    REQUIRE(count > 50);
    CHECK(std::sqrt(shifts / count / 2) == Approx(0.05).epsilon(0.3));
    CHECK(std::sqrt(logs / count) == Approx(0.1).epsilon(0.3));
    CHECK(std::sqrt(turns / count) == Approx(5 * 3.14159 / 180).epsilon(0.3));
}

TEST_CASE("a training of landmarks goes on from any cascade as if it had not stopped", "[train][landmark]") {
    Drawn drawn(30);
    drawn.config.trees.refit_after = GENERATE(0, 2);
    const LandmarkTrainingData data = drawn.load();
    std::vector<LandmarkTrainingState> states;
    JobHooks hooks;
    std::size_t trees = 0;
    std::vector<JobRound> rounds;
    hooks.progress = [&](const JobProgress& now) {
        CHECK(now.total == 90);
        if (now.round.numbers.empty())
            CHECK(now.done == ++trees);
        else
            rounds.push_back(now.round);
    };
    const LandmarkTrainingState whole = train_landmark_cascades(
        drawn.config, data, {}, hooks, [&](const LandmarkTrainingState& state) { states.push_back(state); });
    CHECK(trees == 90);
    REQUIRE(states.size() == 3);
    REQUIRE(rounds.size() == 3);
    CHECK_THAT(rounds[1].text, Catch::Contains("2 cascades: NME "));
    CHECK(rounds[1].numbers.front() ==
          std::pair<std::string, double>("training_nme", whole.levels[2].training_nme));
    for (const LandmarkTrainingState& state : states) {
        CHECK(same(whole, train_landmark_cascades(drawn.config, data, state, {})));
    }

    std::atomic<bool> cancel{false};
    hooks.cancel = &cancel;
    hooks.progress = [&](const JobProgress& now) { cancel = (trees = now.done) == 31; };
    CHECK_THROWS_AS(train_landmark_cascades(drawn.config, data, {}, hooks), JobCancelled);
    CHECK(trees == 31);
}

TEST_CASE("mirrored landmarks are a permutation that undoes itself", "[train][landmark]") {
    const std::vector<std::size_t>& table = mirrored_landmarks();
    REQUIRE(table.size() == 68);
    for (std::size_t i = 0; i < table.size(); ++i) {
        CAPTURE(i);
        REQUIRE(table[i] < 68);
        REQUIRE(table[table[i]] == i);
    }
    // Chin, nose bridge and the middle of the lips stay; the outer eye corners change places.
    for (const std::size_t middle : {8, 27, 30, 33, 51, 57, 62, 66}) CHECK(table[middle] == middle);
    CHECK(table[36] == 45);
    CHECK(table[39] == 42);
    CHECK(table[41] == 46);
    CHECK(table[48] == 54);
    CHECK(table[60] == 64);
}

TEST_CASE("errors of boxes are put on and taken off", "[train][landmark]") {
    const Box best{10, 20, 100, 50};
    const BoxError error = box_error(best, {15, 25, 200, 25});
    CHECK(error.dx == Approx(0.55));
    CHECK(error.dy == Approx(-0.15));
    CHECK(error.dw == Approx(std::log(2)));
    CHECK(error.dh == Approx(-std::log(2)));
    const Box again = displaced_box(best, error, 1);
    CHECK(again.x == Approx(15));
    CHECK(again.y == Approx(25));
    CHECK(again.w == Approx(200));
    CHECK(again.h == Approx(25));
    const Box twice = displaced_box(best, error, 2);
    CHECK(twice.w == Approx(400));
    CHECK(twice.centre().x == Approx(60 + 2 * 55));
    CHECK(displaced_box(best, error, 0) == best);
}

TEST_CASE("the mean face lies in the middle of the model's box", "[train][landmark]") {
    Drawn drawn(20);
    drawn.config.boxes.margin = 0.5;
    const LandmarkTrainingData data = drawn.load();
    LandmarkModel model = untrained_landmarks(drawn.config, data);
    float low[2] = {1, 1}, high[2] = {0, 0};
    for (std::size_t i = 0; i < model.initial_shape.size(); ++i) {
        low[i % 2] = std::min(low[i % 2], model.initial_shape[i]);
        high[i % 2] = std::max(high[i % 2], model.initial_shape[i]);
    }
    // The longer side is half the box, and both sides have the same middle.
    CHECK(std::max(high[0] - low[0], high[1] - low[1]) == Approx(0.5).margin(1e-6));
    for (const int axis : {0, 1}) CHECK(low[axis] + high[axis] == Approx(1).margin(1e-6));
    // A box of 41 pixels, 40 from its first pixel's centre to its last one's, makes a model's box of 81.
    const double side = 40;
    const Box tight{50, 60, side * (high[0] - low[0]) * 2, side * (high[1] - low[1]) * 2};
    const Rect box = model_box(model, tight);
    CHECK(box.width == 81);
    CHECK(box.height == 81);
    CHECK(box.x == static_cast<int>(std::floor(tight.centre().x - 40 + 0.5)));
}

TEST_CASE("mirrored and turned copies see the picture as the landmarks say", "[train][landmark]") {
    // A training in which copies are mirrored and turned must come to the same place in the image: the
    // targets, taken to the image, are the annotated landmarks.
    TempDir folder;
    for (int i = 0; i < 12; ++i) {
        Dice dice(static_cast<std::uint32_t>(i) + 40);
        folder.write("faces/" + std::to_string(i) + ".pgm",
                     pgm_of(noise(100, 90, static_cast<std::uint32_t>(i))));
        folder.write("faces/" + std::to_string(i) + ".pts",
                     pts_text(45 + dice.below(10), 42 + dice.below(10), 30 + dice.below(20)));
    }
    LandmarkTrainConfig config = small_landmark_training("pts:" + (folder.path() / "faces").string());
    config.holdout = 0;
    config.copies.rotation_deg = 20;
    const LandmarkTrainingData data = load_landmark_training_data(config);
    const LandmarkModel model = untrained_landmarks(config, data);
    const LandmarkSamples samples = make_training_samples(config, data, model);
    REQUIRE(samples.count() == 72);
    for (std::size_t s = 0; s < samples.count(); ++s) {
        const std::vector<Point>& landmarks = data.faces[s / 6].landmarks;
        const bool mirrored = s % 2 == 1;
        CHECK((samples.samples[s].to_image.xx < 0) == mirrored);
        for (std::size_t p = 0; p < 68; ++p) {
            const float* const target = samples.targets.data() + s * samples.stride + 2 * p;
            const ImagePlace place = place_of(samples.samples[s].to_image, target[0], target[1]);
            const Point& wanted = landmarks[mirrored ? mirrored_landmarks()[p] : p];
            CAPTURE(s, p);
            REQUIRE(place.x == Approx(wanted.x).margin(1e-4));
            REQUIRE(place.y == Approx(wanted.y).margin(1e-4));
        }
    }
}

TEST_CASE("faces that cannot be trained on are said", "[train][landmark]") {
    Drawn drawn(6);
    CHECK_THROWS_WITH(drawn.load(), Contains("too few faces") && Contains("at least 10"));
    Drawn mixed(14);
    mixed.folder.write("faces/15.pgm", pgm_of(landmark_face(15).image));
    mixed.folder.write("faces/15.pts", "1 2\n3 4\n5 7\n");
    CHECK_THROWS_WITH(mixed.load(), Contains("15.pgm") && Contains("3 landmarks") && Contains("have 5"));
    Drawn broken(14);
    broken.folder.write("faces/03.pgm", "P5\n");
    broken.config.holdout = 0;
    const LandmarkTrainingData data = broken.load();
    CHECK(data.unreadable == 1);
    CHECK(data.faces.size() == 13);
    CHECK(data.manifest.at("unreadable_images") == 1);
}

TEST_CASE("large images are kept around the face only", "[train][landmark]") {
    TempDir folder;
    for (int i = 0; i < 10; ++i) {
        folder.write("faces/" + std::to_string(i) + ".pgm",
                     pgm_of(noise(400, 300, static_cast<std::uint32_t>(i))));
        folder.write("faces/" + std::to_string(i) + ".pts", pts_text(200, 150, 40));
    }
    LandmarkTrainConfig config = small_landmark_training("pts:" + (folder.path() / "faces").string());
    config.holdout = 0;
    const LandmarkTrainingData data = load_landmark_training_data(config);
    const GreyImage whole = noise(400, 300, 0);
    const GreyImage& part = data.images[0];
    CHECK(part.width < 150);
    // The nose of pts_text is at the same grey value.
    const Point place = data.faces[0].landmarks[51];
    const int left = static_cast<int>(std::lround(199.5 - place.x));
    const int top = static_cast<int>(std::lround(150 + mouth_v * 40 - 0.5 - place.y));
    for (const int at : {0, 20, 60}) {
        CHECK(part.view()(at, at + 3) == whole.view()(left + at, top + at + 3));
    }
}
