#include "lib/evaluate/analysis/slices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include <spdlog/fmt/fmt.h>

#include "lib/core/natural_order.hpp"
#include "lib/core/spelling.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/analysis/error_breakdown.hpp"
#include "lib/evaluate/detection/metrics.hpp"
#include "lib/evaluate/statistics/rates.hpp"
#include "lib/evaluate/statistics/wilson_interval.hpp"
#include "lib/numbers/number_text.hpp"

namespace fovea {
namespace {

constexpr std::size_t max_values = 40;
/// Numbers of a measured attribute that stand apart; more are cut into quarters.
constexpr std::size_t max_numbers_apart = 12;
constexpr int nowhere = -1;  // in no slice of a group

struct CountedFace {
    std::uint32_t image = 0;  // among the evaluated ones
    const Sample* sample = nullptr;
    std::size_t sample_index = 0;
    std::size_t index = 0;  // in the sample
    double found = 0;       // the score from which on it is

    const Face& face() const { return sample->faces[index]; }
};

struct CountedImage {
    const Sample* sample = nullptr;
    int faces = 0;
    const ImageScores* scores = nullptr;
};

struct Units {
    std::vector<CountedImage> images;
    std::vector<CountedFace> faces;
};

Units collect(const Dataset& dataset, const DetectionEvaluation& evaluation,
              const std::vector<ImageScores>& scores) {
    Units units;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const ImageEvaluation& outcome = evaluation.image_outcomes[i];
        CountedImage image{&dataset.samples.at(outcome.sample), 0, &scores[i]};
        for (std::size_t f = 0; f < image.sample->faces.size(); ++f) {
            if (is_ignored(outcome, f)) continue;
            units.faces.push_back(
                {static_cast<std::uint32_t>(i), image.sample, outcome.sample, f, scores[i].found[f]});
            ++image.faces;
        }
        units.images.push_back(image);
    }
    return units;
}

// The counts of a slice in an image.
struct ImageCount {
    std::uint32_t image = 0;
    std::int32_t faces = 0;
    std::int32_t found = 0;
    std::int32_t false_positives = 0;
};

// A group before its intervals: the slice of every unit, by index of label.
struct Cut {
    SliceGroup group;
    std::vector<std::string> labels;
    std::vector<int> slice_of;  // parallel to the images or the faces
};

// --- Ways to cut -----------------------------------------------------------------------------------

template <class Unit, class Value>
Cut cut_by_edges(SliceGroup group, const std::vector<Unit>& units, std::vector<double> edges,
                 std::vector<std::string> labels, Value&& value) {
    Cut cut{std::move(group), std::move(labels), {}};
    for (const Unit& unit : units) {
        const double at = value(unit);
        const auto above = std::upper_bound(edges.begin(), edges.end(), at);
        // A NaN belongs nowhere; the last slice is open, the first begins with the first edge.
        const bool is_inside = !std::isnan(at) && above != edges.begin();
        cut.slice_of.push_back(is_inside ? static_cast<int>(above - edges.begin()) - 1 : nowhere);
    }
    return cut;
}

/// Quarters of the units by a value; fewer where values repeat. \param label of a quarter's ends
template <class Unit, class Value, class Label>
Cut cut_into_quarters(SliceGroup group, const std::vector<Unit>& units, Value&& value, Label&& label) {
    std::vector<double> values;
    for (const Unit& unit : units) {
        if (!std::isnan(value(unit))) values.push_back(value(unit));
    }
    std::sort(values.begin(), values.end());
    std::vector<double> edges;
    for (std::size_t quarter = 0; quarter < 4 && !values.empty(); ++quarter) {
        const double edge = values[quarter * values.size() / 4];
        if (edges.empty() || edge > edges.back()) edges.push_back(edge);
    }
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < edges.size(); ++i)
        labels.push_back(label(edges[i], i + 1 < edges.size() ? edges[i + 1] : values.back()));
    return cut_by_edges(std::move(group), units, std::move(edges), std::move(labels), value);
}

/// Whether the values are a measurement, of which no two faces need have the same: numbers, more than can be
/// read one by one, some of them not whole.
template <class Counts>
bool are_measured(const Counts& counts) {
    if (counts.size() <= max_numbers_apart) return false;
    bool is_any_fractional = false;
    for (const auto& [text, count] : counts) {
        const std::optional<double> value = spelled_number(text);
        if (!value) return false;
        is_any_fractional = is_any_fractional || *value != std::floor(*value);
    }
    return is_any_fractional;
}

