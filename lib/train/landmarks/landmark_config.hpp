#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/json/json_fwd.hpp"

namespace fovea {

class FieldVisitor;

/// Errors that copies' boxes have after they are fitted anew (LandmarkModel::refit_after): faces that are
/// learned fit better than faces in use. Standard deviations.
struct RefitError {
    double shift = 0.04;  ///< sides of the box, along each
    double scale = 0.05;  ///< of its logarithm
    double turn_deg = 4;
};

/// The boxes in which copies of a face begin.
struct LandmarkBoxSettings {
    /// Detector models; errors are drawn from the errors of their boxes. None = tight boxes only.
    std::vector<std::string> detectors{"mct"};
    /// Share of the copies whose error is drawn from the errors of tight boxes of landmarks, 0 to 1.
    double tight_share = 0.35;
    double widening = 1.5;  ///< factor on the errors: those on unseen images are larger
    double margin = 0.2;    ///< between the mean face and the model's box, share of its longer side
    RefitError refit_error;
};

/// The copies of every face.
struct LandmarkCopySettings {
    int count = 20;            ///< each in a box of its own (Kazemi and Sullivan's R)
    bool mirrored = true;      ///< every second one is mirrored; 68 points only
    double rotation_deg = 20;  ///< turned by at most that
};

/// The pixels that the trees of a cascade level compare.
struct LandmarkPixelSettings {
    int count = 400;
    double padding = 0;  ///< of the area beyond the mean face's tight box, share of its sides
    /// λ: pairs are drawn with exp(-distance / λ), in units of the longer side of the mean face's tight box.
    double prior = 0.07;
};

struct LandmarkTreeSettings {
    int cascades = 15;
    int refit_after = 0;  ///< LandmarkModel::refit_after
    int trees = 400;      ///< of each cascade level
    int depth = 3;
    double shrinkage = 0.1;  ///< ν
    /// Share of the copies that a tree is fitted to, drawn for every tree anew.
    double sample_share = 0.5;
    int tests = 60;  ///< splits tried at each node
};

/// Everything that a training of landmarks depends on. The defaults were chosen on held-out training faces of
/// HELEN, where they give smaller errors than the settings of dlib 19.24 (10 cascades of 500 trees of depth
/// 4, 20 tests, λ 0.1), with a file of 7 MB.
struct LandmarkTrainConfig {
    std::string name = "landmarks";
    std::vector<std::string> datasets;  ///< with landmarks: FORMAT:PATH
    LandmarkBoxSettings boxes;
    LandmarkCopySettings copies;
    LandmarkPixelSettings pixels;
    LandmarkTreeSettings trees;
    int subpixels = 16;    ///< landmarks are rounded to 1/16 pixel
    double holdout = 0.1;  ///< share of the images that validate
    std::uint64_t seed = 1;
};

// The fields of each struct, with their ranges and flags: see FieldVisitor.
void describe(FieldVisitor& visitor, LandmarkBoxSettings& boxes);
void describe(FieldVisitor& visitor, LandmarkCopySettings& copies);
void describe(FieldVisitor& visitor, LandmarkPixelSettings& pixels);
void describe(FieldVisitor& visitor, LandmarkTreeSettings& trees);
void describe(FieldVisitor& visitor, LandmarkTrainConfig& config);

/// Checks a configuration. \throws UsageError naming the first value out of its range, and if there are
/// no faces.
void validate_landmark_train_config(const LandmarkTrainConfig& config);

}  // namespace fovea
