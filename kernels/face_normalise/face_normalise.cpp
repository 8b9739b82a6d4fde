#include "kernels/face_normalise/face_normalise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <tbb/parallel_for.h>

#include "kernels/face_normalise/gpu_face_normalise.hpp"

namespace fovea {
namespace {

std::vector<FaceSpan> spans_of_rows(Size size, const FaceNormalisation& normalisation) {
    std::vector<FaceSpan> spans;
    for (int y = 0; y < size.height; ++y) {
        spans.push_back(normalisation.mask ? span_of_row(normalisation.ellipse, size.width, y)
                                           : FaceSpan{0, size.width});
    }
    return spans;
}

using GreyCounts = std::array<std::uint32_t, 256>;

GreyCounts grey_counts(const std::uint8_t* face, const std::vector<FaceSpan>& spans, int width) {
    // Neighbours are often alike, and a count cannot be added to again before it was stored.
    std::array<GreyCounts, 2> turns{};
    for (const FaceSpan& span : spans) {
        for (int x = span.begin; x < span.end; ++x) ++turns[static_cast<std::size_t>(x & 1)][face[x]];
        face += width;
    }
    for (std::size_t value = 0; value < 256; ++value) turns[0][value] += turns[1][value];
    return turns[0];
}

void normalise_face(std::uint8_t* face, const std::vector<FaceSpan>& spans, int width,
                    const FaceNormalisation& normalisation) {
    const GreyCounts counts = grey_counts(face, spans, width);
    std::array<std::uint8_t, 256> becomes{};
    std::uint32_t pixels = 0, lowest = 0, at_most = 0;
    for (const std::uint32_t count : counts) {
        if (pixels == 0) lowest = count;
        pixels += count;
    }
    std::uint64_t sum = 0;
    for (std::uint32_t value = 0; value < 256; ++value) {
        at_most += counts[value];
        // Values that do not occur may be below the lowest.
        if (counts[value] == 0) continue;
        const std::uint32_t equalised =
            normalisation.equalise ? equalised_value(value, at_most, lowest, pixels) : value;
        becomes[value] = static_cast<std::uint8_t>(equalised);
        sum += std::uint64_t{equalised} * counts[value];
    }
    const std::uint8_t outside = normalisation.standardise ? rounded_mean(sum, pixels) : 0;
    for (const FaceSpan& span : spans) {
        std::fill(face, face + span.begin, outside);
        for (int x = span.begin; x < span.end; ++x) face[x] = becomes[face[x]];
        std::fill(face + span.end, face + width, outside);
        face += width;
    }
}

}  // namespace

void check_face_normalisation(const FaceNormalisation& normalisation, Size size) {
    constexpr int most = 4096;
    if (size.width < 1 || size.width > most || size.height < 1 || size.height > most) {
        throw std::invalid_argument("a face to normalise is " + std::to_string(size.width) + "x" +
                                    std::to_string(size.height) + " pixels, not 1x1 to 4096x4096");
    }
    const FaceEllipse& ellipse = normalisation.ellipse;
    if (!std::isfinite(ellipse.x) || !std::isfinite(ellipse.y)) {
        throw std::invalid_argument("the ellipse of normalised faces has no finite centre");
    }
    for (const double radius : {ellipse.a, ellipse.b}) {
        if (radius > 0 && std::isfinite(radius)) continue;
        throw std::invalid_argument("the ellipse of normalised faces has a radius of " +
                                    std::to_string(radius) + " pixels, which is not positive and finite");
    }
}

void normalise_faces(const Device& device, std::uint8_t* faces, std::size_t count, Size size,
                     const FaceNormalisation& normalisation) {
    check_face_normalisation(normalisation, size);
    if (count == 0) return;
    if (device.is_cuda()) {
        cuda_backend::normalise_faces(device, faces, count, size, normalisation);
        return;
    }
    const std::size_t pixels = static_cast<std::size_t>(size.width) * size.height;
    const std::vector<FaceSpan> spans = spans_of_rows(size, normalisation);
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
        normalise_face(faces + i * pixels, spans, size.width, normalisation);
    });
}

}  // namespace fovea
