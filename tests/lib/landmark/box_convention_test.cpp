#include "lib/landmark/box_convention.hpp"

#include <catch2/catch.hpp>

#include "kernels/landmark/landmark_body.hpp"
#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// Three points whose tight box is (0.1, 0.2) to (0.9, 0.6).
LandmarkModel small_model() {
    LandmarkModel model;
    model.points = 3;
    model.initial_shape = {0.1F, 0.3F, 0.5F, 0.6F, 0.9F, 0.2F};
    return model;
}

BoxConvention convention_of(BoxTransform landmarks) {
    BoxConvention convention;
    convention.name = "mct";
    convention.landmarks = landmarks;
    return convention;
}

std::string file_of(const std::string& entry) {
    return R"({"format": "fovea-box-conventions", "version": 1, "conventions": [)" + entry + "]}";
}

const std::string good_entry =
    R"({"name": "a", "landmarks": {"left": 0, "top": 0.25, "right": 1, "bottom": 1.5},
        "spread": [0.1, 0.2, 0.3, 0.4], "faces": 12})";

std::string without(std::string text, const std::string& part, const std::string& replacement = "") {
    const std::size_t at = text.find(part);
    REQUIRE(at != std::string::npos);
    return text.replace(at, part.size(), replacement);
}

}  // namespace

TEST_CASE("the tight box of an initial shape", "[landmark][boxes]") {
    const Box box = tight_box_of_initial_shape(small_model());
    CHECK(box.x == Approx(0.1));
    CHECK(box.y == Approx(0.2));
    CHECK(box.w == Approx(0.8));
    CHECK(box.h == Approx(0.4));
}

TEST_CASE("the edges of a model's box put its initial shape where the convention says", "[landmark][boxes]") {
    // 0.4 of the detector's width are 0.8 of the model's, 0.2 of its height 0.4: the model's box is half as
    // large.
    const BoxConvention convention = convention_of({0.2, 0.3, 0.6, 0.5});
    const BoxTransform edges = model_edges(convention, small_model());
    CHECK(edges.left == Approx(0.15));
    CHECK(edges.top == Approx(0.2));
    CHECK(edges.right == Approx(0.65));
    CHECK(edges.bottom == Approx(0.7));

    // In pixels: the shape's left edge lies at 0.2 of the 200 pixels between a detection's first and last
    // column.
    const Rect box = rect_of_edges({100, 50, 201, 101}, edges);
    CHECK(box == Rect{130, 70, 101, 51});
    const UnitToImage to_image = unit_to_image(box);
    CHECK(place_of(to_image, 0.1F, 0.2F).x == Approx(140));
    CHECK(place_of(to_image, 0.9F, 0.6F).x == Approx(220));
    CHECK(place_of(to_image, 0.1F, 0.2F).y == Approx(80));
    CHECK(place_of(to_image, 0.9F, 0.6F).y == Approx(100));
}

TEST_CASE("a convention that is the shape's own box changes nothing", "[landmark][boxes]") {
    const LandmarkModel model = small_model();
    const Box tight = tight_box_of_initial_shape(model);
    const BoxTransform edges =
        model_edges(convention_of({tight.x, tight.y, tight.x + tight.w, tight.y + tight.h}), model);
    CHECK(edges.left == Approx(0).margin(1e-12));
    CHECK(edges.top == Approx(0).margin(1e-12));
    CHECK(edges.right == Approx(1));
    CHECK(edges.bottom == Approx(1));
}

TEST_CASE("a shape without extent has no place in a box", "[landmark][boxes]") {
    LandmarkModel model = small_model();
    model.initial_shape = {0.1F, 0.3F, 0.1F, 0.6F, 0.1F, 0.2F};
    CHECK_THROWS_AS(model_edges(convention_of({0, 0, 1, 1}), model), std::invalid_argument);
    model.points = 1;
    model.initial_shape = {0.5F, 0.5F};
    CHECK_THROWS_AS(model_edges(convention_of({0, 0, 1, 1}), model), std::invalid_argument);
}

TEST_CASE("conventions are read as they were written", "[landmark][boxes]") {
    const TempDir folder;
    std::vector<BoxConvention> written{convention_of({0.1, 0.2, 0.30000000000000004, 1.0 / 3}),
                                       convention_of({-0.5, 0, 1.5, 1})};
    written[0].spread = {0.01, 0.02, 0.03, 1e-17};
    written[0].faces = 842;
    written[0].dataset = "helen: 870 faces in 870 images";
    written[1].name = "landmarks";
    const auto read = read_conventions(folder.write("boxes.json", conventions_to_json(written).dump(2)));
    REQUIRE(read.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(read[i].name == written[i].name);
        CHECK(read[i].landmarks == written[i].landmarks);
        CHECK(read[i].spread == written[i].spread);
        CHECK(read[i].faces == written[i].faces);
        CHECK(read[i].dataset == written[i].dataset);
    }
}

