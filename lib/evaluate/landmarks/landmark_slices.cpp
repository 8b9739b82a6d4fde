#include <algorithm>
#include <map>
#include <set>

#include "lib/core/text.hpp"
#include "lib/evaluate/detection/metrics.hpp"
#include "lib/evaluate/landmarks/landmark_statistics.hpp"

namespace fovea {
namespace {

constexpr std::size_t max_values = 20;  // an attribute with more is a name or a measure, not a kind of face

std::vector<SliceMembers> slices_by_width(const Dataset& dataset, const std::vector<LandmarkFace>& faces) {
    std::vector<double> widths;
    for (const LandmarkFace& face : faces) {
        widths.push_back(tight_box(dataset.samples[face.sample].faces[face.face].landmarks).w);
    }
    const double largest = widths.empty() ? 0 : *std::max_element(widths.begin(), widths.end());
    const std::vector<double> edges = face_width_edges(largest);
    std::vector<SliceMembers> slices;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        SliceMembers slice{"face width", shortest_number(edges[i]) + "–" + shortest_number(edges[i + 1]), {}};
        for (std::size_t k = 0; k < widths.size(); ++k) {
            if (widths[k] >= edges[i] && widths[k] < edges[i + 1]) slice.faces.push_back(k);
        }
        if (!slice.faces.empty()) slices.push_back(std::move(slice));
    }
    return slices;
}

}  // namespace

std::vector<SliceMembers> landmark_slices(const Dataset& dataset, const std::vector<LandmarkFace>& faces,
                                          std::vector<std::string>& warnings) {
    std::vector<SliceMembers> slices = slices_by_width(dataset, faces);
    // Attributes in the order of their first appearance, their values in their own.
    std::vector<std::string> names;
    std::map<std::string, std::map<std::string, std::vector<std::size_t>>> members;
    const auto collect = [&](const std::vector<Attribute>& attributes, std::size_t face) {
        for (const Attribute& attribute : attributes) {
            if (attribute.name == id_attribute) continue;
            const auto [place, is_new] = members.try_emplace(attribute.name);
            if (is_new) names.push_back(attribute.name);
            std::vector<std::size_t>& list = place->second[attribute.value];
            if (list.empty() || list.back() != face) list.push_back(face);
        }
    };
    for (std::size_t i = 0; i < faces.size(); ++i) {
        const Sample& sample = dataset.samples[faces[i].sample];
        collect(sample.faces[faces[i].face].attributes, i);
        collect(sample.attributes, i);
    }
    for (const std::string& name : names) {
        auto& values = members[name];
        if (values.size() > max_values) {
            warnings.push_back("The attribute '" + excerpt(name) + "' has " +
                               counted(values.size(), "value") + "; faces are sliced by at most " +
                               std::to_string(max_values) + ".");
            continue;
        }
        if (values.size() < 2) continue;
        for (auto& [value, list] : values) slices.push_back({name, value, std::move(list)});
    }
    return slices;
}

}  // namespace fovea
