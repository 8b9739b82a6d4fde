#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/json/json.hpp"
#include "tests/lib/train/mct/synthetic_faces.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea::test {

/// Tiles, portraits, grounds and a configuration that trains on them in a second.
struct MctWorkshop {
    MctWorkshop() {
        folder.write("strip.pgm", strip_pgm(200));
        write_portraits(folder, "portraits", 25);
        for (int i = 0; i < 12; ++i) {
            folder.write("grounds/" + std::to_string(i) + ".pgm",
                         pgm_of(ground(120, 90, 100 + static_cast<std::uint32_t>(i))));
        }
        const Json config{{"name", "drawn"},
                          {"strips", {{{"path", "${WORKSHOP}/strip.pgm"}, {"tile", 24}}}},
                          {"datasets", {"pts:${WORKSHOP}/portraits"}},
                          {"backgrounds", {"folder:${WORKSHOP}/grounds"}},
                          {"cascade",
                           {{"coarse_lookups", 4},
                            {"coarse_loss", 0.03},
                            {"lookups", 20},
                            {"losses", {{20, 0.1}}},
                            {"stage_positions", {3, 6}},
                            {"stage_loss", 0.05}}},
                          {"negatives", {{"count", 300}}}};
        config_file = folder.write("train.json", config.dump(2)).string();
        options.environment["WORKSHOP"] = folder.path().string();
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    std::vector<std::string> command(std::vector<std::string> more) const {
        more.insert(more.begin(), {"train", "mct", "--config", config_file, "--device", "cpu"});
        return more;
    }
    ProgramResult train(const std::vector<std::string>& more) const {
        return run_fovea(command(more), options);
    }

    TempDir folder;
    ProgramOptions options;
    std::string config_file;
};

}  // namespace fovea::test
