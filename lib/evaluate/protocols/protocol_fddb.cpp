#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "lib/core/box_index.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/protocols/merged_steps.hpp"
#include "lib/evaluate/protocols/pixel_region.hpp"
#include "lib/evaluate/protocols/protocol.hpp"
#include "lib/evaluate/protocols/region_area.hpp"
#include "lib/evaluate/statistics/rates.hpp"

namespace fovea {
namespace {

constexpr std::array<int, 6> fddb_false_positives{50, 100, 250, 500, 1000, 2000};
constexpr double discrete_border = 0.5;  // a pair counts above it, not at it

PixelRegion draw(const Box& box, const std::optional<Ellipse>& ellipse,
                 const std::optional<ImageSize>& size) {
    return ellipse ? PixelRegion::of_ellipse(*ellipse, size) : PixelRegion::of_box(box, size);
}

// A face's or detection's region as drawn (strict) or as its real-valued shape (corrected).
class FddbRegion {
  public:
    FddbRegion(const Box& box, const std::optional<Ellipse>& ellipse, const std::optional<ImageSize>& size,
               ProtocolMode mode)
        : exact_{box, ellipse}, size_(size) {
        if (mode == ProtocolMode::strict) drawn_ = draw(box, ellipse, size);
    }

    double iou(const FddbRegion& detection) const {
        return drawn_ ? pixel_iou(*drawn_, *detection.drawn_) : region_iou(exact_, detection.exact_, size_);
    }

    // A box around it.
    Box bounds() const {
        if (drawn_) return drawn_->bounds();
        if (!exact_.ellipse) return exact_.box;
        const Ellipse& ellipse = *exact_.ellipse;
        // A millionth more: areas are exact but for rounding errors.
        const double reach =
            1.000001 * std::max(std::abs(ellipse.major_radius), std::abs(ellipse.minor_radius));
        return {ellipse.centre.x - reach, ellipse.centre.y - reach, 2 * reach, 2 * reach};
    }

