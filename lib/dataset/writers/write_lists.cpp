// MIT+CMU's list of boxes and LFW's list of pairs.
#include <algorithm>
#include <charconv>
#include <map>

#include "lib/core/error.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/writers/writers.hpp"

namespace fovea {
namespace {

/// An image of LFW's naming: NAME/NAME_0001.jpg.
struct LfwImage {
    std::string name;
    int number = 0;
};

LfwImage lfw_image(const Sample& sample) {
    const std::string stem = image_stem(std::filesystem::path(sample.image).filename().string());
    const std::size_t underscore = stem.rfind('_');
    LfwImage image;
    bool valid = underscore != std::string::npos && underscore > 0;
    if (valid) {
        image.name = stem.substr(0, underscore);
        const char* const end = stem.data() + stem.size();
        const auto [stop, error] = std::from_chars(stem.data() + underscore + 1, end, image.number);
        valid = error == std::errc() && stop == end && image.number > 0 &&
                (sample.subject.empty() || sample.subject == image.name);
    }
    if (!valid) {
        throw Error("The image '" + excerpt(sample.image) +
                    "' is not named as LFW's pairs need it, SUBJECT/SUBJECT_0001.jpg; rename it.");
    }
    field_name(image.name, "lfw");
    return image;
}

struct LfwFold {
    std::string same;
    std::string different;
    std::size_t same_count = 0;
    std::size_t different_count = 0;
};

void add_pair(LfwFold& fold, const Dataset& dataset, const ImagePair& pair) {
    const LfwImage a = lfw_image(dataset.samples.at(pair.first));
    const LfwImage b = lfw_image(dataset.samples.at(pair.second));
    if (pair.same != (a.name == b.name)) {
        throw Error("The pair of '" + excerpt(dataset.samples[pair.first].image) + "' and '" +
                    excerpt(dataset.samples[pair.second].image) + "' is marked as " +
                    (pair.same ? "one subject" : "two subjects") +
                    " and the names say otherwise; pairs.txt cannot express this.");
    }
    const std::string first = a.name + "\t" + std::to_string(a.number) + "\t";
    if (pair.same) {
        fold.same += first + std::to_string(b.number) + "\n";
        ++fold.same_count;
    } else {
        fold.different += first + b.name + "\t" + std::to_string(b.number) + "\n";
        ++fold.different_count;
    }
}

}  // namespace

/// MIT+CMU's facegroundtruth.txt: "name x y w h", one line per face.
WrittenDataset write_mit_cmu_boxes(const Dataset& dataset, const ImageSizeLookup&, Losses& losses) {
    std::string text;
    LossCounter faceless;
    for (const Sample& sample : dataset.samples) {
        if (!sample.annotated) continue;
        for (const Face& face : sample.faces) {
            const Box& box = face.box;
            text += field_name(sample.image, "mit-cmu-boxes");
            for (const double value : {box.x, box.y, box.w, box.h})
                text += " " + coordinate(value, sample.image);
            text += "\n";
        }
        faceless.add(sample.faces.empty());
    }
    if (text.empty()) {
        throw Error("No image of '" + dataset.name +
                    "' has a face with a box; nothing can be written as mit-cmu-boxes.");
    }
    faceless.report(
        losses, "image is", "images are",
        "not named, having no face; mit-cmu-boxes:DIR finds them in the folder, a file alone does not.");
    WrittenDataset written = counted_dataset({false, {{"", std::move(text)}}}, dataset);
    written.images -= faceless.count();
    return written;
}

/// LFW's pairs.txt of Dataset::pairs: "folds<TAB>pairs", then by fold the same pairs "Name i j", then the
/// others "NameA i NameB j".
WrittenDataset write_lfw(const Dataset& dataset, const ImageSizeLookup&, Losses& losses) {
    if (dataset.pairs.empty()) {
        throw Error("'" + dataset.name + "' has no list of pairs; only sets with one can be written as lfw.");
    }
    std::map<int, LfwFold> folds;
    for (const ImagePair& pair : dataset.pairs) add_pair(folds[pair.fold], dataset, pair);
    const std::size_t count = folds.begin()->second.same_count;
    // A list of one set (LFW's development sets) has no number of folds.
    std::string text =
        (folds.size() > 1 ? std::to_string(folds.size()) + "\t" : "") + std::to_string(count) + "\n";
    for (const auto& [number, fold] : folds) {
        if (fold.same_count != count || fold.different_count != count) {
            throw Error("Fold " + std::to_string(number + 1) + " of '" + dataset.name + "' has " +
                        counted(fold.same_count, "pair") + " of one subject and " +
                        counted(fold.different_count, "pair") + " of two; pairs.txt needs " +
                        std::to_string(count) + " of each in every fold.");
        }
        text += fold.same + fold.different;
    }
    std::vector<bool> is_paired(dataset.samples.size());
    for (const ImagePair& pair : dataset.pairs) is_paired[pair.first] = is_paired[pair.second] = true;
    LossCounter unpaired, faces;
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
        unpaired.add(!is_paired[i]);
        faces.add(!dataset.samples[i].faces.empty());
    }
    unpaired.report(losses, "image is", "images are", "left out, being in no pair.");
    faces.report(losses, "image loses", "images lose", "the faces.");
    const auto images = static_cast<std::size_t>(std::count(is_paired.begin(), is_paired.end(), true));
    return {{false, {{"", std::move(text)}}}, images, 0};
}

}  // namespace fovea
