// The text that libraries write on their own does not stand among the program's messages.

#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/edge_scene.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/photo_encoders.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

/// JPEG XL files with a byte changed in each: Debian's libjxl complains of most.
PhotoFolder damaged_files() {
    const ByteVector whole = encode_jpeg_xl(colour_picture(64, 48));
    std::vector<std::pair<std::string, std::string>> files;
    for (std::size_t i = 0; i < 12; ++i) {
        std::string bytes(whole.begin(), whole.end());
        bytes[bytes.size() * (i + 2) / 16] ^= 0x5a;
        files.emplace_back(std::to_string(i) + ".jxl", bytes);
    }
    return PhotoFolder(files);
}

ProgramResult detect(const PhotoFolder& f, const std::vector<std::string>& more) {
    std::vector<std::string> words{"detect", f.photos, "--model",         f.model,      "--device",
                                   "cpu",    "--out",  f.path("r.jsonl"), "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    return run_fovea(words);
}

}  // namespace

TEST_CASE("libraries do not write past the log", "[cli][progress]") {
    const PhotoFolder f = damaged_files();
    const ProgramResult run = detect(f, {"--progress", "json"});
    CHECK(run.exit_code == 3);
    std::istringstream lines(run.err);
    for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        CHECK((line.starts_with('{') || line.starts_with("fovea: ")));
    }
    CHECK(run.err.find("a library says") == std::string::npos);
}

TEST_CASE("the log tells what libraries say, if asked", "[cli]") {
    const PhotoFolder f = damaged_files();
    CHECK_THAT(detect(f, {"--log-level", "debug"}).err, Contains("fovea: debug: a library says: "));
}
