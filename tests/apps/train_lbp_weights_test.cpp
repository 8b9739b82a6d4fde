// fovea train lbp-weights and thresholds from the command line to their files, and the recognisers that take
// them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/recognise/recogniser_config.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/images.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// Whole images of 64×64 in 4×2 regions; the weights that it names need not be there yet.
Json recogniser_of_regions() {
    return Json::parse(R"({"format": "fovea-recogniser", "version": 1, "name": "halves",
        "face": {"width": 64, "height": 64, "left_eye": [16, 24], "right_eye": [48, 24]},
        "normalisation": {"mask": false, "equalise": false, "standardise": false},
        "features": [{"points": 8, "radius": 1, "regions": {"columns": 4, "rows": 2}}],
        "weights": "weights.json"})");
}

// The upper half is the subject's texture with noise, the lower half another in every image.
std::string portrait(std::uint32_t subject, std::uint32_t number) {
    const GreyImage texture = smooth_noise(64, 64, 3, subject),
                    other = smooth_noise(64, 64, 3, 5000 + number);
    const GreyImage grain = noise(64, 64, 9000 + number);
    std::string pixels;
    for (std::size_t i = 0; i < texture.pixels.size(); ++i) {
        const GreyImage& part = i < 64 * 32 ? texture : other;
        pixels += static_cast<char>((3 * part.pixels[i] + grain.pixels[i]) / 4);
    }
    return "P5\n64 64\n255\n" + pixels;
}

// 12 subjects with 4 images each; pairs in 3 folds of 4 subjects.
struct Portraits {
    Portraits() {
        std::string pairs = "3\t8\n";
        std::uint32_t number = 0;
        for (int s = 0; s < 12; ++s) {
            for (int i = 1; i <= 4; ++i) {
                folder.write("faces/" + name(s) + "/" + name(s) + "_000" + std::to_string(i) + ".pgm",
                             portrait(static_cast<std::uint32_t>(s + 1), ++number));
            }
        }
        for (int fold = 0; fold < 3; ++fold) {
            const auto subject = [&](int i) { return name(4 * fold + i % 4); };
            for (int i = 0; i < 8; ++i) pairs += subject(i) + (i < 4 ? "\t1\t2\n" : "\t3\t4\n");
            for (int i = 0; i < 8; ++i) {
                const std::string image = "\t" + std::to_string(1 + i % 4);
                pairs += subject(i) + image + "\t" + subject(i + 1 + i / 4) + image + "\n";
            }
        }
        folder.write("faces/pairs.txt", pairs);
        folder.write("halves.json", recogniser_of_regions().dump());
    }
    static std::string name(int subject) { return std::string("s") + static_cast<char>('a' + subject); }
    std::string path(const std::string& file) const { return (folder.path() / file).string(); }
    std::string pairs() const { return "lfw:" + path("faces"); }
    std::string subjects() const { return "folder:" + path("faces"); }

    ProgramResult train(const std::string& dataset, std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments{"train",   "lbp-weights", "--dataset", dataset,
                                           "--faces", "image",       "--device",  "cpu"};
        const auto gives = [&](const char* flag) { return std::count(more.begin(), more.end(), flag) > 0; };
        if (!gives("--out")) arguments.insert(arguments.end(), {"--out", path("weights.json")});
        if (!gives("--recogniser")) arguments.insert(arguments.end(), {"--recogniser", path("halves.json")});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_fovea(arguments);
    }

    TempDir folder;
};

std::string bytes_of(const std::string& file) {
    std::ifstream stream(file);
    std::stringstream bytes;
    bytes << stream.rdbuf();
    return bytes.str();
}

double sum_of(const std::vector<double>& weights, std::size_t first, std::size_t count) {
    double sum = 0;
    for (std::size_t i = first; i < first + count; ++i) sum += weights[i];
    return sum;
}

}  // namespace

