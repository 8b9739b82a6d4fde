#include "lib/healthcheck/healthcheck.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "lib/core/text.hpp"
#include "lib/healthcheck/healthcheck_boxes.hpp"

namespace fovea {
namespace {

struct KindText {
    FindingKind kind;
    std::string_view name;
    std::string_view title;
};

// In the order of the enumeration.
constexpr std::array kinds{
    KindText{FindingKind::reader_warning, "reader_warning", "warnings of the reader"},
    KindText{FindingKind::missing_image, "missing_image", "missing images"},
    KindText{FindingKind::unreadable_image, "unreadable_image", "unreadable images"},
    KindText{FindingKind::unread_format, "unread_format", "formats not read"},
    KindText{FindingKind::repeated_name, "repeated_name", "image names repeated"},
    KindText{FindingKind::repeated_file, "repeated_file", "files under two names"},
    KindText{FindingKind::duplicate_image, "duplicate_image", "duplicate images (same bytes)"},
    KindText{FindingKind::image_size, "image_size", "sizes stated wrongly"},
    KindText{FindingKind::not_finite, "not_finite", "numbers that are not finite"},
    KindText{FindingKind::degenerate_box, "degenerate_box", "boxes without area"},
    KindText{FindingKind::duplicate_box, "duplicate_box", "duplicate boxes"},
    KindText{FindingKind::box_partly_outside, "box_partly_outside", "boxes partly outside of the image"},
    KindText{FindingKind::box_outside, "box_outside", "boxes wholly outside of the image"},
    KindText{FindingKind::eyes_outside, "eyes_outside", "eyes outside of their box or image"},
    KindText{FindingKind::eyes_swapped, "eyes_swapped", "left eye not left of the right"},
    KindText{FindingKind::landmarks_outside, "landmarks_outside",
             "faces with landmarks outside of their box"},
    KindText{FindingKind::landmark_count, "landmark_count", "faces with another number of landmarks"},
    KindText{FindingKind::names_differ, "names_differ", "results that name images differently"},
    KindText{FindingKind::unknown_image, "unknown_image", "results of unknown images"},
    KindText{FindingKind::image_without_result, "image_without_result", "images without result"},
    KindText{FindingKind::partial_results, "partial_results", "partial results"},
    KindText{FindingKind::unreadable_result, "unreadable_result", "results that say unreadable"},
    KindText{FindingKind::unsorted_scores, "unsorted_scores", "images with unsorted scores"},
    KindText{FindingKind::tied_scores, "tied_scores", "images with tied scores"},
    KindText{FindingKind::degenerate_detection, "degenerate_detection", "detections without area"},
    KindText{FindingKind::duplicate_detection, "duplicate_detection", "duplicate detections"},
    KindText{FindingKind::detection_partly_outside, "detection_partly_outside",
             "detections partly outside of the image"},
    KindText{FindingKind::detection_outside, "detection_outside", "detections wholly outside of the image"},
    KindText{FindingKind::doubtful_boxes, "doubtful_boxes", "results whose boxes are doubtful"},
    KindText{FindingKind::subject_in_both, "subject_in_both", "subjects in both datasets"},
    KindText{FindingKind::image_in_both, "image_in_both", "images in both datasets"},
};

constexpr auto kind_list = [] {
    std::array<FindingKind, kinds.size()> list{};
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = kinds[i].kind;
    return list;
}();

constexpr BoxKinds face_kinds{FindingKind::degenerate_box, FindingKind::duplicate_box,
                              FindingKind::box_partly_outside, FindingKind::box_outside};

std::string in_words(const Point& point) {
    return "(" + shortest_number(point.x) + ", " + shortest_number(point.y) + ")";
}

/// Edges included; a box computed from points may miss them by a rounding error.
bool is_within(const Point& point, const Box& box) {
    constexpr double slack = 1e-6;
    return point.x >= box.x - slack && point.y >= box.y - slack && point.x <= box.x + box.w + slack &&
           point.y <= box.y + box.h + slack;
}

class DatasetChecker {
  public:
    DatasetChecker(const Dataset& dataset, const std::vector<ImageFacts>& facts)
        : dataset_(dataset), facts_(facts) {}

