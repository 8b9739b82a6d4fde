// Recognisers by networks in ONNX, which OpenCV runs.
#include <bit>
#include <cmath>
#include <limits>

#include <catch2/catch.hpp>
#include <tbb/task_arena.h>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/json.hpp"
#include "lib/recognise/gallery_index.hpp"
#include "lib/recognise/recogniser.hpp"
#include "tests/support/images.hpp"
#include "tests/support/onnx_models.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;

namespace {

constexpr Size face{16, 12};

/// Four elements: two of the first channel, one of each other.
OnnxGraph four_pixels() {
    return pixel_network(face, 3, {{0, 0, 0}, {0, 15, 0}, {1, 3, 7}, {2, 15, 11}});
}

/// A folder with a network.
struct OnnxFolder {
    TempDir folder;
    std::string bytes;

    explicit OnnxFolder(const OnnxGraph& graph = four_pixels()) : OnnxFolder(onnx_bytes(graph)) {}
    explicit OnnxFolder(std::string content) : bytes(std::move(content)) {
        write_file(folder.path() / "net.onnx", bytes);
    }

    /// A recogniser by the network, changed by a JSON merge patch.
    RecogniserConfig config(const std::string& patch = "{}") const {
        Json json = Json::parse(R"({"format": "fovea-recogniser", "version": 1, "name": "mine",
            "face": {"width": 16, "height": 12, "left_eye": [4, 4], "right_eye": [12, 4]},
            "onnx": {"file": "net.onnx", "channels": "bgr", "mean": [128], "scale": [0.5], "length": 4},
            "distance": "cosine"})");
        json.merge_patch(Json::parse(patch));
        return recogniser_config_from_json(json, folder.path());
    }
    /// The message with which a recogniser is refused while it is read, or made.
    std::string error_of(const std::string& patch = "{}") const {
        try {
            const Recogniser made(config(patch), DetectionDevice::cpu());
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    }
};

/// The features of pictures, each as a whole.
FaceFeatures features_of(const Recogniser& recogniser, const std::vector<GreyImage>& pictures) {
    std::vector<ImageView<const std::uint8_t>> views;
    std::vector<CropTask> tasks;
    const CropGeometry& geometry = recogniser.config().geometry;
    for (std::uint32_t i = 0; i < pictures.size(); ++i) {
        views.push_back(pictures[i].view());
        tasks.push_back({i, crop_transform(geometry.eyes, geometry)});
    }
    return recogniser.features(views, tasks);
}

GreyImage black() {
    return {face.width, face.height, std::vector<std::uint8_t>(16 * 12)};
}
void set_pixel(GreyImage& image, int x, int y, std::uint8_t level) {
    image.pixels[static_cast<std::size_t>(y * face.width + x)] = level;
}

std::vector<int> words_of(const FaceFeatures& features, std::size_t i) {
    std::vector<int> words;
    for (std::size_t c = 0; c < features.length; ++c)
        words.push_back(std::bit_cast<std::int16_t>(features.of(i)[c]));
    return words;
}

}  // namespace

TEST_CASE("a network in ONNX is a recogniser: its file is read, written, and told by its bytes",
          "[recognise][onnx]") {
    const OnnxFolder made;
    const RecogniserConfig config = made.config();
    CHECK(config.kind->name == "a network in ONNX");
    CHECK(config.network.sha256 == sha256_of(made.bytes));
    CHECK(config.onnx.length == 4);
    CHECK(config.vector_distance == VectorDistance::cosine);
    const Json written = recogniser_config_to_json(config);
    CHECK(written["onnx"] ==
          Json::parse(R"({"file": "net.onnx", "sha256": ")" + sha256_of(made.bytes) +
                      R"(", "channels": "bgr", "mean": [128.0], "scale": [0.5], "length": 4})"));
    CHECK(recogniser_config_to_json(recogniser_config_from_json(written, {})) == written);
    // A distance is no feature; the mean is one.
    const RecogniserConfig other = made.config(R"({"distance": "euclidean"})");
    CHECK(feature_fingerprint(other) == feature_fingerprint(config));
    CHECK(distance_fingerprint(other) != distance_fingerprint(config));
    CHECK(feature_fingerprint(made.config(R"({"onnx": {"mean": [127.5]}})")) != feature_fingerprint(config));
    const RecogniserConfig plain = made.config(R"({"onnx": {"mean": null, "scale": null}})");
    CHECK(plain.onnx.mean == std::vector<double>{0});
    CHECK(plain.onnx.scale == std::vector<double>{1});
    CHECK_THAT(Recogniser(config, DetectionDevice::cpu()).description(),
               Contains("net.onnx") && Contains("4 components, cosine"));
}

