// Cascades made to be hard for a GPU: it must find what the CPU finds, equal in every bit.

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "tests/kernels/engine/engine_cases.hpp"
#include "tests/support/gpu.hpp"

using namespace fovea;
using namespace fovea::test;

TEST_CASE("engine: sums that depend on the order of the trees", "[engine][cuda]") {
    if (!gpu()) return;
    // Stumps that split the windows about evenly, with leaves of very different sizes.
    const auto stumps_of = [](const std::vector<std::pair<double, double>>& leaves) {
        std::vector<Stump> stumps;
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            const std::string corner = "<_>" + std::to_string(i % 10) + " " + std::to_string(i / 10 % 10);
            stumps.push_back(
                {corner + " 10 10 -1.</_>" + corner + " 5 10 2.</_>", 0, leaves[i].first, leaves[i].second});
        }
        return stumps;
    };
    const auto cascade_of = [](const std::vector<Stump>& stumps, double threshold) {
        const Stump always{"<_>0 0 20 20 -1.</_><_>10 0 10 20 2.</_>", 0, 1, 1};
        return made_cascade({20, 20}, {{-1, {always}}, {threshold, stumps}});
    };
    std::vector<std::pair<double, double>> leaves;
    for (int i = 0; i < 90; ++i) {
        const double size = std::pow(10.0, (i * 7) % 19 - 9);
        leaves.emplace_back(size, i % 3 == 0 ? -size : 1e-9 / size);
    }
    std::vector<Stump> stumps = stumps_of(leaves);
    const GreyImage image = smooth_noise(200, 160, 3, 5);
    const GreyView view = image.view();
    const CascadeScan scan{{1.1, {}, {}}, 0};
    const Backends backends(cascade_of(stumps, -1e20));
    const auto found = backends.require_equal_findings({&view, 1}, scan);
    backends.require_equal_traces(view, scan.parameters);

    // Here whether a window passes depends on the order too: (1e17 + 1) - 1e17 is 0.
    std::vector<Stump> cancelling = stumps_of({{1e17, 1e17}, {1, 3}, {-1e17, -1e17}, {0.25, 1}});
    const Backends deciding(cascade_of(cancelling, 0.75));
    const auto passed = deciding.require_equal_findings({&view, 1}, scan);
    deciding.require_equal_traces(view, scan.parameters);

    // The test means something only if the order does.
    const auto on_cpu = [&](const Cascade& cascade) { return make_cpu_engine(cascade)->detect(view, scan); };
    std::reverse(stumps.begin(), stumps.end());
    CHECK(first_difference(found, on_cpu(cascade_of(stumps, -1e20))) != "");
    std::swap(cancelling[1], cancelling[2]);
    CHECK(count_findings(passed) > 100);
    CHECK(count_findings(on_cpu(cascade_of(cancelling, 0.75))) > count_findings(passed) + 100);
}

TEST_CASE("engine: leaves of minus zero, and thresholds that sums meet exactly", "[engine][cuda]") {
    if (!gpu()) return;
    const char* halves = "<_>0 0 20 20 -1.</_><_>10 0 10 20 2.</_>";
    const GreyImage image = smooth_noise(120, 90, 4, 6);
    const GreyView view = image.view();
    // -0 + 0 is 0; and a sum equal to the threshold passes.
    for (const auto& [left, right] : {std::pair{-0.0, -0.0}, std::pair{0.0, -0.0}, std::pair{0.3, 0.1}}) {
        INFO("leaves " << left << " and " << right);
        Cascade cascade = made_cascade(
            {20, 20}, {{left, {{halves, 0, left, right}}}, {left, {{halves, 0.02, left, right}}}});
        // Reading has made the thresholds a little lower.
        for (CascadeStage& stage : cascade.stages) stage.threshold = static_cast<float>(left);
        const Backends backends(cascade);
        CHECK(count_findings(backends.require_equal_findings({&view, 1}, {{1.1, {}, {}}, 0})) > 100);
        backends.require_equal_traces(view, {1.1, {}, {}});
    }
}

TEST_CASE("engine: weights that are no integers, and three rectangles", "[engine][cuda]") {
    if (!gpu()) return;
    const std::string features[] = {
        "<_>0 0 24 24 -0.3</_><_>3 5 12 9 1.6</_>",
        "<_>1 2 20 18 -1.1</_><_>4 2 7 18 1.3333333</_><_>12 3 5 17 2.6823529</_>",
        "<_>0 0 24 12 1e-3</_><_>0 12 24 12 -1e-3</_><_>6 6 12 12 0.1</_>",
        "<_>0 0 12 24 123456.7</_><_>12 0 12 24 -123456.8</_>",
    };
    std::vector<Stage> stages;
    for (int s = 0; s < 3; ++s) {
        Stage stage{-0.5, {}};
        for (std::size_t f = 0; f < std::size(features); ++f) {
            const double threshold = f == 3 ? 300.0 * s : (f == 2 ? 0.07 : 0) + 0.01 * s;
            stage.stumps.push_back({features[f], threshold, 0.7 - 0.1 * s, -0.31 + 0.03 * double(f)});
        }
        stages.push_back(stage);
    }
    const Backends backends(made_cascade({24, 24}, stages));
    const std::vector<GreyImage> images = mixed_images();
    for (const int min_neighbors : {0, 2}) {
        const CascadeScan scan{{1.1, {}, {}}, min_neighbors};
        CHECK(count_findings(backends.require_equal_findings(views_of(images), scan)) >
              (min_neighbors == 0 ? 100U : 0U));
    }
    CHECK(backends.require_equal_traces(images[4].view(), {1.1, {}, {}}) > 1000);
}

