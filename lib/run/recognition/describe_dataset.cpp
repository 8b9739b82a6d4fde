#include "lib/run/recognition/describe_dataset.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/core/splitmix.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/statistics/rates.hpp"
#include "lib/json/json.hpp"
#include "lib/recognise/gallery_index.hpp"
#include "lib/results/write_scores.hpp"

namespace fovea {
namespace {

const std::uint16_t* face_of(const DescribedDataset& described, std::size_t sample) {
    const auto& face = described.face_of_sample[sample];
    return face ? described.features.of(*face) : nullptr;
}

/// Which weights a pair is compared with.
class PairMetrics {
  public:
    PairMetrics(const Dataset& dataset, const Recogniser& recogniser)
        : folds_of_sample_(dataset.samples.size()) {
        const FoldWeights& folds = recogniser.config().fold_weights;
        std::unordered_map<std::string, std::set<std::size_t>> folds_of_subject;
        for (std::size_t fold = 0; fold < folds.weights.size(); ++fold) {
            RecogniserConfig config = recogniser.config();
            config.weights = folds.weights[fold];
            metrics_.push_back(config.kind->metric(config));
            for (const std::string& key : folds.subjects[fold]) folds_of_subject[key].insert(fold);
        }
        metrics_.push_back(recogniser.metric());  // of pairs that nothing was learned from
        if (folds.empty()) return;
        for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
            const auto found = folds_of_subject.find(subject_key(dataset.samples[i].subject));
            if (found != folds_of_subject.end()) folds_of_sample_[i] = found->second;
        }
    }

    const FeatureMetric& of(const ImagePair& pair) const {
        const std::set<std::size_t> folds = folds_of(pair);
        return folds.empty() ? metrics_.back() : metrics_[*folds.begin()];
    }

    std::size_t size() const { return metrics_.size(); }
    const FeatureMetric& operator[](std::size_t metric) const { return metrics_[metric]; }

    /// The metric with which a pair of these folds is compared is this one, and has seen neither subject.
    bool is_of(const std::set<std::size_t>& folds, std::size_t metric) const {
        if (folds.size() > 1) return false;
        return (folds.empty() ? metrics_.size() - 1 : *folds.begin()) == metric;
    }

    /// Those of the samples that may belong to a pair of this metric.
    std::vector<std::size_t> members(std::size_t metric, const std::vector<std::size_t>& samples) const {
        std::vector<std::size_t> found;
        for (const std::size_t sample : samples) {
            const std::set<std::size_t>& folds = folds_of_sample_[sample];
            if (folds.empty() || (folds.size() == 1 && *folds.begin() == metric)) found.push_back(sample);
        }
        return found;
    }

    std::set<std::size_t> folds_of(const ImagePair& pair) const {
        std::set<std::size_t> folds = folds_of_sample_[pair.first];
        folds.insert(folds_of_sample_[pair.second].begin(), folds_of_sample_[pair.second].end());
        return folds;
    }

  private:
    std::vector<FeatureMetric> metrics_;
    std::vector<std::set<std::size_t>> folds_of_sample_;
};

// The samples that the features are of, in their order.
std::vector<std::size_t> enrolled_samples(const DescribedDataset& described) {
    std::vector<std::size_t> samples(described.features.size());
    for (std::size_t i = 0; i < described.face_of_sample.size(); ++i) {
        if (const auto& face = described.face_of_sample[i]) samples[*face] = i;
    }
    return samples;
}

}  // namespace

Json failures_to_json(const std::vector<FailedFace>& failures) {
    Json list = Json::array();
    for (const FailedFace& failure : failures) {
        list.push_back({{"dataset", failure.dataset}, {"image", failure.image}, {"reason", failure.reason}});
    }
    return list;
}

std::string name_without_place(const Dataset& dataset) {
    const std::string specification = dataset.name.substr(0, dataset.name.find(','));
    const std::filesystem::path path = specification.substr(specification.find(':') + 1);
    return (path.has_filename() ? path : path.parent_path()).filename().string();
}