TEST_CASE("the words of a face are the direction of the network's vector", "[recognise][onnx]") {
    OnnxGraph graph = four_pixels();
    // One image at a time, any number, or any number of any size.
    const int open = GENERATE(0, 1, 2);
    if (open > 0) graph.inputs[0].shape[0] = 0;
    if (open > 1) graph.inputs[0].shape[2] = graph.inputs[0].shape[3] = 0;
    graph.lists_weights_as_inputs = open == 1;
    const OnnxFolder made(graph);
    const Recogniser recogniser(
        made.config(R"({"onnx": {"mean": [128, 100, 0], "scale": [0.5, 0.25, 0.125]}})"),
        DetectionDevice::cpu());
    GreyImage picture = black();
    set_pixel(picture, 0, 0, 148);  // (148 - 128) / 2 = 10
    set_pixel(picture, 15, 0, 88);  // (88 - 128) / 2 = -20
    set_pixel(picture, 3, 7, 180);  // (180 - 100) / 4 = 20
    set_pixel(picture, 15, 11, 0);  // 0
    const FaceFeatures faces = features_of(recogniser, {picture, black()});
    // 10, -20, 20, 0 are 30 long. 32767 / 3 = 10922.33
    CHECK(words_of(faces, 0) == std::vector<int>{10922, -21845, 21845, 0});
    // -64, -64, -25, 0 are √8817 = 93.899 long.
    CHECK(words_of(faces, 1) == std::vector<int>{-22333, -22333, -8724, 0});
    const FeatureMetric& metric = recogniser.metric();
    // (-640 + 1280 - 500) / (30 · 93.899) = 0.049699
    CHECK(metric.distance(faces.of(0), faces.of(1)) == Approx(1 - 0.049699).margin(1e-4));
    CHECK(recogniser.config().kind->numpy_type == "<i2");
    CHECK(metric.vector_distance == VectorDistance::cosine);
}

TEST_CASE("a grey network takes one channel; a vector of zeros is as far from all", "[recognise][onnx]") {
    const OnnxFolder made(pixel_network(face, 1, {{0, 5, 6}, {0, 6, 5}}));
    const Recogniser recogniser(made.config(R"({"onnx": {"channels": "grey", "length": 2, "mean": [0]}})"),
                                DetectionDevice::cpu());
    GreyImage picture = black();
    set_pixel(picture, 5, 6, 30);
    set_pixel(picture, 6, 5, 40);
    const FaceFeatures faces = features_of(recogniser, {picture, black()});
    CHECK(words_of(faces, 0) == std::vector<int>{19660, 26214});  // 0.6 and 0.8
    CHECK(words_of(faces, 1) == std::vector<int>{0, 0});
    CHECK(recogniser.metric().distance(faces.of(0), faces.of(1)) == 1);
    const Recogniser euclidean(
        made.config(R"({"onnx": {"channels": "grey", "length": 2}, "distance": "euclidean"})"),
        DetectionDevice::cpu());
    const std::vector<std::uint16_t> first{32767, 0}, second{0, 32767};
    CHECK(euclidean.metric().distance(first.data(), second.data()) == Approx(std::sqrt(2)));
}

TEST_CASE("a mirrored recogniser in ONNX has the direction of the sum of both vectors", "[recognise][onnx]") {
    const OnnxFolder made;
    const Recogniser recogniser(made.config(R"({"mirror": true, "onnx": {"mean": [0], "scale": [1]}})"),
                                DetectionDevice::cpu());
    CHECK_THAT(recogniser.description(), Contains("mirror image"));
    GreyImage picture = black();
    set_pixel(picture, 0, 0, 100);  // (0, 0) and (15, 0) are each other's mirror image
    set_pixel(picture, 15, 0, 20);
    set_pixel(picture, 12, 7, 90);  // that of (3, 7)
    set_pixel(picture, 0, 11, 80);  // that of (15, 11)
    // 120, 120, 90, 80 are √43300 = 208.087 long.
    CHECK(words_of(features_of(recogniser, {picture}), 0) == std::vector<int>{18896, 18896, 14172, 12597});
}

