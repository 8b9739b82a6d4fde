#include "lib/recognise/network_recogniser.hpp"

#include <bit>
#include <cmath>

#include <catch2/catch.hpp>

#include "kernels/face_embedding/face_resnet.hpp"
#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/json.hpp"
#include "lib/recognise/gallery_index.hpp"
#include "lib/recognise/recogniser.hpp"
#include "tests/support/dlib_resnets.hpp"
#include "tests/support/face_resnets.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;

namespace {

/// A folder with a network of invented numbers.
struct NetworkFolder {
    TempDir folder;
    std::string bytes = joined_parts(dlib_resnet_parts());

    NetworkFolder() { write_file((folder.path() / "net.dat").string(), bytes); }

    /// A recogniser by the network, changed by a JSON merge patch.
    RecogniserConfig config(const char* patch = "{}") const {
        Json json = Json::parse(R"({"format": "fovea-recogniser", "version": 1, "name": "mine",
            "face": {"width": 150, "height": 150, "left_eye": [47.5, 46.6], "right_eye": [100.5, 46.6],
                     "align": "dlib"},
            "network": {"file": "net.dat"}})");
        json.merge_patch(Json::parse(patch));
        return recogniser_config_from_json(json, folder.path());
    }
    std::string error_of(const char* patch) const {
        try {
            config(patch);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "no error";
    }
};

GreyImage picture_of(std::uint64_t face) {
    return {150, 150, drawn_face(face)};
}

/// The whole picture is the crop.
CropTask whole(std::uint32_t image, const RecogniserConfig& config) {
    return {image, crop_transform(config.geometry.eyes, config.geometry)};
}

}  // namespace

TEST_CASE("a network is a recogniser: its file is read, written, and told by its bytes", "[recognise]") {
    const NetworkFolder made;
    const RecogniserConfig config = made.config();
    CHECK(config.kind->name == "a network");
    CHECK(config.network.name == "net.dat");
    CHECK(config.network.sha256 == sha256_of(made.bytes));
    CHECK(config.alignment == FaceAlignment::dlib);
    CHECK(config.vector_distance == VectorDistance::euclidean);
    const Json written = recogniser_config_to_json(config);
    CHECK(written["network"]["sha256"] == sha256_of(made.bytes));
    CHECK(recogniser_config_to_json(recogniser_config_from_json(written, {})) == written);
    // A distance is no feature.
    const RecogniserConfig other = made.config(R"({"distance": "cosine"})");
    CHECK(feature_fingerprint(other) == feature_fingerprint(config));
    CHECK(distance_fingerprint(other) != distance_fingerprint(config));
}

TEST_CASE("recognisers by networks that cannot be", "[recognise]") {
    const NetworkFolder made;
    CHECK_THAT(made.error_of(R"({"network": {"file": "other.dat"}})"),
               Contains("there is no network 'other.dat'") && Contains(made.folder.path().string()) &&
                   Contains("scripts/fetch-recogniser.sh"));
    CHECK_THAT(made.error_of(R"({"network": {"file": ""}})"), Contains("must name the file of a network"));
    CHECK_THAT(made.error_of(R"({"face": {"width": 112}})"), Contains("150 wide and 150 high"));
    CHECK_THAT(made.error_of(R"({"normalisation": {"equalise": true}})"), Contains("without any step"));
    CHECK_THAT(made.error_of(R"({"distance": "chi-square"})"), Contains("must be euclidean or cosine"));
    CHECK_THAT(made.error_of(R"({"face": {"align": "nose"}})"),
               Contains("must be eyes, landmarks, dlib or arcface"));
    CHECK_THAT(made.error_of(R"({"mirror": "both"})"), Contains("mirror"));

    // The file may be missing until faces are described; then it must be the right one.
    const RecogniserConfig changed = made.config(R"({"network": {"sha256": "00"}})");
    CHECK_THROWS_WITH(Recogniser(changed, DetectionDevice::cpu()),
                      Contains("is not the network of this recogniser") && Contains(sha256_of(made.bytes)));
    const RecogniserConfig missing = made.config(R"({"network": {"file": "gone.dat", "sha256": "00"}})");
    CHECK_THROWS_WITH(Recogniser(missing, DetectionDevice::cpu()),
                      Contains("there is no network 'gone.dat'"));
    write_file((made.folder.path() / "net.dat").string(), made.bytes.substr(0, made.bytes.size() / 2));
    CHECK_THROWS_AS(Recogniser(made.config(), DetectionDevice::cpu()), Error);
}