TEST_CASE("train lbp-weights learns from pairs where subjects differ", "[cli][train][weights]") {
    const Portraits s;
    const ProgramResult result = s.train(s.pairs(), {"--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json summary = Json::parse(result.out);
    CHECK(summary["command"] == "train lbp-weights");
    CHECK(summary["faces"] == 48);
    CHECK(summary["pairs"] == 48);
    CHECK(summary["other_folds"]["weighted"] > summary["other_folds"]["all_equal"]);

    const RegionWeights weights = read_region_weights(s.path("weights.json"));
    CHECK(weights.origin == "logistic, ridge 0.001, on 48 pairs of faces");
    REQUIRE(weights.weights.size() == 8);
    CHECK(sum_of(weights.weights, 0, 8) == Approx(8).margin(0.02));
    CHECK(sum_of(weights.weights, 0, 4) > 4 * sum_of(weights.weights, 4, 4));
    REQUIRE(weights.folds.weights.size() == 3);
    REQUIRE(weights.folds.subjects.size() == 3);
    CHECK(weights.folds.subjects[0].size() == 4);
    CHECK(weights.folds.weights[0] != weights.folds.weights[1]);
    for (const std::vector<double>& fold : weights.folds.weights) {
        CHECK(sum_of(fold, 0, 4) > 2 * sum_of(fold, 4, 4));
        for (const double weight : fold) CHECK(256 * weight == std::floor(256 * weight));
    }

    // The recogniser finds them beside itself, and judges every fold by what the others taught.
    const RecogniserConfig config = load_recogniser(s.path("halves.json"));
    CHECK(config.weights == weights.weights);
    const ProgramResult judged =
        run_fovea({"evaluate", "verification", "--dataset", s.pairs(), "--recogniser", s.path("halves.json"),
                   "--faces", "image", "--device", "cpu", "--json"});
    CAPTURE(judged.err);
    REQUIRE(judged.exit_code == 0);
    const Json verification = Json::parse(judged.out)["verification"];
    CHECK(verification["accuracy_at_threshold"].get<double>() ==
          Approx(summary["other_folds"]["weighted"].get<double>()));
}

TEST_CASE("pairs are known by their subjects, whatever list they stand in", "[cli][train][weights]") {
    const Portraits s;
    REQUIRE(s.train(s.pairs(), {}).exit_code == 0);
    const auto accuracy = [&](const std::string& list) {
        const ProgramResult judged = run_fovea(
            {"evaluate", "verification", "--dataset", "lfw:" + s.path("faces") + ",pairs=" + s.path(list),
             "--recogniser", s.path("halves.json"), "--faces", "image", "--device", "cpu", "--json"});
        CAPTURE(judged.err);
        REQUIRE(judged.exit_code == 0);
        return Json::parse(judged.out)["verification"]["accuracy_at_threshold"].get<double>();
    };
    std::ifstream file(s.path("faces/pairs.txt"));
    std::string line, other_ends;
    while (std::getline(file, line)) other_ends += line + "\r\n";
    s.folder.write("dos.txt", other_ends);
    CHECK(accuracy("dos.txt") == accuracy("faces/pairs.txt"));
    // A pair of subjects of two folds: no weights have seen neither.
    s.folder.write("torn.txt", "1\nsa\t1\t2\nsa\t1\tse\t1\n");
    const ProgramResult torn = run_fovea(
        {"evaluate", "verification", "--dataset", "lfw:" + s.path("faces") + ",pairs=" + s.path("torn.txt"),
         "--recogniser", s.path("halves.json"), "--faces", "image", "--device", "cpu"});
    CHECK_THAT(torn.err, Contains("1 pair of 2 show subjects of two folds"));
}

TEST_CASE("train lbp-weights learns from chosen folds, and nothing of the others", "[cli][train][weights]") {
    const Portraits s;
    const auto weights_of = [&](const std::string& folds) {
        const ProgramResult result = s.train(s.pairs(), {"--folds", folds, "--overwrite"});
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
        CHECK_THAT(result.out, Contains("on the data learned from") && !Contains("by the others"));
        return read_region_weights(s.path("weights.json"));
    };
    const RegionWeights two = weights_of("2,3");
    CHECK(two.origin == "logistic, ridge 0.001, on 32 pairs of faces, folds 2, 3");
    CHECK(two.folds.empty());
    // The content of the first fold's images does not matter.
    for (int i = 1; i <= 4; ++i) {
        s.folder.write("faces/sa/sa_000" + std::to_string(i) + ".pgm",
                       portrait(77, 700U + static_cast<unsigned>(i)));
    }
    CHECK(weights_of("3,2").weights == two.weights);
    CHECK(weights_of("1").weights != two.weights);
    CHECK(weights_of("1").origin == "logistic, ridge 0.001, on 16 pairs of faces, fold 1");
}

TEST_CASE("train lbp-weights keeps a fold's subjects from its own weights", "[cli][train][weights]") {
    const Portraits s;
    std::string pairs = bytes_of(s.path("faces/pairs.txt"));
    // A pair of the third fold becomes one of a subject of the first.
    pairs.replace(pairs.rfind("\nsi\t1\t2\n"), 7, "\nsa\t1\t2");
    s.folder.write("faces/pairs.txt", pairs);
    const ProgramResult result = s.train(s.pairs(), {"--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    // That pair from the first fold's training; and all of the first fold that show the subject from the
    // third's: two of one subject, four of two.
    CHECK(Json::parse(result.out)["pairs_of_shared_subjects"] == 7);
    CHECK_THAT(result.err, Contains("7 pairs were kept from the folds"));
}

TEST_CASE("train lbp-weights ranks regions by subjects or by pairs", "[cli][train][weights]") {
    const Portraits s;
    for (const std::string& dataset : {s.subjects(), s.pairs()}) {
        const ProgramResult result = s.train(dataset, {"--method", "rank", "--json", "--overwrite"});
        CAPTURE(dataset, result.err);
        REQUIRE(result.exit_code == 0);
        const RegionWeights weights = read_region_weights(s.path("weights.json"));
        CHECK(std::all_of(weights.weights.begin(), weights.weights.end(), [](double weight) {
            return weight == 0 || weight == 1 || weight == 2 || weight == 4;
        }));
        CHECK(sum_of(weights.weights, 0, 4) > sum_of(weights.weights, 4, 4));
        // Both halves of the face alike.
        CHECK(weights.weights[0] == weights.weights[3]);
        CHECK(weights.weights[5] == weights.weights[6]);
        CHECK(weights.folds.empty() == (dataset == s.subjects()));
    }
    const ProgramResult result = s.train(s.subjects(), {"--overwrite"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("rank 1") && Contains("rank on 48 images of faces"));
}

TEST_CASE("train lbp-weights gives the same bytes for every number of threads", "[cli][train][weights]") {
    const Portraits s;
    for (const std::string method : {"logistic", "rank"}) {
        const auto bytes = [&](const std::string& threads) {
            const ProgramResult result =
                s.train(s.pairs(), {"--method", method, "--out", "-", "--threads", threads});
            CAPTURE(result.err);
            REQUIRE(result.exit_code == 0);
            CHECK_THAT(result.err, Contains("weights of 8 regions"));
            return result.out;
        };
        const std::string one = bytes("1");
        CHECK(Json::parse(one)["format"] == "fovea-region-weights");
        CHECK(one == bytes("3"));
    }
}

TEST_CASE("train lbp-weights leaves out pairs whose faces are missing", "[cli][train][weights]") {
    const Portraits s;
    s.folder.write("faces/sa/sa_0001.pgm", "P5\n64 64\n255\nshort");
    const ProgramResult result = s.train(s.pairs(), {"--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 3);
    const Json summary = Json::parse(result.out);
    CHECK(summary["faces"] == 47);
    CHECK(summary["failures"][0]["image"] == "sa/sa_0001.pgm");
    CHECK(summary["pairs_without_faces"].get<int>() + summary["pairs"].get<int>() == 48);
    CHECK(summary["pairs_without_faces"].get<int>() >= 2);
    CHECK_THAT(result.err, Contains("sa/sa_0001.pgm") && Contains("left out"));
}

TEST_CASE("train lbp-weights refuses what it cannot learn from", "[cli][train][weights]") {
    const Portraits s;
    const auto refusal = [&](const std::string& dataset, const std::vector<std::string>& more, int code = 2) {
        const ProgramResult result = s.train(dataset, more);
        INFO(result.err);
        CHECK(result.exit_code == code);
        return result.err;
    };
    CHECK_THAT(refusal(s.subjects(), {"--method", "logistic"}),
               Contains("no list of pairs") && Contains("rank"));
    CHECK_THAT(refusal(s.subjects(), {"--folds", "1"}), Contains("no folds to choose"));
    CHECK_THAT(refusal(s.pairs(), {"--folds", "4"}), Contains("no fold 4"));
    CHECK_THAT(refusal(s.pairs(), {"--folds", "0"}), Contains("counts from 1"));
    CHECK_THAT(refusal(s.pairs(), {"--method", "best"}),
               Contains("--method") && Contains("logistic or rank"));
    CHECK_THAT(refusal(s.pairs(), {"--ridge", "0"}), Contains("--ridge"));
    CHECK_THAT(refusal(s.pairs(), {"--ridge", "1", "--method", "rank"}), Contains("--ridge"));
    CHECK_THAT(refusal(s.pairs(), {"--out", "-", "--json"}), Contains("standard output"));
    CHECK_THAT(refusal(s.pairs(), {"--out", s.path("no/such/weights.json")}),
               Contains("--out") && Contains("no/such"));
    CHECK_THAT(refusal(s.pairs(), {"--recogniser", "none"}), Contains("none"));
    CHECK_THAT(refusal(s.pairs(), {"--out", s.path("halves.json")}), Contains("halves.json"));
    CHECK(Json::parse(bytes_of(s.path("halves.json")))["name"] == "halves");

    Json json = recogniser_of_regions();
    json["distance"] = "cosine";
    s.folder.write("cosine.json", json.dump());
    CHECK_THAT(refusal(s.pairs(), {"--recogniser", s.path("cosine.json")}), Contains("sums over regions"));

    s.folder.write("one/a/1.pgm", portrait(1, 1));
    s.folder.write("one/b/1.pgm", portrait(2, 2));
    CHECK_THAT(refusal("folder:" + s.path("one"), {}, 1), Contains("no subject has two faces"));
    s.folder.write("list.txt", "one/a/1.pgm\none/b/1.pgm\n");
    CHECK_THAT(refusal("list:" + s.path("list.txt"), {}), Contains("neither pairs nor subjects"));
    CHECK_FALSE(std::filesystem::exists(s.path("weights.json")));
}

TEST_CASE("trainings of recognisers take a configuration, and flags over it", "[cli][train][weights]") {
    const Portraits s;
    Json json{{"dataset", {{"path", s.pairs()}}}, {"recogniser", s.path("halves.json")}, {"faces", "image"}};
    const auto run = [&](const std::string& training, const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"train", training, "--config",
                                           s.folder.write("train.json", json.dump()).string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_fovea(arguments);
    };
    const Json printed = Json::parse(run("thresholds", {"--limit", "7", "--print-config"}).out);
    CHECK(printed["dataset"]["path"] == s.pairs());
    CHECK(printed["dataset"]["limit"] == 7);
    CHECK(printed["faces"] == "image");
    CHECK(printed["detector"] == "wild");

    json["method"] = "rank";
    json["folds"] = {2, 3};
    const std::string learned = run("lbp-weights", {"--device", "cpu", "--out", "-"}).out;
    CHECK(Json::parse(learned)["origin"] == "rank on 32 pairs of faces, folds 2, 3");
    CHECK(learned == s.train(s.pairs(), {"--method", "rank", "--folds", "2,3", "--out", "-"}).out);
    CHECK(Json::parse(run("lbp-weights", {"--folds", "1", "--print-config"}).out)["folds"] == Json{1});
    // The file of the configuration is an input, too.
    const ProgramResult replacing =
        run("lbp-weights", {"--device", "cpu", "--overwrite", "--out", s.path("train.json")});
    CHECK(replacing.exit_code == 2);
    CHECK_THAT(replacing.err, Contains("train.json"));

    json["method"] = "best";
    CHECK_THAT(run("lbp-weights", {"--out", "-"}).err, Contains("'method'") && Contains("logistic or rank"));
    json["dataset"]["files"] = {"a.pgm"};
    CHECK_THAT(run("lbp-weights", {"--out", "-"}).err, Contains("train.json: unknown key 'dataset.files'"));
}

namespace {

ProgramResult train_thresholds(const Portraits& f, const std::string& recogniser, const std::string& out,
                               const std::string& dataset, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"train", "thresholds", "--dataset", dataset, "--recogniser", recogniser,
                               "--faces", "image", "--device", "cpu", "--out", f.path(out)});
    return run_fovea(more);
}

std::string plain_recogniser(const Portraits& f) {
    Json json = recogniser_of_regions();
    json.erase("weights");
    return f.folder.write("plain.json", json.dump()).string();
}

}  // namespace

TEST_CASE("train thresholds measures false accept rates on all pairs of people", "[cli][train][thresholds]") {
    const Portraits f;
    const std::string plain = plain_recogniser(f);
    const ProgramResult result = train_thresholds(f, plain, "out/plain.json", f.subjects(), {"--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["command"] == "train thresholds");
    CHECK(json["faces"] == 48);
    // 66 pairs of the 12 people with 16 pairs of images each; 6 pairs of images of each person.
    CHECK(json["thresholds"]["impostor_pairs"] == 1056);
    CHECK(json["thresholds"]["genuine_pairs"] == 72);
    CHECK(json["thresholds"]["points"].size() == 4);  // 0.1, 0.05, 0.02; at 0.01 there are ten
    CHECK(json["thresholds"]["origin"] == "pairs among 48 faces of faces");

    const RecogniserConfig read = load_recogniser(f.path("out/plain.json"));
    REQUIRE(read.thresholds.points.size() == 4);
    CHECK(read.thresholds.points[3].far == 0.01);
    // Pairs of one person are accepted more often than those of two.
    CHECK(read.thresholds.points[0].tar > 0.15);
    CHECK(read.thresholds.points[0].tar < 1);
    CHECK(feature_fingerprint(read) == feature_fingerprint(load_recogniser(plain)));
    CHECK_THAT(train_thresholds(f, plain, "again.json", f.subjects()).out,
               Contains("1,056 pairs of two people, 72 of one") && Contains("FAR of a pair"));
    CHECK(read_bytes(f.path("again.json")) == read_bytes(f.path("out/plain.json")));

    // It is what identify goes by: enrolled are six of the people, and the others are strangers.
    const auto gallery = f.path("g.fvg");
    REQUIRE(run_fovea({"enroll", f.subjects(), "--pattern", "s[a-f]/*_0001.pgm", "--gallery", gallery,
                       "--recogniser", f.path("out/plain.json"), "--faces", "image"})
                .exit_code == 0);
    const auto named = [&](const std::string& pattern, const std::string& far) {
        const ProgramResult identified =
            run_fovea({"identify", f.subjects(), "--pattern", pattern, "--gallery", gallery, "--faces",
                       "image", "--far", far, "--json", "--overwrite", "--out", f.path("r.jsonl")});
        REQUIRE(identified.exit_code == 0);
        return Json::parse(identified.out)["identified"].get<int>();
    };
    const int mates = named("s[a-f]/*_000[2-4].pgm", "0.1");  // of 18
    const int strangers = named("s[g-l]/*.pgm", "0.1");       // of 24
    CHECK(mates >= 1);
    CHECK(strangers <= 5);
    CHECK(24 * mates > 18 * strangers);
    CHECK(named("s[g-l]/*.pgm", "1") == 24);
}

TEST_CASE("train thresholds compares people with weights that have not seen them",
          "[cli][train][thresholds]") {
    const Portraits f;
    REQUIRE(f.train(f.pairs()).exit_code == 0);
    const ProgramResult result =
        train_thresholds(f, f.path("halves.json"), "other/halves.json", f.pairs(), {"--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json thresholds = Json::parse(result.out)["thresholds"];
    // Pairs within each of three folds of four people: 6 pairs of people with 16 pairs of images.
    CHECK(thresholds["impostor_pairs"] == 288);
    CHECK(thresholds["genuine_pairs"] == 72);
    CHECK_THAT(thresholds["origin"].get<std::string>(),
               Contains("weights that have not seen their subjects"));
    // The weights' file is found from the other folder.
    const RecogniserConfig read = load_recogniser(f.path("other/halves.json"));
    CHECK(read.weights.size() == 8);
    CHECK(read.thresholds.points.size() == 2);  // 28 and 14 pairs
    // Other weights are another distance.
    REQUIRE(f.train(f.subjects(), {"--method", "rank", "--overwrite"}).exit_code == 0);
    CHECK_THROWS_WITH(load_recogniser(f.path("other/halves.json")), Contains("measured with other features"));
    CHECK(load_measured_recogniser(f.path("other/halves.json")).thresholds.empty());
}

TEST_CASE("train thresholds refuses what it cannot measure", "[cli][train][thresholds]") {
    const Portraits f;
    const std::string plain = plain_recogniser(f);
    const auto error = [&](const ProgramResult& result, int code) {
        CHECK(result.exit_code == code);
        return result.err;
    };
    CHECK_THAT(error(run_fovea({"train", "thresholds", "--out", f.path("x.json")}), 2),
               Contains("no dataset was given"));
    CHECK_THAT(error(run_fovea({"train", "thresholds", "--dataset", f.subjects()}), 2), Contains("--out"));
    CHECK_THAT(error(train_thresholds(f, plain, "x.json", f.subjects(), {"--limit", "8"}), 1),
               Contains("cannot show any false accept rate"));
    CHECK_THAT(error(train_thresholds(f, plain, "x.json", f.subjects(), {"--limit", "1"}), 1),
               Contains("no two faces whose subjects are known"));
    CHECK(train_thresholds(f, plain, "plain.json", f.subjects()).exit_code != 0);
    CHECK(load_recogniser(plain).thresholds.empty());
    CHECK_FALSE(std::filesystem::exists(f.path("x.json")));
}