TEST_CASE("a face's vector does not depend on threads or on the faces beside it", "[recognise][onnx]") {
    // Sums of many products, which rounding would tell apart.
    OnnxGraph graph = four_pixels();
    for (std::size_t i = 0; i < graph.weights[0].values.size(); ++i)
        graph.weights[0].values[i] = static_cast<float>(i * 7919 % 1009) / 1009 - 0.5F;
    const OnnxFolder made(graph);
    std::vector<GreyImage> pictures;
    for (std::uint32_t i = 0; i < 37; ++i) pictures.push_back(noise(face.width, face.height, i));
    std::vector<std::uint16_t> alone;
    const Recogniser recogniser(made.config(), DetectionDevice::cpu());
    for (const GreyImage& picture : pictures) {
        const FaceFeatures one = features_of(recogniser, {picture});
        alone.insert(alone.end(), one.words.begin(), one.words.end());
    }
    for (const int threads : {1, 2, 3}) {
        CAPTURE(threads);
        tbb::task_arena arena(threads);
        arena.execute([&] {
            CHECK(features_of(recogniser, pictures).words == alone);
            CHECK(features_of(Recogniser(made.config(), DetectionDevice::cpu()), pictures).words == alone);
        });
    }
}

TEST_CASE("recognisers in ONNX whose files cannot be", "[recognise][onnx]") {
    const OnnxFolder made;
    CHECK_THAT(made.error_of(R"({"onnx": {"file": "other.onnx"}})"),
               Contains("there is no network 'other.onnx'") && Contains("FOVEA_MODELS"));
    CHECK_THAT(made.error_of(R"({"onnx": {"file": ""}})"), Contains("must name the file of a network"));
    CHECK_THAT(made.error_of(R"({"onnx": {"sha256": "00"}})"),
               Contains("is not the network of this recogniser") && Contains(sha256_of(made.bytes)));
    CHECK_THAT(made.error_of(R"({"onnx": {"channels": "rbg"}})"), Contains("must be bgr, rgb or grey"));
    CHECK_THAT(made.error_of(R"({"onnx": {"channels": null}})"), Contains("channels"));
    CHECK_THAT(made.error_of(R"({"onnx": {"mean": [1, 2]}})"),
               Contains("'onnx.mean' must be a list of one number, or of one for each channel"));
    CHECK_THAT(made.error_of(R"({"onnx": {"scale": []}})"), Contains("'onnx.scale' must be a list"));
    CHECK_THAT(made.error_of(R"({"onnx": {"channels": "grey", "mean": [1, 2, 3]}})"),
               Contains("'onnx.mean' must be a list"));
    CHECK_THAT(made.error_of(R"({"onnx": {"length": 0}})"), Contains("1 to 4096"));
    CHECK_THAT(made.error_of(R"({"onnx": {"length": 4097}})"), Contains("1 to 4096"));
    CHECK_THAT(made.error_of(R"({"onnx": {"length": null}})"), Contains("length"));
    CHECK_THAT(made.error_of(R"({"distance": null})"), Contains("distance"));
    CHECK_THAT(made.error_of(R"({"distance": "chi-square"})"), Contains("must be euclidean or cosine"));
    CHECK_THAT(made.error_of(R"({"normalisation": {"mask": true}})"), Contains("without any step"));
    CHECK_THAT(made.error_of(R"({"onnx": {"layers": 3}})"), Contains("unknown key 'onnx.layers'"));
    CHECK(made.error_of() == "no error");
}

