#include "lib/train/mct/training_data.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <opencv2/imgproc.hpp>
#include <spdlog/spdlog.h>
#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/dataset/readers/mit_cmu.hpp"
#include "lib/detect/mct_detector.hpp"
#include "lib/files/find_model.hpp"
#include "lib/files/sha256.hpp"
#include "lib/image/read_grey.hpp"
#include "lib/json/json.hpp"
#include "lib/train/data_sources.hpp"

namespace fovea {
namespace {

/// A face of a source image.
struct SourceFace {
    std::size_t image = 0;
    FacePlace place;
    bool validates = false;
};

struct Sources {
    std::vector<GreyImage> images;
    std::vector<SourceFace> faces;
};

// Uniform in [-1, 1): the distributions of the standard library differ between implementations.
class Jitter {
  public:
    explicit Jitter(std::uint64_t seed) : random_(seed) {}
    double next() { return static_cast<double>(random_() >> 11) * 0x1p-52 - 1; }
    int bit() { return static_cast<int>(random_() >> 63); }

  private:
    std::mt19937_64 random_;
};

class Counter {
  public:
    Counter(std::size_t total, const CountProgress& progress) : total_(total), progress_(progress) {}
    void step() {
        ++done_;
        if (progress_) progress_(done_, total_);
    }

  private:
    std::size_t total_;
    std::size_t done_ = 0;
    const CountProgress& progress_;
};

void add_strip(const TileStrip& strip, Sources& sources, Json& manifest) {
    const GreyImage picture = read_strip(strip.path);
    if (picture.width != strip.tile || picture.height % strip.tile != 0) {
        throw Error(strip.path + ": the picture is " + std::to_string(picture.width) + "x" +
                    std::to_string(picture.height) + " pixels, which are not tiles of " +
                    std::to_string(strip.tile) + "x" + std::to_string(strip.tile) +
                    " one below the other; set the strip's 'tile'.");
    }
    const int tiles = picture.height / strip.tile;
    const std::size_t pixels = static_cast<std::size_t>(strip.tile) * strip.tile;
    for (int i = 0; i < tiles; ++i) {
        const auto* from = picture.pixels.data() + pixels * i;
        SourceFace face;
        face.image = sources.images.size();
        face.place = {strip.x, strip.y, strip.side, 0, false};
        face.validates = i / 100 % 10 == 9;
        sources.images.push_back({strip.tile, strip.tile, {from, from + pixels}});
        sources.faces.push_back(face);
    }
    manifest.push_back({{"strip", std::filesystem::path(strip.path).filename().string()},
                        {"sha256", sha256_of_file(strip.path)},
                        {"tiles", tiles}});
}

Box window_box(const FacePlace& place) {
    return {place.x - place.side / 2, place.y - place.side / 2, place.side, place.side};
}

// The image scaled so that its face is `width` pixels wide.
ValidationImage scaled_for_validation(const GreyImage& image, const Box& face, double width) {
    // Hardly enlarged: that would be a blurred face of no camera.
    const double scale = std::min(width / face.w, 1.2);
    const cv::Mat pixels(image.height, image.width, CV_8U, const_cast<std::uint8_t*>(image.pixels.data()));
    cv::Mat resized;
    cv::resize(pixels, resized, {}, scale, scale, scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
    ValidationImage validation;
    validation.image = {resized.cols, resized.rows, {resized.datastart, resized.dataend}};
    const double exact = static_cast<double>(resized.cols) / image.width;
    validation.faces.push_back({face.x * exact, face.y * exact, face.w * exact, face.h * exact});
    return validation;
}

// Nothing if it cannot be read, which is said.
bool read_image(const Sample& sample, GreyImage& image, TrainingData& data) {
    try {
        image = read_grey_image(sample.place());
        return true;
    } catch (const std::exception& error) {
        ++data.unreadable;
        spdlog::warn("{} is left out: {}", sample.path.string(), error.what());
        return false;
    }
}

void add_faces(const Dataset& dataset, const TrainConfig& config, TrainingData& data, Sources& sources,
               Counter& counter) {
    Jitter widths(config.seed);
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
        counter.step();
        const Sample& sample = dataset.samples[i];
        GreyImage image;
        if (!read_image(sample, image, data)) continue;
        std::vector<FacePlace> places;
        for (const Face& face : sample.faces) {
            if (!face.ignore) places.push_back(face_place(face, config.window_over_face, sample.image));
        }
        if (sample.faces.empty() && sample.eyes) {
            Face face;
            face.eyes = sample.eyes;
            places.push_back(face_place(face, config.window_over_face, sample.image));
        }
        const bool validates = static_cast<int>(i % config.validation_every) == config.validation_every - 1;
        Background background{sample.image, image, {}};
        for (const FacePlace& place : places) {
            background.faces.push_back(window_box(place));
            if (validates) {
                FacePlace face = place;
                face.side /= config.window_over_face;
                for (int k = 0; k < 2; ++k) {
                    data.validation_images.push_back(scaled_for_validation(
                        image, window_box(face), 20 * std::exp2((widths.next() + 1) / 2)));
                }
            }
            sources.faces.push_back({sources.images.size(), place, validates});
        }
        sources.images.push_back(image);
        if (!validates && config.negatives.portraits) data.backgrounds.push_back(std::move(background));
    }
}

// Adds what a model takes for faces to the faces of portraits.
void add_detected_faces(const std::string& model, TrainingData& data) {
    const MctDetector detector(read_mct_model(find_model(model)));
    constexpr std::size_t batch = 32;
    for (std::size_t first = 0; first < data.backgrounds.size(); first += batch) {
        const std::size_t end = std::min(first + batch, data.backgrounds.size());
        std::vector<ImageView<const std::uint8_t>> images;
        for (std::size_t i = first; i < end; ++i) images.push_back(data.backgrounds[i].image.view());
        DetectorOptions options;
        options.min_score = 0.5;
        const auto found = detector.detect(images, options);
        for (std::size_t i = first; i < end; ++i) {
            for (const Detection& detection : found[i - first])
                data.backgrounds[i].faces.push_back(detection.box);
        }
    }
}

void add_backgrounds(const Dataset& dataset, const TrainConfig& config, TrainingData& data,
                     Counter& counter) {
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
        counter.step();
        GreyImage image;
        if (!read_image(dataset.samples[i], image, data)) continue;
        if (static_cast<int>(i % config.validation_every) == config.validation_every - 1) {
            data.validation_images.push_back({std::move(image), {}});
        } else {
            data.backgrounds.push_back({dataset.samples[i].image, std::move(image), {}});
        }
    }
}

// Imitates small and scanned pictures: mixes the pixels with their binomial blur, then adds noise.
void degrade(std::uint8_t* pixels, int width, int height, double blur, double noise, Jitter& random) {
    const std::vector<std::uint8_t> sharp(pixels, pixels + static_cast<std::size_t>(width) * height);
    const auto at = [&](int x, int y) {
        return int{sharp[static_cast<std::size_t>(std::clamp(y, 0, height - 1)) * width +
                         std::clamp(x, 0, width - 1)]};
    };
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            int blurred = 0;
            for (int k = 0; k < 9; ++k) {
                const int weight = (2 - std::abs(k % 3 - 1)) * (2 - std::abs(k / 3 - 1));
                blurred += at(x + k % 3 - 1, y + k / 3 - 1) * weight;
            }
            // Six uniform numbers of variance 1/3 each: near enough to a normal one.
            double normal = 0;
            for (int k = 0; k < 6; ++k) normal += random.next();
            const double value =
                at(x, y) * (1 - blur) + blurred / 16.0 * blur + noise * normal / std::numbers::sqrt2;
            *pixels++ = static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L));
        }
    }
}

