#include "lib/recognise/recogniser_kinds.hpp"

#include <catch2/catch.hpp>

#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "lib/recognise/gallery_index.hpp"
#include "lib/recognise/recogniser.hpp"
#include "tests/support/images.hpp"
#include "tests/support/sources.hpp"

using namespace fovea;
using namespace fovea::test;

TEST_CASE("recogniser kinds: a member tells the kind", "[recognise][kinds]") {
    CHECK(recogniser_kind_of(Json{{"name", "mine"}, {"features", Json::array()}}).name ==
          "local binary patterns");
    CHECK(recogniser_kind_of(Json{{"network", Json::object()}}).name == "a network");
    // The first kind takes what none knows, and says what is wrong with it.
    CHECK(&recogniser_kind_of(Json::object()) == &recogniser_kinds().front());
    CHECK(&recogniser_kind_of(Json::array()) == &recogniser_kinds().front());
}

TEST_CASE("recogniser kinds: galleries have the distances of the metric", "[recognise][kinds]") {
    for (const std::string& name : known_recognisers()) {
        CAPTURE(name);
        const RecogniserConfig config = load_recogniser(name);
        // The networks of others are not here: network_recogniser_test.cpp makes one.
        if (!config.network.name.empty()) continue;
        const Recogniser recogniser(config, DetectionDevice::cpu());
        std::vector<GreyImage> images;
        std::vector<ImageView<const std::uint8_t>> views;
        std::vector<CropTask> tasks;
        const CropGeometry& geometry = recogniser.config().geometry;
        for (std::uint32_t i = 0; i < 3; ++i) images.push_back(smooth_noise(120, 130, 2, i));
        for (const GreyImage& image : images) {
            tasks.push_back(
                {static_cast<std::uint32_t>(views.size()), crop_transform({{40, 50}, {80, 52}}, geometry)});
            views.push_back(image.view());
        }
        const FaceFeatures faces = recogniser.features(views, tasks);
        const FeatureMetric& metric = recogniser.metric();
        REQUIRE(faces.length == metric.length);
        REQUIRE(faces.size() == 3);
        GalleryIndex index(metric, DetectionDevice::cpu());
        index.add(faces.words.data(), 3);
        std::vector<double> all(9);
        index.distances(faces.words.data(), 3, all.data());
        for (std::size_t i = 0; i < 9; ++i)
            CHECK(all[i] == metric.distance(faces.of(i / 3), faces.of(i % 3)));
        CHECK(all[0] == 0);
        CHECK(all[1] > 0);
        CHECK(all[1] == all[3]);
    }
}

TEST_CASE("recogniser kinds: lib/recognise/README.md has the table of today",
          "[recognise][kinds][documents]") {
    const std::string table = recogniser_kinds_table();
    const std::string readme = read_file(test::source_file("lib/recognise/README.md"), "document");
    INFO("the table is\n" << table);
    CHECK(readme.find(table) != std::string::npos);
}