DescribedDataset describe_dataset(const Dataset& dataset, const FaceFinder& finder,
                                  const Recogniser& recogniser, const EnrolmentOptions& options) {
    DescribedDataset described;
    described.features.length = recogniser.metric().length;
    described.face_of_sample.resize(dataset.samples.size());
    described.outcome = enrol_faces(dataset, finder, recogniser, options, [&](EnrolledFace&& face) {
        described.face_of_sample[face.sample] = described.features.size();
        described.fallbacks += face.from_fallback ? 1 : 0;
        described.features.words.insert(described.features.words.end(), face.features.begin(),
                                        face.features.end());
    });
    return described;
}

ScoredPairs distances_of_pairs(const Dataset& dataset, const DescribedDataset& described,
                               const Recogniser& recogniser) {
    if (dataset.pairs.empty()) {
        throw Error("the dataset " + dataset.name +
                    " has no list of pairs; verification needs one, e.g. lfw:DIR");
    }
    const PairMetrics metrics(dataset, recogniser);
    ScoredPairs scored;
    scored.units_sha256 = units_sha256_of_pairs(dataset);
    scored.pairs.resize(dataset.pairs.size());
    tbb::parallel_for(std::size_t{0}, dataset.pairs.size(), [&](std::size_t i) {
        const ImagePair& pair = dataset.pairs[i];
        const std::uint16_t* first = face_of(described, pair.first);
        const std::uint16_t* second = face_of(described, pair.second);
        double distance = undefined;
        if (first != nullptr && second != nullptr) {
            distance = metrics.of(pair).distance(first, second);
        }
        scored.pairs[i] = {distance, pair.same, pair.fold};
    });
    const auto torn = std::count_if(dataset.pairs.begin(), dataset.pairs.end(),
                                    [&](const ImagePair& pair) { return metrics.folds_of(pair).size() > 1; });
    if (torn > 0) {
        scored.warnings.push_back(
            counted(static_cast<std::size_t>(torn), "pair") + " of " + std::to_string(dataset.pairs.size()) +
            " show subjects of two folds that the weights of " + recogniser.config().name +
            " were learned on: no weights have seen neither, and its numbers are optimistic.");
    }
    return scored;
}

DistancesOfPeople distances_of_people(const Dataset& dataset, const DescribedDataset& described,
                                      const Recogniser& recogniser, const DetectionDevice& device,
                                      std::size_t max_pairs) {
    std::vector<std::size_t> known;
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
        if (described.face_of_sample[i] && !dataset.samples[i].subject.empty()) known.push_back(i);
    }
    if (known.size() < 2) {
        throw Error("the dataset " + dataset.name +
                    " has no two faces whose subjects are known; use one with subjects, e.g. lfw:DIR or "
                    "folder:DIR with a sub-folder for each person");
    }
    const PairMetrics metrics(dataset, recogniser);
    const double pairs = 0.5 * static_cast<double>(known.size()) * static_cast<double>(known.size() - 1);
    const double share = std::min(1.0, static_cast<double>(max_pairs) / pairs);
    const auto is_chosen = [&](std::size_t a, std::size_t b) {
        if (share == 1) return true;
        constexpr double range = 18446744073709551616.0;  // 2^64
        return static_cast<double>(mixed(mixed(std::min(a, b)) ^ std::max(a, b))) < share * range;
    };
    DistancesOfPeople all;
    for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
        const std::vector<std::size_t> members = metrics.members(metric, known);
        if (members.size() < 2) continue;
        GalleryIndex index(metrics[metric], device);
        for (const std::size_t sample : members) index.add(face_of(described, sample), 1);
        constexpr std::size_t at_once = 64;
        std::vector<std::uint16_t> queries;
        std::vector<double> distances(at_once * members.size());
        for (std::size_t first = 0; first < members.size(); first += at_once) {
            const std::size_t last = std::min(first + at_once, members.size());
            queries.clear();
            for (std::size_t a = first; a < last; ++a) {
                const std::uint16_t* features = face_of(described, members[a]);
                queries.insert(queries.end(), features, features + described.features.length);
            }
            index.distances(queries.data(), last - first, distances.data());
            for (std::size_t a = first; a < last; ++a) {
                for (std::size_t b = a + 1; b < members.size(); ++b) {
                    ImagePair pair;
                    pair.first = members[a];
                    pair.second = members[b];
                    if (!metrics.is_of(metrics.folds_of(pair), metric)) continue;
                    if (!is_chosen(pair.first, pair.second)) continue;
                    const bool same =
                        dataset.samples[pair.first].subject == dataset.samples[pair.second].subject;
                    (same ? all.genuine : all.impostors)
                        .push_back(distances[(a - first) * members.size() + b]);
                }
            }
        }
    }
    return all;
}