    std::vector<Finding> run() {
        for (const std::string& warning : dataset_.warnings) add(FindingKind::reader_warning, "", warning);
        for (const auto& [extension, files] : dataset_.passed_over.pictures())
            add(FindingKind::unread_format, "*." + extension, counted(files, "file"));
        if (std::string misnamed = dataset_.passed_over.sentence_of_misnamed(); !misnamed.empty())
            add(FindingKind::reader_warning, "", std::move(misnamed));
        find_usual_landmark_count();
        for (std::size_t i = 0; i < dataset_.samples.size(); ++i) {
            check_file(dataset_.samples[i], facts_[i]);
            check_faces(dataset_.samples[i], facts_[i]);
        }
        return std::move(findings_);
    }

  private:
    void add(FindingKind kind, const std::string& image, const std::string& detail) {
        findings_.push_back({kind, dataset_.name, image, detail});
    }

    void find_usual_landmark_count() {
        std::map<std::size_t, std::size_t> faces_by_count;
        for (const Sample& sample : dataset_.samples) {
            for (const Face& face : sample.faces) {
                if (!face.landmarks.empty()) ++faces_by_count[face.landmarks.size()];
            }
        }
        std::size_t most = 0;
        for (const auto& [count, faces] : faces_by_count) {
            if (faces >= most) usual_landmarks_ = count;
            most = std::max(most, faces);
        }
    }

    void check_file(const Sample& sample, const ImageFacts& facts) {
        if (!names_.insert(sample.image).second)
            add(FindingKind::repeated_name, sample.image, "named before");
        const auto [same_file, is_new_file] = files_.emplace(
            sample.frame ? sample.place().text() : sample.path.lexically_normal().string(), &sample);
        if (!is_new_file) {
            add(FindingKind::repeated_file, sample.image, "the file of '" + same_file->second->image + "'");
        }
        if (facts.is_missing)
            add(FindingKind::missing_image, sample.image, "no file " + sample.path.string());
        if (!facts.unreadable.empty()) add(FindingKind::unreadable_image, sample.image, facts.unreadable);
        if (facts.size && sample.size && *facts.size != *sample.size) {
            add(FindingKind::image_size, sample.image,
                "stated as " + size_in_words(*sample.size) + ", is " + size_in_words(*facts.size));
        }
        if (facts.sha256.empty() || !is_new_file) return;
        const auto [same_bytes, is_new] = hashes_.emplace(facts.sha256, &sample);
        if (is_new) return;
        const Sample& other = *same_bytes->second;
        add(FindingKind::duplicate_image, sample.image,
            "the bytes of '" + other.image + "'" +
                (sample.subject != other.subject ? ", under another subject" : ""));
    }

    static std::string size_in_words(const ImageSize& size) {
        return std::to_string(size.width) + "x" + std::to_string(size.height);
    }

    void check_faces(const Sample& sample, const ImageFacts& facts) {
        const std::optional<ImageSize> size = facts.size ? facts.size : sample.size;
        BoxChecker boxes(face_kinds, size, [&](FindingKind kind, const std::string& detail) {
            if (kind == FindingKind::box_partly_outside && boxes_may_leave_images(dataset_)) return;
            add(kind, sample.image, detail);
        });
        for (const Face& face : sample.faces) {
            boxes.check(face.box);
            if (face.eyes) check_eyes(sample, *face.eyes, face.box);
            check_landmarks(sample, face);
        }
        if (!sample.eyes || !sample.faces.empty()) return;
        const Box image = size
                              ? Box{0, 0, static_cast<double>(size->width), static_cast<double>(size->height)}
                              : Box{-1e9, -1e9, 2e9, 2e9};
        check_eyes(sample, *sample.eyes, image);
    }

