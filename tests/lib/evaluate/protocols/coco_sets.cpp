#include "tests/lib/evaluate/protocols/coco_sets.hpp"

#include <cmath>
#include <fstream>
#include <random>
#include <stdexcept>

#include "lib/json/json.hpp"

namespace fovea::test {
namespace {

Face read_face(const Json& row) {
    Face result = face(row[0], row[1], row[2], row[3]);
    result.area = row[4].get<double>();
    result.crowd = row[5] == 1;
    result.ignore = row[6] == 1;
    result.attributes.push_back({"id", row[7].dump()});
    return result;
}

// Uniform in [0, 1), the same on every machine; so is normal(), which std::normal_distribution is not.
double uniform(std::mt19937_64& generator) {
    return static_cast<double>(generator() >> 11) * 0x1p-53;
}

double normal(std::mt19937_64& generator) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform(generator);
    return sum;
}

double quarter(double value) {
    return std::round(value * 4) / 4;
}

Box random_box(std::mt19937_64& generator) {
    const double width = quarter(8 + 40 * std::exp(normal(generator)));
    const double height = quarter(width * (1 + 0.4 * uniform(generator)));
    return {quarter(1800 * uniform(generator)), quarter(1000 * uniform(generator)), width, height};
}

Box near(std::mt19937_64& generator, const Box& box) {
    const double spread = uniform(generator) < 0.7 ? 0.05 : 0.2;
    const auto moved = [&](double value, double size) {
        return quarter(value + spread * size * normal(generator));
    };
    return {moved(box.x, box.w), moved(box.y, box.h), std::max(1.0, moved(box.w, box.w)),
            std::max(1.0, moved(box.h, box.h))};
}

}  // namespace

std::vector<CocoSet> read_coco_sets(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot open " + path.string());
    std::vector<CocoSet> sets;
    const Json content = Json::parse(file);
    for (const Json& json : content["sets"]) {
        CocoSet& set = sets.emplace_back();
        set.name = json["name"];
        for (const Json& image : json["images"]) {
            std::vector<Face> faces;
            std::vector<Detection> found;
            for (const Json& row : image["faces"]) faces.push_back(read_face(row));
            for (const Json& row : image["detections"]) {
                found.push_back(detection(row[4], row[0], row[1], row[2], row[3]));
            }
            set.set.add(std::move(faces), std::move(found));
            set.set.samples.back().attributes.push_back({"id", image["id"].dump()});
        }
        for (const Json& number : json["numbers"]) {
            set.numbers.push_back(number.is_null() ? std::nullopt : std::optional(number.get<double>()));
        }
    }
    return sets;
}

ProtocolSet make_large_set(std::size_t images, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    ProtocolSet set;
    for (std::size_t i = 0; i < images; ++i) {
        std::vector<Face> faces(generator() % 9);
        for (Face& face : faces) {
            face.box = random_box(generator);
            face.crowd = generator() % 100 == 0;
        }
        // Most faces are found, with scores above those of most false positives.
        std::vector<Detection> found(5 + generator() % 11);
        std::size_t next = 0;
        for (Detection& detection : found) {
            const bool hit = next < faces.size() && uniform(generator) < 0.7;
            detection.box = hit ? near(generator, faces[next++].box) : random_box(generator);
            const double level = normal(generator) + (hit ? 1.5 : -1.0);
            detection.score = std::round(1e6 / (1 + std::exp(-level))) / 1e6;
        }
        set.add(std::move(faces), std::move(found));
        set.samples.back().attributes.push_back({"id", std::to_string(i + 1)});
    }
    return set;
}

void write_coco_files(const ProtocolSet& set, const std::filesystem::path& folder) {
    Json truth{{"info", Json::object()},
               {"images", Json::array()},
               {"annotations", Json::array()},
               {"categories", Json::array({Json{{"id", 1}, {"name", "face"}}})}};
    Json results = Json::array();
    const auto numbers = [](const Box& box) { return Json::array({box.x, box.y, box.w, box.h}); };
    for (std::size_t i = 0; i < set.samples.size(); ++i) {
        truth["images"].push_back(Json{{"id", i + 1}, {"file_name", std::to_string(i + 1) + ".jpg"}});
        for (const Face& face : set.samples[i].faces) {
            truth["annotations"].push_back(Json{{"id", truth["annotations"].size() + 1},
                                                {"image_id", i + 1},
                                                {"category_id", 1},
                                                {"bbox", numbers(face.box)},
                                                {"area", face.box.w * face.box.h},
                                                {"iscrowd", face.crowd ? 1 : 0}});
        }
        for (const Detection& detection : set.detections[i]) {
            results.push_back(Json{{"image_id", i + 1},
                                   {"category_id", 1},
                                   {"bbox", numbers(detection.box)},
                                   {"score", detection.score}});
        }
    }
    std::ofstream(folder / "instances.json") << truth;
    std::ofstream(folder / "results.json") << results;
}

}  // namespace fovea::test