  private:
    Region exact_;
    std::optional<ImageSize> size_;
    std::optional<PixelRegion> drawn_;
};

struct FaceOverlap {
    std::size_t face = 0;
    double iou = 0;
};

// For every detection the faces whose IoU with it is not 0, by rising number.
std::vector<std::vector<FaceOverlap>> overlaps(const ProtocolImage& image, ProtocolMode mode) {
    std::vector<FddbRegion> faces;
    std::vector<Box> bounds;
    for (const Face& face : image.sample->faces) {
        faces.emplace_back(face.box, face.ellipse, image.size, mode);
        bounds.push_back(faces.back().bounds());
    }
    const BoxIndex index(bounds);
    std::vector<std::vector<FaceOverlap>> found;
    for (const Detection& detection : image.detections) {
        const FddbRegion region(detection.box, detection.details->ellipse, image.size, mode);
        std::vector<FaceOverlap>& list = found.emplace_back();
        index.visit_touching(region.bounds(), [&](std::size_t face) {
            const double iou = faces[face].iou(region);
            if (iou > 0) list.push_back({face, iou});
        });
    }
    return found;
}

OptimalTrace trace_fddb(const ProtocolImage& image, std::size_t index, ProtocolMode mode) {
    const std::span<const Detection> detections = image.detections;
    check_finite(*image.sample, detections);
    const std::vector<Face>& faces = image.sample->faces;
    const std::vector<std::vector<FaceOverlap>> found = overlaps(image, mode);
    std::vector<PairedDetection> pairs(detections.size());
    for (std::size_t d = 0; d < detections.size(); ++d) {
        for (const auto& [f, iou] : found[d]) {
            const bool is_hit = iou > discrete_border;
            if (mode == ProtocolMode::corrected && faces[f].ignore) {
                pairs[d].hits_ignored_face |= is_hit;
                continue;
            }
            const std::int64_t weight = std::llround(iou * units_per_one);
            if (weight > 0) pairs[d].candidates.push_back({static_cast<int>(f), weight, iou, iou, is_hit});
        }
    }
    OptimalTrace result = trace_optimal_pairs(*image.sample, index, detections, pairs,
                                              order_by_falling_score(detections, ProtocolMode::corrected));
    std::vector<double> best_iou(detections.size());
    for (std::size_t d = 0; d < detections.size(); ++d) {
        for (const FaceOverlap& overlap : found[d]) best_iou[d] = std::max(best_iou[d], overlap.iou);
    }
    result.trace.outcome.best_iou = SparseValues(best_iou);
    result.trace.pair_iou = result.values;
    return result;
}

// FDDB. Its main setting, for trace(), is the discrete score.
class FddbEvaluation : public ProtocolEvaluation {
  public:
    FddbEvaluation(const std::vector<ProtocolImage>& images, ProtocolMode mode)
        : mode_(mode),
          traces_(traces_of(images.size(), [&](std::size_t i) { return trace_fddb(images[i], i, mode); })),
          merged_(traces_),
          faces_(images.size()),
          fold_(images.size(), -1) {
        std::map<std::string, int> folds;
        for (std::size_t i = 0; i < images.size(); ++i) {
            const Sample& sample = *images[i].sample;
            faces_[i] = static_cast<int>(std::count_if(
                sample.faces.begin(), sample.faces.end(),
                [mode](const Face& face) { return mode == ProtocolMode::strict || !face.ignore; }));
            ignored_ += static_cast<std::size_t>(std::count_if(sample.faces.begin(), sample.faces.end(),
                                                               [](const Face& face) { return face.ignore; }));
            if (!images[i].size && !(sample.faces.empty() && images[i].detections.empty())) ++unknown_sizes_;
            const std::string* fold = find_attribute(sample.attributes, "fold");
            if (fold != nullptr) folds.emplace(*fold, 0);
        }
        std::vector<std::string> names;
        for (auto& [name, number] : folds) names.push_back(name);
        // Folds are numbers as a rule: 2 comes before 10.
        std::stable_sort(names.begin(), names.end(),
                         [](const auto& a, const auto& b) { return a.size() < b.size(); });
        for (std::size_t i = 0; i < names.size(); ++i) folds[names[i]] = static_cast<int>(i);
        for (std::size_t i = 0; i < images.size(); ++i) {
            const std::string* fold = find_attribute(images[i].sample->attributes, "fold");
            if (fold != nullptr) fold_[i] = folds[*fold];
        }
        for (const OptimalTrace& trace : traces_) {
            Last last;
            last.true_positives = trace.trace.steps.total().true_positives;
            for (const std::int64_t value : trace.values) last.value += value;
            last_.push_back(last);
        }
        fold_count_ = names.size();
        name_statistics(names);
        count_trials();
    }

    std::size_t units() const override { return traces_.size(); }
    const std::vector<Quantity>& quantities() const override { return quantities_; }

    void evaluate(Weights weights, std::span<double> values) const override {
        double faces = 0;
        for (std::size_t i = 0; i < faces_.size(); ++i) faces += weights[i] * faces_[i];
        const MergedSteps::Result totals = merged_.totals(weights, fddb_false_positives);
        std::size_t next = 0;
        for (const MergedSteps::Totals& best : totals.best) {
            values[next++] = defined_rate(static_cast<double>(best.true_positives), faces);
        }
        for (const MergedSteps::Totals& best : totals.best) {
            values[next++] = defined_rate(static_cast<double>(best.value) / units_per_one, faces);
        }
        values[next++] = defined_rate(static_cast<double>(totals.last.true_positives), faces);
        values[next++] = defined_rate(static_cast<double>(totals.last.value) / units_per_one, faces);
        evaluate_folds(weights, values.subspan(next));
    }

    bool counts(const Face& face) const override { return mode_ == ProtocolMode::strict || !face.ignore; }

    ImageTrace trace(std::size_t image) const override { return traces_[image].trace; }

    std::vector<std::string> warnings() const override {
        std::vector<std::string> list;
        if (ignored_ > 0 && mode_ == ProtocolMode::strict) {
            list.push_back(counted(ignored_, "face is", "faces are") +
                           " marked \"ignore\". FDDB's program does not know that mark, so " +
                           (ignored_ == 1 ? "this face counts" : "these faces count") +
                           " like any other. --mode corrected leaves " + (ignored_ == 1 ? "it" : "them") +
                           " out.");
        }
        if (unknown_sizes_ == 0) return list;
        list.push_back(
            "The " + std::string(unknown_sizes_ == 1 ? "size" : "sizes") + " of " +
            counted(unknown_sizes_, "image") + (unknown_sizes_ == 1 ? " is" : " are") +
            " unknown, so regions reach beyond the image there, which FDDB's program cuts off: rates of "
            "published detectors were up to 0.012 off. Name the folder of the images or a list of their "
            "sizes: fddb:LIST,images=DIR or fddb:LIST,sizes=FILE.");
        return list;
    }