TEST_CASE("faces are described by the network's vectors in units of 1/32767, and compared by them",
          "[recognise]") {
    const NetworkFolder made;
    const RecogniserConfig config = made.config();
    const Recogniser recogniser(config, DetectionDevice::cpu());
    CHECK_THAT(recogniser.description(), Contains("net.dat") && Contains("128"));
    std::vector<GreyImage> pictures;
    std::vector<ImageView<const std::uint8_t>> views;
    std::vector<CropTask> tasks;
    for (std::uint32_t i = 0; i < 3; ++i) pictures.push_back(picture_of(i));
    for (std::uint32_t i = 0; i < 3; ++i) {
        views.push_back(pictures[i].view());
        tasks.push_back(whole(i, config));
    }
    const FaceFeatures faces = recogniser.features(views, tasks);
    REQUIRE(faces.length == 128);
    REQUIRE(faces.size() == 3);

    const FaceResnet network(Device::cpu(), folded_dlib_resnet());
    double squares = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        std::vector<float> vector(128);
        network.describe(pictures[i].pixels.data(), 1, vector.data());
        for (std::size_t c = 0; c < 128; ++c) {
            const double inside = std::clamp(static_cast<double>(vector[c]), -1.0, 1.0);
            const auto expected = static_cast<std::int16_t>(std::lround(inside * 32767));
            CHECK(std::bit_cast<std::int16_t>(faces.of(i)[c]) == expected);
        }
    }
    for (std::size_t c = 0; c < 128; ++c) {
        const double difference = std::bit_cast<std::int16_t>(faces.of(0)[c]) -
                                  static_cast<double>(std::bit_cast<std::int16_t>(faces.of(1)[c]));
        squares += difference * difference;
    }
    const FeatureMetric& metric = recogniser.metric();
    CHECK(metric.distance(faces.of(0), faces.of(1)) == Approx(std::sqrt(squares) / 32767));
    CHECK(metric.distance(faces.of(1), faces.of(1)) == 0);

    GalleryIndex index(metric, DetectionDevice::cpu());
    index.add(faces.words.data(), 3);
    std::vector<double> all(9);
    index.distances(faces.words.data(), 3, all.data());
    for (std::size_t i = 0; i < 9; ++i) CHECK(all[i] == metric.distance(faces.of(i / 3), faces.of(i % 3)));

    std::vector<std::uint16_t> broken(faces.words.begin(), faces.words.begin() + 128);
    broken[5] = 0x8000;
    CHECK_THROWS_WITH(metric.check(broken.data(), 1, "query", 7),
                      "query 7 has a component of -32768, which no face has");
    CHECK(config.kind->numpy_type == "<i2");
}

TEST_CASE("with its mirror image, a face has the mean of both vectors", "[recognise]") {
    const NetworkFolder made;
    const RecogniserConfig plain = made.config(), both = made.config(R"({"mirror": true})");
    CHECK(feature_fingerprint(both) != feature_fingerprint(plain));
    CHECK(recogniser_config_to_json(both)["mirror"] == true);
    CHECK_FALSE(recogniser_config_to_json(plain).contains("mirror"));
    const Recogniser recogniser(both, DetectionDevice::cpu());
    CHECK_THAT(recogniser.description(), Contains("mirror image"));

    const GreyImage face = picture_of(1);
    GreyImage mirrored = face;
    for (int y = 0; y < 150; ++y)
        std::reverse(mirrored.pixels.begin() + 150 * y, mirrored.pixels.begin() + 150 * (y + 1));
    const FaceResnet network(Device::cpu(), folded_dlib_resnet());
    std::vector<float> vectors(256);
    network.describe(face.pixels.data(), 1, vectors.data());
    network.describe(mirrored.pixels.data(), 1, vectors.data() + 128);
    const std::vector<ImageView<const std::uint8_t>> views{face.view(), mirrored.view()};
    const std::vector<CropTask> tasks{whole(0, both), whole(1, both)};
    const FaceFeatures found = recogniser.features(views, tasks);
    REQUIRE(found.size() == 2);
    for (std::size_t c = 0; c < 128; ++c) {
        const double mean = (static_cast<double>(vectors[c]) + vectors[128 + c]) / 2;
        const auto expected = static_cast<std::int16_t>(std::lround(std::clamp(mean, -1.0, 1.0) * 32767));
        CHECK(std::bit_cast<std::int16_t>(found.of(0)[c]) == expected);
        CHECK(found.of(1)[c] == found.of(0)[c]);
    }
}