TEST_CASE("engine: trees of many nodes", "[engine][cuda]") {
    if (!gpu()) return;
    // Chains of seven nodes, each of which ends in a leaf on its left; their right ends differ.
    Cascade cascade;
    cascade.window = {20, 20};
    cascade.stumps_only = false;
    for (int t = 0; t < 6; ++t) {
        const int first = static_cast<int>(cascade.nodes.size());
        cascade.trees.push_back({first, 7, static_cast<int>(cascade.leaves.size())});
        for (int n = 0; n < 7; ++n) {
            HaarFeature feature;
            feature.rects[0] = {n, t, 12, 12};
            feature.rects[1] = {n, t, n % 2 == 0 ? 6 : 12, n % 2 == 0 ? 12 : 6};
            feature.weights = {-1, 2, 0};
            cascade.haar_features.push_back(feature);
            CascadeNode node;
            node.feature = first + n;
            node.left = -n;
            node.right = n == 6 ? -7 : n + 1;
            node.threshold = -0.05F + 0.01F * static_cast<float>(n - t);
            cascade.nodes.push_back(node);
        }
        for (int leaf = 0; leaf < 8; ++leaf) {
            cascade.leaves.push_back(0.37F * static_cast<float>(leaf) - 0.9F - 0.1F * static_cast<float>(t));
        }
    }
    cascade.stages = {{0, 2, 0.1F}, {2, 4, -0.3F}};
    const Backends backends(cascade);
    const GreyImage image = smooth_noise(220, 170, 4, 8);
    const GreyView view = image.view();
    CHECK(count_findings(backends.require_equal_findings({&view, 1}, {{1.1, {}, {}}, 0})) > 100);
    CHECK(backends.require_equal_traces(view, {1.1, {}, {}}) > 1000);
}

TEST_CASE("engine: large windows, wide images and sums that wrap", "[engine][cuda]") {
    if (!gpu()) return;
    const auto edges = [](Size window) {
        const std::string whole =
            "<_>0 0 " + std::to_string(window.width) + " " + std::to_string(window.height) + " -1.</_>";
        const std::string half = std::to_string(window.width / 2);
        const std::string right =
            "<_>" + half + " 0 " + half + " " + std::to_string(window.height) + " 2.</_>";
        return made_cascade(window, {{0.5, {{whole + right, 0.02, 1, -1}, {whole + right, -0.1, 0.2, 0}}},
                                     {-0.5, {{whole + right, 0.01, 0.4, -0.7}}}});
    };
    for (const auto& [window, sizes] :
         {std::pair{Size{130, 130}, std::vector<Size>{{130, 130}, {131, 200}, {420, 300}}},
          std::pair{Size{300, 200}, std::vector<Size>{{300, 200}, {299, 200}, {640, 480}}},
          std::pair{Size{20, 20}, std::vector<Size>{{5000, 30}, {30, 5000}, {20, 4097}, {4097, 20}}}}) {
        const Backends backends(edges(window));
        std::size_t found = 0;
        for (const Size size : sizes) {
            INFO("window " << window.width << "x" << window.height << ", image " << size.width << "x"
                           << size.height);
            const GreyImage image = smooth_noise(size.width, size.height, 12, 9);
            const GreyView view = image.view();
            found += count_findings(backends.require_equal_findings({&view, 1}, {{1.1, {}, {}}, 0}));
            backends.require_equal_findings({&view, 1}, {{1.1, {}, {}}, 2});
            backends.require_equal_traces(view, {1.5, {}, {}});
        }
        CHECK(found > 10);
    }
    // Bright: the sum passes 2^31 and the squared sum 2^32 many times over.
    GreyImage bright = noise(4200, 2200, 10);
    for (auto& pixel : bright.pixels) pixel = static_cast<std::uint8_t>(255 - pixel / 5);
    const GreyView view = bright.view();
    for (const char* name : {"haarcascade_frontalface_default", "lbpcascade_frontalface"}) {
        const Backends backends(first_stages(named_cascade(name), 2));
        CHECK(count_findings(backends.require_equal_findings({&view, 1}, {{4, {}, {}}, 0})) > 100);
    }
}
