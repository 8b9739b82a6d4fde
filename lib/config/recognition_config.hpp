#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/config/face_finder_config.hpp"
#include "lib/evaluate/recognition/permutation.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The recognition of a run: who recognises, how faces are found, and the experiments; those whose datasets are named are
/// made. Datasets are "FORMAT:PATH" or bare paths.
struct RecognitionConfig {
    std::vector<std::string> recognisers;  ///< files or names (find_recogniser); empty = no recognition
    FaceFinderConfig finder;               ///< always FaceChoice::one
    std::string pairs;                     ///< verification: a dataset with a list of pairs
    std::string gallery;                   ///< identification: a dataset with subjects
    std::vector<std::string> probes;       ///< and the sets that are searched in it, each by itself
    /// Random choices of gallery and probes among the images of one dataset; empty = the gallery's, if it is searched
    /// with itself.
    std::string permuted;
    PermutationOptions permutations{0};  ///< 0 = none

    bool wanted() const { return !recognisers.empty(); }
};

/// Reads the object at `path` of a configuration. \throws UsageError as run_config_from_json.
RecognitionConfig recognition_config_from_json(const Json& json, const std::string& path);
/// \param escape what is done to every path, see escape_environment.
Json recognition_config_to_json(const RecognitionConfig& config,
                                const std::function<std::string(const std::string&)>& escape);

/// Applies a change to every path in it. \param change gets the value and its full path in the configuration.
void change_paths(RecognitionConfig& config, const std::string& path,
                  const std::function<void(std::string& value, const std::string& path)>& change);

/// \throws UsageError naming the key at `path` that is out of its range or missing.
void validate_recognition_config(const RecognitionConfig& config, const std::string& path);

}  // namespace fovea
