#include <algorithm>
#include <limits>
#include <numeric>

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include "lib/core/box_index.hpp"
#include "lib/core/error.hpp"
#include "lib/core/overlap.hpp"
#include "lib/evaluate/protocols/protocol.hpp"
#include "lib/evaluate/statistics/rates.hpp"

namespace fovea {
namespace {

constexpr double voc_min_overlap = 0.5;

// VOCevaldet.m's overlap: corners are pixels that belong to the box, so that a width is xmax - xmin + 1. As
// Box::w is that already, only the rounding tells it from the IoU of real-valued boxes. -inf where nothing is
// shared.
double pixel_overlap(const Box& a, const Box& b) {
    const double a_right = a.x + a.w - 1;
    const double a_bottom = a.y + a.h - 1;
    const double b_right = b.x + b.w - 1;
    const double b_bottom = b.y + b.h - 1;
    const double width = std::min(a_right, b_right) - std::max(a.x, b.x) + 1;
    const double height = std::min(a_bottom, b_bottom) - std::max(a.y, b.y) + 1;
    if (!(width > 0) || !(height > 0)) return -std::numeric_limits<double>::infinity();
    const double both =
        (a_right - a.x + 1) * (a_bottom - a.y + 1) + (b_right - b.x + 1) * (b_bottom - b.y + 1);
    return width * height / (both - width * height);
}

struct VocDetection {
    std::size_t index = 0;  // in the image's detections
    DetectionMatch outcome = DetectionMatch::false_positive;
    int face = -1;  // that it finds
    double iou = 0;
};

// The face with the largest overlap of those admitted, the first of equal ones; or -1. Faces that do not
// touch `around` have none.
template <class Overlap, class Admit>
int best_face(const std::vector<Face>& faces, const BoxIndex& index, const Box& around,
              const Overlap& overlap, const Admit& admit, double& largest) {
    int best = -1;
    largest = -std::numeric_limits<double>::infinity();
    index.visit_touching(around, [&](std::size_t face) {
        if (!admit(face)) return;
        const double value = overlap(faces[face].box);
        if (value > largest) {
            largest = value;
            best = static_cast<int>(face);
        }
    });
    return best;
}

class Voc {
  public:
    Voc(const std::vector<Face>& faces, ProtocolMode mode)
        : faces_(faces), index_(faces), mode_(mode), taken_(faces.size(), 0) {}

    void add(const Box& box, VocDetection& detection) {
        if (mode_ == ProtocolMode::strict) {
            add_strict(box, detection);
        } else {
            add_corrected(box, detection);
        }
    }

  private:
    // The best face of all decides, be it difficult or taken.
    void add_strict(const Box& box, VocDetection& detection) {
        const auto overlap = [&](const Box& face) { return pixel_overlap(box, face); };
        double largest = 0;
        const int best = best_face(
            faces_, index_, grown(box, 2), overlap, [](std::size_t) { return true; }, largest);
        if (!(largest >= voc_min_overlap)) return;
        const auto face = static_cast<std::size_t>(best);
        if (faces_[face].ignore || faces_[face].crowd) {
            detection.outcome = DetectionMatch::ignored;
        } else if (taken_[face] == 0) {
            find(detection, face, largest);
        }
    }

    // The best of the faces that are left; without one, a difficult face takes any number of detections.
    void add_corrected(const Box& box, VocDetection& detection) {
        const auto overlap = [&](const Box& face) { return intersection_over_union(face, box); };
        const auto difficult = [&](std::size_t i) { return faces_[i].ignore || faces_[i].crowd; };
        double largest = 0;
        const int best = best_face(
            faces_, index_, box, overlap, [&](std::size_t i) { return !difficult(i) && taken_[i] == 0; },
            largest);
        if (largest >= voc_min_overlap) return find(detection, static_cast<std::size_t>(best), largest);
        best_face(faces_, index_, box, overlap, difficult, largest);
        if (largest >= voc_min_overlap) detection.outcome = DetectionMatch::ignored;
    }

    void find(VocDetection& detection, std::size_t face, double overlap) {
        taken_[face] = 1;
        detection.outcome = DetectionMatch::true_positive;
        detection.face = static_cast<int>(face);
        detection.iou = overlap;
    }

