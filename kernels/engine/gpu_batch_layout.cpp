#include "kernels/engine/gpu_batch_layout.hpp"

#include <algorithm>

#include "kernels/core/align.hpp"
#include "kernels/core/view.hpp"
#include "kernels/engine/gather_body.hpp"
#include "kernels/group/group.hpp"
#include "kernels/landmark/find_landmarks.hpp"
#include "kernels/windows/cascade_window.hpp"

namespace fovea::cuda_backend {
namespace {

/// Places pieces one behind the other.
class Placer {
  public:
    explicit Placer(std::size_t& bytes) : bytes_(bytes) { bytes_ = 0; }
    std::size_t take(std::size_t bytes) {
        const std::size_t place = bytes_;
        bytes_ = align_up(place + bytes);
        return place;
    }

  private:
    std::size_t& bytes_;
};

// Faces of a batch whose landmarks come with the groups, and as many more for each image.
constexpr std::size_t first_landmarks = 64;
constexpr std::size_t first_landmarks_per_image = 4;

}  // namespace

GpuBatchLayout::GpuBatchLayout(const GpuBatchSize& size) {
    const bool has_landmarks = size.landmarks > 0;
    Placer place_input(input.bytes);
    input.views = place_input.take(has_landmarks ? sizeof(ImageView<const std::uint8_t>) * size.images : 0);
    input.sources = place_input.take(size.is_resident ? sizeof(GatherSource) * size.images : 0);
    input.tables = input.bytes;
    // The cascade finds the images right behind its tables.
    input.images = input.tables + size.table_bytes;
    input.bytes = input.images + size.image_bytes;
    input.uploaded = size.is_resident ? input.images : input.bytes;

    Placer place_results(results.bytes);
    place_results.take(sizeof(unsigned) * size.counter_words);
    results.windows_found = place_results.take(sizeof(unsigned) * size.images);
    results.groups_found = place_results.take(sizeof(unsigned) * size.images);
    results.groups = results.bytes;
    const std::size_t group_bytes = sizeof(RectGroup) * size.images * first_groups;
    results.bytes = results.groups + group_bytes;
    results.cleared_words = results.windows_found / sizeof(unsigned) + size.images;
    results.downloaded =
        size.is_grouped ? results.bytes - results.windows_found : sizeof(unsigned) * size.images;

    output.windows_found = 0;
    output.groups_found = results.groups_found - results.windows_found;
    output.groups = results.groups - results.windows_found;
    output.landmarks = align_up(output.groups + group_bytes);

    const std::size_t places = size.images * size.capacity;
    Placer place_found(found.bytes);
    found.windows = place_found.take(sizeof(CascadeWindow) * places);
    found.rects = place_found.take(sizeof(Rect) * places);
    found.parents = place_found.take(sizeof(int) * places);

    if (size.is_grouped) {
        constexpr int sums_of_class = 5;
        Placer place(grouping.bytes);
        grouping.groups = place.take(sizeof(RectGroup) * places);
        grouping.means = place.take(sizeof(RectGroup) * places);
        grouping.sums = place.take(sums_of_class * sizeof(unsigned long long) * places);
        grouping.members = place.take(sizeof(int) * places);
        grouping.classes = place.take(sizeof(int) * places);
    }
    if (has_landmarks) {
        landmarks.max_faces = size.images * first_groups;
        landmarks.face_bytes = sizeof(std::int32_t) * 2 * size.landmarks;
        landmarks.downloaded_faces =
            std::min(landmarks.max_faces, first_landmarks_per_image * size.images + first_landmarks);
        Placer place(landmarks.bytes);
        landmarks.count = place.take(sizeof(unsigned));
        landmarks.tasks = place.take(sizeof(LandmarkTask) * landmarks.max_faces);
        landmarks.positions = place.take(landmarks.face_bytes * landmarks.max_faces);
    }
    output.bytes = output.landmarks + landmarks.face_bytes * landmarks.downloaded_faces;
    if (size.is_traced) {
        Placer place(trace.bytes);
        trace.sums = place.take(sizeof(double) * size.windows);
        trace.stages = place.take(sizeof(std::int16_t) * size.windows);
    }
}

}  // namespace fovea::cuda_backend