// An attribute whose values differ everywhere (a number, a file's name, a time) tells the units apart and
// says nothing of their kind.
template <class Counts>
bool names_each(const Counts& counts, std::size_t units) {
    return counts.size() == units;
}

template <class Unit, class Attributes>
std::vector<Cut> cut_by_attributes(const std::vector<Unit>& units, bool of_images,
                                   Attributes&& attributes_of) {
    std::map<std::string, std::map<std::string, std::size_t, NaturalLess>> values;
    for (const Unit& unit : units) {
        for (const Attribute& attribute : attributes_of(unit)) ++values[attribute.name][attribute.value];
    }
    std::vector<Cut> cuts;
    for (const auto& [name, counts] : values) {
        if (name == id_attribute) continue;
        SliceGroup group{
            (of_images ? "image." : "attribute.") + name,
            of_images ? "Image: " + name : "Face: " + name,
            "By the attribute \"" + name + "\" of the annotation's " + (of_images ? "images." : "faces."),
            of_images,
            {}};
        if (are_measured(counts)) {
            group.what += " Quarters of those that state it.";
            cuts.push_back(cut_into_quarters(
                std::move(group), units,
                [&, &attribute = name](const Unit& unit) {
                    const std::string* value = find_attribute(attributes_of(unit), attribute);
                    return value == nullptr ? undefined : spelled_number(*value).value_or(undefined);
                },
                [](double from, double to) { return compact(from) + "–" + compact(to); }));
            continue;
        }
        if (names_each(counts, units.size())) continue;
        std::vector<std::pair<std::string, std::size_t>> frequent(counts.begin(), counts.end());
        if (frequent.size() > max_values) {
            std::stable_sort(frequent.begin(), frequent.end(),
                             [](const auto& a, const auto& b) { return a.second > b.second; });
            frequent.resize(max_values);
            std::sort(frequent.begin(), frequent.end(),
                      [](const auto& a, const auto& b) { return NaturalLess()(a.first, b.first); });
        }
        Cut cut;
        cut.group = std::move(group);
        std::map<std::string, int> place;
        for (const auto& [value, count] : frequent) {
            place[value] = static_cast<int>(cut.labels.size());
            cut.labels.push_back(value.empty() ? "(empty)" : value);
        }
        const int other = static_cast<int>(cut.labels.size());
        cut.labels.push_back("other");
        cut.labels.push_back("not stated");
        for (const Unit& unit : units) {
            const std::string* value = find_attribute(attributes_of(unit), name);
            const auto found = value == nullptr ? place.end() : place.find(*value);
            cut.slice_of.push_back(value == nullptr       ? other + 1
                                   : found == place.end() ? other
                                                          : found->second);
        }
        cuts.push_back(std::move(cut));
    }
    return cuts;
}

Cut cut_by_size(const Units& units) {
    const auto area = [](const CountedFace& face) {
        return face.face().area.value_or(face.face().box.area());
    };
    return cut_by_edges(
        {"size", "Face size", "By the face's area in pixels; the limits are COCO's.", false, {}}, units.faces,
        {0, 32 * 32, std::nextafter(96.0 * 96, 1e9)}, {"small (< 32²)", "medium (32²–96²)", "large (> 96²)"},
        area);
}

Cut cut_by_aspect(const Units& units) {
    const auto aspect = [](const CountedFace& face) {
        const Box& box = face.face().box;
        return box.area() > 0 ? box.w / box.h : undefined;
    };
    return cut_by_edges({"aspect_ratio", "Aspect ratio", "By width / height of the face's box.", false, {}},
                        units.faces, {0, 0.5, 0.7, 0.9, 1.1, 1.4},
                        {"< 0.5", "0.5–0.7", "0.7–0.9", "0.9–1.1", "1.1–1.4", "≥ 1.4"}, aspect);
}

Cut cut_by_width(const Units& units) {
    const auto width = [](const CountedFace& face) { return std::max(0.0, face.face().box.w); };
    double widest = 0;
    for (const CountedFace& face : units.faces) widest = std::max(widest, width(face));
    std::vector<double> edges = face_width_edges(widest);
    std::vector<std::string> labels;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i)
        labels.push_back(fmt::format("{:.0f}–{:.0f}", edges[i], edges[i + 1]));
    edges.pop_back();
    return cut_by_edges({"face_width", "Face width", "By the width of the face's box in pixels.", false, {}},
                        units.faces, std::move(edges), std::move(labels), width);
}

