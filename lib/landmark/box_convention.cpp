#include "lib/landmark/box_convention.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/find_model.hpp"
#include "lib/files/folder.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

void describe_conventions(FieldVisitor& visitor, std::vector<BoxConvention>& conventions) {
    describe_format(visitor, "fovea-box-conventions", 1);
    visitor.objects("conventions", list_of(conventions));
    std::set<std::string> names;
    for (const BoxConvention& convention : conventions) names.insert(convention.name);
    visitor.rule("conventions", names.size() == conventions.size(), "a list that has each name only once");
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

void describe(FieldVisitor& visitor, BoxConvention& convention) {
    visitor.value({.key = "name"}, &convention.name);
    visitor.object("landmarks", [&](FieldVisitor& members) {
        BoxTransform& edges = convention.landmarks;
        members.value({.key = "left"}, &edges.left);
        members.value({.key = "top"}, &edges.top);
        members.value({.key = "right"}, &edges.right);
        members.value({.key = "bottom"}, &edges.bottom);
        members.rule("right", edges.right > edges.left, "more than 'left'");
        members.rule("bottom", edges.bottom > edges.top, "more than 'top'");
    });
    std::array<double, 4>& spread = convention.spread;
    constexpr const char* four = "4 numbers of at least 0";
    visitor.value({.key = "spread"}, number_list({&spread[0], &spread[1], &spread[2], &spread[3]}, four));
    visitor.rule("spread", std::all_of(spread.begin(), spread.end(), [](double edge) { return edge >= 0; }),
                 four);
    visitor.value({.key = "faces"}, &convention.faces);
    visitor.value({.key = "dataset", .presence = Presence::optional}, &convention.dataset);
}

std::vector<BoxConvention> read_conventions(const std::filesystem::path& file) {
    const std::string advice = "fit the conventions again with 'fovea train boxes'";
    const Json json =
        parse_json_file(file.string(), read_file(file, "box conventions", max_written_file), advice);
    std::vector<BoxConvention> conventions;
    const auto describe = [&](FieldVisitor& visitor) { describe_conventions(visitor, conventions); };
    const JsonPlace place(json);
    try {
        read_fields(place, describe, Absent::is_error);
        check_fields(place, describe);
    } catch (const UsageError& error) {
        throw Error(file.string() + ": " + error.what() + "; " + advice);
    }
    return conventions;
}

Json conventions_to_json(std::vector<BoxConvention> conventions) {
    return write_fields([&](FieldVisitor& visitor) { describe_conventions(visitor, conventions); });
}

namespace {

// The conventions of all folders of models, in their order.
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