SimilarityMatrix distance_matrix(const IdentificationSet& set, const DescribedDataset& gallery,
                                 const DescribedDataset& probes, const Recogniser& recogniser,
                                 const DetectionDevice& device) {
    const std::vector<std::size_t> columns = enrolled_samples(gallery), rows = enrolled_samples(probes);
    GalleryIndex index(recogniser.metric(), device);
    index.add(gallery.features.words.data(), columns.size());
    std::vector<double> distances(rows.size() * columns.size());
    index.distances(probes.features.words.data(), rows.size(), distances.data());

    SimilarityMatrix matrix{set.probes.size(), set.gallery.size(), {}};
    matrix.values.assign(matrix.rows * matrix.columns, not_enrolled);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        double* row = matrix.values.data() + rows[r] * matrix.columns;
        const double* found = distances.data() + r * columns.size();
        for (std::size_t c = 0; c < columns.size(); ++c) row[columns[c]] = 0.0 - found[c];
    }
    for (std::size_t r = 0; r < matrix.rows; ++r) {
        if (set.same_image[r]) matrix.values[r * matrix.columns + *set.same_image[r]] = undefined;
    }
    return matrix;
}

std::string pairs_text(const Dataset& dataset, const ScoredPairs& scored) {
    std::string text;
    for (std::size_t i = 0; i < dataset.pairs.size(); ++i) {
        if (std::isnan(scored.pairs[i].score)) continue;
        const ImagePair& pair = dataset.pairs[i];
        text += dataset.samples[pair.first].image + '\t' + dataset.samples[pair.second].image + '\t' +
                shortest_number(scored.pairs[i].score) + '\n';
    }
    return text;
}

void write_matrix(const std::filesystem::path& file, const IdentificationSet& set,
                  const SimilarityMatrix& similarities) {
    // An image that was not enrolled has not_enrolled everywhere, one with itself NaN.
    std::vector<bool> rows(similarities.rows, false), columns(similarities.columns, false);
    for (std::size_t r = 0; r < similarities.rows; ++r) {
        for (std::size_t c = 0; c < similarities.columns; ++c) {
            if (!std::isfinite(similarities.at(r, c))) continue;
            rows[r] = columns[c] = true;
        }
    }
    std::vector<std::string> gallery;
    for (std::size_t c = 0; c < similarities.columns; ++c) {
        if (columns[c]) gallery.push_back(set.gallery[c]);
    }
    ScoreMatrixWriter writer(file, gallery);
    std::vector<double> distances;
    for (std::size_t r = 0; r < similarities.rows; ++r) {
        if (!rows[r]) continue;
        distances.clear();
        for (std::size_t c = 0; c < similarities.columns; ++c) {
            if (!columns[c]) continue;
            const double similarity = similarities.at(r, c);
            distances.push_back(std::isnan(similarity) ? 0.0 : 0.0 - similarity);
        }
        writer.write(set.probes[r], distances);
    }
    writer.finish();
}

}  // namespace fovea
