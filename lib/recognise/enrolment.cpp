#include "lib/recognise/enrolment.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/overlap.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/dataset/face_names.hpp"
#include "lib/image/face_sharpness.hpp"
#include "lib/image/prefetch.hpp"
#include "lib/json/json.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/recognise/face_place.hpp"

namespace fovea {
namespace {

constexpr std::array sources{
    std::pair{FaceSource::automatic, "auto"},
    std::pair{FaceSource::truth, "truth"},
    std::pair{FaceSource::detector, "detector"},
    std::pair{FaceSource::image, "image"},
};

/// A face whose eyes are known, before it is described.
struct FoundFace {
    std::optional<Detection> found;
    std::optional<Box> box;
    Eyes eyes;
    bool from_fallback = false;
    std::optional<std::string> subject{};
};

CropEyes crop_eyes(const Eyes& eyes) {
    return {{eyes.left.x, eyes.left.y}, {eyes.right.x, eyes.right.y}};
}

Eyes eyes_of(const CropEyes& eyes) {
    return {{eyes.left.x, eyes.left.y}, {eyes.right.x, eyes.right.y}};
}

// The place of the eyes if the crop were the largest part of its shape in the image's middle.
Eyes eyes_of_whole(const ImageView<const std::uint8_t>& image, const CropGeometry& geometry) {
    const double scale = std::min(static_cast<double>(image.width) / geometry.size.width,
                                  static_cast<double>(image.height) / geometry.size.height);
    const double left = (image.width - scale * geometry.size.width) / 2;
    const double top = (image.height - scale * geometry.size.height) / 2;
    // Pixel (0, 0) of the crop is the square from -0.5 to 0.5.
    const auto place = [&](const CropPoint& eye) {
        return Point{(eye.x + 0.5) * scale + left - 0.5, (eye.y + 0.5) * scale + top - 0.5};
    };
    return {place(geometry.eyes.left), place(geometry.eyes.right)};
}

Eyes scaled(const Eyes& eyes, const ImageView<const std::uint8_t>& image) {
    return {{eyes.left.x * image.width, eyes.left.y * image.height},
            {eyes.right.x * image.width, eyes.right.y * image.height}};
}

ImageSize size_of(const ImageView<const std::uint8_t>& image) {
    return {image.width, image.height};
}

std::vector<FoundFace> annotated_faces(const Sample& sample) {
    std::vector<FoundFace> faces;
    for (const Face& face : sample.faces) {
        if (face.ignore || face.crowd) continue;
        std::optional<Eyes> eyes = face.eyes;
        if (!eyes) {
            if (const auto centres = eyes_of_landmarks(face.landmarks)) eyes = eyes_of(*centres);
        }
        if (eyes) faces.push_back({{}, face.box, *eyes});
    }
    if (faces.empty() && sample.eyes) faces.push_back({{}, {}, *sample.eyes});
    return faces;
}

std::vector<FoundFace> detected_faces(const std::vector<Detection>& detections,
                                      const RecogniserConfig& recogniser, std::span<const float> mean_shape) {
    std::vector<FoundFace> faces;
    for (const Detection& detection : detections) {
        const auto eyes = eyes_for(recogniser, detection.details->landmarks, mean_shape);
        if (eyes) faces.push_back({detection, detection.box, eyes_of(*eyes)});
    }
    return faces;
}

Point centre_of(const FoundFace& face) {
    if (face.box) return face.box->centre();
    return {(face.eyes.left.x + face.eyes.right.x) / 2, (face.eyes.left.y + face.eyes.right.y) / 2};
}

// Without those below the score, unless all are: then the best one.
void keep_sure(std::vector<FoundFace>& faces, double sure_score) {
    const auto score = [](const FoundFace& face) { return face.found ? face.found->score : 0.0; };
    const auto is_sure = [&](const FoundFace& face) {
        return !face.found || face.found->score >= sure_score;
    };
    if (faces.empty()) return;
    if (std::any_of(faces.begin(), faces.end(), is_sure)) {
        std::erase_if(faces, [&](const FoundFace& face) { return !is_sure(face); });
        return;
    }
    const auto best = std::max_element(faces.begin(), faces.end(),
                                       [&](const auto& a, const auto& b) { return score(a) < score(b); });
    std::iter_swap(faces.begin(), best);
    faces.resize(1);
}

// The one nearest to the image's centre, then the larger.
void keep_central(std::vector<FoundFace>& faces, const ImageView<const std::uint8_t>& image) {
    if (faces.size() < 2) return;
    const auto key = [&](const FoundFace& face) {
        return distance_from_middle(centre_of(face), face.box ? face.box->area() : 0.0, size_of(image));
    };
    const auto best = std::min_element(faces.begin(), faces.end(),
                                       [&](const auto& a, const auto& b) { return key(a) < key(b); });
    std::iter_swap(faces.begin(), best);
    faces.resize(1);
}

std::vector<const Face*> named_faces(const Sample& sample) {
    std::vector<const Face*> named;
    for (const Face& face : sample.faces)
        if (!face.ignore && !face.crowd && !name_of(face).empty()) named.push_back(&face);
    return named;
}

bool holds_centre(const Box& box, const Box& of) {
    const Point centre = of.centre();
    return centre.x >= box.x && centre.x <= box.x + box.w && centre.y >= box.y && centre.y <= box.y + box.h;
}

// Gives the faces found the names of those annotated, and all others no name. Programs draw boxes of very
// different sizes about a face, so one is another's if each holds the centre of the other; of several the one
// with the largest overlap. Returns the names that no face got.
std::vector<std::string> name_faces(const std::vector<const Face*>& named, std::vector<FoundFace>& faces) {
    std::vector<OverlappingPair> pairs;
    for (std::size_t n = 0; n < named.size(); ++n) {
        const Box& region = named[n]->box;
        for (std::size_t f = 0; f < faces.size(); ++f) {
            const std::optional<Box>& box = faces[f].box;
            if (box && holds_centre(region, *box) && holds_centre(*box, region))
                pairs.push_back({intersection_over_union(region, *box), n, f});
        }
    }
    for (FoundFace& face : faces) face.subject.emplace();
    std::vector<bool> is_given(named.size());
    for (const OverlappingPair& pair : pair_greedily(std::move(pairs))) {
        faces[pair.second].subject = name_of(*named[pair.first]);
        is_given[pair.first] = true;
    }
    std::vector<std::string> missed;
    for (std::size_t n = 0; n < named.size(); ++n)
        if (!is_given[n]) missed.emplace_back(name_of(*named[n]));
    return missed;
}

// Why a face with these eyes cannot be described; empty if it can.
std::string problem_of(const Eyes& eyes, const ImageView<const std::uint8_t>& image,
                       const CropGeometry& geometry) {
    const auto inside = [&](const Point& eye) {
        return eye.x >= 0 && eye.x <= image.width && eye.y >= 0 && eye.y <= image.height;
    };
    if (!inside(eyes.left) && !inside(eyes.right)) return "both eyes lie outside the image";
    if (!crop_transform(crop_eyes(eyes), geometry).exists()) return "both eyes are at the same place";
    return {};
}

Json quality_of(const FoundFace& face, const GreyImage& image, const CropGeometry& geometry) {
    Json quality{{"eye_distance",
                  std::hypot(face.eyes.right.x - face.eyes.left.x, face.eyes.right.y - face.eyes.left.y)}};
    if (face.found) quality["detector_score"] = face.found->score;
    const Box box = face.box.value_or(shown_box(face.eyes, geometry));
    if (const auto sharpness = face_sharpness(image.view(), box)) quality["sharpness"] = *sharpness;
    return quality;
}

class Enrolment {
  public:
    Enrolment(const Dataset& dataset, std::vector<std::size_t> samples, const FaceFinder& finder,
              const Recogniser& recogniser, const EnrolmentOptions& options,
              const std::function<void(EnrolledFace&&)>& take)
        : dataset_(dataset),
          samples_(std::move(samples)),
          finder_(finder),
          recogniser_(recogniser),
          options_(options),
          take_(take),
          limit_(options.threads),
          prefetcher_(places(), {limit_.threads(), std::size_t{256} << 20, options.decode}) {}

