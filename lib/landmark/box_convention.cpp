#include "lib/landmark/box_convention.hpp"

#include <algorithm>
#include <stdexcept>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/find_model.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/whole_file.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

// \throws Error or Json::exception saying what is wrong with it.
BoxConvention convention_of(const Json& entry) {
    const Json& edges = entry.at("landmarks");
    BoxConvention convention{entry.at("name").get<std::string>(),
                             {edges.at("left").get<double>(), edges.at("top").get<double>(),
                              edges.at("right").get<double>(), edges.at("bottom").get<double>()},
                             {},
                             0,
                             entry.value("dataset", "")};
    const BoxTransform& found = convention.landmarks;
    if (!(found.right > found.left && found.bottom > found.top)) {
        throw Error("the landmarks of '" + convention.name + "' have no extent");
    }
    const Json& spread = entry.at("spread");
    convention.spread = spread.get<std::array<double, 4>>();
    const bool falls = std::any_of(convention.spread.begin(), convention.spread.end(),
                                   [](double deviation) { return !(deviation >= 0); });
    if (spread.size() != 4 || falls) {
        throw Error("the spread of '" + convention.name + "' is not four numbers of at least 0");
    }
    const Json& faces = entry.at("faces");
    if (!faces.is_number_unsigned()) {
        throw Error("the faces of '" + convention.name + "' are not a whole number");
    }
    convention.faces = faces.get<std::size_t>();
    return convention;
}

}  // namespace

Box tight_box_of_initial_shape(const LandmarkModel& model) {
    double low[2] = {model.initial_shape[0], model.initial_shape[1]};
    double high[2] = {low[0], low[1]};
    for (std::size_t i = 0; i < model.initial_shape.size(); ++i) {
        low[i % 2] = std::min<double>(low[i % 2], model.initial_shape[i]);
        high[i % 2] = std::max<double>(high[i % 2], model.initial_shape[i]);
    }
    return {low[0], low[1], high[0] - low[0], high[1] - low[1]};
}

BoxTransform model_edges(const BoxConvention& convention, const LandmarkModel& model) {
    const Box tight = tight_box_of_initial_shape(model);
    if (!(tight.w > 0 && tight.h > 0)) {
        throw std::invalid_argument("the initial shape of the landmark model has no extent");
    }
    const double across = (convention.landmarks.right - convention.landmarks.left) / tight.w;
    const double down = (convention.landmarks.bottom - convention.landmarks.top) / tight.h;
    BoxTransform edges;
    edges.left = convention.landmarks.left - tight.x * across;
    edges.top = convention.landmarks.top - tight.y * down;
    edges.right = edges.left + across;
    edges.bottom = edges.top + down;
    return edges;
}

std::vector<BoxConvention> read_conventions(const std::filesystem::path& file) {
    const std::string bytes = read_file(file, "box conventions", max_written_file);
    try {
        const Json json = parse_json(bytes);
        if (json.at("format") != "fovea-box-conventions" || json.at("version") != 1) {
            throw Error("its format is not fovea-box-conventions, version 1");
        }
        std::vector<BoxConvention> conventions;
        for (const Json& entry : json.at("conventions")) {
            BoxConvention convention = convention_of(entry);
            for (const BoxConvention& other : conventions) {
                if (other.name == convention.name) throw Error("'" + other.name + "' is there twice");
            }
            conventions.push_back(std::move(convention));
        }
        return conventions;
    } catch (const std::exception& error) {
        throw Error("The box conventions in " + file.string() + " cannot be read: " + error.what() +
                    "; fit them again with 'fovea train boxes'.");
    }
}

Json conventions_to_json(const std::vector<BoxConvention>& conventions) {
    Json json{{"format", "fovea-box-conventions"}, {"version", 1}, {"conventions", Json::array()}};
    for (const BoxConvention& convention : conventions) {
        json["conventions"].push_back({{"name", convention.name},
                                       {"landmarks",
                                        {{"left", convention.landmarks.left},
                                         {"top", convention.landmarks.top},
                                         {"right", convention.landmarks.right},
                                         {"bottom", convention.landmarks.bottom}}},
                                       {"spread", convention.spread},
                                       {"faces", convention.faces}});
        if (!convention.dataset.empty()) json["conventions"].back()["dataset"] = convention.dataset;
    }
    return json;
}

namespace {

// Of all folders of models, in their order.
std::vector<BoxConvention> shipped_conventions() {
    std::vector<BoxConvention> all;
    for (const std::filesystem::path& folder : model_folders()) {
        const std::filesystem::path file = folder / "landmarks" / "boxes.json";
        if (!is_file(file)) continue;
        const std::vector<BoxConvention> conventions = read_conventions(file);
        all.insert(all.end(), conventions.begin(), conventions.end());
    }
    return all;
}

}  // namespace

std::optional<BoxConvention> find_convention(const std::string& name) {
    for (const BoxConvention& convention : shipped_conventions())
        if (convention.name == name) return convention;
    return std::nullopt;
}

std::vector<std::string> known_conventions() {
    std::vector<std::string> names{"auto", "none"};
    for (const BoxConvention& convention : shipped_conventions())
        if (std::find(names.begin(), names.end(), convention.name) == names.end())
            names.push_back(convention.name);
    return names;
}

}  // namespace fovea
