#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/json/json.hpp"

namespace fovea {

/// Reads the members of one JSON object strictly: a member that is absent leaves its target as it is, one of
/// the wrong type or one that was never asked for is a UsageError naming its full path, e.g.
/// 'detectors[1].min_size'.
class JsonFields {
  public:
    /// \param path the object's own path; empty for the outermost.
    /// \throws UsageError if `value` is not an object.
    JsonFields(const Json& value, std::string path);

    void read(const std::string& key, bool& target);
    void read(const std::string& key, int& target);
    void read(const std::string& key, std::size_t& target);
    void read(const std::string& key, double& target);
    void read(const std::string& key, std::string& target);
    /// null empties the target.
    void read(const std::string& key, std::optional<int>& target);
    void read(const std::string& key, std::optional<double>& target);
    void read(const std::string& key, std::vector<std::string>& target);
    void read(const std::string& key, std::vector<double>& target);
    void read(const std::string& key, std::vector<int>& target);

    /// The member, or nullptr; it counts as known from now on.
    const Json* find(const std::string& key);

    /// Full path of a member, e.g. "evaluation.protocol".
    std::string path_of(const std::string& key) const;

    /// Call it last. \throws UsageError for the first member that nobody asked for, with the nearest
    /// known one.
    void finish() const;

  private:
    template <class T>
    void read_optional(const std::string& key, std::optional<T>& target);

    const Json& value_;
    std::string path_;
    std::vector<std::string> known_;
};

/// \throws UsageError "'PATH' must be EXPECTED" unless the condition holds.
void require_field(bool condition, const std::string& path, const std::string& expected);

/// An integer in the range of int. \throws UsageError naming `path`.
int json_to_int(const Json& value, const std::string& path);

/// "the string \"1.1\"", "null", "a list": what stands in the place of the expected type.
std::string describe_json(const Json& value);

}  // namespace fovea
