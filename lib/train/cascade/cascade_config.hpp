#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/json/json_fwd.hpp"
#include "lib/train/cascade/cascade_trainer.hpp"
#include "lib/train/samples/augment.hpp"

namespace fovea {

class FieldVisitor;

/// The features that a training chooses from.
enum class FeatureChoice { haar_basic, haar_core, haar_all, haar_oro, lbp };

/// A picture of tiles, one below the other, each of which is a positive.
struct SampleStrip {
    std::string path;
    int tile_height = 24;  ///< pixels; the picture's width is a tile's
    /// Centre and width of the window in a tile, pixels from the tile's corner. None of the three: the whole
    /// tile. The tile's border is continued where the window leaves the tile.
    std::optional<double> x, y, side;
};

struct SampleSettings {
    double margin = 0;
    bool distorted = false;
    double min_box = 0;
    bool mirrored = false;
    bool plain = true;
    int copies = 0;
    std::size_t max_sources = 0;  ///< the most files with objects, picked evenly; 0 = all
    std::size_t max_count = 0;    ///< the most samples, picked evenly; 0 = all
    AugmentOptions augment;
};

/// The samples that a cascade is tested on, window by window. No stage is trained on them, and none of its
/// thresholds is chosen by them.
struct TestSettings {
    /// Share of the files of the positives, and of the background images, that are kept for the test;
    /// 0: none, but a fifth for a sweep. It does not apply to a kind (positives, backgrounds) that is
    /// named here.
    double share = 0;
    std::vector<std::string> positives;    ///< datasets, or .vec files as vec:PATH
    std::vector<std::string> backgrounds;  ///< datasets
    std::optional<int> copies;             ///< of each positive; none: as many as for training
    std::size_t max_positives = 0;         ///< the most samples, picked evenly; 0 = all
    std::size_t negatives = 0;             ///< windows of the backgrounds; 0 = as many as there are positives
};

/// Everything that a training of a cascade depends on.
struct CascadeTrainConfig {
    std::string name = "cascade";
    int width = 24, height = 24;  ///< of the window, pixels
    FeatureChoice features = FeatureChoice::haar_basic;
    std::vector<std::string> positives;  ///< datasets (FORMAT:PATH), or .vec files as vec:PATH
    std::vector<SampleStrip> strips;
    /// Datasets; windows on their annotated objects are not taken.
    std::vector<std::string> backgrounds;
    SampleSettings samples;
    TreeSettings trees;
    StageSettings stages;
    TestSettings test;
    std::string sweep;  ///< see CascadeSweep; empty: one cascade is trained
    double scale_factor = 1.1;
    double max_object_iou = 0.2;
    int bin_megabytes = 1600;
    std::uint64_t seed = 1;

    Size window() const { return {width, height}; }
    bool has_test() const {
        return test.share > 0 || !test.positives.empty() || !test.backgrounds.empty() || !sweep.empty();
    }
    /// TestSettings::share, as it counts.
    double test_share() const;
};

// The fields of each struct, with their ranges and flags: see FieldVisitor.
void describe(FieldVisitor& visitor, SampleStrip& strip);
void describe(FieldVisitor& visitor, AugmentOptions& options);
void describe(FieldVisitor& visitor, SampleSettings& samples);
void describe(FieldVisitor& visitor, TreeSettings& trees);
void describe(FieldVisitor& visitor, StageSettings& stages);
void describe(FieldVisitor& visitor, TestSettings& test);
void describe(FieldVisitor& visitor, CascadeTrainConfig& config);

/// Checks a configuration. \throws UsageError naming the first value out of its range, if positives or
/// backgrounds are missing, and for more features than max_pool_features.
void validate_cascade_config(const CascadeTrainConfig& config);
/// Does it for the samples alone: backgrounds are needed only behind copies.
void validate_sample_config(const CascadeTrainConfig& config);

/// The settings that a cascade depends on, without the paths of its data, because a cascade does not depend
/// on paths.
Json settings_without_paths(const CascadeTrainConfig& config);

/// The pool that the configuration names.
WindowFeatures features_of(const CascadeTrainConfig& config);
/// The part of a configuration that the trainer needs.
CascadeTrainerSettings trainer_settings(const CascadeTrainConfig& config);
/// The parameters that the cascade's file has.
CascadeXmlInfo xml_info(const CascadeTrainConfig& config);

}  // namespace fovea