  private:
    struct Last {
        std::int64_t true_positives = 0;
        std::int64_t value = 0;
    };

    void name_statistics(const std::vector<std::string>& folds) {
        const std::string discrete = "Faces paired with a detection of IoU > 0.5 / faces";
        const std::string continuous = "Summed IoU of all pairs of faces and detections / faces";
        const auto at_points = [&](const std::string& key, const std::string& name, const std::string& what) {
            for (const int point : fddb_false_positives) {
                const std::string n = std::to_string(point);
                quantities_.push_back({key + "_at_" + n + "_fp", name + " at " + n + " FP",
                                       what + ", the largest at any threshold with at most " + n +
                                           " false positives in all images.",
                                       Better::higher, Unit::share});
            }
        };
        at_points("discrete", "Discrete rate", discrete);
        at_points("continuous", "Continuous rate", continuous);
        quantities_.push_back({"discrete_rate", "Discrete rate", discrete + ", with every detection kept.",
                               Better::higher, Unit::share});
        quantities_.push_back({"continuous_rate", "Continuous rate",
                               continuous + ", with every detection kept.", Better::higher, Unit::share});
        for (const std::string& fold : folds) {
            quantities_.push_back({"discrete_rate_fold_" + fold, "Discrete rate, fold " + fold,
                                   discrete + " in fold " + fold + ", with every detection kept.",
                                   Better::higher, Unit::share});
        }
        for (const std::string& fold : folds) {
            quantities_.push_back({"continuous_rate_fold_" + fold, "Continuous rate, fold " + fold,
                                   continuous + " in fold " + fold + ", with every detection kept.",
                                   Better::higher, Unit::share});
        }
    }

    // Discrete rates are shares of the faces, of all or of a fold.
    void count_trials() {
        const std::size_t first_fold = 2 * std::size(fddb_false_positives) + 2;
        for (std::size_t i = 0; i < faces_.size(); ++i) {
            for (std::size_t k = 0; k < std::size(fddb_false_positives); ++k)
                quantities_[k].trials += faces_[i];
            quantities_[first_fold - 2].trials += faces_[i];
            if (fold_[i] >= 0)
                quantities_[first_fold + static_cast<std::size_t>(fold_[i])].trials += faces_[i];
        }
    }

    void evaluate_folds(Weights weights, std::span<double> values) const {
        std::vector<Last> sums(fold_count_);
        std::vector<double> faces(fold_count_, 0.0);
        for (std::size_t i = 0; i < fold_.size(); ++i) {
            if (fold_[i] < 0) continue;
            const auto fold = static_cast<std::size_t>(fold_[i]);
            sums[fold].true_positives += weights[i] * last_[i].true_positives;
            sums[fold].value += weights[i] * last_[i].value;
            faces[fold] += weights[i] * faces_[i];
        }
        for (std::size_t i = 0; i < fold_count_; ++i) {
            values[i] = defined_rate(static_cast<double>(sums[i].true_positives), faces[i]);
            values[fold_count_ + i] =
                defined_rate(static_cast<double>(sums[i].value) / units_per_one, faces[i]);
        }
    }

    ProtocolMode mode_;
    std::vector<OptimalTrace> traces_;
    MergedSteps merged_;
    std::vector<int> faces_;
    std::vector<int> fold_;  // index, or -1
    std::vector<Last> last_;
    std::size_t fold_count_ = 0;
    std::size_t ignored_ = 0;
    std::size_t unknown_sizes_ = 0;
    std::vector<Quantity> quantities_;
};

}  // namespace

std::unique_ptr<ProtocolEvaluation> evaluate_fddb(const std::vector<ProtocolImage>& images,
                                                  ProtocolMode mode) {
    return std::make_unique<FddbEvaluation>(images, mode);
}

}  // namespace fovea