Cut cut_by_faces(const Units& units) {
    std::vector<std::string> labels{"0"};
    double most = 0;
    for (const CountedImage& image : units.images) most = std::max<double>(most, image.faces);
    std::vector<double> edges = face_count_edges(most);
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        const double last = edges[i + 1] - 1;
        labels.push_back(edges[i] == last ? fmt::format("{:.0f}", last)
                                          : fmt::format("{:.0f}–{:.0f}", edges[i], last));
    }
    edges.back() = 0;
    std::rotate(edges.begin(), edges.end() - 1, edges.end());
    return cut_by_edges(
        {"faces_in_image", "Faces in the image", "By the number of counted faces in the image.", true, {}},
        units.images, std::move(edges), std::move(labels),
        [](const CountedImage& image) { return image.faces; });
}

Cut cut_by_quarters(const Units& units, SliceGroup group, int decimals,
                    const std::vector<std::vector<FaceAppearance>>& faces,
                    std::optional<double> FaceAppearance::*member) {
    const auto value = [&](const CountedFace& face) {
        return (faces.at(face.sample_index).at(face.index).*member).value_or(undefined);
    };
    return cut_into_quarters(std::move(group), units.faces, value, [&](double from, double to) {
        return fmt::format("{:.{}f}–{:.{}f}", from, decimals, to, decimals);
    });
}

std::vector<Cut> all_cuts(const Units& units, const DatasetAppearance* appearance) {
    std::vector<Cut> cuts{cut_by_faces(units), cut_by_width(units), cut_by_size(units), cut_by_aspect(units)};
    if (appearance != nullptr) {
        cuts.push_back(cut_by_quarters(units,
                                       {"sharpness",
                                        "Sharpness (blur)",
                                        "Quarters by the variance of the Laplacian of the face resized to "
                                        "64×64 pixels; small is blurred.",
                                        false,
                                        {}},
                                       1, appearance->faces, &FaceAppearance::sharpness));
        cuts.push_back(cut_by_quarters(units,
                                       {"brightness",
                                        "Brightness",
                                        "Quarters by the mean grey value of the face's box / 255.",
                                        false,
                                        {}},
                                       3, appearance->faces, &FaceAppearance::brightness));
    }
    const auto append = [&](std::vector<Cut> more) {
        std::move(more.begin(), more.end(), std::back_inserter(cuts));
    };
    append(cut_by_attributes(
        units.faces, false,
        [](const CountedFace& face) -> const std::vector<Attribute>& { return face.face().attributes; }));
    append(cut_by_attributes(
        units.images, true,
        [](const CountedImage& image) -> const std::vector<Attribute>& { return image.sample->attributes; }));
    return cuts;
}

// --- Counting and intervals ------------------------------------------------------------------------

/// A slice with its scores, and its counts in the images at the threshold.
struct CountedSlice {
    Slice slice;
    std::vector<ImageCount> counts;

    ImageCount& of(std::uint32_t image) {
        if (counts.empty() || counts.back().image != image) counts.push_back({image, 0, 0, 0});
        return counts.back();
    }
    void add(const CountedFace& face, double threshold) {
        ImageCount& count = of(face.image);
        ++count.faces;
        count.found += face.found >= threshold ? 1 : 0;
        if (std::isfinite(face.found)) slice.found_scores.push_back(face.found);
    }
};

std::vector<CountedSlice> count_slices(const Cut& cut, const Units& units, double threshold) {
    std::vector<CountedSlice> slices(cut.labels.size());
    const auto slice_of = [&](std::size_t unit) {
        return cut.slice_of[unit] == nowhere ? nullptr
                                             : &slices[static_cast<std::size_t>(cut.slice_of[unit])];
    };
    std::size_t f = 0;
    for (std::size_t i = 0; i < units.images.size(); ++i) {
        CountedSlice* const of_image = cut.group.of_images ? slice_of(i) : nullptr;
        if (of_image != nullptr) {
            ImageCount& count = of_image->of(static_cast<std::uint32_t>(i));
            for (const double score : units.images[i].scores->false_positives) {
                count.false_positives += score >= threshold ? 1 : 0;
                of_image->slice.false_positive_scores.push_back(score);
            }
        }
        for (; f < units.faces.size() && units.faces[f].image == i; ++f) {
            CountedSlice* const of_face = cut.group.of_images ? of_image : slice_of(f);
            if (of_face != nullptr) of_face->add(units.faces[f], threshold);
        }
    }
    return slices;
}