// The same for two of three faces and of three backgrounds: what faces alone had would be taken for a face.
void degrade_some(std::size_t index, std::uint8_t* pixels, int width, int height,
                  const JitterSettings& jitter, Jitter& random) {
    if (index % 3 == 0 || (jitter.blur <= 0 && jitter.noise <= 0)) return;
    const double blur = (random.next() + 1) / 2 * jitter.blur;
    const double noise = (random.next() + 1) / 2 * jitter.noise;
    degrade(pixels, width, height, blur, noise, random);
}

void degrade_backgrounds(const TrainConfig& config, TrainingData& data) {
    tbb::parallel_for(std::size_t{0}, data.backgrounds.size(), [&](std::size_t i) {
        Jitter random(config.seed * 1'000'033 + i);
        GreyImage& image = data.backgrounds[i].image;
        degrade_some(i, image.pixels.data(), image.width, image.height, config.jitter, random);
    });
}

void cut_faces(const Sources& sources, const TrainConfig& config, TrainingData& data) {
    const JitterSettings& jitter = config.jitter;
    std::vector<std::vector<MctPatch>> patches(sources.faces.size());
    tbb::parallel_for(std::size_t{0}, sources.faces.size(), [&](std::size_t i) {
        const SourceFace& face = sources.faces[i];
        const PatchSource source(sources.images[face.image].view());
        Jitter random(config.seed * 1'000'003 + i);
        for (int copy = 0; copy < jitter.copies; ++copy) {
            FacePlace place = face.place;
            place.x += random.next() * jitter.shift * face.place.side;
            place.y += random.next() * jitter.shift * face.place.side;
            place.side *= 1 + random.next() * jitter.scale;
            place.angle_rad += random.next() * jitter.rotation_deg * std::numbers::pi / 180;
            place.mirrored = (copy & 1) != 0;
            const int dx = random.bit();
            const int dy = random.bit();
            MctPatch patch = source.cut(place, dx, dy);
            degrade_some(static_cast<std::size_t>(copy), patch.pixels, MctPatch::edge, MctPatch::edge, jitter,
                         random);
            patches[i].push_back(patch);
        }
    });
    for (std::size_t i = 0; i < patches.size(); ++i) {
        auto& to = sources.faces[i].validates ? data.validation_faces : data.faces;
        to.insert(to.end(), patches[i].begin(), patches[i].end());
    }
}

}  // namespace

