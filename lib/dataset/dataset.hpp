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

/// The attribute that holds the id which a COCO file gave an image; of faces it holds the id 0 alone, which
/// pycocotools treats in its own way.
inline constexpr std::string_view id_attribute = "id";

/// The attribute of faces that says their category where a dataset holds several
/// (Dataset::has_several_categories).
inline constexpr std::string_view category_attribute = "category_id";

/// A category of a COCO set.
struct Category {
    std::int64_t id = 0;
    std::string name;  ///< empty if the set does not name it
    /// The id where the set has a text for it; `id` is then a number that no other category has.
    std::string text_id{};
};

/// One image of a dataset with what is known of it.
struct Sample {
    std::string image;           ///< path relative to the dataset's root, '/'-separated: the key of results
    std::filesystem::path path;  ///< where the file is, or the video that it is a frame of
    std::optional<VideoFrame> frame;
    std::string subject;            ///< who is shown; empty if unknown
    std::optional<Eyes> eyes;       ///< for sets that give the eyes of the one face shown, but no box
    std::vector<Face> faces;        ///< ground truth
    bool annotated = false;         ///< true if `faces` is complete ground truth (possibly no face at all)
    std::optional<ImageSize> size;  ///< where the annotation states it
    /// Its place in a sequence, from 0, where the annotation numbers frames and names no image
    /// (MOTChallenge).
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

/// A list of images in a fixed order, with ground truth where there is some.
struct Dataset {
    std::string format;  ///< "folder", "list", "mit-cmu", "dlib", "feret", ...
    std::string name;    ///< the specification it was read from, as the user wrote it
    std::filesystem::path root;
    std::vector<Sample> samples;
    /// COCO: those whose annotations are the faces, by rising id; empty for other formats.
    std::vector<Category> categories;
    bool has_several_categories = false;  ///< all of them were asked for; category_attribute tells them apart
    std::vector<ImagePair> pairs;         ///< in the protocol's order; empty for sets without a list of pairs
    /// the list and annotation files read (hashed into run.json)
    std::vector<std::filesystem::path> sources;
    PassedOver passed_over;             ///< of a folder: what is no image
    std::vector<std::string> warnings;  ///< what a user should know, e.g. listed images without coordinates

    /// True if at least one sample is annotated.
    bool has_ground_truth() const;
    /// Number of annotated faces that are not marked ignore.
    std::size_t face_count() const;
};

/// Its lists, annotation files and images.
void add_inputs(const Dataset& dataset, InputFiles& inputs);

}  // namespace fovea
