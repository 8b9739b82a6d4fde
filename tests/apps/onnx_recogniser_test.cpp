// The program with a recogniser that is a network in ONNX, from its file to galleries, reports and
// thresholds.
#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/apps/gallery_people.hpp"
#include "tests/apps/refusal.hpp"
#include "tests/support/face_sets.hpp"
#include "tests/support/onnx_models.hpp"
#include "tests/support/still_portraits.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

/// 32 elements of a crop of 64×72, spread over it.
OnnxGraph spread_pixels() {
    std::vector<OnnxPixel> pixels;
    for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 8; ++x) pixels.push_back({(x + y) % 3, 4 + 8 * x, 9 + 18 * y});
    }
    return pixel_network({64, 72}, 3, pixels);
}

/// Writes a recogniser and its network into a folder. \return its file
std::string write_recogniser(const TempDir& folder, const std::string& network,
                             const std::string& settings = "") {
    folder.write("recognisers/net.onnx", network);
    return folder
        .write("recognisers/mine.json", R"({"format": "fovea-recogniser", "version": 1, "name": "mine",
        "face": {"width": 64, "height": 72, "left_eye": [16, 24], "right_eye": [48, 24]},
        "onnx": {"file": "net.onnx", "channels": "rgb", "mean": [127.5], "scale": [0.0078125],
                 "length": 32)" + settings + R"(}, "distance": "cosine"})")
        .string();
}

}  // namespace

TEST_CASE("people are enrolled and identified by a network in ONNX", "[cli][gallery][onnx]") {
    const People f;
    const std::string mine = write_recogniser(f.folder, onnx_bytes(spread_pixels()));
    const std::string gallery = f.path("g.fvg");
    const ProgramResult enrolled = f.enroll(gallery, {"--recogniser", mine});
    CAPTURE(enrolled.err);
    REQUIRE(enrolled.exit_code == 0);
    CHECK(Json::parse(enrolled.out)["faces"] == 6);
    const Json info = Json::parse(run_fovea({"gallery", "info", gallery, "--json"}).out);
    CHECK(info["faces"] == 6);
    // The same again needs nothing but the recogniser's file.
    CHECK(Json::parse(f.enroll(gallery, {"--recogniser", mine}).out)["faces"] == 0);

    // The gallery's network is looked for by its name, and must be the same.
    ProgramOptions options;
    const auto identify = [&] {
        return run_fovea({"identify", f.people, "--pattern", "*/[34].pgm", "--gallery", gallery, "--faces",
                          "image", "--json", "--far", "1", "--overwrite", "--out", f.path("r.jsonl")},
                         options);
    };
    const ProgramResult missing = identify();
    CHECK(missing.exit_code == 2);
    CHECK_THAT(missing.err, Contains("there is no network 'net.onnx'") && Contains("FOVEA_MODELS"));
    options.environment["FOVEA_MODELS"] = f.folder.path().string();
    const ProgramResult found = identify();
    CAPTURE(found.err);
    REQUIRE(found.exit_code == 0);
    CHECK(Json::parse(found.out)["rank1"] == 1.0);
    OnnxGraph other = spread_pixels();
    other.weights[0].values[0] = 2;
    write_recogniser(f.folder, onnx_bytes(other));
    const ProgramResult changed = identify();
    CHECK(changed.exit_code == 2);
    CHECK_THAT(changed.err, Contains("net.onnx is not the network of this recogniser"));
    CHECK_THAT(f.enroll(gallery, {"--recogniser", mine}).err, Contains("their features cannot be compared"));
}

TEST_CASE("a network in ONNX is evaluated, and its thresholds are measured", "[cli][evaluate][onnx]") {
    const TempDir folder;
    const std::filesystem::path faces = folder.path() / "faces";
    write_subjects(faces, 12, 4);
    const std::string mine = write_recogniser(folder, onnx_bytes(spread_pixels()));
    folder.write("faces/pairs.txt",
                 "2\t2\n"
                 "s01\t1\t2\ns02\t1\t2\ns01\t1\ts02\t1\ns01\t2\ts03\t1\n"
                 "s03\t1\t2\ns04\t1\t2\ns03\t1\ts04\t1\ns04\t2\ts05\t1\n");
    ProgramResult result =
        run_fovea({"evaluate", "verification", "--dataset", "lfw:" + faces.string(), "--recogniser", mine,
                   "--faces", "image", "--out", (folder.path() / "out").string(), "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(Json::parse(result.out)["verification"]["best_accuracy"] == 1.0);

    const std::string measured = (folder.path() / "recognisers" / "measured.json").string();
    result = run_fovea({"train", "thresholds", "--dataset", "folder:" + faces.string(), "--recogniser", mine,
                        "--faces", "image", "--out", measured, "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json thresholds = Json::parse(read_bytes(measured))["thresholds"];
    CHECK(thresholds["impostor_pairs"] == 1056);
    CHECK(thresholds["genuine_pairs"] == 72);
    REQUIRE_FALSE(thresholds["points"].empty());
    CHECK(thresholds["points"][0]["distance"].get<double>() > 0);
    CHECK(run_fovea({"enroll", "folder:" + faces.string(), "--recogniser", measured, "--faces", "image",
                     "--gallery", (folder.path() / "g").string()})
              .exit_code == 0);
}

TEST_CASE("faces that are found are described by a network in ONNX", "[cli][detect][onnx]") {
    const StillPortraits f;
    const std::string mine = write_recogniser(f.folder, onnx_bytes(spread_pixels()));
    const ProgramResult result =
        f.run({"detect", f.photos, "--model", f.model, "--landmarks", f.landmarks, "--recogniser", mine,
               "--features", f.path("f.npy"), "--out", f.path("r.jsonl"), "--device", "cpu", "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 3);  // c.pgm is cut off
    const std::string features = read_bytes(f.path("f.npy"));
    CHECK_THAT(features.substr(0, 128), Contains("'<i2'") && Contains("(2, 32)"));
    const std::string rows = features.substr(features.size() - 2 * 32 * 2);
    CHECK(rows.substr(0, 64) == rows.substr(64));
    CHECK(rows.find_first_not_of(rows[0]) != std::string::npos);
}

TEST_CASE("networks in ONNX that cannot be used end the program with a sentence", "[cli][onnx]") {
    const People f;
    const auto run = [&](const std::string& network, const std::string& settings = "") {
        const std::string mine = write_recogniser(f.folder, network, settings);
        const ProgramResult result = f.enroll(f.path("g"), {"--recogniser", mine});
        CAPTURE(result.err);
        CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
        CHECK_THAT(result.err, Contains("fovea: error: ") && Contains("net.onnx"));
        CHECK_FALSE(std::filesystem::exists(f.path("g")));
        return result;
    };
    const std::string whole = onnx_bytes(spread_pixels());
    CHECK(run(whole.substr(0, whole.size() / 2)).exit_code == 1);
    CHECK(run("hello").exit_code == 1);
    OnnxGraph graph = spread_pixels();
    graph.nodes[1].type = "Astonish";
    CHECK(run(onnx_bytes(graph)).exit_code == 1);
    graph = spread_pixels();
    graph.inputs[0].shape[3] = 112;
    CHECK(run(onnx_bytes(graph)).exit_code == 2);
    CHECK(run(whole, R"(, "sha256": "00")").exit_code == 2);
}
