// Models of all kinds by their names and as people have them: packed, or something else in their place.
#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "lib/landmark/box_convention.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/face_sets.hpp"
#include "tests/support/json_lines.hpp"
#include "tests/support/landmark_models.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/sources.hpp"
#include "tests/support/yunet.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

const std::string pointer =
    "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 99693937\n";

std::string packed(ByteVector (*pack)(const ByteVector&), const std::string& bytes) {
    const ByteVector made = pack(bytes_of(bytes));
    return {made.begin(), made.end()};
}

// Portraits with what edge_cascade() finds, a landmark model, and the conventions of their boxes.
struct Album : PhotoFolder {
    Album() : PhotoFolder({{"a.pgm", edge_pgm(80, 70)}, {"b.pgm", edge_pgm(70, 80)}}) {
        const std::vector<BoxConvention> conventions{{"edge", {0, 0.25, 1, 0.75}, {}, 10}};
        folder.write("models/landmarks/boxes.json", conventions_to_json(conventions).dump());
        std::filesystem::create_directory(path("here"));
        options.environment["FOVEA_MODELS"] = path("models");
        options.folder = path("here");
    }
    ProgramResult run(std::vector<std::string> arguments) const { return run_fovea(arguments, options); }
    /// The results of `fovea detect` with these flags.
    std::string detect(std::vector<std::string> flags) const {
        flags.insert(flags.begin(), {"detect", photos, "--device", "cpu", "--out", "-"});
        const ProgramResult result = run(std::move(flags));
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
        CHECK_THAT(result.err, !Contains("warning"));
        return result.out;
    }
    void check_refused(std::vector<std::string> arguments, const std::string& file) const {
        const ProgramResult result = run(std::move(arguments));
        CHECK(result.exit_code == 1);
        CHECK_THAT(result.err, Contains(file + " is a Git LFS pointer") && Contains("git lfs pull"));
    }

    ProgramOptions options;
};

const std::string shipped = test::source_file("configs/models/");

}  // namespace

TEST_CASE("packed detectors and landmark models find what they find unpacked", "[cli][models]") {
    const Album f;
    const std::vector<std::pair<std::string, std::string>> detectors{
        {"edge.xml", edge_cascade()},
        {"mct.json", read_bytes(shipped + "mct.json")},
        {"wild.json", read_bytes(shipped + "wild.json")}};
    for (const auto& [name, bytes] : detectors) {
        CAPTURE(name);
        const std::string found = f.detect({"--model", f.folder.write(name, bytes).string()});
        // The name without its packing is the convention's, so that no warning comes and landmarks are equal.
        for (const std::string& file : {f.folder.write(name + ".gz", packed(gzip, bytes)).string(),
                                        f.folder.write(name + ".bz2", packed(bzip2, bytes)).string()})
            CHECK(f.detect({"--model", file}) == found);
        f.check_refused({"detect", f.photos, "--model", f.folder.write("pointer-" + name, pointer).string()},
                        f.path("pointer-" + name));
    }
    const std::vector<std::pair<std::string, std::string>> landmarks{
        {"still.dat", still_landmark_file()}, {"helen.fvlm", read_bytes(shipped + "landmarks/helen.fvlm")}};
    for (const auto& [name, bytes] : landmarks) {
        CAPTURE(name);
        const std::string found =
            f.detect({"--model", f.model, "--landmarks", f.folder.write(name, bytes).string()});
        CHECK_THAT(found, Contains("\"landmarks\""));
        const std::string file = f.folder.write(name + ".bz2", packed(bzip2, bytes)).string();
        CHECK(f.detect({"--model", f.model + ".bz2", "--landmarks", file}) == found);
        f.check_refused({"detect", f.photos, "--model", f.model, "--landmarks",
                         f.folder.write("pointer-" + name, pointer).string()},
                        f.path("pointer-" + name));
    }
    // A page that was saved as a model.
    const std::string page = f.folder.write("page.xml", "<!DOCTYPE html>\n<html></html>").string();
    CHECK_THAT(f.run({"detect", f.photos, "--model", page}).err, Contains(page + " is an HTML page"));
    // OpenCV opens the file itself.
    CHECK(f.run({"verify", f.photos, "--model", f.model + ".bz2", "--device", "cpu"}).exit_code == 0);
}

TEST_CASE("packed YuNet and recognisers work as they do unpacked", "[cli][models][yunet]") {
    const Album f;
    f.check_refused({"detect", f.photos, "--model", f.folder.write("net.onnx", pointer).string()},
                    f.path("net.onnx"));
    const std::string recogniser = read_bytes(shipped + "recognisers/lbp-csu.json");
    f.folder.write("mine.json.bz2", packed(bzip2, recogniser));
    write_subjects(f.folder.path() / "faces", 2, 2);
    const auto enrol = [&](const std::string& who) {
        return f.run({"enroll", "folder:" + f.path("faces"), "--faces", "image", "--recogniser", who,
                      "--gallery", f.path("people.fvg")});
    };
    CHECK(enrol(f.path("mine.json.bz2")).exit_code == 0);
    CHECK(enrol("lbp-csu").exit_code == 0);  // it is the same recogniser
    f.check_refused({"enroll", "folder:" + f.path("faces"), "--faces", "image", "--recogniser",
                     f.folder.write("pointer.json", pointer).string(), "--gallery", f.path("other.fvg")},
                    f.path("pointer.json"));
    const std::filesystem::path yunet = yunet_file();
    if (yunet.empty()) return;
    f.folder.write("yunet.onnx.gz", packed(gzip, read_bytes(yunet)));
    CHECK(f.detect({"--model", f.path("yunet.onnx.gz")}) == f.detect({"--model", yunet.string()}));
}

