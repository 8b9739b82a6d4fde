#include "lib/evaluate/protocols/face_eval.hpp"

#include <algorithm>
#include <cmath>

#include "lib/evaluate/statistics/numpy_sum.hpp"
#include "lib/evaluate/statistics/rates.hpp"

namespace fovea {
namespace {

constexpr double min_face_pixels = 30;
constexpr double min_detection_pixels = 21;  // floor(sqrt(30 * 30 / 2))
constexpr double face_eval_min_overlap = 0.5;
constexpr int rounds = 5;

double overlap(const MovedDetection& detection, const Box& face) {
    const double face_right = face.x + face.w;
    const double face_bottom = face.y + face.h;
    const double area =
        (std::abs(detection.left - detection.right) + 1) * (std::abs(detection.top - detection.bottom) + 1) +
        (std::abs(face.x - face_right) + 1) * (std::abs(face.y - face_bottom) + 1);
    double shared = 0;
    if (detection.bottom > face.y && face_bottom > detection.top && detection.right > face.x &&
        face_right > detection.left) {
        shared = (std::min(detection.right, face_right) - std::max(detection.left, face.x) + 1) *
                 (std::min(detection.bottom, face_bottom) - std::max(detection.top, face.y) + 1);
    }
    return shared / (area - shared);
}

// The mean differences of faces and the detections that find them.
class Differences {
  public:
    void add(const MovedDetection& detection, const Box& face, std::uint16_t times) {
        const double width = detection.right - detection.left;
        const double height = detection.bottom - detection.top;
        const double face_x = ((face.x + face.w) + face.x) / 2;
        const double face_y = ((face.y + face.h) + face.y) / 2;
        for (int i = 0; i < times; ++i) {
            shift_x_.push_back((face_x - (detection.right + detection.left) / 2) / width);
            shift_y_.push_back((face_y - (detection.bottom + detection.top) / 2) / height);
            scale_x_.push_back(face.w / width);
            scale_y_.push_back(face.h / height);
        }
    }

    BoxAdaptation mean() const {
        const auto mean_of = [](const std::vector<double>& values) {
            return numpy_sum(values) / static_cast<double>(values.size());
        };
        if (shift_x_.empty()) return {};
        return {mean_of(shift_x_), mean_of(shift_y_), mean_of(scale_x_), mean_of(scale_y_)};
    }

  private:
    std::vector<double> shift_x_;
    std::vector<double> shift_y_;
    std::vector<double> scale_x_;
    std::vector<double> scale_y_;
};

void move(MovedDetection& detection, const BoxAdaptation& by) {
    const double half_width = (detection.right - detection.left) / 2;
    const double half_height = (detection.bottom - detection.top) / 2;
    const double x = (detection.right + detection.left) / 2 + by.shift_x * half_width * 2;
    const double y = (detection.bottom + detection.top) / 2 + by.shift_y * half_height * 2;
    detection.left = x - half_width * by.scale_x;
    detection.top = y - half_height * by.scale_y;
    detection.right = x + half_width * by.scale_x;
    detection.bottom = y + half_height * by.scale_y;
}

// The area under the monotone precision envelope; the point of recall 1 and precision 0 stands at its end.
double area_under_curve(const std::vector<MovedDetection>& detections,
                        const std::vector<FaceEvalMatch>& matches, double faces, Weights weights) {
    if (faces <= 0) return undefined;
    struct Point {
        double recall = 0;
        double precision = 0;
    };
    std::vector<Point> points;
    double found = 0;
    double judged = 0;
    for (std::size_t i = 0; i < matches.size(); ++i) {
        const std::uint16_t weight = weights[detections[i].image];
        if (matches[i].outcome == DetectionMatch::ignored) continue;
        const bool is_found = matches[i].outcome == DetectionMatch::true_positive;
        // An image that counts several times adds its points one after the other.
        for (int k = 0; k < weight; ++k) {
            judged += 1;
            if (is_found) found += 1;
            points.push_back({found / faces, found / judged});
        }
    }
    points.push_back({1, 0});
    for (std::size_t i = points.size() - 1; i-- > 0;) {
        points[i].precision = std::max(points[i].precision, points[i + 1].precision);
    }
    std::vector<double> areas;
    double before = 0;
    for (const Point& point : points) {
        if (point.recall != before) areas.push_back((point.recall - before) * point.precision);
        before = point.recall;
    }
    return numpy_sum(areas);
}

}  // namespace

bool is_left_out(const Face& face) {
    return face.ignore || face.box.w < min_face_pixels || face.box.h < min_face_pixels;
}

std::vector<MovedDetection> counted_detections(const std::vector<ProtocolImage>& images) {
    struct Entry {
        MovedDetection detection;
        std::size_t place = 0;
    };
    std::vector<Entry> entries;
    const bool has_places = std::ranges::all_of(
        images, [](const ProtocolImage& image) { return image.places.size() == image.detections.size(); });
    std::size_t place = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
        for (std::size_t k = 0; k < images[i].detections.size(); ++k, ++place) {
            const Detection& detection = images[i].detections[k];
            const Box& box = detection.box;
            if (!(box.w > min_detection_pixels || box.h > min_detection_pixels)) continue;
            entries.push_back({{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k), detection.score,
                                box.x, box.y, box.x + box.w, box.y + box.h},
                               has_places ? images[i].places[k] : place});
        }
    }
    std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
        return a.detection.score != b.detection.score ? a.detection.score > b.detection.score
                                                      : a.place < b.place;
    });
    std::vector<MovedDetection> detections;
    for (const Entry& entry : entries) detections.push_back(entry.detection);
    return detections;
}