    EnrolmentResult run() {
        while (fill_batch()) {
            find_faces();
            describe_faces();
            outcome_.images += batch_.size();
            options_.hooks.tell({outcome_.images, samples_.size()});
        }
        outcome_.interrupted = outcome_.images < samples_.size();
        return std::move(outcome_);
    }

  private:
    std::vector<ImageLocation> places() const {
        std::vector<ImageLocation> places;
        for (const std::size_t sample : samples_) places.push_back(dataset_.samples[sample].place());
        return places;
    }

    bool fill_batch() {
        batch_.clear();
        std::size_t bytes = 0;
        const auto cancelled = [&] { return options_.hooks.is_cancelled(); };
        while (batch_.size() < options_.batch_images && (batch_.empty() || bytes < options_.batch_bytes) &&
               !cancelled()) {
            std::optional<LoadedImage> loaded = prefetcher_.next();
            if (!loaded) break;
            bytes += loaded->image.pixels.size();
            if (loaded->pages > 1) outcome_.several_pages.push_back({samples_[loaded->index], loaded->pages});
            batch_.push_back(std::move(*loaded));
        }
        return !batch_.empty();
    }

    const Sample& sample_of(const LoadedImage& loaded) const {
        return dataset_.samples[samples_[loaded.index]];
    }

