#pragma once

#include <span>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/landmarks/error_distribution.hpp"
#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/evaluate/statistics/resample.hpp"

namespace fovea {

/// The faces of a slice, by their index in LandmarkEvaluation::outcomes.
struct SliceMembers {
    std::string by;
    std::string label;
    std::vector<std::size_t> faces;
};

/// Slices by width of the true landmarks' box, then by every attribute of face or image that has 2 to 20
/// values. Slices without faces are left out. \param warnings receives a sentence for every attribute with
/// more values.
std::vector<SliceMembers> landmark_slices(const Dataset& dataset, const std::vector<LandmarkFace>& faces,
                                          std::vector<std::string>& warnings);

/// All numbers of a LandmarkEvaluation for resampling by images: groups of numbers, each group of one
/// set of errors. Keys are those of report.json: "nme.outer_eye_corners.mean" and so on, "pixels.mean",
/// "missed_rate", "point.36.mean", "region.jaw.mean", "slice.face width.64–128.mean";
/// "nme.outer_eye_corners.ced_0.0025" and so on are the bands. Two evaluations of one dataset have
/// equal units.
class LandmarkStatistics : public BootstrapStatistics {
  public:
    /// Reads name, normalisers and outcomes of the evaluation.
    LandmarkStatistics(const LandmarkEvaluation& evaluation, const std::vector<SliceMembers>& slices);

    std::size_t units() const override { return units_; }
    const std::vector<Quantity>& quantities() const override { return quantities_; }
    void evaluate(Weights weights, std::span<double> values) const override;

    /// Puts the numbers into the evaluation, under their keys within their groups, with the counts and sorted
    /// errors that belong to them. \param estimates of all statistics, in their order.
    void fill(std::span<const Number> estimates, const std::vector<SliceMembers>& slices,
              LandmarkEvaluation& evaluation) const;

    /// A number of a distribution.
    struct ErrorQuantity {
        std::string key;
        std::string name;
        std::string definition;
        double argument = 0;
        double (*value)(const WeightedErrors&, double argument) = nullptr;
        Better better = Better::lower;
        Unit unit = Unit::number;
        bool headline = false;
    };

  private:
    struct Group {
        ErrorDistribution errors;
        const std::vector<ErrorQuantity>* quantities = nullptr;
    };
    void add(const std::string& prefix, const std::string& what, std::vector<UnitError> errors,
             const std::vector<ErrorQuantity>& quantities);

    std::size_t units_ = 0;
    std::vector<Group> groups_;
    std::vector<Quantity> quantities_;
};

}  // namespace fovea
