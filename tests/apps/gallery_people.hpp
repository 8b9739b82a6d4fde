#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"

namespace fovea::test {

/// A "face": the subject's texture, with noise that makes every image another.
inline std::string portrait(std::uint32_t subject, std::uint32_t image) {
    GreyImage face = smooth_noise(65, 75, 3, 100 + subject);
    const GreyImage grain = noise(65, 75, 1000 * subject + image);
    std::string pixels;
    for (std::size_t i = 0; i < face.pixels.size(); ++i) {
        pixels += static_cast<char>((7 * face.pixels[i] + grain.pixels[i]) / 8);
    }
    return "P5\n65 75\n255\n" + pixels;
}

inline const std::vector<std::string> subjects{"Ann", "Bob", "Cid"};

/// Portraits of three people, four of each, in a folder each: images 1 and 2 are to be enrolled, 3 and 4 are
/// probes.
struct People {
    People() {
        for (std::uint32_t s = 0; s < subjects.size(); ++s) {
            for (std::uint32_t i = 1; i <= 4; ++i) {
                folder.write("people/" + subjects[s] + "/" + std::to_string(i) + ".pgm", portrait(s, i));
            }
        }
        people = "folder:" + path("people");
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }

    ProgramResult enroll(const std::string& gallery, std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments{"enroll", people,    "--pattern", "*/[12].pgm", "--gallery",
                                           gallery,  "--faces", "image",     "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_fovea(arguments);
    }
    ProgramResult identify(const std::string& gallery, std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments{"identify",  people,  "--pattern", "*/[34].pgm",
                                           "--gallery", gallery, "--faces",   "image"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_fovea(arguments);
    }

    TempDir folder;
    std::string people;
};

}  // namespace fovea::test
