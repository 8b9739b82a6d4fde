#include "lib/recognise/networks/network_file.hpp"

#include <vector>

#include "lib/core/error.hpp"
#include "lib/files/find_model.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/field_json.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

/// \throws UsageError naming the places that were searched.
fs::path find_network(const NetworkFile& network, const std::string& hint) {
    std::vector<ModelPlace> places;
    if (!network.folder.empty()) places.push_back({network.folder, {}});
    for (const fs::path& folder : model_folders()) places.push_back({folder / "recognisers", {}});
    return find_by_name(places, network.name, "network", "", hint);
}

}  // namespace

void describe_network_file(FieldVisitor& members, NetworkFile& network, const fs::path& folder,
                           const std::string& hint) {
    members.value({.key = "file"}, &network.name);
    members.demand("file", [&] {
        const fs::path given(network.name);
        network.folder = given.has_parent_path() ? folder / given.parent_path() : folder;
        network.name = given.filename().string();
        if (network.name.empty()) throw UsageError("it must name the file of a network");
    });
    members.value({.key = "sha256", .presence = Presence::optional}, &network.sha256);
    members.demand("file", [&] {
        if (network.sha256.empty()) network.sha256 = sha256_of_file(find_network(network, hint).string());
    });
}

fs::path find_checked_network(const NetworkFile& network, const std::string& hint) {
    fs::path file = find_network(network, hint);
    if (const std::string found = sha256_of_file(file.string()); found != network.sha256) {
        throw UsageError(file.string() + " is not the network of this recogniser: its SHA-256 is " + found +
                         ", but must be " + network.sha256);
    }
    return file;
}

}  // namespace fovea