    void check_eyes(const Sample& sample, const Eyes& eyes, const Box& box) {
        const std::string words = in_words(eyes.left) + " and " + in_words(eyes.right);
        if (!is_finite(eyes.left) || !is_finite(eyes.right)) {
            add(FindingKind::not_finite, sample.image, "the eyes " + words);
            return;
        }
        if (!is_within(eyes.left, box) || !is_within(eyes.right, box)) {
            add(FindingKind::eyes_outside, sample.image, "the eyes " + words + " of " + box_in_words(box));
        }
        if (eyes.left.x >= eyes.right.x) add(FindingKind::eyes_swapped, sample.image, "the eyes " + words);
    }

    void check_landmarks(const Sample& sample, const Face& face) {
        if (face.landmarks.empty()) return;
        const std::size_t count = face.landmarks.size();
        if (count != usual_landmarks_) {
            add(FindingKind::landmark_count, sample.image,
                counted(count, "landmark") + " where most faces have " + std::to_string(usual_landmarks_));
        }
        if (!std::all_of(face.landmarks.begin(), face.landmarks.end(), is_finite)) {
            add(FindingKind::not_finite, sample.image, "a landmark of the face " + box_in_words(face.box));
            return;
        }
        const auto outside = static_cast<std::size_t>(
            std::count_if(face.landmarks.begin(), face.landmarks.end(),
                          [&](const Point& point) { return !is_within(point, face.box); }));
        if (outside == 0) return;
        add(FindingKind::landmarks_outside, sample.image,
            std::to_string(outside) + " of " + counted(count, "landmark") + ", face " +
                box_in_words(face.box));
    }

    const Dataset& dataset_;
    const std::vector<ImageFacts>& facts_;
    std::vector<Finding> findings_;
    std::size_t usual_landmarks_ = 0;
    std::set<std::string> names_;
    std::map<std::filesystem::path, const Sample*> files_;
    std::map<std::string, const Sample*> hashes_;
};

std::map<std::string, std::size_t> images_by_subject(const Dataset& dataset) {
    std::map<std::string, std::size_t> counts;
    for (const Sample& sample : dataset.samples) {
        if (!sample.subject.empty()) ++counts[sample.subject];
    }
    return counts;
}

std::string identity_of(const Sample& sample, const ImageFacts& facts) {
    if (!facts.sha256.empty()) return facts.sha256;
    std::error_code error;
    const std::filesystem::path real = std::filesystem::weakly_canonical(sample.path, error);
    return (error ? sample.path : real).string();
}

}  // namespace

std::string_view finding_name(FindingKind kind) {
    return kinds[static_cast<std::size_t>(kind)].name;
}

std::string_view finding_title(FindingKind kind) {
    return kinds[static_cast<std::size_t>(kind)].title;
}

std::span<const FindingKind> all_finding_kinds() {
    return kind_list;
}

std::vector<Finding> check_dataset(const Dataset& dataset, const std::vector<ImageFacts>& facts) {
    return DatasetChecker(dataset, facts).run();
}

std::vector<Finding> check_overlap(const Dataset& first, const std::vector<ImageFacts>& first_facts,
                                   const Dataset& second, const std::vector<ImageFacts>& second_facts) {
    std::vector<Finding> findings;
    const auto subjects = images_by_subject(first);
    for (const auto& [subject, count] : images_by_subject(second)) {
        const auto found = subjects.find(subject);
        if (found == subjects.end()) continue;
        findings.push_back({FindingKind::subject_in_both, second.name, "",
                            "'" + subject + "': " + counted(found->second, "image") + " in " + first.name +
                                ", " + std::to_string(count) + " in " + second.name});
    }
    std::map<std::string, const Sample*> images;
    for (std::size_t i = 0; i < first.samples.size(); ++i) {
        images.emplace(identity_of(first.samples[i], first_facts[i]), &first.samples[i]);
    }
    for (std::size_t i = 0; i < second.samples.size(); ++i) {
        const auto found = images.find(identity_of(second.samples[i], second_facts[i]));
        if (found == images.end()) continue;
        findings.push_back({FindingKind::image_in_both, second.name, second.samples[i].image,
                            "is '" + found->second->image + "' of " + first.name});
    }
    return findings;
}

}  // namespace fovea
