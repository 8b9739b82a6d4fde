#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/evaluate/recognition/group_pairing.hpp"
#include "lib/evaluate/statistics/resample.hpp"

namespace fovea {

/// The faces of one subject in one group.
struct GroupCell {
    std::uint32_t group = 0;
    std::uint32_t subject = 0;
    std::uint32_t faces = 0;
};

/// Groups of faces for resampling; units are the subjects. A subject's own faces stay together, so that
/// intervals are over people.
///
/// A face's B-cubed precision is the share of the faces in its group, itself included, that show its subject;
/// its recall is the share of its subject's faces that are in its group. Both are averaged over faces.
/// Pairwise precision is the share of the pairs of faces in one group that show one subject, pairwise recall
/// the share of the pairs of faces of one subject that are in one group. F1 is the harmonic mean. A number is
/// undefined without faces or pairs to divide by.
///
/// A resample gives the subjects weights w. A face keeps its precision and recall, and counts w(s) times in
/// the averages: a face that lost the other people of its group with every resample would look better than it
/// is. A pair of two subjects s and t counts w(s) w(t) times, a pair of one subject w(s) times. The faces of
/// a subject that is drawn twice are thus neither right nor wrong with those of its double.
///
/// Sources: A. Bagga, B. Baldwin, "Algorithms for scoring coreference chains", 1998; E. Amigó, J. Gonzalo,
/// J. Artiles, F. Verdejo, "A comparison of extrinsic clustering evaluation metrics based on formal
/// constraints", Information Retrieval 12, 2009, section 4.
///
/// Statistics: bcubed_f1, bcubed_precision, bcubed_recall, pairwise_f1, pairwise_precision, pairwise_recall.
class ClusteringStatistics : public BootstrapStatistics {
  public:
    /// \param cells in any order; subjects are below `subjects`. Cells of one group and subject are added.
    ClusteringStatistics(std::vector<GroupCell> cells, std::size_t subjects);

    std::size_t units() const override { return people_.size(); }
    const std::vector<Quantity>& quantities() const override { return quantities_; }
    void evaluate(Weights weights, std::span<double> values) const override;

  private:
    // Sums that do not depend on other subjects.
    struct Person {
        double faces = 0;
        double precise = 0;      // sum of the precision of the faces
        double recalled = 0;     // sum of the recall of the faces
        double pairs = 0;        // of this subject's faces
        double found_pairs = 0;  // pairs in one group
    };

    std::vector<Person> people_;    // by unit
    std::vector<GroupCell> mixed_;  // of groups with several subjects, group after group
    std::vector<Quantity> quantities_;
};

struct ClusteringOptions {
    int bootstrap_resamples = 1000;
    std::uint64_t bootstrap_seed = 1;
};

/// A subject whose faces are in several groups, or a group with faces of several subjects.
struct MixedFaces {
    std::string name;
    std::size_t faces = 0;
    std::size_t parts = 0;  ///< groups of the subject, or subjects of the group
};

/// Everything that is known of a program's groups of faces.
struct ClusteringEvaluation {
    std::string name;
    ClusteringOptions options;
    std::size_t images = 0;  ///< with a known subject; each has one face that counts
    std::size_t subjects = 0;
    std::size_t groups = 0;     ///< with a face that counts
    std::size_t ungrouped = 0;  ///< faces in no group: each counts as a group of its own
    Numbers estimates;          ///< ClusteringStatistics'
    /// At most 10, the worst first, equal ones by name. Faces in no group count as groups of a subject.
    std::vector<MixedFaces> split_subjects;
    std::vector<MixedFaces> mixed_groups;
    std::string units_sha256;  ///< stands for which images of whom these are
    std::vector<std::string> warnings;

    /// \throws std::out_of_range for a key that is none of the statistics'.
    const Number& estimate(const std::string& key) const;
};

/// Judges groups of faces by the subjects that the faces show.
/// \param groups of the images of `faces`. \throws Error without an image whose subject is known.
ClusteringEvaluation evaluate_clustering(const KnownFaces& faces, const FaceGroups& groups,
                                         const ClusteringOptions& options, const std::string& name,
                                         const ShareProgress& progress = {});

}  // namespace fovea
