// Names go from a photo manager's sidecars into a gallery, and from results back into sidecars.
#include <catch2/catch.hpp>

#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "lib/recognise/gallery_file.hpp"
#include "tests/support/json_lines.hpp"
#include "tests/support/still_portraits.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// Two faces that edge_cascade() finds side by side, each with a texture of its own.
std::string pair_pgm() {
    constexpr int width = 200, height = 70;
    const GreyImage left = smooth_noise(width / 2, height, 5, 1),
                    right = smooth_noise(width / 2, height, 5, 2);
    std::string bytes = "P5\n200 70\n255\n";
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const int within = x % (width / 2);
            const GreyImage& texture = x < width / 2 ? left : right;
            const int grain =
                texture.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width / 2) +
                               static_cast<std::size_t>(within)] /
                8;
            bytes += static_cast<char>((within < width / 4 ? 180 : 40) + grain);
        }
    }
    return bytes;
}

struct NamedPhotos : PhotoFolder {
    NamedPhotos() : PhotoFolder({{"pair.pgm", pair_pgm()}, {"sub/nobody.pgm", edge_pgm(80, 70)}}) {
        landmarks = folder.write("still.dat", still_landmark_file()).string();
        folder.write("models/landmarks/boxes.json",
                     conventions_to_json({{"edge", {0, 0.25, 1, 0.75}, {}, 10}}).dump());
        options.environment["FOVEA_MODELS"] = path("models");
        // Boxes as somebody draws them: other than those of the detector.
        set =
            folder
                .write("set.json", R"({"format": "fovea-dataset", "version": 1, "name": "n", "root": "photos",
            "images": [{"image": "pair.pgm", "annotated": true, "faces": [
              {"box": [20, 5, 60, 60], "attributes": {"name": "Ann \"<&>\" Ä"}},
              {"box": [125, 10, 50, 50], "attributes": {"name": "Bob"}}]},
             {"image": "sub/nobody.pgm", "annotated": true, "faces": [{"box": [10, 5, 60, 60]}]}]})")
                .string();
    }
    ProgramResult run(std::vector<std::string> arguments) const { return run_fovea(arguments, options); }
    ProgramResult search(const std::string& command, std::vector<std::string> more) const {
        std::vector<std::string> arguments{command,   "xmp:" + photos, "--model", model,   "--landmarks",
                                           landmarks, "--device",      "cpu",     "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
    std::vector<std::string> enrolled(const std::string& gallery) const {
        std::vector<std::string> faces;
        for (const GalleryFace& face : read_gallery(path(gallery)).faces)
            faces.push_back(face.image + " " + (face.box->x < 100 ? "left" : "right") + " " + face.subject);
        std::sort(faces.begin(), faces.end());
        return faces;
    }

    std::string landmarks, set;
    ProgramOptions options;
};

}  // namespace

