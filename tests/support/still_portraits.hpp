#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/landmark/box_convention.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/landmark_models.hpp"
#include "tests/support/run_program.hpp"

namespace fovea::test {

/// A .pts file.
inline std::string pts_text(const std::vector<Point>& points) {
    std::string text = "n_points: " + std::to_string(points.size()) + "\n{\n";
    for (const Point& point : points)
        text += shortest_number(point.x) + " " + shortest_number(point.y) + "\n";
    return text + "}\n";
}

/// The points that a still model finds in a box of whole pixels.
inline std::vector<Point> still_points(const Box& box) {
    const LandmarkModel model = still_landmark_model();
    std::vector<Point> points;
    for (std::size_t i = 0; i < 68; ++i) {
        points.push_back({std::floor(box.x + model.initial_shape[2 * i] * (box.w - 1) + 0.5),
                          std::floor(box.y + model.initial_shape[2 * i + 1] * (box.h - 1) + 0.5)});
    }
    return points;
}

/// Portraits of a face in the middle that edge_cascade() finds, a model that never moves its points, and
/// landmarks where that model finds them in a box of 61 x 61 pixels.
struct StillPortraits : PhotoFolder {
    StillPortraits()
        : PhotoFolder({{"a.pgm", edge_pgm(80, 70)}, {"b.pgm", edge_pgm(80, 70)}, {"c.pgm", "P5\ncut off"}}) {
        landmarks = folder.write("still.dat", still_landmark_file()).string();
        for (const char* name : {"a", "b", "c"}) {
            folder.write("photos/" + std::string(name) + ".pts", pts_text(still_points({10, 5, 61, 61})));
        }
        // The shape is the middle half of the model's box, and from edge to edge of the points' tight box of
        // 60 x 30.
        const std::vector<BoxConvention> conventions{{"edge", {0, 0.25, 1, 0.75}, {}, 10},
                                                     {"landmarks", {0, 0, 60 / 59.0, 30 / 29.0}, {}, 10}};
        folder.write("models/landmarks/boxes.json", conventions_to_json(conventions).dump());
        options.environment["FOVEA_MODELS"] = path("models");
    }
    ProgramResult run(std::vector<std::string> arguments) const { return run_fovea(arguments, options); }

    std::string landmarks;
    ProgramOptions options;
};

}  // namespace fovea::test