    const std::vector<Face>& faces_;
    BoxIndex index_;
    ProtocolMode mode_;
    std::vector<char> taken_;
};

std::vector<VocDetection> match_voc(const Sample& sample, std::span<const Detection> detections,
                                    ProtocolMode mode) {
    Voc matcher(sample.faces, mode);
    std::vector<VocDetection> matched;
    matched.reserve(detections.size());
    for (const std::size_t index : order_by_falling_score(detections, mode)) {
        matcher.add(detections[index].box, matched.emplace_back(VocDetection{index}));
    }
    return matched;
}

// MATLAB's 0:0.1:1: from 0 up to the middle, from 1 down to it. Its 0.3 is the double above 0.3.
double matlab_tenth(int k) {
    if (k == 5) return 0.5;
    return k < 5 ? k * 0.1 : 1 - (10 - k) * 0.1;
}

std::vector<Quantity> make_quantities(int year) {
    return {{"ap", "AP",
             year == 2007 ? "Mean of the largest precision at any recall of at least 0, 0.1 ... 1."
                          : "Area under the monotone precision envelope over recall.",
             Better::higher, Unit::number},
            {"max_recall", "Largest recall", "Faces found / faces, with every detection kept.",
             Better::higher, Unit::share},
            {"precision_at_max_recall", "Precision at the largest recall",
             "True positives / (true + false positives) at the highest threshold with the largest recall.",
             Better::higher, Unit::share}};
}

class VocEvaluation : public ProtocolEvaluation {
  public:
    VocEvaluation(const std::vector<ProtocolImage>& images, ProtocolMode mode, int year);

    std::size_t units() const override { return images_.size(); }
    const std::vector<Quantity>& quantities() const override { return quantities_; }
    void evaluate(Weights weights, std::span<double> values) const override;
    ImageTrace trace(std::size_t image) const override;

  private:
    struct Step {
        std::uint32_t image = 0;
        bool found = false;
        bool counted = false;
        bool ends_score = false;
    };
    struct Curve {
        struct Point {
            double found = 0;
            double precision = 0;  // the envelope once that is made
        };
        std::vector<Point> points;  // where faces are found, by rising recall
        bool any_detection = false;
        bool any_counted = false;
        double found = 0;
        double precision_at_most = 0;
    };

    void trace_curve(Weights weights, Curve& curve) const;
    double eleven_points(const Curve& curve, double faces) const;
    double area(const Curve& curve, double faces) const;

    const std::vector<ProtocolImage>& images_;
    ProtocolMode mode_;
    int year_;
    std::vector<Quantity> quantities_;
    std::vector<std::uint32_t> faces_;  // counted ones of every image
    std::vector<Step> steps_;
};

VocEvaluation::VocEvaluation(const std::vector<ProtocolImage>& images, ProtocolMode mode, int year)
    : images_(images), mode_(mode), year_(year), quantities_(make_quantities(year)) {
    for (const ProtocolImage& image : images) check_finite(*image.sample, image.detections);
    std::vector<std::vector<VocDetection>> matched(images.size());
    tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t i) {
        matched[i] = match_voc(*images[i].sample, images[i].detections, mode);
    });
    struct Entry {
        double score = 0;
        std::size_t place = 0;  // equal scores come in this order
        Step step;
    };
    // Results of another program than the development kit's may be a record per image.
    const bool has_places = std::all_of(images.begin(), images.end(), [](const ProtocolImage& image) {
        return image.places.size() == image.detections.size();
    });
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const std::vector<Face>& faces = images[i].sample->faces;
        faces_.push_back(static_cast<std::uint32_t>(std::count_if(
            faces.begin(), faces.end(), [](const Face& face) { return !face.ignore && !face.crowd; })));
        for (const VocDetection& detection : matched[i]) {
            const double score = images[i].detections[detection.index].score;
            entries.push_back(
                {score,
                 has_places ? images[i].places[detection.index] : entries.size(),
                 {static_cast<std::uint32_t>(i), detection.outcome == DetectionMatch::true_positive,
                  detection.outcome != DetectionMatch::ignored, true}});
        }
    }
    quantities_[1].trials = std::accumulate(faces_.begin(), faces_.end(), 0.0);
    tbb::parallel_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return a.score != b.score ? a.score > b.score : a.place < b.place;
    });
    for (std::size_t i = 0; i < entries.size(); ++i) {
        Step& step = steps_.emplace_back(entries[i].step);
        // Strict: the curve has a point after every detection, in whatever order those of one score stand.
        step.ends_score = mode == ProtocolMode::strict || i + 1 == entries.size() ||
                          entries[i + 1].score != entries[i].score;
    }
}