TEST_CASE("networks in ONNX that are no recognisers", "[recognise][onnx]") {
    OnnxGraph graph = four_pixels();
    std::string patch = "{}";
    const auto error = [&] { return OnnxFolder(graph).error_of(patch); };
    SECTION("of another size") {
        patch = R"({"face": {"width": 20}})";
        CHECK_THAT(error(),
                   Contains("net.onnx takes image of 1x3x12x16, but the recogniser's file, by 'face' "
                            "and 'channels', gives it 1x3x12x20"));
    }
    SECTION("of other channels") {
        patch = R"({"onnx": {"channels": "grey"}})";
        CHECK_THAT(error(), Contains("gives it 1x1x12x16"));
    }
    SECTION("of several images at once") {
        graph.inputs[0].shape[0] = 8;
        CHECK_THAT(error(), Contains("takes image of 8x3x12x16"));
    }
    SECTION("with channels last") {
        graph.inputs[0].shape = {1, 12, 16, 3};
        CHECK_THAT(error(), Contains("takes image of 1x12x16x3"));
    }
    SECTION("of no images") {
        graph.inputs[0].shape = {1, 576};
        CHECK_THAT(error(), Contains("takes image of 1x576"));
    }
    SECTION("of whole numbers") {
        graph.inputs[0].element_type = 2;
        CHECK_THAT(error(), Contains("takes elements of ONNX's type 2") && Contains("32-bit floats"));
    }
    SECTION("two inputs") {
        graph.inputs.push_back({"age", {1}});
        CHECK_THAT(error(), Contains("net.onnx has 2 inputs (image, age)") && Contains("has one, an image"));
    }
    SECTION("no input") {
        graph.inputs.clear();
        CHECK_THAT(error(), Contains("net.onnx has 0 inputs; "));
    }
    SECTION("two outputs") {
        graph.outputs.push_back({"maps", {1, 4, 1, 1}});
        CHECK_THAT(error(),
                   Contains("net.onnx has 2 outputs (vector, maps)") && Contains("has one, a vector"));
    }
    SECTION("a map") {
        graph.nodes = {{"Relu", {"image"}, {"vector"}}};
        CHECK_THAT(error(), Contains("net.onnx gives vector of 1x3x12x16, which is no vector"));
    }
    SECTION("a vector of another length") {
        patch = R"({"onnx": {"length": 128}})";
        CHECK_THAT(error(),
                   Contains("net.onnx gives vectors of 4 numbers, but the recogniser's file says 128"));
    }
    SECTION("a layer that OpenCV does not have") {
        graph.nodes.insert(graph.nodes.begin() + 1, {"Astonish", {"maps"}, {"more"}});
        graph.nodes[2].inputs = {"more"};
        CHECK_THAT(error(), Contains("OpenCV 4.") && Contains("cannot run the network ") &&
                                Contains("net.onnx") && Contains("Astonish"));
        CHECK(error().size() < 600);
        CHECK_THAT(error(), !Contains("\n"));
    }
    SECTION("weights of another shape") {
        graph.weights[0].shape[1] = 5;
        graph.weights[0].values.resize(4 * 5 * 12 * 16);
        CHECK_THAT(error(), Contains("cannot run the network "));
    }
    SECTION("fewer weights than their shape says") {
        graph.weights[0].values.resize(100);
        CHECK_THAT(error(), Contains("the weights 'weights' are 2304 numbers, but have 400 bytes"));
    }
}

TEST_CASE("an end of an ONNX network that leads nowhere is not its vector", "[recognise][onnx]") {
    OnnxGraph graph = four_pixels();
    graph.nodes.push_back({"Relu", {"image"}, {"nowhere"}});
    const OnnxFolder made(graph);
    const Recogniser recogniser(made.config(), DetectionDevice::cpu());
    // -64 four times
    CHECK(words_of(features_of(recogniser, {black()}), 0) == std::vector<int>(4, -16384));
}

TEST_CASE("a network in ONNX that is torn or none is refused", "[recognise][onnx]") {
    const std::string whole = onnx_bytes(four_pixels());
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size() - 1}) {
        CAPTURE(length);
        CHECK_THAT(OnnxFolder(whole.substr(0, length)).error_of(), Contains("net.onnx"));
        CHECK_THROWS_AS(Recogniser(OnnxFolder(whole.substr(0, length)).config(), DetectionDevice::cpu()),
                        Error);
    }
    CHECK_THAT(OnnxFolder("hello").error_of(), Contains("net.onnx is no whole network in ONNX"));
}

TEST_CASE("a network in ONNX that gives no numbers is told", "[recognise][onnx]") {
    OnnxGraph graph = four_pixels();
    graph.weights[0].values[0] = std::numeric_limits<float>::quiet_NaN();
    const OnnxFolder made(graph);
    const Recogniser recogniser(made.config(), DetectionDevice::cpu());
    CHECK_THROWS_WITH(
        features_of(recogniser, {black(), black()}),
        Contains("net.onnx gives a face numbers that are not finite") && Contains("'mean' and 'scale'"));
}
