#pragma once

#include <string>

#include <catch2/catch.hpp>

#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"

namespace fovea::test {

/// Photographs that archives are made of, for commands that run `fovea detect` on such.
struct ArchivePhotos : PhotoFolder {
    ArchivePhotos() : PhotoFolder({{"a.pgm", edge_pgm(120, 90)}, {"b.pgm", noise_pgm(90, 70, 3)}}) {}
};

/// Such a command tells what the program says when it fails. \param run runs it with a model
template <class Run>
void check_failures_of_detect(const ArchivePhotos& photos, const Run& run) {
    using Catch::Matchers::Contains;
    photos.folder.write("broken.xml", "<opencv_storage>");
    const ProgramResult broken = run(photos.path("broken.xml"));
    CHECK(broken.exit_code == 1);
    CHECK_THAT(broken.err, Contains("failed with exit code 1") && Contains("broken.xml"));
    // A model that is not there is found out before anything runs.
    const ProgramResult without = run(photos.path("none.xml"));
    CHECK(without.exit_code == 2);
    CHECK_THAT(without.err, Contains("there is no model") && Contains("none.xml"));
}

}  // namespace fovea::test