    // Fills faces_, parallel to batch_.
    void find_faces() {
        faces_.assign(batch_.size(), {});
        std::vector<std::size_t> to_detect;
        std::vector<ImageView<const std::uint8_t>> views;
        for (std::size_t i = 0; i < batch_.size(); ++i) {
            if (!batch_[i].unreadable.empty()) continue;
            const auto image = batch_[i].image.view();
            if (finder_.source == FaceSource::image) {
                faces_[i].push_back({{}, {}, image_eyes(image)});
                continue;
            }
            if (finder_.source != FaceSource::detector) faces_[i] = annotated_faces(sample_of(batch_[i]));
            if (!faces_[i].empty() || finder_.source == FaceSource::truth) continue;
            to_detect.push_back(i);
            views.push_back(image);
        }
        if (!to_detect.empty()) {
            if (finder_.detector == nullptr || finder_.landmarks.landmarker == nullptr) {
                throw UsageError("the eyes of " + sample_of(batch_[to_detect.front()]).image +
                                 " are not annotated: a detector and a landmark model must find them");
            }
            limit_.run([&] {
                const auto found = finder_.detector->detect(views, finder_.options, &finder_.landmarks);
                for (std::size_t n = 0; n < to_detect.size(); ++n) {
                    faces_[to_detect[n]] = detected_faces(
                        found[n], recogniser_.config(), finder_.landmarks.landmarker->model().initial_shape);
                }
            });
        }
        for (std::size_t i = 0; i < batch_.size(); ++i) choose_faces(i);
    }

    Eyes image_eyes(const ImageView<const std::uint8_t>& image) const {
        return finder_.fallback_eyes ? scaled(*finder_.fallback_eyes, image)
                                     : eyes_of_whole(image, recogniser_.config().geometry);
    }

    void choose_faces(std::size_t i) {
        const LoadedImage& loaded = batch_[i];
        const std::size_t sample = samples_[loaded.index];
        if (!loaded.unreadable.empty()) {
            outcome_.failures.push_back({sample, loaded.unreadable, true});
            return;
        }
        const auto image = loaded.image.view();
        if (finder_.choice == FaceChoice::one) {
            if (finder_.sure_score) keep_sure(faces_[i], *finder_.sure_score);
            keep_central(faces_[i], image);
        } else {
            choose_named(i, sample);
            if (finder_.choice == FaceChoice::named) return;
        }
        if (faces_[i].empty() && finder_.fallback_eyes) {
            faces_[i].push_back({{}, {}, scaled(*finder_.fallback_eyes, image), true});
        }
        if (faces_[i].empty()) {
            const bool truth = finder_.source == FaceSource::truth;
            outcome_.failures.push_back({sample, truth ? "no eyes are annotated" : "no face was found", false,
                                         size_of(image), !truth});
        }
        drop_impossible(i, sample);
    }

    // In images without named faces nothing is chosen, and FaceChoice::named takes none.
    void choose_named(std::size_t i, std::size_t sample) {
        const std::vector<const Face*> named = named_faces(dataset_.samples[sample]);
        const bool takes_named_alone = finder_.choice == FaceChoice::named;
        std::vector<std::string> missed;
        if (!named.empty()) missed = name_faces(named, faces_[i]);
        if (!takes_named_alone) return;
        std::erase_if(faces_[i],
                      [](const FoundFace& face) { return !face.subject || face.subject->empty(); });
        const bool is_truth = finder_.source == FaceSource::truth;
        for (const std::string& name : missed) {
            outcome_.failures.push_back(
                {sample,
                 (is_truth ? "no eyes are annotated of '" : "no face was found where there is '") +
                     excerpt(name) + "'",
                 false, size_of(batch_[i].image.view()), !is_truth});
        }
        drop_impossible(i, sample);
    }