// Detection rate and false positives per image of every slice.
class SliceRates : public BootstrapStatistics {
  public:
    SliceRates(std::size_t images, std::vector<std::vector<ImageCount>> slices)
        : images_(images), slices_(std::move(slices)) {
        for (std::size_t i = 0; i < slices_.size(); ++i) {
            const std::string n = std::to_string(i);
            quantities_.push_back({"slice_" + n + "_rate", "Slice's rate", "Faces found / faces.",
                                   Better::higher, Unit::share});
            quantities_.push_back({"slice_" + n + "_fp", "Slice's FP per image",
                                   "False positives / images of the slice.", Better::lower, Unit::number});
            for (const ImageCount& count : slices_[i]) quantities_[2 * i].trials += count.faces;
            work_ += slices_[i].size();
        }
    }
    std::size_t units() const override { return images_; }
    std::size_t work() const { return work_ + images_; }
    const std::vector<Quantity>& quantities() const override { return quantities_; }

    void evaluate(Weights weights, std::span<double> values) const override {
        for (std::size_t i = 0; i < slices_.size(); ++i) {
            double images = 0;
            double faces = 0;
            double found = 0;
            double false_positives = 0;
            for (const ImageCount& count : slices_[i]) {
                const double weight = weights[count.image];
                images += weight;
                faces += weight * count.faces;
                found += weight * count.found;
                false_positives += weight * count.false_positives;
            }
            values[2 * i] = defined_rate(found, faces);
            values[2 * i + 1] = defined_rate(false_positives, images);
        }
    }

  private:
    std::size_t images_;
    std::vector<std::vector<ImageCount>> slices_;
    std::vector<Quantity> quantities_;
    std::size_t work_ = 0;
};

void sum_up(const std::string& label, const std::vector<ImageCount>& counts, bool of_images, Slice& slice) {
    slice.label = label;
    slice.images = static_cast<int>(counts.size());
    int false_positives = 0;
    for (const ImageCount& count : counts) {
        slice.faces += count.faces;
        slice.found += count.found;
        false_positives += count.false_positives;
    }
    if (slice.faces > 0) {
        slice.detection_rate = rate_of(slice.found, slice.faces);
        slice.wilson_ci95 = wilson_interval(slice.found, slice.faces);
    }
    if (of_images) {
        slice.false_positives = false_positives;
        slice.false_positives_per_image = rate_of(false_positives, slice.images);
    }
}

}  // namespace

std::vector<SliceGroup> slice_detection(const Dataset& dataset, const DetectionEvaluation& evaluation,
                                        const std::vector<ImageScores>& scores,
                                        std::optional<double> threshold,
                                        const DatasetAppearance* appearance) {
    const Units units = collect(dataset, evaluation, scores);
    const double lowest = threshold.value_or(std::numeric_limits<double>::infinity());
    std::vector<SliceGroup> groups;
    std::vector<std::vector<ImageCount>> all_counts;
    for (Cut& cut : all_cuts(units, appearance)) {
        std::vector<CountedSlice> slices = count_slices(cut, units, lowest);
        const auto filled = std::count_if(slices.begin(), slices.end(),
                                          [](const CountedSlice& slice) { return !slice.counts.empty(); });
        if (filled < 2) continue;
        for (std::size_t i = 0; i < slices.size(); ++i) {
            if (slices[i].counts.empty()) continue;
            sum_up(cut.labels[i], slices[i].counts, cut.group.of_images, slices[i].slice);
            cut.group.slices.push_back(std::move(slices[i].slice));
            all_counts.push_back(std::move(slices[i].counts));
        }
        groups.push_back(std::move(cut.group));
    }
    const SliceRates rates(units.images.size(), std::move(all_counts));
    const int resamples = affordable_resamples(evaluation.options.bootstrap_resamples, rates.work());
    const Numbers estimates = bootstrap_estimates(rates, resamples, evaluation.options.bootstrap_seed);
    std::size_t next = 0;
    for (SliceGroup& group : groups) {
        for (Slice& slice : group.slices) {
            slice.detection_rate_ci95 = estimates[next++].ci95;
            if (group.of_images) slice.false_positives_per_image_ci95 = estimates[next].ci95;
            ++next;
        }
    }
    return groups;
}

}  // namespace fovea