TEST_CASE("broken files of conventions are refused with what is wrong", "[landmark][boxes]") {
    const TempDir folder;
    const auto problem = [&](const std::string& text) {
        const auto file = folder.write("boxes.json", text);
        try {
            read_conventions(file);
        } catch (const Error& error) {
            CHECK_THAT(error.what(), Contains(file.string()) && Contains("fovea train boxes"));
            return std::string(error.what());
        }
        return std::string("none");
    };
    REQUIRE(problem(file_of(good_entry)) == "none");
    REQUIRE(problem(file_of("")) == "none");
    CHECK_THAT(problem(""), Contains(":1: cannot read 'end of file'"));
    CHECK_THAT(problem("{"), Contains(":1: cannot read 'end of file'"));
    CHECK_THAT(problem("[]"), Contains("must be an object, but is an empty list"));
    CHECK_THAT(problem(without(file_of(good_entry), "box-conventions", "boxes")),
               Contains("'format' must be \"fovea-box-conventions\", but is the string \"fovea-boxes\""));
    CHECK_THAT(problem(without(file_of(good_entry), "\"version\": 1", "\"version\": 2")),
               Contains("'version' must be 1, but is 2"));
    CHECK_THAT(problem(R"({"format": "fovea-box-conventions", "version": 1})"),
               Contains("there is no \"conventions\""));
    CHECK_THAT(problem(file_of("3")), Contains("'conventions[0]' must be an object, but is 3"));
    const std::vector<std::pair<std::string, std::string>> edits{
        {"\"name\": \"a\",", ""},
        {"\"a\"", "7"},
        {"\"left\": 0,", ""},
        {"\"left\": 0,", "\"left\": \"0\","},
        {"\"left\": 0,", "\"left\": null,"},
        {"\"left\": 0,", "\"left\": 1e999,"},
        {"0.25", "1.5"},
        {"\"right\": 1,", "\"right\": 0,"},
        {"0.1, ", ""},
        {"0.1, ", "0.1, 0.1, "},
        {"0.1", "-0.1"},
        {"\"faces\": 12", "\"faces\": -1"},
        {"\"faces\": 12", "\"faces\": 1.5"},
        {", \"faces\": 12", ""},
        {"12}", "12, \"dataset\": 5}"},
    };
    for (const auto& [part, replacement] : edits) {
        CAPTURE(part, replacement);
        CHECK_THAT(problem(file_of(without(good_entry, part, replacement))),
                   (Contains("'conventions[0]") && Contains("must be")) || Contains("' has no \"") ||
                       Contains("cannot read '1e999"));
    }
    CHECK_THAT(problem(file_of(good_entry + "," + good_entry)),
               Contains("'conventions' must be a list that has each name only once"));
    CHECK_THROWS_AS(read_conventions(folder.path() / "none.json"), UsageError);
}

TEST_CASE("a convention is found by its name where models are", "[landmark][boxes]") {
    const TempDir folder;
    folder.write("landmarks/boxes.json", file_of(good_entry));
    ::setenv("FOVEA_MODELS", ("/no/such/folder:" + folder.path().string()).c_str(), 1);
    const auto found = find_convention("a");
    const auto shipped = find_convention("mct");
    folder.write("landmarks/boxes.json", "{");
    CHECK_THROWS_AS(find_convention("a"), Error);
    ::unsetenv("FOVEA_MODELS");
    REQUIRE(found);
    CHECK(found->landmarks == BoxTransform{0, 0.25, 1, 1.5});
    REQUIRE(shipped);
    CHECK_FALSE(find_convention("a"));
}

TEST_CASE("the conventions that ship place a face in the detectors' boxes", "[landmark][boxes]") {
    for (const char* name : {"mct", "haarcascade_frontalface_default", "haarcascade_frontalface_alt",
                             "haarcascade_frontalface_alt2", "haarcascade_frontalface_alt_tree",
                             "lbpcascade_frontalface", "lbpcascade_frontalface_improved", "landmarks"}) {
        CAPTURE(name);
        const auto convention = find_convention(name);
        REQUIRE(convention);
        const BoxTransform& edges = convention->landmarks;
        CHECK(std::abs(edges.left + edges.right - 1) < 0.05);  // detectors centre faces
        CHECK((edges.right - edges.left > 0.75 && edges.right - edges.left < 1.3));
        CHECK((edges.bottom > 0.95 && edges.bottom < 1.3 && edges.top > -0.1));
        for (const double spread : convention->spread) CHECK((spread > 0 && spread < 0.1));
        CHECK(convention->faces > 200);
        CHECK_THAT(convention->dataset, Contains("helen"));
    }
}
