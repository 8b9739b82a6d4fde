#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/dataset/passed_over.hpp"
#include "lib/image/image_location.hpp"

namespace fovea {

class InputFiles;
struct Dataset;

/// The attribute that holds the id that a COCO file gives an image. Faces have it only for the id 0, which
/// pycocotools treats in its own way.
inline constexpr std::string_view id_attribute = "id";

/// The attribute of faces that holds their category (Dataset::has_several_categories).
inline constexpr std::string_view category_attribute = "category_id";

/// A category of a COCO set.
struct Category {
    std::int64_t id = 0;
    std::string name;  ///< empty if the set does not name it
    /// The id if it is a text; `id` is then a number that no other category has.
    std::string text_id{};
};

/// One image of a dataset.
struct Sample {
    std::string image;           ///< path relative to the dataset's root, '/'-separated: the key of results
    std::filesystem::path path;  ///< the image's file, or its video
    std::optional<VideoFrame> frame;
    std::string subject;            ///< the person shown; empty if unknown
    std::optional<Eyes> eyes;       ///< for sets that give the eyes of the one face shown, but no box
    std::vector<Face> faces;        ///< ground truth
    bool annotated = false;         ///< `faces` is the complete ground truth (possibly no face)
    std::optional<ImageSize> size;  ///< as the annotation states it
    /// The number of the frame, from 0, if the annotation numbers frames and names no images (MOTChallenge).
    std::optional<std::int64_t> sequence_frame{};
    std::vector<Attribute> attributes;  ///< of the image as a whole: {"fold", "3"}, {"event", "0--Parade"}

    ImageLocation place() const { return {path, frame}; }
};

/// The places of all samples, in order.
std::vector<ImageLocation> places_of(const Dataset& dataset);

/// Two images of which a verification protocol asks whether they show one subject.
struct ImagePair {
    std::size_t first = 0;  ///< indices in Dataset::samples
    std::size_t second = 0;
    bool same = false;  ///< they show one subject
    int fold = 0;       ///< from 0
};

/// A list of images in a fixed order, with their ground truth, if any.
struct Dataset {
    std::string format;  ///< "folder", "list", "mit-cmu", "dlib", "feret", ...
    std::string name;    ///< the specification it was read from, as the user wrote it
    std::filesystem::path root;
    std::vector<Sample> samples;
    /// COCO: the categories whose annotations are the faces, by rising id; empty for other formats.
    std::vector<Category> categories;
    bool has_several_categories = false;  ///< all categories were asked for: see category_attribute
    std::vector<ImagePair> pairs;         ///< in the protocol's order; empty for sets without a list of pairs
    /// The list and annotation files that were read; their hashes are in run.json.
    std::vector<std::filesystem::path> sources;
    PassedOver passed_over;             ///< the files of a folder that are no images
    std::vector<std::string> warnings;  ///< for users, e.g. on listed images without coordinates

    /// True if at least one sample is annotated.
    bool has_ground_truth() const;
    /// The number of annotated faces that are not marked ignore.
    std::size_t face_count() const;
};

/// Adds a dataset's lists, annotation files and images to the files that no output may replace.
void add_inputs(const Dataset& dataset, InputFiles& inputs);

}  // namespace fovea