FaceEvalResult evaluate_face_eval(const std::vector<ProtocolImage>& images,
                                  std::vector<MovedDetection> detections, Weights weights) {
    double faces = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const std::vector<Face>& of_image = images[i].sample->faces;
        const auto left_out = std::ranges::count_if(of_image, is_left_out);
        faces += weights[i] * static_cast<double>(static_cast<std::ptrdiff_t>(of_image.size()) - left_out);
    }
    FaceEvalResult result;
    result.detections = std::move(detections);
    for (int round = 0; round < rounds; ++round) {
        result.matches.assign(result.detections.size(), {});
        std::vector<std::vector<char>> found(images.size());
        Differences differences;
        for (std::size_t i = 0; i < result.detections.size(); ++i) {
            const MovedDetection& detection = result.detections[i];
            FaceEvalMatch& match = result.matches[i];
            const std::vector<Face>& of_image = images[detection.image].sample->faces;
            std::size_t best = 0;
            for (std::size_t f = 0; f < of_image.size(); ++f) {
                const double value = overlap(detection, of_image[f].box);
                if (!(value >= match.overlap)) continue;
                match.overlap = value;
                best = f;
            }
            if (!(match.overlap > face_eval_min_overlap)) continue;
            match.face = static_cast<int>(best);
            std::vector<char>& taken = found[detection.image];
            taken.resize(of_image.size());
            if (is_left_out(of_image[best])) {
                match.outcome = DetectionMatch::ignored;
            } else if (taken[best] == 0) {
                taken[best] = 1;
                match.outcome = DetectionMatch::true_positive;
                differences.add(detection, of_image[best].box, weights[detection.image]);
            }
        }
        const bool is_last = round + 1 == rounds;
        if (round == 0 || is_last) {
            const double area = area_under_curve(result.detections, result.matches, faces, weights);
            if (round == 0) result.unmoved_average_precision = area;
            if (is_last) result.average_precision = area;
        }
        if (is_last) break;
        const BoxAdaptation by = differences.mean();
        for (MovedDetection& detection : result.detections) move(detection, by);
        result.adaptation.shift_x += by.shift_x;
        result.adaptation.shift_y += by.shift_y;
        result.adaptation.scale_x *= by.scale_x;
        result.adaptation.scale_y *= by.scale_y;
    }
    return result;
}

}  // namespace fovea
