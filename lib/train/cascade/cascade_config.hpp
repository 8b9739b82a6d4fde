#pragma once

#include <filesystem>
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
    double margin = 0;     ///< added on each side, as a share of the tile; below 0 it is cut tighter
};

struct SampleSettings {
    double margin = 0;
    bool distorted = false;
    double min_box = 0;
    bool mirrored = false;
    bool plain = true;
    int copies = 0;
    AugmentOptions augment;
};

/// Everything that a training of a cascade depends on.
struct CascadeTrainConfig {
    std::string name = "cascade";
    int width = 24, height = 24;  ///< of the window, pixels
    FeatureChoice features = FeatureChoice::haar_basic;
    std::vector<std::string> positives;  ///< datasets (FORMAT:PATH), or .vec files as vec:PATH
    std::vector<SampleStrip> strips;
    std::vector<std::string> backgrounds;  ///< datasets; windows on their annotated objects are not taken
    SampleSettings samples;
    TreeSettings trees;
    StageSettings stages;
    double scale_factor = 1.1;
    double max_object_iou = 0.2;
    int bin_megabytes = 1600;
    std::uint64_t seed = 1;

    Size window() const { return {width, height}; }
};

// The fields of each struct, with their ranges and flags: see FieldVisitor.
void describe(FieldVisitor& visitor, SampleStrip& strip);
void describe(FieldVisitor& visitor, AugmentOptions& options);
void describe(FieldVisitor& visitor, SampleSettings& samples);
void describe(FieldVisitor& visitor, TreeSettings& trees);
void describe(FieldVisitor& visitor, StageSettings& stages);
void describe(FieldVisitor& visitor, CascadeTrainConfig& config);

/// \throws UsageError on an unknown key or a wrong type; names the key's full path.
CascadeTrainConfig cascade_config_from_json(const Json& json);
Json cascade_config_to_json(const CascadeTrainConfig& config);

/// Reads a configuration file; environment variables in paths are replaced as in RunConfig.
/// \throws UsageError as cascade_config_from_json and for broken JSON; names the file.
CascadeTrainConfig load_cascade_config(const std::filesystem::path& file);

/// \throws UsageError naming the first value out of its range, if positives or backgrounds are missing, and
/// for more features than max_pool_features.
void validate_cascade_config(const CascadeTrainConfig& config);

/// The pool that the configuration names.
WindowFeatures features_of(const CascadeTrainConfig& config);
CascadeTrainerSettings trainer_settings(const CascadeTrainConfig& config);
/// The parameters that the cascade's file has.
CascadeXmlInfo xml_info(const CascadeTrainConfig& config);

}  // namespace fovea
