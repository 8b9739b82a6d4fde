#pragma once

#include <filesystem>

namespace fovea::test {

/// Writes images sNN/sNN_0001.png ... below a folder, as LFW and folders of subjects have them: textures of
/// 64×72 pixels, one a subject, each image with noise of its own, so that images of a subject are alike and
/// others are not.
void write_subjects(const std::filesystem::path& folder, int subjects, int images);

}  // namespace fovea::test
