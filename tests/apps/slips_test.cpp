#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

// Command lines that are nearly right: the sentence names what was meant.
namespace fovea::test {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

struct Slip {
    std::vector<std::string> words;
    std::string sentence;  ///< or a part of it
};

void check_slips(const std::vector<Slip>& slips, const ProgramOptions& options = {}) {
    for (const Slip& slip : slips) {
        const ProgramResult result = run_fovea(slip.words, options);
        CAPTURE(slip.words, result.out, result.err);
        CHECK(result.exit_code == 2);
        CHECK(result.out.empty());
        CHECK_THAT(result.err, StartsWith("fovea: error: ") && Contains(slip.sentence));
        CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    }
}

}  // namespace

TEST_CASE("a flag before its command says where it belongs", "[cli][slips]") {
    check_slips({
        {{"evaluate", "--dataset", "D"},
         "a subcommand must stand before '--dataset': detection, landmarks, tracks, verification, "
         "identification, clustering; 'fovea evaluate detection', 'fovea evaluate landmarks', 'fovea "
         "evaluate tracks' "
         "and "
         "2 more take it; see 'fovea evaluate --help'"},
        {{"evaluate", "--protocol", "fddb"}, "; 'fovea evaluate detection' takes it"},
        {{"--threads", "4", "detect", "photos/"},
         "'--threads' must stand behind 'fovea detect'; see 'fovea --help'"},
        {{"--json"}, "a subcommand must stand before '--json', e.g. 'fovea run'"},
        {{"evaluate", "--datset", "D"}, "unknown flag '--datset' (did you mean '--dataset'?)"},
        {{"--detect", "photos/"}, "unknown flag '--detect' (did you mean 'fovea detect'?)"},
        {{"-detect", "photos/"}, "unknown flag '-detect' (did you mean 'fovea detect'?)"},
        {{"gallery", "--info", "people.fvg"}, "unknown flag '--info' (did you mean 'fovea gallery info'?)"},
        {{"help", "--track"}, "unknown flag '--track' (did you mean 'fovea track'?)"},
    });
}

TEST_CASE("a flag of another program or command names the right one", "[cli][slips]") {
    check_slips({
        {{"run", "a.json", "--output", "out"}, "unknown flag '--output' (did you mean '--out'?)"},
        {{"detect", "photos", "--out-dir=x"}, "unknown flag '--out-dir' (did you mean '--out'?)"},
        {{"detect", "photos", "--modle=wild"}, "unknown flag '--modle' (did you mean '--model'?)"},
        {{"detect", "photos", "--gpu"}, "unknown flag '--gpu' (did you mean '--device cuda'?)"},
        {{"detect", "photos", "--verbose"}, "(did you mean '--log-level debug'?)"},
        {{"detect", "--dataset", "photos"},
         "unknown flag '--dataset' (did you mean 'fovea detect IMAGES'?), without a flag"},
        {{"track", "--input", "clip.mp4"}, "(did you mean 'fovea track VIDEOS'?), without a flag"},
        {{"compare", "--reports", "a", "b"}, "(did you mean 'fovea compare A B'?), without a flag"},
        {{"convert", "a.json", "--format", "coco"}, "unknown flag '--format' (did you mean '--to'?)"},
        {{"detect", "photos", "--results", "r.jsonl"},
         "unknown flag '--results', which belongs to 'fovea people', 'fovea evaluate detection', 'fovea "
         "evaluate landmarks' and "},
        {{"devices", "--scale-factor", "1.1"}, ", not to 'fovea devices'; see 'fovea devices --help'"},
        {{"detect", "photos", "--version"}, "'--version', which belongs to 'fovea', not to 'fovea detect'"},
        {{"detect", "photos", "-model", "wild"}, "'-model' needs two dashes: '--model'; see"},
        {{"detect", "photos", "-out=x"}, "'-out' needs two dashes: '--out'; see 'fovea detect --help'"},
        {{"detect", "photos", "-j"}, "'--threads' needs a value: N; see"},
        {{"completion"}, "SHELL is required: bash, zsh, fish; see"},
    });
}

TEST_CASE("a value that looks like a flag with one dash is a value", "[cli][slips]") {
    const ProgramResult result = run_fovea({"detect", "x.jpg", "--pattern", "-model", "--print-config"});
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("\"pattern\": \"-model\""));
}

TEST_CASE("a word that is no command names the nearest one", "[cli][slips]") {
    const TempDir folder;
    ProgramOptions options;
    options.folder = folder.path();
    folder.write("photos/a.txt", "");
    check_slips(
        {
            {{"typo", "--help"}, "unknown subcommand 'typo'; see 'fovea --help'"},
            {{"detcet", "--help"},
             "unknown subcommand 'detcet' (did you mean 'detect'?); see 'fovea --help'"},
            {{"--help", "detcet"}, "unknown subcommand 'detcet' (did you mean 'detect'?)"},
            {{"evaluate", "typo", "--help"},
             "unknown subcommand 'typo': there are detection, landmarks, tracks, verification, "
             "identification, clustering; see 'fovea evaluate --help'"},
            {{"detects", "photos"}, "(did you mean 'detect'?)"},
            {{"eval", "detection"}, "unknown subcommand 'eval' (did you mean 'evaluate'?)"},
            {{"benchmark"}, "unknown subcommand 'benchmark' (did you mean 'bench'?)"},
            {{"recognize", "photos"}, "unknown subcommand 'recognize' (did you mean 'identify'?)"},
            {{"landmarks", "photos"},
             "unknown subcommand 'landmarks', but there are 'fovea evaluate landmarks', 'fovea train "
             "landmarks' and 'fovea bench landmarks'"},
            {{"lbp-weights"}, "unknown subcommand 'lbp-weights', but there is 'fovea train lbp-weights'"},
            {{"photos"}, "a subcommand must stand before 'photos' (did you mean 'fovea detect photos'?)"},
            {{"a/run.json"}, "(did you mean 'fovea run a/run.json'?)"},
            {{"bench", "photos"}, "a subcommand must stand before 'photos': detect, landmarks, "},
            {{"bench", "detection", "archive"},
             "unknown subcommand 'detection' (did you mean 'detect'?); see 'fovea bench --help'"},
            {{"evaluate", "detection", "D", "R"},
             "unknown argument 'D'; inputs are named with flags: --dataset, --results; see"},
            {{"convert", "a.json", "coco"}, "unknown argument 'coco' (did you mean '--to coco'?)"},
        },
        options);
}

TEST_CASE("images where a configuration is wanted say how they are used", "[cli][slips]") {
    const TempDir folder;
    ProgramOptions options;
    options.folder = folder.path();
    folder.write("archive/a.txt", "");
    for (const std::string name : {"archive/", "photo.jpg", "clip.mp4", "photos.tar"}) {
        check_slips(
            {{{"run", name},
              "'" + name +
                  "' stands where a configuration in JSON is needed; to find the faces in it: "
                  "'fovea detect " +
                  name + "'; to evaluate detectors on it: 'fovea run --dataset " + name + " --out DIR'"}},
            options);
    }
}

TEST_CASE("a flag with one value does not take the images that stand behind it", "[cli][slips]") {
    const TempDir folder;
    const std::string photos =
        folder.write("photos/flat.pgm", "P5 64 64 255\n" + std::string(64 * 64, '\x80'))
            .parent_path()
            .string();
    const ProgramResult result = run_fovea({"detect", "--model", "mct", photos, "--device", "cpu"});
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
}

}  // namespace fovea::test
