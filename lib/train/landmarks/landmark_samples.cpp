#include "lib/train/landmarks/landmark_samples.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <tbb/parallel_for.h>

#include "lib/evaluate/landmarks/landmark_points.hpp"
#include "lib/landmark/box_fit.hpp"
#include "lib/train/counter_random.hpp"

namespace fovea {
namespace {

/// How a copy shows its face: mirrored, then turned, both around a centre.
struct FaceView {
    bool mirrored = false;
    double angle_rad = 0;
    Point centre;

    std::vector<Point> points(const std::vector<Point>& landmarks) const {
        std::vector<Point> seen;
        const double cosine = std::cos(angle_rad), sine = std::sin(angle_rad);
        for (std::size_t i = 0; i < landmarks.size(); ++i) {
            const Point& from = landmarks[mirrored ? mirrored_landmarks()[i] : i];
            const double x = (from.x - centre.x) * (mirrored ? -1 : 1), y = from.y - centre.y;
            seen.push_back({centre.x + cosine * x - sine * y, centre.y + sine * x + cosine * y});
        }
        return seen;
    }

    // From the unit square of a box in the view to the image.
    UnitToImage to_image(const Rect& box) const {
        const UnitToImage view = unit_to_image(box);
        if (!mirrored && angle_rad == 0) return view;
        const double sign = mirrored ? -1 : 1;
        const double xx = sign * std::cos(angle_rad), xy = sign * std::sin(angle_rad);
        const double yx = -std::sin(angle_rad), yy = std::cos(angle_rad);
        return composed({xx, xy, yx, yy, centre.x, centre.y},
                        {view.xx, view.xy, view.yx, view.yy, view.x0 - centre.x, view.y0 - centre.y});
    }
};

std::vector<Point> initial_points(const LandmarkModel& model) {
    std::vector<Point> points;
    for (std::size_t i = 0; i < model.initial_shape.size(); i += 2) {
        points.push_back({model.initial_shape[i], model.initial_shape[i + 1]});
    }
    return points;
}

// \param landmarks as the copy shows them.
void set_sample(const LandmarkModel& model, const LandmarkTrainingFace& face,
                const std::vector<Point>& landmarks, const Rect& box, const UnitToImage& to_image,
                std::size_t index, LandmarkSamples& samples) {
    LandmarkSample& sample = samples.samples[index];
    sample.image = static_cast<std::uint32_t>(face.image);
    sample.box = box;
    sample.to_image = to_image;
    sample.span = span_of(box);
    sample.normaliser = face.normaliser;
    float* const target = samples.targets.data() + index * samples.stride;
    for (std::size_t p = 0; p < landmarks.size(); ++p) {
        target[2 * p] = static_cast<float>((landmarks[p].x - box.x) / sample.span.width);
        target[2 * p + 1] = static_cast<float>((landmarks[p].y - box.y) / sample.span.height);
    }
    std::copy(model.initial_shape.begin(), model.initial_shape.end(),
              samples.shapes.begin() + static_cast<std::ptrdiff_t>(index * samples.stride));
}

LandmarkSamples empty_samples(const LandmarkModel& model, std::size_t count) {
    LandmarkSamples samples;
    samples.stride = model.leaf_stride();
    samples.samples.resize(count);
    samples.targets.assign(count * samples.stride, 0);
    samples.shapes.assign(count * samples.stride, 0);
    return samples;
}

// A quarter of the errors, say, are those of tight boxes, the others of any detector.
const BoxError& draw_error(const std::vector<BoxErrorSource>& sources, double tight_share,
                           CounterRandom& random) {
    const std::size_t tight = sources.size() - 1;
    const bool of_detector = random.unit() >= tight_share && tight > 0;
    const BoxErrorSource& source = sources[of_detector ? random.below(tight) : tight];
    return source.errors[random.below(source.errors.size())];
}

/// A square that is turned and scaled about its middle, and moved.
UnitToImage displaced(const UnitToImage& square, const RefitError& error, CounterRandom random) {
    const double angle = error.turn_deg * std::numbers::pi / 180 * random.normal();
    const double scale = std::exp(error.scale * random.normal());
    const double c = scale * std::cos(angle), s = scale * std::sin(angle);
    // In the unit square.
    const double x0 = 0.5 + error.shift * random.normal() - 0.5 * (c - s);
    const double y0 = 0.5 + error.shift * random.normal() - 0.5 * (s + c);
    return composed(square, {c, -s, s, c, x0, y0});
}

constexpr std::size_t block_samples = 64;

template <class Work>
void for_blocks(std::size_t count, const Work& work) {
    tbb::parallel_for(std::size_t{0}, (count + block_samples - 1) / block_samples, [&](std::size_t block) {
        const std::size_t first = block * block_samples;
        work(first, std::min(first + block_samples, count));
    });
}

// Adds the leaves that a sample comes to.
void add_leaves(const LandmarkModel& model, const LandmarkCascade& cascade, const std::uint8_t* pixels,
                std::size_t samples, std::vector<std::int32_t>& sums) {
    const std::size_t splits = model.splits_of_tree(), stride = model.leaf_stride();
    std::fill(sums.begin(), sums.end(), 0);
    for (std::size_t t = 0; t < cascade.trees; ++t) {
        std::size_t node = 0;
        while (node < splits) {
            const LandmarkSplit& split = cascade.splits[t * splits + node];
            const int difference = int{pixels[split.first * samples]} - int{pixels[split.second * samples]};
            node = 2 * node + (difference > split.threshold ? 1 : 2);
        }
        const std::int8_t* const leaf =
            cascade.quantised_leaves.data() + (t * model.leaves_of_tree() + node - splits) * stride;
        for (std::size_t i = 0; i < stride; ++i) sums[i] += leaf[i];
    }
}

}  // namespace

LandmarkSamples make_training_samples(const LandmarkTrainConfig& config, const LandmarkTrainingData& data,
                                      const LandmarkModel& model) {
    const auto copies = static_cast<std::size_t>(config.copies.count);
    const std::vector<Point> mean = initial_points(model);
    const bool mirrors =
        config.copies.mirrored && model.initial_shape.size() == 2 * mirrored_landmarks().size();
    LandmarkSamples samples = empty_samples(model, data.faces.size() * copies);
    tbb::parallel_for(std::size_t{0}, samples.count(), [&](std::size_t i) {
        const LandmarkTrainingFace& face = data.faces[i / copies];
        CounterRandom random(config.seed, 'c', i / copies, i % copies);
        FaceView view;
        view.mirrored = mirrors && i % copies % 2 == 1;
        view.angle_rad = (2 * random.unit() - 1) * config.copies.rotation_deg * std::numbers::pi / 180;
        view.centre = tight_box(face.landmarks).centre();
        const BoxError& error = draw_error(data.sources, config.boxes.tight_share, random);
        const std::vector<Point> landmarks = view.points(face.landmarks);
        Box best = fitted_box(mean, landmarks);
        // Nothing fits a face that lies on its side.
        if (!(best.area() > 0)) best = tight_box(landmarks);
        const Rect box = model_box(model, displaced_box(best, error, config.boxes.widening));
        set_sample(model, face, landmarks, box, view.to_image(box), i, samples);
    });
    return samples;
}

LandmarkSamples make_validation_samples(const LandmarkTrainingData& data, const LandmarkModel& model,
                                        std::size_t source) {
    std::vector<const LandmarkTrainingFace*> faces;
    for (const LandmarkTrainingFace& face : data.validation_faces) {
        if (face.boxes[source].width > 0) faces.push_back(&face);
    }
    LandmarkSamples samples = empty_samples(model, faces.size());
    for (std::size_t i = 0; i < faces.size(); ++i) {
        const Rect& box = faces[i]->boxes[source];
        set_sample(model, *faces[i], faces[i]->landmarks, box, unit_to_image(box), i, samples);
    }
    return samples;
}

std::vector<std::uint8_t> sample_pixels(const LandmarkModel& model, const LandmarkTables& tables,
                                        const std::vector<LandmarkPixel>& pixels,
                                        const std::vector<GreyImage>& images,
                                        const LandmarkSamples& samples) {
    const std::size_t count = samples.count();
    std::vector<std::uint8_t> values(pixels.size() * count);
    for_blocks(count, [&](std::size_t first, std::size_t last) {
        for (std::size_t s = first; s < last; ++s) {
            const float* const shape = samples.shapes.data() + s * samples.stride;
            const ShapeTurn turn = turn_of_shape(model, tables, shape);
            const LandmarkSample& sample = samples.samples[s];
            const auto image = images[sample.image].view();
            for (std::size_t p = 0; p < pixels.size(); ++p) {
                values[p * count + s] = landmark_pixel(image, sample.to_image, turn, pixels[p], shape);
            }
        }
    });
    return values;
}

void advance_shapes(const LandmarkModel& model, const LandmarkTables& tables, const LandmarkCascade& cascade,
                    const std::vector<GreyImage>& images, LandmarkSamples& samples) {
    const std::vector<std::uint8_t> pixels = sample_pixels(model, tables, cascade.pixels, images, samples);
    for_blocks(samples.count(), [&](std::size_t first, std::size_t last) {
        std::vector<std::int32_t> sums(samples.stride);
        for (std::size_t s = first; s < last; ++s) {
            add_leaves(model, cascade, pixels.data() + s, samples.count(), sums);
            float* const shape = samples.shapes.data() + s * samples.stride;
            for (std::size_t i = 0; i < sums.size(); ++i) {
                shape[i] += cascade.leaf_unit * static_cast<float>(sums[i]);
            }
        }
    });
}

void refit_boxes(const LandmarkModel& model, const LandmarkTables& tables, const RefitError* error,
                 std::uint64_t seed, LandmarkSamples& samples) {
    tbb::parallel_for(std::size_t{0}, samples.count(), [&](std::size_t i) {
        LandmarkSample& sample = samples.samples[i];
        float* const shape = samples.shapes.data() + i * samples.stride;
        float* const target = samples.targets.data() + i * samples.stride;
        const BoxSpan span = sample.span;
        const UnitToImage fitted = square_of_shape(model, tables, shape, span);
        const UnitToImage square = error ? displaced(fitted, *error, CounterRandom(seed, 'r', i)) : fitted;
        sample.to_image = refitted(sample.to_image, square, span);
        // The square's columns are at right angles and of one length.
        const double squares = square.xx * square.xx + square.yx * square.yx;
        for (std::size_t p = 0; p < model.initial_shape.size(); p += 2) {
            const double x = span.width * double{target[p]} - square.x0;
            const double y = span.height * double{target[p + 1]} - square.y0;
            target[p] = static_cast<float>((square.xx * x + square.yx * y) / squares);
            target[p + 1] = static_cast<float>((square.xy * x + square.yy * y) / squares);
        }
        sample.span.width = sample.span.height = std::sqrt(squares);
        std::copy(model.initial_shape.begin(), model.initial_shape.end(), shape);
    });
}

double mean_error(const LandmarkModel& model, const LandmarkSamples& samples) {
    std::vector<double> errors(samples.count());
    for_blocks(samples.count(), [&](std::size_t first, std::size_t last) {
        for (std::size_t s = first; s < last; ++s) {
            const LandmarkSample& sample = samples.samples[s];
            const double x_scale = sample.span.width / sample.normaliser;
            const double y_scale = sample.span.height / sample.normaliser;
            const float* const shape = samples.shapes.data() + s * samples.stride;
            const float* const target = samples.targets.data() + s * samples.stride;
            double sum = 0;
            for (int p = 0; p < 2 * model.points; p += 2) {
                sum += std::hypot((shape[p] - target[p]) * x_scale, (shape[p + 1] - target[p + 1]) * y_scale);
            }
            errors[s] = sum / model.points;
        }
    });
    double sum = 0;
    for (const double error : errors) sum += error;
    return samples.count() > 0 ? sum / static_cast<double>(samples.count()) : 0;
}

}  // namespace fovea
