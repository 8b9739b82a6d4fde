#include "lib/evaluate/recognition/clustering.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/statistics/rates.hpp"
#include "lib/files/sha256.hpp"

namespace fovea {
namespace {

double pairs_of(double faces) {
    return faces * (faces - 1) / 2;
}

// Undefined if one of the two is.
double harmonic_mean(double precision, double recall) {
    return precision + recall == 0 ? 0 : 2 * precision * recall / (precision + recall);
}

std::vector<Quantity> clustering_quantities(std::size_t subjects) {
    std::vector<Quantity> quantities;
    const auto add = [&](const char* key, const char* name, const char* definition, bool headline = false) {
        quantities.push_back(
            {key, name, definition, Better::higher, Unit::share, static_cast<double>(subjects), headline});
    };
    add("bcubed_f1", "B-cubed F1", "harmonic mean of B-cubed precision and recall", true);
    add("bcubed_precision", "B-cubed precision",
        "mean over the faces of the share of the faces in its group, itself included, that show its subject");
    add("bcubed_recall", "B-cubed recall",
        "mean over the faces of the share of its subject's faces that are in its group");
    add("pairwise_f1", "Pairwise F1", "harmonic mean of pairwise precision and recall", true);
    add("pairwise_precision", "Pairwise precision",
        "share of the pairs of faces in one group that show one subject; undefined without such pairs");
    add("pairwise_recall", "Pairwise recall",
        "share of the pairs of faces of one subject that are in one group; undefined without such pairs");
    return quantities;
}

// Cells of one group and subject become one; groups stand together.
void merge_cells(std::vector<GroupCell>& cells) {
    const auto place = [](const GroupCell& cell) { return std::tuple(cell.group, cell.subject); };
    std::sort(cells.begin(), cells.end(),
              [&](const GroupCell& a, const GroupCell& b) { return place(a) < place(b); });
    std::vector<GroupCell> merged;
    for (const GroupCell& cell : cells) {
        if (cell.faces == 0) continue;
        if (!merged.empty() && place(merged.back()) == place(cell)) {
            merged.back().faces += cell.faces;
        } else {
            merged.push_back(cell);
        }
    }
    cells = std::move(merged);
}

// The cells of the group that begins here.
std::span<const GroupCell> group_at(const std::vector<GroupCell>& cells, std::size_t begin) {
    std::size_t end = begin;
    while (end < cells.size() && cells[end].group == cells[begin].group) ++end;
    return std::span(cells).subspan(begin, end - begin);
}

// The worst of those that have several parts.
std::vector<MixedFaces> worst_of(std::vector<MixedFaces> all) {
    constexpr std::size_t most = 10;
    std::erase_if(all, [](const MixedFaces& one) { return one.parts < 2; });
    const std::size_t kept = std::min(most, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(),
                      [](const MixedFaces& a, const MixedFaces& b) {
                          return std::tie(b.parts, b.faces, a.name) < std::tie(a.parts, a.faces, b.name);
                      });
    all.resize(kept);
    return all;
}

// Which images of whom are judged.
std::string units_sha256_of(const KnownFaces& faces) {
    std::string text;
    for (std::size_t i = 0; i < faces.images.size(); ++i) {
        if (faces.subjects[i] == no_number) continue;
        text += faces.images[i] + '\t' + std::to_string(faces.subjects[i]) + '\n';
    }
    return sha256_of(text);
}

void find_worst(const KnownFaces& faces, const FaceGroups& groups, std::vector<GroupCell> cells,
                ClusteringEvaluation& evaluation) {
    merge_cells(cells);
    std::vector<MixedFaces> subjects, mixed;
    for (const std::string& name : faces.subject_names) subjects.push_back({name});
    for (const std::string& name : groups.group_names) mixed.push_back({name});
    for (const GroupCell& cell : cells) {
        subjects[cell.subject].faces += cell.faces;
        ++subjects[cell.subject].parts;
        if (cell.group >= mixed.size()) continue;  // a face in no group
        mixed[cell.group].faces += cell.faces;
        ++mixed[cell.group].parts;
    }
    evaluation.groups = static_cast<std::size_t>(
        std::count_if(mixed.begin(), mixed.end(), [](const MixedFaces& group) { return group.parts > 0; }));
    evaluation.split_subjects = worst_of(std::move(subjects));
    evaluation.mixed_groups = worst_of(std::move(mixed));
}

std::vector<std::string> warnings_of(const ClusteringEvaluation& evaluation) {
    std::vector<std::string> warnings;
    if (evaluation.subjects == 1) {
        warnings.push_back("All faces show one subject: nothing can be mixed, and there are no intervals.");
    }
    if (!evaluation.estimate("pairwise_precision").value) {
        warnings.push_back("No group has two faces, so pairwise precision and F1 are undefined.");
    }
    if (!evaluation.estimate("pairwise_recall").value) {
        warnings.push_back("No subject has two faces, so pairwise recall and F1 are undefined.");
    }
    return warnings;
}

}  // namespace

ClusteringStatistics::ClusteringStatistics(std::vector<GroupCell> cells, std::size_t subjects)
    : people_(subjects), quantities_(clustering_quantities(subjects)) {
    merge_cells(cells);
    for (const GroupCell& cell : cells) people_[cell.subject].faces += cell.faces;
    for (std::size_t begin = 0; begin < cells.size();) {
        const std::span<const GroupCell> group = group_at(cells, begin);
        begin += group.size();
        const double all =
            std::accumulate(group.begin(), group.end(), 0.0,
                            [](double sum, const GroupCell& cell) { return sum + cell.faces; });
        for (const GroupCell& cell : group) {
            const double faces = cell.faces;
            Person& person = people_[cell.subject];
            person.precise += faces * faces / all;
            person.recalled += faces * faces / person.faces;
            person.found_pairs += pairs_of(faces);
        }
        if (group.size() > 1) mixed_.insert(mixed_.end(), group.begin(), group.end());
    }
    for (Person& person : people_) person.pairs = pairs_of(person.faces);
}

void ClusteringStatistics::evaluate(Weights weights, std::span<double> values) const {
    double faces = 0, precise = 0, recalled = 0, pairs = 0, true_pairs = 0, false_pairs = 0;
    for (std::size_t i = 0; i < people_.size(); ++i) {
        const Person& person = people_[i];
        const double weight = weights[i];
        faces += weight * person.faces;
        precise += weight * person.precise;
        recalled += weight * person.recalled;
        pairs += weight * person.pairs;
        true_pairs += weight * person.found_pairs;
    }
    for (std::size_t begin = 0; begin < mixed_.size();) {
        const std::span<const GroupCell> group = group_at(mixed_, begin);
        begin += group.size();
        double all = 0, squares = 0;
        for (const GroupCell& cell : group) {
            const double part = weights[cell.subject] * static_cast<double>(cell.faces);
            all += part;
            squares += part * part;
        }
        false_pairs += (all * all - squares) / 2;
    }
    const double precision = defined_rate(precise, faces);
    const double recall = defined_rate(recalled, faces);
    const double pair_precision = defined_rate(true_pairs, true_pairs + false_pairs);
    const double pair_recall = defined_rate(true_pairs, pairs);
    values[0] = harmonic_mean(precision, recall);
    values[1] = precision;
    values[2] = recall;
    values[3] = harmonic_mean(pair_precision, pair_recall);
    values[4] = pair_precision;
    values[5] = pair_recall;
}

const Number& ClusteringEvaluation::estimate(const std::string& key) const {
    return number_of_key(estimates, key);
}

ClusteringEvaluation evaluate_clustering(const KnownFaces& faces, const FaceGroups& groups,
                                         const ClusteringOptions& options, const std::string& name,
                                         const ShareProgress& progress) {
    ClusteringEvaluation evaluation;
    evaluation.name = name;
    evaluation.options = options;
    evaluation.subjects = faces.subject_names.size();
    std::vector<GroupCell> cells;
    auto alone = static_cast<std::uint32_t>(groups.group_names.size());  // the next group of one face
    for (std::size_t i = 0; i < faces.images.size(); ++i) {
        if (faces.subjects[i] == no_number) continue;
        const bool is_grouped = groups.groups[i] != no_number;
        evaluation.ungrouped += is_grouped ? 0 : 1;
        cells.push_back({is_grouped ? static_cast<std::uint32_t>(groups.groups[i]) : alone++,
                         static_cast<std::uint32_t>(faces.subjects[i]), 1});
    }
    if (cells.empty()) throw Error(name + ": there is no face whose subject is known.");
    evaluation.images = cells.size();
    evaluation.units_sha256 = units_sha256_of(faces);
    find_worst(faces, groups, cells, evaluation);
    evaluation.estimates = bootstrap_estimates(ClusteringStatistics(std::move(cells), evaluation.subjects),
                                               options.bootstrap_resamples, options.bootstrap_seed, progress);
    evaluation.warnings = groups.warnings;
    for (std::string& warning : warnings_of(evaluation)) evaluation.warnings.push_back(std::move(warning));
    return evaluation;
}

}  // namespace fovea