void VocEvaluation::trace_curve(Weights weights, Curve& curve) const {
    curve = Curve{std::move(curve.points)};
    curve.points.clear();
    double found = 0;
    double counted = 0;
    for (const Step& step : steps_) {
        const double weight = weights[step.image];
        if (weight > 0) curve.any_detection = true;
        if (step.found) found += weight;
        if (step.counted) counted += weight;
        // Between two of these only false positives are added, and precision falls.
        if (step.ends_score && found > curve.found) {
            curve.points.push_back({found, found / counted});
            curve.found = found;
        }
    }
    curve.any_counted = counted > 0;
    if (curve.points.empty()) return;
    curve.precision_at_most = curve.points.back().precision;
    for (std::size_t i = curve.points.size() - 1; i-- > 0;) {
        curve.points[i].precision = std::max(curve.points[i].precision, curve.points[i + 1].precision);
    }
}

double VocEvaluation::eleven_points(const Curve& curve, double faces) const {
    // MATLAB's precision is 0/0 as long as only difficult faces are hit, and the largest of such is NaN.
    if (mode_ == ProtocolMode::strict && faces > 0 && curve.any_detection && !curve.any_counted)
        return undefined;
    double sum = 0;
    std::size_t point = 0;
    for (int k = 0; k <= 10; ++k) {
        const auto reaches = [&](double found) {
            return mode_ == ProtocolMode::strict ? found / faces >= matlab_tenth(k) : 10 * found >= k * faces;
        };
        while (point < curve.points.size() && !reaches(curve.points[point].found)) ++point;
        if (point < curve.points.size()) sum += curve.points[point].precision / 11;
    }
    return sum;
}

double VocEvaluation::area(const Curve& curve, double faces) const {
    double sum = 0;
    double before = 0;
    for (const Curve::Point& point : curve.points) {
        const double recall = point.found / faces;
        sum += (recall - before) * point.precision;
        before = recall;
    }
    return sum;
}

void VocEvaluation::evaluate(Weights weights, std::span<double> values) const {
    double faces = 0;
    for (std::size_t i = 0; i < faces_.size(); ++i) faces += static_cast<double>(weights[i]) * faces_[i];
    thread_local Curve curve;
    trace_curve(weights, curve);
    if (faces > 0) {
        values[0] = year_ == 2007 ? eleven_points(curve, faces) : area(curve, faces);
    } else {
        // Without faces VOCevaldet.m compares with 0/0 and adds nothing (2007), or takes the area over it
        // (2010).
        const bool zero = mode_ == ProtocolMode::strict && (year_ == 2007 || !curve.any_detection);
        values[0] = zero ? 0 : undefined;
    }
    values[1] = defined_rate(curve.found, faces);
    values[2] = curve.found > 0 ? curve.precision_at_most : undefined;
}

ImageTrace VocEvaluation::trace(std::size_t index) const {
    const Sample& sample = *images_[index].sample;
    const std::span<const Detection> detections = images_[index].detections;
    ImageTrace trace = start_trace(sample, index, detections);
    ImageEvaluation& outcome = trace.outcome;
    for (const VocDetection& detection : match_voc(sample, detections, mode_)) {
        outcome.outcomes[detection.index] = detection.outcome;
        if (detection.face >= 0) {
            const auto face = static_cast<std::size_t>(detection.face);
            trace.change(face, detection.iou);
            trace.face_iou[face] = detection.iou;
            outcome.face_match[face] = static_cast<int>(detection.index);
        }
        trace.add_step(detections[detection.index].score,
                       detection.outcome == DetectionMatch::true_positive ? 1 : 0,
                       detection.outcome == DetectionMatch::false_positive ? 1 : 0);
    }
    return trace;
}

}  // namespace

std::unique_ptr<ProtocolEvaluation> evaluate_voc(const std::vector<ProtocolImage>& images, ProtocolMode mode,
                                                 int year) {
    if (year != 2007 && year != 2010) {
        throw UsageError("PASCAL VOC has the average precisions of 2007 and of 2010 and later, not of " +
                         std::to_string(year) + ".");
    }
    return std::make_unique<VocEvaluation>(images, mode, year);
}

}  // namespace fovea
