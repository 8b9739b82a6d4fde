#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/face_normalise/face_normalise.hpp"
#include "kernels/nearest/neighbour.hpp"
#include "kernels/vector_search/vector_distance_body.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

class FieldVisitor;
struct RecogniserConfig;

// The features of a face are a row of 16-bit words, of one length for one recogniser. The kind of the
// recogniser says what the words are: counts, or signed numbers.

/// Describes normalised faces on one device. Not for use by several threads at once.
class CropDescriber {
  public:
    virtual ~CropDescriber() = default;

    /// \param faces [count][height][width], 8-bit grey, on the device. \param words receives [count][length],
    /// on the device, equal on every device within RecogniserKind::max_difference; asynchronous on CUDA.
    /// \throws DeviceError.
    virtual void describe(const std::uint8_t* faces, std::size_t count, std::uint16_t* words) = 0;
};

/// The features of many faces on one device, searched exhaustively. Results are equal in every bit on every
/// device, for any split and number of threads. HistogramGallery says what the functions do.
class FeatureGallery {
  public:
    virtual ~FeatureGallery() = default;

    virtual void add(const std::uint16_t* rows, std::size_t count) = 0;
    virtual std::size_t size() const = 0;
    virtual void clear() = 0;
    virtual std::vector<Neighbour> search(const std::uint16_t* queries, std::size_t count,
                                          std::size_t k) const = 0;
    virtual void distances(const std::uint16_t* queries, std::size_t count, double* out) const = 0;
};

/// How the features of a recogniser are compared.
struct FeatureMetric {
    std::size_t length = 0;  ///< of the features of a face, words
    /// The words are signed components of a vector, compared by this distance; nothing if they are counts.
    std::optional<VectorDistance> vector_distance{};
    /// \throws std::invalid_argument for rows of words that no face has. \param what for the message,
    /// "query". \param first number of the first.
    std::function<void(const std::uint16_t* rows, std::size_t count, const char* what, std::size_t first)>
        check;
    /// The distance of two faces, at least 0; smaller is more alike. That of a gallery is equal in every bit.
    std::function<double(const std::uint16_t* first, const std::uint16_t* second)> distance;
    /// Galleries with this distance. \param device must outlive the gallery.
    std::function<std::unique_ptr<FeatureGallery>(const Device& device)> gallery;
};

/// A kind of recogniser: what tells its files, what describes faces, and what compares them.
struct RecogniserKind {
    /// One of them, for people: "local binary patterns".
    std::string name;
    /// The member of a recogniser's file that tells the kind: "features".
    std::string key;
    /// The features, for documents.
    std::string features;
    /// The type of the words in NumPy's files: "<u2" or "<i2".
    std::string numpy_type = "<u2";
    /// The distance, for documents.
    std::string distance;
    /// Faces are described on GPUs, too. Else the CPU describes those that a GPU has cut out.
    bool runs_on_gpus = true;
    /// A word of a face on one device differs from that on another by at most this.
    int max_difference = 0;
    /// Steps of which its files need not speak.
    FaceNormalisation normalisation{};
    /// Its own members of the file that decide features, then those that decide only the distance.
    /// \param folder of files that they name; empty while they are written.
    void (*describe_features)(FieldVisitor& visitor, RecogniserConfig& config,
                              const std::filesystem::path& folder) = nullptr;
    void (*describe_distance)(FieldVisitor& visitor, RecogniserConfig& config,
                              const std::filesystem::path& folder) = nullptr;
    /// For people: features, length and distance.
    std::string (*description)(const RecogniserConfig& config) = nullptr;
    /// \param config, device must outlive the describer. The device is the CPU unless runs_on_gpus.
    /// \throws std::invalid_argument; DeviceError; UsageError or Error if a file that it needs is missing
    /// or broken.
    std::unique_ptr<CropDescriber> (*describer)(const RecogniserConfig& config,
                                                const Device& device) = nullptr;
    /// \throws std::invalid_argument for a configuration that cannot be.
    FeatureMetric (*metric)(const RecogniserConfig& config) = nullptr;
};

/// All kinds. Files, galleries and documents follow from this table: a further kind is a row of it.
std::span<const RecogniserKind> recogniser_kinds();

/// The kind of a recogniser's file: the one whose key it has, else the first.
const RecogniserKind& recogniser_kind_of(const Json& json);

/// The kinds as a table of Markdown.
std::string recogniser_kinds_table();

}  // namespace fovea
