#include "lib/json/json_differences.hpp"

#include <utility>

#include "lib/json/json.hpp"
#include "lib/json/json_place.hpp"

namespace fovea {
namespace {

const Json* find_member(const Json& object, const std::string& key) {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

class Differences {
  public:
    explicit Differences(PathSpelling spelling) : is_dotted_(spelling == PathSpelling::dotted) {}

    void compare(const Json& first, const Json& second, const std::string& path) {
        if (first.is_object() && second.is_object()) {
            for (const auto& [key, value] : first.items()) {
                compare_members(&value, find_member(second, key), below(path, key));
            }
            for (const auto& [key, value] : second.items()) {
                if (!first.contains(key)) compare_members(nullptr, &value, below(path, key));
            }
        } else if (first.is_array() && second.is_array() && first.size() == second.size()) {
            for (std::size_t i = 0; i < first.size(); ++i) {
                compare(first[i], second[i],
                        is_dotted_ ? item_path(path, i) : below(path, std::to_string(i)));
            }
        } else if (first != second) {
            found.push_back({path, &first, &second});
        }
    }

    std::vector<JsonDifference> found;

  private:
    void compare_members(const Json* first, const Json* second, const std::string& path) {
        if (first != nullptr && second != nullptr) return compare(*first, *second, path);
        found.push_back({path, first, second});
    }

    std::string below(const std::string& path, const std::string& key) const {
        return is_dotted_ ? member_path(path, key) : path + "/" + key;
    }

    const bool is_dotted_;
};

}  // namespace

std::vector<JsonDifference> json_differences(const Json& first, const Json& second, PathSpelling spelling,
                                             const std::string& path) {
    Differences differences(spelling);
    differences.compare(first, second, path);
    return std::move(differences.found);
}

}  // namespace fovea
