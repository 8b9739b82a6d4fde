#include "lib/evaluate/recognition/score_pairing.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <spdlog/fmt/fmt.h>
#include <tbb/parallel_sort.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/statistics/rates.hpp"
#include "lib/files/sha256.hpp"

namespace fovea {
namespace {

constexpr std::size_t nowhere = ~std::size_t{0};

std::string_view without_extension(std::string_view name) {
    const std::size_t slash = name.rfind('/');
    const std::size_t dot = name.rfind('.');
    const std::size_t start = slash == std::string_view::npos ? 0 : slash + 1;
    return dot == std::string_view::npos || dot <= start ? name : name.substr(0, dot);
}

std::string_view file_name(std::string_view name) {
    const std::size_t slash = name.rfind('/');
    return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

// Whom a score file names; `nowhere` for images that are not among `names`.
std::vector<std::size_t> places_of(const NameNumbers& table, const ImageNames& names) {
    std::vector<std::size_t> places(table.size(), nowhere);
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i] = names.find(table.name(static_cast<std::uint32_t>(i))).value_or(nowhere);
    }
    return places;
}

std::vector<std::string> image_names(const Dataset& dataset) {
    std::vector<std::string> names;
    for (const Sample& sample : dataset.samples) names.push_back(sample.image);
    return names;
}

struct KeyedScore {
    std::uint64_t key;
    std::uint32_t entry;
};

// Numbers subjects in the order in which they come.
class SubjectNumbers {
  public:
    int number_of(const std::string& subject) {
        return numbers_.emplace(subject, static_cast<int>(numbers_.size())).first->second;
    }
    int count() const { return static_cast<int>(numbers_.size()); }

  private:
    std::map<std::string, int> numbers_;
};

void add_images(const Dataset& dataset, SubjectNumbers& numbers, std::vector<std::string>& names,
                std::vector<int>& subjects) {
    for (const Sample& sample : dataset.samples) {
        if (sample.subject.empty()) {
            throw Error(
                dataset.name + ": it is not known who is shown in '" + excerpt(sample.image) +
                "'; use a dataset with subjects (feret:, or folder: with a sub-folder for each subject), "
                "or --subjects FILE.");
        }
        names.push_back(sample.image);
        subjects.push_back(numbers.number_of(sample.subject));
    }
}

void add_unit(std::string_view first, std::string_view second, bool same, int fold, std::string& text) {
    text += first;
    text += '\t';
    text += second;
    text += (same ? "\t1\t" : "\t0\t") + std::to_string(fold) + '\n';
}

}  // namespace

ImageNames::ImageNames(const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string_view name = names[i];
        const std::string_view forms[4] = {name, without_extension(name), file_name(name),
                                           without_extension(file_name(name))};
        for (std::size_t form = 0; form < 4; ++form) {
            const auto [known, is_new] = by_name_[form].emplace(std::string(forms[form]), i);
            if (!is_new) known->second = several;
        }
    }
}

std::optional<std::size_t> ImageNames::find(std::string_view name) const {
    const std::string wanted(name);
    for (const auto& names : by_name_) {
        const auto found = names.find(wanted);
        if (found != names.end() && found->second != several) return found->second;
    }
    return std::nullopt;
}

std::string units_sha256_of_pairs(const Dataset& dataset) {
    std::string text;
    for (const ImagePair& pair : dataset.pairs) {
        add_unit(dataset.samples[pair.first].image, dataset.samples[pair.second].image, pair.same, pair.fold,
                 text);
    }
    return sha256_of(text);
}

