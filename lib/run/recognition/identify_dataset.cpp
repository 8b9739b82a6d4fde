#include "lib/run/recognition/identify_dataset.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/run/recognition/enrol_dataset.hpp"

namespace fovea {
namespace {

Detection detection_of(const EnrolledFace& face, const CropGeometry& geometry) {
    if (face.found) return *face.found;
    Detection detection;
    detection.box = face.box.value_or(shown_box(face.eyes, geometry));
    detection.score = 1;
    return detection;
}

class Identification {
  public:
    Identification(const Dataset& dataset, const FaceFinder& finder, const Recogniser& recogniser,
                   GallerySearch& gallery, const IdentifyOptions& options, ResultsWriter& results,
                   ScoreMatrixWriter* scores)
        : dataset_(dataset),
          finder_(finder),
          recogniser_(recogniser),
          gallery_(gallery),
          options_(options),
          results_(results),
          scores_(scores) {
        const std::string name = gallery_dataset(dataset);
        for (const GalleryFace& face : gallery.faces()) {
            ++faces_of_subject_[face.subject];
            if (face.dataset == name) ++faces_of_image_[face.image][face.subject];
        }
        if (scores == nullptr) return;
        std::unordered_map<std::string, std::size_t> columns;
        for (const GalleryFace& face : gallery.faces()) {
            column_of_face_.push_back(columns.emplace(face.image, columns.size()).first->second);
        }
        columns_ = columns.size();
    }

    IdentifyResult run() {
        const std::size_t total = dataset_.samples.size();
        for (std::size_t first = 0; first < total && !outcome_.interrupted;) {
            const std::size_t count = std::min(options_.images_at_once, total - first);
            first += identify(first, count);
        }
        return std::move(outcome_);
    }

  private:
    // \return images gone through.
    std::size_t identify(std::size_t first, std::size_t count) {
        faces_.clear();
        features_.clear();
        std::vector<std::size_t> samples(count);
        std::iota(samples.begin(), samples.end(), first);
        EnrolmentOptions options = options_.enrolment;
        options.hooks.progress = [&](const JobProgress& now) {
            options_.enrolment.hooks.tell({first + now.done, dataset_.samples.size()});
        };
        const EnrolmentResult enrolled = enrol_faces(
            dataset_, finder_, recogniser_, options, [&](EnrolledFace&& face) { take(std::move(face)); },
            samples);
        const auto found = gallery_.search(features_.data(), faces_.size(), options_.candidates, pass_over());
        write_results(first, enrolled, found);
        if (scores_ != nullptr) write_scores();
        outcome_.images += enrolled.images;
        outcome_.pages_left_out += pages_left_out(enrolled.several_pages);
        outcome_.faces += faces_.size();
        outcome_.interrupted = enrolled.interrupted;
        return enrolled.images;
    }

    void take(EnrolledFace&& face) {
        features_.insert(features_.end(), face.features.begin(), face.features.end());
        face.features = {};
        faces_.push_back(std::move(face));
    }

    GallerySearch::PassOver pass_over() const {
        if (!options_.leave_one_out) return {};
        return [this, name = gallery_dataset(dataset_)](std::size_t query, std::size_t face) {
            const GalleryFace& other = gallery_.faces()[face];
            return other.dataset == name &&
                   other.image == valid_utf8(dataset_.samples[faces_[query].sample].image);
        };
    }

    void write_results(std::size_t first, const EnrolmentResult& enrolled,
                       const std::vector<std::vector<Neighbour>>& found) {
        std::vector<ImageResult> results(enrolled.images);
        for (std::size_t i = 0; i < results.size(); ++i) {
            const Sample& sample = dataset_.samples[first + i];
            results[i].image = sample.image;
            results[i].frame = frame_time(sample.frame);
        }
        for (const SeveralPages& image : enrolled.several_pages)
            results.at(image.sample - first).pages = image.pages;
        for (const FaceFailure& failure : enrolled.failures) {
            ImageResult& result = results.at(failure.sample - first);
            set_size(failure.image_size, result);
            if (failure.unreadable) result.status = "unreadable: " + failure.reason;
            outcome_.failures.push_back(failure);
        }
        for (std::size_t i = 0; i < faces_.size(); ++i) {
            ImageResult& result = results.at(faces_[i].sample - first);
            set_size(faces_[i].image_size, result);
            result.detections.push_back(identified(faces_[i], found[i]));
            if (!result.detections.back().details->identity.empty()) ++outcome_.identified;
            if (!found[i].empty() && !is_near(found[i].front())) ++outcome_.nearest_only;
        }
        std::vector<const Neighbour*> nearest(results.size(), nullptr);
        for (std::size_t i = 0; i < faces_.size(); ++i) {
            if (!found[i].empty()) nearest[faces_[i].sample - first] = &found[i].front();
        }
        for (std::size_t i = 0; i < results.size(); ++i) {
            count(dataset_.samples[first + i], nearest[i]);
            results_.write(results[i]);
        }
    }

