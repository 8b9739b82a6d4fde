#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lib/evaluate/statistics/resample.hpp"

namespace fovea {

/// The score of a comparison that was not made because one of its images could not be enrolled.
constexpr double not_enrolled = -std::numeric_limits<double>::infinity();

/// Similarities of images, larger is more alike: a row for every probe, a column for every gallery image, row
/// by row. A value is not_enrolled if one of the two images was not enrolled, and NaN if the two are not to
/// be compared (an image with itself).
struct SimilarityMatrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<double> values;

    double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

/// An identification experiment: who is in which image.
struct IdentificationSet {
    std::vector<std::string> gallery;  ///< names of the images
    std::vector<std::string> probes;
    /// Parallel to gallery: subjects numbered from 0; gallery and probes share the numbers.
    std::vector<int> gallery_subjects;
    std::vector<int> probe_subjects;  ///< parallel to probes
    int subjects = 0;                 ///< numbers are below this
    /// Parallel to probes: the identical image of the gallery, if there is one; the two are not compared.
    std::vector<std::optional<std::size_t>> same_image;
};

/// The result of the search with one probe. A gallery subject's score is the best of its images'.
struct ProbeSearch {
    bool mated = false;  ///< its subject is in the gallery
    /// The score of its subject; not_enrolled if the probe or all its mates failed.
    double mate_score = not_enrolled;
    std::uint32_t greater = 0;         ///< other subjects that score higher than the mate
    std::uint32_t ties = 0;            ///< other subjects that score the same
    double best_score = not_enrolled;  ///< of any subject

    bool ranked() const { return mate_score != not_enrolled; }
    /// Probability that the mate is within the `rank` most alike subjects when ties are broken at random: 0
    /// below its optimistic rank greater + 1, 1 from its pessimistic rank greater + ties + 1 on, rising
    /// evenly between.
    double within(std::uint32_t rank) const;
};

/// Searches with all probes, on several threads.
std::vector<ProbeSearch> search_gallery(const IdentificationSet& set, const SimilarityMatrix& scores);

/// How ties with the mate count.
enum class Ties {
    mid,          ///< broken at random: the expected rate; the mate's mean rank is its mid-rank
    optimistic,   ///< the mate comes first
    pessimistic,  ///< the mate comes last
};

struct CmcPoint {
    int rank = 0;
    double rate = 0;  ///< Ties::mid
    double optimistic = 0;
    double pessimistic = 0;
    std::optional<Interval> ci95{};  ///< of rate; at some ranks only
};

struct IdentificationOptions {
    bool distance = false;  ///< the scores as given are distances: smaller is more alike
    int bootstrap_resamples = 1000;
    std::uint64_t bootstrap_seed = 1;
};

/// Closed-set identification for resampling; units are the probes. Statistics: rank1,
/// rank1_optimistic, rank1_pessimistic, rank5, rank10, rank20 (where the gallery has as many
/// subjects), then the CMC at band_ranks().
class IdentificationCurve : public BootstrapStatistics {
  public:
    /// \param gallery_subjects how many subjects the gallery has.
    IdentificationCurve(const std::vector<ProbeSearch>& searches, int gallery_subjects);

    std::size_t units() const override { return searches_.size(); }
    const std::vector<Quantity>& quantities() const override { return quantities_; }
    void evaluate(Weights weights, std::span<double> values) const override;

    /// At most 60 ranks from 1 to the number of subjects, dense at the small ones.
    const std::vector<int>& band_ranks() const { return band_ranks_; }
    std::size_t first_band() const { return quantities_.size() - band_ranks_.size(); }
    /// The CMC at every rank.
    std::vector<CmcPoint> curve() const;

  private:
    struct Request {  // parallel to quantities_
        int rank = 1;
        Ties ties = Ties::mid;
    };
    double rate(Weights weights, const std::vector<double>& untied, double mated,
                const Request& request) const;
    std::vector<double> untied_within(Weights weights) const;
    double mated(Weights weights) const;

    const std::vector<ProbeSearch>& searches_;
    std::size_t ranks_;
    std::vector<std::size_t> tied_;  // probes whose mate shares its score
    std::vector<int> band_ranks_;
    std::vector<Request> requests_;
    std::vector<Quantity> quantities_;
};

}  // namespace fovea