ScoredPairs scores_of_pairs(const Dataset& dataset, const ScoreList& scores) {
    if (dataset.pairs.empty()) {
        throw Error(
            dataset.name +
            " has no pairs; use a dataset with a list of pairs, or --pairs FILE with labelled pairs.");
    }
    const std::vector<std::string> names = image_names(dataset);
    const std::vector<std::size_t> places = places_of(scores.names, ImageNames(names));
    std::vector<KeyedScore> keyed;
    for (std::size_t i = 0; i < scores.entries.size(); ++i) {
        const std::size_t first = places[scores.entries[i].first];
        const std::size_t second = places[scores.entries[i].second];
        if (first == nowhere || second == nowhere) continue;
        keyed.push_back({unordered_key(first, second), static_cast<std::uint32_t>(i)});
    }
    tbb::parallel_sort(keyed.begin(), keyed.end(), [](const KeyedScore& a, const KeyedScore& b) {
        return a.key != b.key ? a.key < b.key : a.entry < b.entry;
    });
    for (std::size_t i = 1; i < keyed.size(); ++i) {
        const ScoreEntry& entry = scores.entries[keyed[i].entry];
        const ScoreEntry& before = scores.entries[keyed[i - 1].entry];
        if (keyed[i].key != keyed[i - 1].key || entry.score == before.score) continue;
        throw Error(
            fmt::format("{}the pair '{}', '{}' has the score {}, but {} in line {}; it needs one score.",
                        scores.place(entry), excerpt(scores.names.name(entry.first)),
                        excerpt(scores.names.name(entry.second)), shortest_number(entry.score),
                        shortest_number(before.score), before.line));
    }
    ScoredPairs result;
    result.units_sha256 = units_sha256_of_pairs(dataset);
    std::size_t scored = 0;
    for (const ImagePair& pair : dataset.pairs) {
        const std::uint64_t key = unordered_key(pair.first, pair.second);
        const auto found =
            std::lower_bound(keyed.begin(), keyed.end(), key,
                             [](const KeyedScore& item, std::uint64_t wanted) { return item.key < wanted; });
        const bool has_score = found != keyed.end() && found->key == key;
        scored += has_score ? 1 : 0;
        result.pairs.push_back(
            {has_score ? scores.entries[found->entry].score : undefined, pair.same, pair.fold});
    }
    if (scored == 0) {
        const ImagePair& pair = dataset.pairs[0];
        const std::string example =
            scores.entries.empty()
                ? "it is empty"
                : "its first line names '" + excerpt(scores.names.name(scores.entries[0].first)) + "' and '" +
                      excerpt(scores.names.name(scores.entries[0].second)) + "'";
        throw Error(fmt::format("{} has no score for any of the {} of {}: {}, the first pair is '{}', '{}'.",
                                scores.file, counted(dataset.pairs.size(), "pair"), dataset.name, example,
                                excerpt(names[pair.first]), excerpt(names[pair.second])));
    }
    return result;
}

ScoredPairs labelled_pairs(const PairList& list) {
    if (list.pairs.empty()) throw Error(list.file + " has no pairs.");
    ScoredPairs result;
    result.pairs.reserve(list.pairs.size());
    for (const LabelledPair& pair : list.pairs) {
        result.pairs.push_back({pair.score.value_or(undefined), pair.same, pair.fold});
    }
    std::string text;
    for (const LabelledPair& pair : list.pairs) {
        add_unit(list.names.name(pair.first), list.names.name(pair.second), pair.same, pair.fold, text);
    }
    result.units_sha256 = sha256_of(text);
    return result;
}

IdentificationSet identification_set(const Dataset& gallery, const Dataset& probes) {
    IdentificationSet set;
    SubjectNumbers numbers;
    add_images(gallery, numbers, set.gallery, set.gallery_subjects);
    add_images(probes, numbers, set.probes, set.probe_subjects);
    set.subjects = numbers.count();
    // The file is the key: images of two folders may have one name.
    std::map<std::filesystem::path, std::size_t> files;
    for (std::size_t i = 0; i < gallery.samples.size(); ++i) {
        files.emplace(std::filesystem::absolute(gallery.samples[i].path).lexically_normal(), i);
    }
    for (const Sample& sample : probes.samples) {
        const auto found = files.find(std::filesystem::absolute(sample.path).lexically_normal());
        set.same_image.push_back(found == files.end() ? std::nullopt : std::optional(found->second));
    }
    return set;
}

IdentificationSet identification_set(const std::vector<SubjectEntry>& subjects,
                                     const std::vector<ScoreList>& scores,
                                     std::vector<std::string>& warnings) {
    std::set<std::string> listed;
    for (const SubjectEntry& entry : subjects) listed.insert(entry.image);
    std::set<std::string> first;
    std::set<std::string> second;
    for (const ScoreList& list : scores) {
        std::vector<std::uint8_t> stands(list.names.size(), 0);
        for (const ScoreEntry& entry : list.entries) {
            for (const std::uint32_t image : {entry.first, entry.second}) {
                if (stands[image] == 0 && !listed.contains(list.names.name(image))) {
                    throw Error(list.place(entry) + "the image '" + excerpt(list.names.name(image)) +
                                "' has no subject; add it to the file of subjects.");
                }
            }
            stands[entry.first] |= 1;
            stands[entry.second] |= 2;
        }
        for (std::size_t i = 0; i < stands.size(); ++i) {
            const std::string& name = list.names.name(static_cast<std::uint32_t>(i));
            if ((stands[i] & 1) != 0) first.insert(name);
            if ((stands[i] & 2) != 0) second.insert(name);
        }
    }
    const bool all_against_all = std::any_of(first.begin(), first.end(),
                                             [&](const std::string& name) { return second.contains(name); });
    IdentificationSet set;
    SubjectNumbers numbers;
    std::size_t unknown = 0;
    for (const SubjectEntry& entry : subjects) {
        const bool unsaid = entry.role == SubjectRole::unsaid;
        const bool scored = first.contains(entry.image) || second.contains(entry.image);
        const bool probe =
            unsaid ? (all_against_all || first.contains(entry.image)) : entry.role == SubjectRole::probe;
        const bool gallery =
            unsaid ? (all_against_all || second.contains(entry.image)) : entry.role == SubjectRole::gallery;
        unknown += unsaid && !scored && !all_against_all ? 1 : 0;
        if (!probe && !gallery) continue;
        const int subject = numbers.number_of(entry.subject);
        if (gallery) {
            set.gallery.push_back(entry.image);
            set.gallery_subjects.push_back(subject);
        }
        if (probe) {
            set.probes.push_back(entry.image);
            set.probe_subjects.push_back(subject);
        }
    }
    set.subjects = numbers.count();
    std::map<std::string_view, std::size_t> in_gallery;
    for (std::size_t i = 0; i < set.gallery.size(); ++i) in_gallery.emplace(set.gallery[i], i);
    for (const std::string& probe : set.probes) {
        const auto found = in_gallery.find(probe);
        set.same_image.push_back(found == in_gallery.end() ? std::nullopt : std::optional(found->second));
    }
    if (unknown > 0) {
        warnings.push_back(
            counted(unknown, "image") +
            " of the file of subjects without scores were left out; write 'gallery' or 'probe' "
            "behind the subject to count them as failures to enrol.");
    }
    return set;
}