    static void set_size(const ImageSize& size, ImageResult& result) {
        result.width = size.width;
        result.height = size.height;
    }

    bool is_near(const Neighbour& nearest) const {
        return !options_.threshold || nearest.distance <= *options_.threshold;
    }

    Detection identified(const EnrolledFace& face, const std::vector<Neighbour>& found) const {
        Detection detection = detection_of(face, recogniser_.config().geometry);
        if (found.empty()) return detection;
        detection.details.edit().distance = found.front().distance;
        if (is_near(found.front()))
            detection.details.edit().identity = gallery_.faces()[found.front().index].subject;
        if (options_.candidates == 1) return detection;
        for (const Neighbour& neighbour : found) {
            const GalleryFace& other = gallery_.faces()[neighbour.index];
            detection.details.edit().candidates.push_back({other.subject, other.image, neighbour.distance});
        }
        return detection;
    }

    // \param nearest to the image's one face; null if it has none.
    void count(const Sample& sample, const Neighbour* nearest) {
        const auto own = faces_of_image_.find(valid_utf8(sample.image));
        if (own != faces_of_image_.end() && !options_.leave_one_out && nearest != nullptr)
            ++outcome_.in_gallery;
        if (finder_.choice == FaceChoice::all || sample.subject.empty()) return;
        const std::string subject = valid_utf8(sample.subject);
        const auto mates = faces_of_subject_.find(subject);
        std::size_t count = mates == faces_of_subject_.end() ? 0 : mates->second;
        if (options_.leave_one_out && own != faces_of_image_.end()) {
            const auto same = own->second.find(subject);
            if (same != own->second.end()) count -= same->second;
        }
        if (count == 0) return;
        ++outcome_.mated;
        if (nearest != nullptr && gallery_.faces()[nearest->index].subject == subject) ++outcome_.rank1;
    }

    void write_scores() {
        // The rows taken at once fit into a few dozen megabytes.
        const std::size_t length = recogniser_.metric().length;
        const std::size_t at_once =
            std::max<std::size_t>(1, (std::size_t{1} << 22) / std::max<std::size_t>(1, columns_));
        std::vector<double> distances, row;
        for (std::size_t first = 0; first < faces_.size(); first += at_once) {
            const std::size_t count = std::min(at_once, faces_.size() - first);
            distances.resize(count * column_of_face_.size());
            gallery_.distances(features_.data() + first * length, count, distances.data());
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t face = first + i;
                const bool is_first = face == 0 || faces_[face - 1].sample != faces_[face].sample;
                const bool is_last =
                    face + 1 == faces_.size() || faces_[face + 1].sample != faces_[face].sample;
                if (is_first) row.assign(columns_, std::numeric_limits<double>::infinity());
                for (std::size_t other = 0; other < column_of_face_.size(); ++other) {
                    double& least = row[column_of_face_[other]];
                    least = std::min(least, distances[i * column_of_face_.size() + other]);
                }
                if (is_last) scores_->write(dataset_.samples[faces_[face].sample].image, row);
            }
        }
    }

    const Dataset& dataset_;
    const FaceFinder& finder_;
    const Recogniser& recogniser_;
    GallerySearch& gallery_;
    const IdentifyOptions& options_;
    ResultsWriter& results_;
    ScoreMatrixWriter* scores_;
    std::unordered_map<std::string, std::size_t> faces_of_subject_;
    std::unordered_map<std::string, std::unordered_map<std::string, std::size_t>> faces_of_image_;
    std::vector<std::size_t> column_of_face_;
    std::size_t columns_ = 0;
    std::vector<EnrolledFace> faces_;
    std::vector<std::uint16_t> features_;
    IdentifyResult outcome_;
};

}  // namespace

IdentifyResult identify_dataset(const Dataset& dataset, const FaceFinder& finder,
                                const Recogniser& recogniser, GallerySearch& gallery,
                                const IdentifyOptions& options, ResultsWriter& results,
                                ScoreMatrixWriter* scores) {
    return Identification(dataset, finder, recogniser, gallery, options, results, scores).run();
}

std::vector<std::string> images_of_gallery(const std::vector<GalleryFace>& faces) {
    std::vector<std::string> images;
    std::unordered_map<std::string, const GalleryFace*> known;
    for (const GalleryFace& face : faces) {
        const auto [first, is_new] = known.emplace(face.image, &face);
        if (is_new) images.push_back(face.image);
        if (first->second->dataset == face.dataset) continue;
        throw Error(
            "The gallery's images '" + excerpt(face.image) + "' of '" + excerpt(face.dataset) + "' and of '" +
            excerpt(first->second->dataset) +
            "' have the same name, and a matrix of scores would not tell them apart. Enrol one dataset "
            "into a gallery of its own.");
    }
    return images;
}

}  // namespace fovea
