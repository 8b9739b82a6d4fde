#include "lib/config/recognition_config.hpp"

#include <cmath>
#include <set>

#include "lib/json/field.hpp"

namespace fovea {
namespace {

std::vector<std::string> face_source_names() {
    std::vector<std::string> names;
    for (const FaceSource source :
         {FaceSource::automatic, FaceSource::truth, FaceSource::detector, FaceSource::image}) {
        names.push_back(to_string(source));
    }
    return names;
}

FieldFlag face_flag(const char* name, const char* type, const std::string& help) {
    return {.name = name, .type = type, .group = "Faces", .help = help};
}

bool are_two_places(const Eyes& eyes) {
    const bool finite = std::isfinite(eyes.left.x) && std::isfinite(eyes.left.y) &&
                        std::isfinite(eyes.right.x) && std::isfinite(eyes.right.y);
    return finite && !(eyes.left == eyes.right);
}

void describe_permutations(FieldVisitor& visitor, RecognitionConfig& config) {
    PermutationOptions& options = config.permutations;
    visitor.value({.key = "dataset", .is_path = true}, &config.permuted);
    visitor.value({.key = "count", .range = between(0, 1e7, "none")}, &options.permutations);
    visitor.value({.key = "enrolled", .range = between(1, 1e6)}, &options.enrolled);
    visitor.value({.key = "folds", .range = zero_or("none", between(2, 1e6))}, &options.folds);
    visitor.value({.key = "seed"}, &options.seed);
    visitor.rule("enrolled", options.folds == 0 || options.enrolled == 1, "left out where 'folds' are given");
    const bool of_gallery = config.probes.size() == 1 && config.probes[0] == config.gallery;
    visitor.rule("dataset", options.permutations == 0 || !config.permuted.empty() || of_gallery,
                 "given, unless the gallery is searched with itself");
}

}  // namespace

void describe(FieldVisitor& visitor, FaceFinderConfig& config) {
    visitor.value({.key = "faces",
                   .flag = face_flag("--faces", "SOURCE",
                                     "Source of the eyes: {default} (default: the annotation where it has "
                                     "eyes, else detection), truth, "
                                     "detector, or image (the whole image is the face)")},
                  named(config.source, face_source_names(), face_source_from_string));
    visitor.value(
        {.key = "detector",
         .flag = face_flag("--model,-m", "MODEL", "Detector that finds the faces (default: {default})"),
         .is_path = true},
        &config.detector);
    visitor.value({.key = "landmarks",
                   .flag = face_flag("--landmarks", "LANDMARK_MODEL",
                                     "Landmark model that finds their eyes (default: {default})"),
                   .is_path = true},
                  &config.landmarks);
    visitor.value({.key = "convention",
                   .flag = advanced(face_flag(
                       "--box-convention", "CONVENTION",
                       "How the detector's boxes become the landmark model's: auto, none or a name"))},
                  &config.convention);
    visitor.value(
        {.key = "fallback_eyes",
         .flag = advanced(face_flag(
             "--fallback-eyes", "LX,LY,RX,RY",
             "Eyes to use where no face is found, in units of the image's width and height; for portraits "
             "with faces in the same place. With --faces image: the eyes in every image"))},
        &config.fallback_eyes);
    visitor.rule("fallback_eyes", !config.fallback_eyes || are_two_places(*config.fallback_eyes),
                 "two different places");
}

void describe(FieldVisitor& visitor, RecognitionConfig& config) {
    const std::set<std::string> recognisers(config.recognisers.begin(), config.recognisers.end());
    visitor.value({.key = "recognisers", .is_path = true}, &config.recognisers);
    visitor.rule("recognisers", recognisers.size() == config.recognisers.size(),
                 "a list that names each only once");
    describe(visitor, config.finder);
    visitor.value({.key = "pairs", .is_path = true}, &config.pairs);
    visitor.value({.key = "gallery", .is_path = true}, &config.gallery);
    visitor.value({.key = "probes", .is_path = true}, &config.probes);
    visitor.rule("probes", config.gallery.empty() == config.probes.empty(), "given together with 'gallery'");
    visitor.object("permutations", [&](FieldVisitor& members) { describe_permutations(members, config); });
    visitor.rule("gallery", config.permutations.permutations == 0 || !config.gallery.empty(),
                 "given where 'permutations' are wanted");
}

}  // namespace fovea