SimilarityMatrix similarity_matrix(const IdentificationSet& set, const ScoreList& scores, bool distance) {
    const ImageNames gallery_names(set.gallery);
    const ImageNames probe_names(set.probes);
    const std::vector<std::size_t> columns = places_of(scores.names, gallery_names);
    const std::vector<std::size_t> rows = places_of(scores.names, probe_names);
    SimilarityMatrix matrix{set.probes.size(), set.gallery.size(), {}};
    matrix.values.assign(matrix.rows * matrix.columns, undefined);
    std::vector<bool> row_enrolled(matrix.rows, false);
    std::vector<bool> column_enrolled(matrix.columns, false);
    const auto cell = [&](std::size_t row, std::size_t column) -> double& {
        return matrix.values[row * matrix.columns + column];
    };
    const auto turned = [&](double score) { return distance ? 0.0 - score : score; };
    // For names that stand for one image in both roles, either order will do.
    const auto in_both = [&](std::uint32_t image) {
        return rows[image] != nowhere && columns[image] != nowhere &&
               set.same_image[rows[image]] == columns[image];
    };
    for (const ScoreEntry& entry : scores.entries) {
        const std::size_t row = rows[entry.first];
        const std::size_t column = columns[entry.second];
        if (row == nowhere || column == nowhere) continue;
        row_enrolled[row] = true;
        column_enrolled[column] = true;
        if (in_both(entry.first)) column_enrolled[columns[entry.first]] = true;
        if (in_both(entry.second)) row_enrolled[rows[entry.second]] = true;
        if (!std::isnan(cell(row, column))) {
            throw Error(fmt::format("{}the comparison of '{}' with '{}' has a score already; it needs one.",
                                    scores.place(entry), excerpt(scores.names.name(entry.first)),
                                    excerpt(scores.names.name(entry.second))));
        }
        cell(row, column) = turned(entry.score);
    }
    for (const ScoreEntry& entry : scores.entries) {
        if (!in_both(entry.first) || !in_both(entry.second)) continue;
        double& value = cell(rows[entry.second], columns[entry.first]);
        if (std::isnan(value)) value = turned(entry.score);
    }
    if (std::none_of(row_enrolled.begin(), row_enrolled.end(), [](bool enrolled) { return enrolled; })) {
        throw Error(scores.file + " has no score of any probe with any gallery image; the first probe is '" +
                    (set.probes.empty() ? "" : excerpt(set.probes[0])) + "'.");
    }
    for (std::size_t row = 0; row < matrix.rows; ++row) {
        for (std::size_t column = 0; column < matrix.columns; ++column) {
            double& value = cell(row, column);
            // An image has its own likeness to perfection, which says nothing.
            if (set.same_image[row] == column) {
                value = undefined;
            } else if (!row_enrolled[row] || !column_enrolled[column]) {
                value = not_enrolled;
            } else if (std::isnan(value)) {
                throw Error(fmt::format(
                    "{}: there is no score of probe '{}' with gallery image '{}'; every probe needs one with "
                    "every gallery image (an image that could not be enrolled has none at all).",
                    scores.file, excerpt(set.probes[row]), excerpt(set.gallery[column])));
            }
        }
    }
    return matrix;
}

ReplicateImages replicate_images(const IdentificationSet& set) {
    ReplicateImages images;
    for (std::size_t i = 0; i < set.probes.size(); ++i) {
        if (!set.same_image[i]) continue;
        images.probes.push_back(i);
        images.gallery.push_back(*set.same_image[i]);
        images.subjects.push_back(set.probe_subjects[i]);
    }
    return images;
}

SimilarityMatrix selected(const SimilarityMatrix& scores, const ReplicateImages& images) {
    SimilarityMatrix part{images.probes.size(), images.gallery.size(), {}};
    part.values.reserve(part.rows * part.columns);
    for (const std::size_t row : images.probes) {
        for (const std::size_t column : images.gallery) part.values.push_back(scores.at(row, column));
    }
    return part;
}

}  // namespace fovea
