#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernels/face_crop/face_crop_body.hpp"
#include "kernels/face_normalise/face_normalise.hpp"
#include "kernels/histogram_search/histogram_distance_body.hpp"
#include "kernels/lbp/lbp_plan.hpp"
#include "kernels/vector_search/vector_distance_body.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/recognise/far_thresholds.hpp"
#include "lib/recognise/networks/network_file.hpp"
#include "lib/recognise/networks/onnx_network.hpp"
#include "lib/recognise/recogniser_kinds.hpp"
#include "lib/recognise/region_weights.hpp"

namespace fovea {

/// The recogniser that is used where none is named.
inline const std::string default_recogniser = "lbp";

/// The points that put a face in its place.
enum class FaceAlignment {
    eyes,  ///< the eyes as they were found
    /// If all landmarks are known, the eyes of the mean shape that fits them best (least squares).
    landmarks,
    dlib,     ///< the template of dlib's chips, fitted to the landmarks: see face_templates()
    arcface,  ///< that of ArcFace's crops
};

/// The name in a recogniser's file: "eyes", "landmarks", "dlib" or "arcface".
std::string to_string(FaceAlignment alignment);

/// Everything that decides a face's features and the distance of two: what a recogniser's JSON file holds.
struct RecogniserConfig {
    std::string name = default_recogniser;
    const RecogniserKind* kind = &recogniser_kinds().front();
    CropGeometry geometry;
    FaceAlignment alignment = FaceAlignment::eyes;
    FaceNormalisation normalisation;
    /// The face and its mirror image are described together, which makes left and right alike: patterns of
    /// both are counted into the same histograms, and a network's vector is the mean of both.
    bool mirror = false;
    /// Distances at false accept rates, measured with these features, distance and weights; may be empty.
    FarThresholds thresholds;

    // The rest is of local binary patterns.

    std::vector<RegionalLbp> features;
    HistogramDistance distance = HistogramDistance::chi_square;
    /// The weight of every region of every feature, in their order, 0 to 255; empty = all 1. Held in units
    /// of 1/256.
    std::vector<double> weights;
    /// Weights for the folds of the list of pairs that they were learned on, each without its own fold;
    /// see RegionWeights.
    FoldWeights fold_weights;

    // The rest is of networks.

    NetworkFile network;
    VectorDistance vector_distance = VectorDistance::euclidean;
    OnnxSettings onnx;
};

/// Reads a recogniser; lib/recognise/README.md documents its JSON. Regions are given by cell, by rows and
/// columns or by size and stride; weights as a list, as "ahonen" (7×7 regions of one feature) or as a file
/// that `fovea train lbp-weights` wrote, relative to `folder`. \throws UsageError naming the key's full path,
/// also for thresholds that were measured with another distance.
RecogniserConfig recogniser_config_from_json(const Json& json, const std::filesystem::path& folder);

/// Writes a recogniser in one canonical form, with every region and weight, so that equal recognisers have
/// equal bytes.
Json recogniser_config_to_json(const RecogniserConfig& config);

/// Hexadecimal SHA-256 of what decides features (not distance, weights or name): galleries of one fingerprint
/// hold comparable vectors.
std::string feature_fingerprint(const RecogniserConfig& config);

/// Hexadecimal SHA-256 of what decides the distance of two faces: features, distance and weights. Thresholds
/// belong to one fingerprint.
std::string distance_fingerprint(const RecogniserConfig& config);

/// The thresholds of a gallery's recogniser: its own, else those of the recogniser that ships under its name,
/// if the distances of the two are equal; else none.
FarThresholds known_thresholds(const RecogniserConfig& config);

/// A recogniser's file: a path as given, else recognisers/NAME.json in one of the folders of
/// models (model_folders()).
/// \throws UsageError naming the places that were searched.
std::filesystem::path find_recogniser(const std::string& file_or_name);

/// The names of the recognisers that ship with the program, sorted.
std::vector<std::string> known_recognisers();

/// Reads the recogniser that find_recogniser() finds. \throws what that throws; UsageError or Error if the
/// file is broken.
RecogniserConfig load_recogniser(const std::string& file_or_name);

/// load_recogniser() with all weights 1 and without thresholds, whatever the file says of them: the file of
/// the weights need not exist yet.
RecogniserConfig load_unweighted_recogniser(const std::string& file_or_name);

/// load_recogniser() without thresholds, which are to be measured: the file may hold those of
/// another distance.
RecogniserConfig load_measured_recogniser(const std::string& file_or_name);

}  // namespace fovea