TEST_CASE("a file of the current folder is no model that ships", "[cli][models]") {
    const Album f;
    for (const char* name : {"wild", "mct", "haarcascade_frontalface_alt2"})
        f.folder.write("here/" + std::string(name), edge_cascade());
    for (const char* name : {"helen", "lbp", "shape_predictor_68_face_landmarks"})
        f.folder.write("here/" + std::string(name), still_landmark_file());
    ProgramOptions elsewhere = f.options;
    elsewhere.folder.clear();
    const auto both = [&](std::vector<std::string> flags) {
        flags.insert(flags.begin(), {"detect", f.photos, "--device", "cpu", "--out", "-"});
        const ProgramResult here = f.run(flags), there = run_fovea(flags, elsewhere);
        CAPTURE(here.err, there.err);
        CHECK(here.exit_code == there.exit_code);
        CHECK(here.out == there.out);
        return here;
    };
    CHECK_THAT(both({}).err, Contains("warning: the model 'wild' is ") &&
                                 Contains("not the file of the current folder, which is './wild'"));
    both({"--model", "mct"});
    both({"--model", "haarcascade_frontalface_alt2"});
    both({"--model", f.model, "--landmarks", "helen"});
    // A path means the file.
    const ProgramResult mine =
        f.run({"detect", f.photos, "--device", "cpu", "--model", "./wild", "--out", "-"});
    CHECK(mine.out == f.detect({"--model", f.model}));
    // All that find faces for a recogniser, and the recogniser itself.
    write_subjects(f.folder.path() / "faces", 2, 2);
    const ProgramResult enrolled = f.run({"enroll", "folder:" + f.path("faces"), "--faces", "detector",
                                          "--device", "cpu", "--gallery", f.path("people.fvg"), "--json"});
    CAPTURE(enrolled.err);
    CHECK_THAT(enrolled.err,
               Contains("the recogniser 'lbp' is ") && Contains("the landmark model 'helen' is "));
    const Json manifest = Json::parse(read_bytes(f.path("people.run.json")));
    CHECK_THAT(manifest.dump(), Contains("models/wild.json") && Contains("models/landmarks/helen.fvlm"));
    // A name that no model has means a file only with its extension, and says what to do without.
    f.folder.write("here/mine", edge_cascade());
    f.folder.write("here/mine.xml", edge_cascade());
    CHECK(f.run({"detect", f.photos, "--model", "mine.xml", "--out", "-"}).exit_code == 0);
    const ProgramResult bare = f.run({"detect", f.photos, "--model", "mine", "--out", "-"});
    CHECK(bare.exit_code == 2);
    CHECK_THAT(bare.err, Contains("there is no model 'mine'") &&
                             Contains("the file of the current folder is './mine'"));
}

TEST_CASE("every command that finds faces takes the same detector where none is named", "[cli][models]") {
    const Album f;
    write_subjects(f.folder.path() / "faces", 2, 2);
    const std::string faces = "folder:" + f.path("faces");
    const auto model_in = [&](const std::string& manifest) {
        return read_bytes(f.path(manifest)).find("models/wild.json") != std::string::npos;
    };
    f.run({"detect", f.photos, "--device", "cpu", "--out", f.path("detect.jsonl")});
    CHECK(model_in("detect.run.json"));
    f.run({"run", "--dataset", f.photos, "--device", "cpu", "--out", f.path("run")});
    CHECK(model_in("run/run.json"));
    f.run({"track", f.photos, "--device", "cpu", "--out", f.path("track")});
    CHECK(model_in("track/run.json"));
    f.run({"enroll", faces, "--faces", "image", "--gallery", f.path("people.fvg")});
    f.run({"enroll", faces, "--faces", "detector", "--device", "cpu", "--gallery", f.path("found.fvg")});
    CHECK(model_in("found.run.json"));
    f.run({"identify", faces, "--faces", "detector", "--device", "cpu", "--gallery", f.path("people.fvg"),
           "--out", f.path("identify.jsonl")});
    CHECK(model_in("identify.run.json"));
    f.run({"evaluate", "identification", "--gallery", faces, "--probes", faces, "--recogniser", "lbp",
           "--faces", "detector", "--fallback-eyes", "0.3,0.4,0.7,0.4", "--device", "cpu", "--out",
           f.path("search")});
    CHECK(model_in("search/run.json"));
    for (const char* command : {"detect", "track", "landmarks", "recognition", "archive", "video"}) {
        CAPTURE(command);
        CHECK_THAT(f.run({"bench", command, "--help"}).out, !Contains("default: mct"));
    }
    for (const char* command : {"archive", "video"})
        CHECK_THAT(f.run({"bench", command, "--help"}).out, Contains("(default: wild)"));
    const ProgramResult bench =
        f.run({"bench", "detect", f.path("photos/a.pgm"), "--device", "cpu", "--repeat", "1", "--json"});
    CAPTURE(bench.err);
    CHECK_THAT(bench.out, Contains("wild"));
}
