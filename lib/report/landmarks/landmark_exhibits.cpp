#include "lib/report/landmarks/landmark_exhibits.hpp"

#include <algorithm>
#include <cmath>

#include "lib/report/model/names.hpp"

namespace fovea::report {
namespace {

// The region that thumbnail_region() makes of it is one and a half times the face: points need to be seen
// apart.
Box close_up(const Box& box) {
    constexpr double share = 1.5 / 2.4;
    const double side = share * std::max(box.w, box.h);
    return {box.centre().x - side / 2, box.centre().y - side / 2, side, side};
}

const std::vector<Point>& true_points(const Dataset& dataset, const LandmarkFace& face) {
    return dataset.samples[face.sample].faces[face.face].landmarks;
}

std::string size_of(const Box& box) {
    return fixed(box.w, 0) + " × " + fixed(box.h, 0) + " px";
}

std::vector<std::size_t> first_of(std::vector<std::size_t> faces, std::size_t limit,
                                  const std::vector<double>& weights) {
    std::stable_sort(faces.begin(), faces.end(),
                     [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    faces.resize(std::min(limit, faces.size()));
    return faces;
}

}  // namespace

std::vector<Exhibit> landmark_exhibits(const Dataset& dataset, const LandmarkEvaluation& evaluation,
                                       LandmarkRank rank, std::size_t limit) {
    const double median =
        number_of_key(evaluation.nme[evaluation.primary].numbers, "median").value.value_or(0);
    std::vector<std::size_t> found;
    std::vector<double> weights;
    for (std::size_t i = 0; i < evaluation.outcomes.size(); ++i) {
        const double error = normalised_mean_error(evaluation.outcomes[i], evaluation.primary);
        weights.push_back(rank == LandmarkRank::worst  ? error
                          : rank == LandmarkRank::best ? -error
                                                       : -std::abs(error - median));
        if (!evaluation.outcomes[i].missed()) found.push_back(i);
    }
    std::vector<Exhibit> exhibits;
    for (const std::size_t i : first_of(found, limit, weights)) {
        const LandmarkFace& face = evaluation.outcomes[i];
        const std::vector<Point>& points = true_points(dataset, face);
        const double error = normalised_mean_error(face, evaluation.primary);
        const auto worst = std::max_element(face.distances.begin(), face.distances.end());
        Exhibit exhibit{face.sample, close_up(tight_box(points)), {}, {}};
        exhibit.points = {{DrawnBox::Kind::face, points}, {DrawnBox::Kind::detection, face.found}};
        exhibit.facts.push_back(std::isfinite(error) ? "NME " + fixed(error, 4) : "NME not defined");
        exhibit.facts.push_back("point " + std::to_string(worst - face.distances.begin()) + " off by " +
                                fixed(*worst, 1) + " px");
        exhibits.push_back(std::move(exhibit));
    }
    return exhibits;
}

std::vector<Exhibit> missed_landmark_exhibits(const Dataset& dataset, const LandmarkEvaluation& evaluation,
                                              std::size_t limit,
                                              const std::set<std::string>& without_result) {
    std::vector<std::size_t> missed;
    std::vector<double> weights;
    for (std::size_t i = 0; i < evaluation.outcomes.size(); ++i) {
        const LandmarkFace& face = evaluation.outcomes[i];
        weights.push_back(tight_box(true_points(dataset, face)).area());
        if (face.missed() && without_result.count(dataset.samples[face.sample].image) == 0)
            missed.push_back(i);
    }
    std::vector<Exhibit> exhibits;
    for (const std::size_t i : first_of(missed, limit, weights)) {
        const LandmarkFace& face = evaluation.outcomes[i];
        const std::vector<Point>& points = true_points(dataset, face);
        Exhibit exhibit{face.sample, close_up(tight_box(points)), {}, {size_of(tight_box(points))}};
        exhibit.points = {{DrawnBox::Kind::face, points}};
        exhibits.push_back(std::move(exhibit));
    }
    return exhibits;
}

}  // namespace fovea::report