TEST_CASE("names in sidecars are enrolled, and found names become sidecars", "[cli][xmp]") {
    const NamedPhotos f;
    const ProgramResult converted =
        f.run({"convert", "fovea:" + f.set, "--to", "xmp", "--out", f.photos, "--json"});
    CAPTURE(converted.err);
    REQUIRE(converted.exit_code == 0);
    CHECK(Json::parse(converted.out)["files"] == 2);
    CHECK(Json::parse(converted.out)["faces"] == 3);
    const std::string sidecar = f.path("photos/pair.pgm.xmp");
    REQUIRE(fs::exists(sidecar));
    REQUIRE(fs::exists(f.path("photos/sub/nobody.pgm.xmp")));
    CHECK(read_bytes(f.path("photos/pair.pgm")) == pair_pgm());

    const ProgramResult enrolled = f.search("enroll", {"--gallery", f.path("g.fvg")});
    CAPTURE(enrolled.err, enrolled.out);
    REQUIRE(enrolled.exit_code == 0);
    CHECK(f.enrolled("g.fvg") ==
          std::vector<std::string>{"pair.pgm left Ann \"<&>\" Ä", "pair.pgm right Bob"});
    CHECK_THAT(enrolled.err, Contains("1 image without a named face is left out"));
    // Once more, nothing is enrolled twice.
    const Json again = Json::parse(f.search("enroll", {"--gallery", f.path("g.fvg")}).out);
    CHECK(again["faces"] == 0);
    CHECK(again["already_there"] == 2);
    // All faces, those without a name, too.
    CHECK(f.search("enroll", {"--gallery", f.path("all.fvg"), "--all-faces"}).exit_code == 0);
    CHECK(f.enrolled("all.fvg") == std::vector<std::string>{"pair.pgm left Ann \"<&>\" Ä",
                                                            "pair.pgm right Bob", "sub/nobody.pgm left "});
    CHECK(f.search("enroll", {"--gallery", f.path("one.fvg"), "--subject", "X", "--pattern", "nobody*"})
              .exit_code == 0);
    CHECK(f.enrolled("one.fvg") == std::vector<std::string>{"sub/nobody.pgm left X"});

    // Back: a rating that somebody gave since stays.
    std::string rated = read_bytes(sidecar);
    rated.replace(rated.find("<rdf:Description "), 17,
                  "<rdf:Description xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\" xmp:Rating=\"5\" ");
    f.folder.write("photos/pair.pgm.xmp", rated);
    const std::string results = f.path("found.jsonl");
    REQUIRE(f.search("identify",
                     {"--gallery", f.path("g.fvg"), "--all-faces", "--out", results, "--threshold", "0.001"})
                .exit_code == 0);
    const std::vector<std::string> back{
        "convert", "folder:" + f.photos, "--results", results, "--to", "xmp", "--out", f.photos};
    const ProgramResult refused = f.run(back);
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, Contains("pair.pgm.xmp") && Contains("--overwrite"));
    CHECK(read_bytes(sidecar) == rated);
    std::vector<std::string> over = back;
    over.emplace_back("--overwrite");
    const ProgramResult written = f.run(over);
    CAPTURE(written.err);
    CHECK(written.exit_code == 0);
    CHECK_THAT(read_bytes(sidecar), Contains("xmp:Rating=\"5\"") &&
                                        Contains("mwg-rs:Name=\"Ann &quot;&lt;&amp;&gt;&quot; Ä\"") &&
                                        Contains("mwg-rs:Name=\"Bob\""));
    CHECK_THAT(read_bytes(f.path("photos/sub/nobody.pgm.xmp")),
               Contains("mwg-rs:Type=\"Face\"") && !Contains("mwg-rs:Name"));
    // Nobody knows how photographs are turned that are not named.
    CHECK(f.run({"convert", "--results", results, "--to", "xmp", "--out", f.path("apart")}).exit_code == 2);
    // A file that is no sidecar is not replaced.
    f.folder.write("photos/pair.pgm.xmp", "my notes");
    const ProgramResult kept = f.run(over);
    CHECK(kept.exit_code == 1);
    CHECK_THAT(kept.err, Contains("pair.pgm.xmp' is there already and is no sidecar"));
    CHECK(read_bytes(sidecar) == "my notes");
}

TEST_CASE("a name at whose place no face is found is a failure, as is a photograph that is gone",
          "[cli][xmp]") {
    const NamedPhotos f;
    REQUIRE(f.run({"convert", "fovea:" + f.set, "--to", "xmp", "--out", f.photos}).exit_code == 0);
    // Ann's box is moved to the gap between the faces.
    std::string sidecar = read_bytes(f.path("photos/pair.pgm.xmp"));
    sidecar.replace(sidecar.find("stArea:x=\"0.25\""), 15, "stArea:x=\"0.5\"");
    f.folder.write("photos/pair.pgm.xmp", sidecar);
    f.folder.write("photos/gone.jpg.xmp", sidecar);
    const ProgramResult enrolled = f.search("enroll", {"--gallery", f.path("g.fvg")});
    CAPTURE(enrolled.err);
    CHECK(enrolled.exit_code == 3);
    CHECK(f.enrolled("g.fvg") == std::vector<std::string>{"pair.pgm right Bob"});
    CHECK_THAT(enrolled.err,
               Contains("no face was found where there is 'Ann \"<&>\" Ä'") && Contains("gone.jpg"));
    CHECK(Json::parse(enrolled.out)["failures"] == 2);
}