FacePlace face_place(const Face& face, double window_over_face, const std::string& image) {
    if (!face.eyes) {
        throw Error(image +
                    ": a face has no eye coordinates, which its alignment needs; use a dataset with eyes, "
                    "e.g. pts: or feret:.");
    }
    const Eyes& eyes = *face.eyes;
    const Point between{(eyes.left.x + eyes.right.x) / 2, (eyes.left.y + eyes.right.y) / 2};
    const double dx = eyes.right.x - eyes.left.x;
    const double dy = eyes.right.y - eyes.left.y;
    Point mouth{between.x - 1.18 * dy, between.y + 1.18 * dx};
    if (face.landmarks.size() == 68) {
        mouth = {(face.landmarks[51].x + face.landmarks[57].x) / 2,
                 (face.landmarks[51].y + face.landmarks[57].y) / 2};
    } else if (face.landmarks.size() == 6) {
        mouth = face.landmarks[4];
    }
    const Box box = mit_cmu_face_box(eyes, mouth);
    // Points name pixel centres; places count from the pixel's corner.
    return {box.centre().x + 0.5, box.centre().y + 0.5, box.w * window_over_face, std::atan2(dy, dx), false};
}

TrainingData load_training_data(const TrainConfig& config, const CountProgress& progress) {
    TrainingData data;
    Sources sources;
    Json strips = Json::array();
    for (const TileStrip& strip : config.strips) {
        add_strip(strip, sources, strips);
        data.inputs.add(strip.path);
    }
    std::vector<Dataset> datasets;
    std::vector<Dataset> backgrounds;
    std::size_t total = 0;
    for (const std::string& name : config.datasets) {
        datasets.push_back(read_dataset(name));
        add_inputs(datasets.back(), data.inputs);
        total += datasets.back().samples.size();
    }
    for (const std::string& name : config.backgrounds) {
        backgrounds.push_back(read_dataset(name));
        add_inputs(backgrounds.back(), data.inputs);
        total += backgrounds.back().samples.size();
    }
    Counter counter(total, progress);
    Json face_sources = Json::array();
    for (const Dataset& dataset : datasets) {
        add_faces(dataset, config, data, sources, counter);
        face_sources.push_back(dataset_manifest(dataset));
    }
    if (!config.negatives.portraits_cleaned_by.empty()) {
        add_detected_faces(config.negatives.portraits_cleaned_by, data);
    }
    Json background_sources = Json::array();
    for (const Dataset& dataset : backgrounds) {
        add_backgrounds(dataset, config, data, counter);
        background_sources.push_back(dataset_manifest(dataset));
    }
    cut_faces(sources, config, data);
    degrade_backgrounds(config, data);

    constexpr std::size_t min_faces = 100;
    const std::size_t faces = data.faces.size() / static_cast<std::size_t>(config.jitter.copies);
    if (faces < min_faces || data.validation_faces.empty()) {
        throw Error("There are too few faces to train on: " + counted(faces, "face") + " and " +
                    counted(data.validation_faces.size(), "patch", "patches") +
                    " for validation, where at least " + std::to_string(min_faces) +
                    " and 1 are needed; add strips or datasets.");
    }
    if (data.backgrounds.empty()) {
        throw Error(
            "There is no background left to take negatives from; add folders of images without faces.");
    }
    data.manifest = {{"strips", strips},
                     {"datasets", face_sources},
                     {"backgrounds", background_sources},
                     {"faces", faces},
                     {"face_patches", data.faces.size()},
                     {"validation_patches", data.validation_faces.size()},
                     {"background_images", data.backgrounds.size()},
                     {"validation_images", data.validation_images.size()},
                     {"unreadable_images", data.unreadable}};
    return data;
}

}  // namespace fovea
