#include "kernels/engine/gpu_batch_layout.hpp"

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/core/view.hpp"
#include "kernels/engine/gather_body.hpp"
#include "kernels/group/group.hpp"
#include "kernels/landmark/find_landmarks.hpp"
#include "kernels/windows/cascade_window.hpp"

using namespace fovea;
using namespace fovea::cuda_backend;

namespace {

struct Piece {
    std::string name;
    std::size_t offset;
    std::size_t bytes;
};

// Every piece begins at a multiple of 256 and ends before the next one, the last one within the memory.
void check_pieces(const std::vector<Piece>& pieces, std::size_t bytes) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        CAPTURE(pieces[i].name, pieces[i].offset, pieces[i].bytes);
        CHECK(pieces[i].offset % 256 == 0);
        CHECK(pieces[i].offset + pieces[i].bytes <= (i + 1 < pieces.size() ? pieces[i + 1].offset : bytes));
    }
}

void check_layout(const GpuBatchSize& size) {
    CAPTURE(size.images, size.is_resident, size.capacity, size.is_grouped, size.landmarks,
            size.counter_words);
    const GpuBatchLayout layout(size);
    const std::size_t n = size.images, places = n * size.capacity;
    check_pieces(
        {{"views", layout.input.views, size.landmarks > 0 ? n * sizeof(ImageView<const std::uint8_t>) : 0},
         {"sources", layout.input.sources, size.is_resident ? n * sizeof(GatherSource) : 0},
         {"tables", layout.input.tables, size.table_bytes + size.image_bytes}},
        layout.input.bytes);
    CHECK(layout.input.images == layout.input.tables + size.table_bytes);
    CHECK(layout.input.uploaded == (size.is_resident ? layout.input.images : layout.input.bytes));

    const std::size_t group_bytes = n * first_groups * sizeof(RectGroup);
    check_pieces({{"counters", 0, size.counter_words * sizeof(unsigned)},
                  {"windows found", layout.results.windows_found, n * sizeof(unsigned)},
                  {"groups found", layout.results.groups_found, n * sizeof(unsigned)},
                  {"groups", layout.results.groups, group_bytes}},
                 layout.results.bytes);
    // The counters of the cascade and of the windows found are cleared, and nothing behind them.
    CHECK(layout.results.cleared_words * sizeof(unsigned) ==
          layout.results.windows_found + n * sizeof(unsigned));
    CHECK(layout.results.windows_found + layout.results.downloaded <= layout.results.bytes);

    // Downloaded parts keep their distances.
    CHECK(layout.output.windows_found == 0);
    CHECK(layout.output.groups_found == layout.results.groups_found - layout.results.windows_found);
    CHECK(layout.output.groups == layout.results.groups - layout.results.windows_found);
    check_pieces({{"downloaded", 0, layout.results.downloaded},
                  {"landmarks", layout.output.landmarks,
                   layout.landmarks.face_bytes * layout.landmarks.downloaded_faces}},
                 layout.output.bytes);

    check_pieces({{"windows", layout.found.windows, places * sizeof(CascadeWindow)},
                  {"rects", layout.found.rects, places * sizeof(Rect)},
                  {"parents", layout.found.parents, places * sizeof(int)}},
                 layout.found.bytes);
    if (size.is_grouped) {
        check_pieces({{"groups", layout.grouping.groups, places * sizeof(RectGroup)},
                      {"means", layout.grouping.means, places * sizeof(RectGroup)},
                      {"sums", layout.grouping.sums, places * 5 * sizeof(unsigned long long)},
                      {"members", layout.grouping.members, places * sizeof(int)},
                      {"classes", layout.grouping.classes, places * sizeof(int)}},
                     layout.grouping.bytes);
    }
    if (size.landmarks > 0) {
        const std::size_t faces = n * first_groups;
        CHECK(layout.landmarks.max_faces == faces);
        CHECK(layout.landmarks.face_bytes == 2 * size.landmarks * sizeof(std::int32_t));
        CHECK(layout.landmarks.downloaded_faces <= faces);
        check_pieces({{"count", layout.landmarks.count, sizeof(unsigned)},
                      {"tasks", layout.landmarks.tasks, faces * sizeof(LandmarkTask)},
                      {"positions", layout.landmarks.positions, faces * layout.landmarks.face_bytes}},
                     layout.landmarks.bytes);
    } else {
        CHECK(layout.landmarks.bytes == 0);
    }
    if (size.is_traced) {
        check_pieces({{"sums", layout.trace.sums, size.windows * sizeof(double)},
                      {"stages", layout.trace.stages, size.windows * sizeof(std::int16_t)}},
                     layout.trace.bytes);
    }
}

}  // namespace

TEST_CASE("a GPU batch's memory: pieces lie behind each other, aligned, none over another", "[engine]") {
    for (const std::size_t images : {0, 1, 3, 64, 65, 256}) {
        for (const bool is_resident : {false, true}) {
            for (const std::size_t landmarks : {0, 5, 68}) {
                for (const std::size_t counters : {0, 1, 64, 1001}) {
                    GpuBatchSize size;
                    size.images = images;
                    size.is_resident = is_resident;
                    size.is_grouped = landmarks > 0 || counters == 1;
                    size.landmarks = landmarks;
                    size.counter_words = counters;
                    size.capacity = min_capacity;
                    size.windows = 12345;
                    size.is_traced = counters == 64;
                    size.table_bytes = 512;
                    size.image_bytes = images * 1000;
                    check_layout(size);
                }
            }
        }
    }
}

TEST_CASE("a GPU batch's memory: what is downloaded at once", "[engine]") {
    GpuBatchSize size;
    size.images = 3;
    size.capacity = min_capacity;
    // Windows alone: one number per image.
    CHECK(GpuBatchLayout(size).results.downloaded == 12);
    size.is_grouped = true;
    // Two rows of numbers and 64 groups per image.
    CHECK(GpuBatchLayout(size).results.downloaded == 512 + 3 * 64 * sizeof(RectGroup));
    size.landmarks = 68;
    // 64 faces and 4 more per image, of 64 per image that there is room for.
    CHECK(GpuBatchLayout(size).landmarks.downloaded_faces == 76);
    size.images = 1;
    CHECK(GpuBatchLayout(size).landmarks.downloaded_faces == 64);
}
