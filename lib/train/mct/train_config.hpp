#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/json/json_fwd.hpp"
#include "lib/train/mct/boost.hpp"

namespace fovea {

class FieldVisitor;

/// A picture of face tiles of one size, one below the other.
struct TileStrip {
    std::string path;
    int tile = 24;  ///< edge of a tile, pixels: the picture's width
    /// The window in a tile: its centre and side, pixels, (0, 0) being the tile's corner.
    double x = 12;
    double y = 12;
    double side = 24;
};

struct JitterSettings {
    int copies = 3;            ///< patches a face; every second one mirrored
    double shift = 0.02;       ///< at most, of the window's side, both directions
    double scale = 0.05;       ///< at most, of the side
    double noise = 0;          ///< standard deviation of added noise at most, grey levels of the patch
    double blur = 0;           ///< share of a 3×3 binomial blur at most, 0 to 1
    double rotation_deg = 10;  ///< at most
};

enum class CascadeKind {
    soft,    ///< a threshold after every look-up, coarse planes first
    staged,  ///< Fröba and Ernst 2004: stages on plane pixel with a growing number of positions
};

/// A cumulative share of faces that may be lost by a number of look-ups.
struct LossPoint {
    int lookups = 0;
    double loss = 0;
};

/// The losses of a soft cascade that nobody chose otherwise.
std::vector<LossPoint> default_losses();

struct CascadeSettings {
    CascadeKind kind = CascadeKind::soft;
    int coarse_lookups = 24;  ///< soft: on the planes of cells
    /// Faces that they may lose in all; grows with the root of their number.
    double coarse_loss = 0.006;
    int lookups = 520;  ///< soft: in all
    /// Soft: beyond the coarse ones' loss, linear in between.
    std::vector<LossPoint> losses = default_losses();
    std::vector<int> stage_positions{10, 20, 40, 80, 484};  ///< staged: positions allowed in each
    double stage_loss = 0.004;                              ///< staged: faces each may lose
};

struct NegativeSettings {
    std::size_t count = 60000;  ///< windows trained against at a time
    double scale_factor = 1.15;
    double max_face_iou = 0.2;  ///< portraits: windows overlapping a face more are not taken
    bool portraits = true;      ///< take windows from the datasets' own images, too
    /// A model whose detections in these images (confidence above one half) are not taken as negatives,
    /// because portraits show people who are not annotated. Empty = none.
    std::string portraits_cleaned_by;
};

/// Everything that a training depends on.
struct TrainConfig {
    std::string name = "mct";
    std::vector<TileStrip> strips;
    std::vector<std::string> datasets;     ///< faces with eyes: FORMAT:PATH
    std::vector<std::string> backgrounds;  ///< images without faces: FORMAT:PATH
    /// Side of the window divided by the side of the face's box (mit_cmu_face_box).
    double window_over_face = 1.1;
    JitterSettings jitter;
    BoostSettings boosting;
    CascadeSettings cascade;
    NegativeSettings negatives;
    /// Every n-th image of the datasets, and of the backgrounds, validates.
    int validation_every = 5;
    std::uint64_t seed = 1;
};

// The fields of each struct, with their ranges and flags: see FieldVisitor.
void describe(FieldVisitor& visitor, TileStrip& strip);
void describe(FieldVisitor& visitor, JitterSettings& jitter);
void describe(FieldVisitor& visitor, BoostSettings& boosting);
void describe(FieldVisitor& visitor, CascadeSettings& cascade);
void describe(FieldVisitor& visitor, NegativeSettings& negatives);
void describe(FieldVisitor& visitor, TrainConfig& config);

/// Checks a configuration. \throws UsageError naming the first value out of its range, and if there are no
/// faces or no backgrounds.
void validate_train_config(const TrainConfig& config);

}  // namespace fovea