    void drop_impossible(std::size_t i, std::size_t sample) {
        const auto image = batch_[i].image.view();
        std::erase_if(faces_[i], [&](const FoundFace& face) {
            const std::string problem = problem_of(face.eyes, image, recogniser_.config().geometry);
            if (!problem.empty()) outcome_.failures.push_back({sample, problem, false, size_of(image)});
            return !problem.empty();
        });
    }

    void describe_faces() {
        std::vector<ImageView<const std::uint8_t>> views;
        std::vector<CropTask> tasks;
        const CropGeometry& geometry = recogniser_.config().geometry;
        for (std::size_t i = 0; i < batch_.size(); ++i) {
            views.push_back(batch_[i].image.view());
            for (const FoundFace& face : faces_[i]) {
                tasks.push_back(
                    {static_cast<std::uint32_t>(i), crop_transform(crop_eyes(face.eyes), geometry)});
            }
        }
        FaceFeatures features;
        limit_.run([&] { features = recogniser_.features(views, tasks); });
        std::size_t next = 0;
        for (std::size_t i = 0; i < batch_.size(); ++i) {
            for (FoundFace& face : faces_[i]) {
                EnrolledFace enrolled;
                enrolled.sample = samples_[batch_[i].index];
                enrolled.quality = quality_of(face, batch_[i].image, geometry);
                enrolled.found = std::move(face.found);
                enrolled.box = face.box;
                enrolled.eyes = face.eyes;
                enrolled.from_fallback = face.from_fallback;
                enrolled.subject = std::move(face.subject);
                enrolled.image_size = size_of(views[i]);
                enrolled.features.assign(features.of(next), features.of(next) + features.length);
                ++next;
                ++outcome_.faces;
                take_(std::move(enrolled));
            }
        }
    }

    const Dataset& dataset_;
    std::vector<std::size_t> samples_;
    const FaceFinder& finder_;
    const Recogniser& recogniser_;
    const EnrolmentOptions& options_;
    const std::function<void(EnrolledFace&&)>& take_;
    ThreadLimit limit_;
    ImagePrefetcher prefetcher_;
    std::vector<LoadedImage> batch_;
    std::vector<std::vector<FoundFace>> faces_;
    EnrolmentResult outcome_;
};

}  // namespace

Box shown_box(const Eyes& eyes, const CropGeometry& geometry) {
    const CropTransform transform = crop_transform(crop_eyes(eyes), geometry);
    const double scale = std::hypot(transform.a, transform.b);
    const Point middle{(eyes.left.x + eyes.right.x) / 2, (eyes.left.y + eyes.right.y) / 2};
    const double across = (geometry.eyes.left.x + geometry.eyes.right.x) / 2;
    const double down = (geometry.eyes.left.y + geometry.eyes.right.y) / 2;
    return {middle.x - scale * across, middle.y - scale * down, scale * geometry.size.width,
            scale * geometry.size.height};
}

std::string to_string(FaceSource source) {
    for (const auto& [value, name] : sources) {
        if (value == source) return name;
    }
    throw std::logic_error("a source of faces has no name");
}

FaceSource face_source_from_string(const std::string& name) {
    for (const auto& [value, known] : sources) {
        if (name == known) return value;
    }
    throw UsageError("there are no faces '" + name + "': use auto, truth, detector or image");
}

std::size_t pages_left_out(const std::vector<SeveralPages>& images) {
    std::size_t left_out = 0;
    for (const SeveralPages& image : images) left_out += static_cast<std::size_t>(image.pages - 1);
    return left_out;
}

EnrolmentResult enrol_faces(const Dataset& dataset, const FaceFinder& finder, const Recogniser& recogniser,
                            const EnrolmentOptions& options, const std::function<void(EnrolledFace&&)>& take,
                            const std::vector<std::size_t>& samples) {
    std::vector<std::size_t> wanted = samples;
    if (wanted.empty()) {
        wanted.resize(dataset.samples.size());
        std::iota(wanted.begin(), wanted.end(), std::size_t{0});
    }
    return Enrolment(dataset, std::move(wanted), finder, recogniser, options, take).run();
}

}  // namespace fovea
