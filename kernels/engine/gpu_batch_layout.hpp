#pragma once

#include <cstddef>
#include <cstdint>

namespace fovea::cuda_backend {

/// Windows per image that a batch has room for at first.
inline constexpr int min_capacity = 2048;

/// An image with more windows than this is grouped on the host: a GPU compares all pairs, the host only those
/// that are near.
inline constexpr int max_windows_grouped = 1 << 17;

/// Groups per image that are copied to the host together with their number; more are fetched after. Only
/// these get landmarks here; those of others are left to the caller.
inline constexpr std::size_t first_groups = 64;

/// The sizes that a batch's memory depends on.
struct GpuBatchSize {
    std::size_t images = 0;
    bool is_resident = false;       ///< the images lie on the GPU already and are gathered there
    std::size_t windows = 0;        ///< of all images
    std::size_t capacity = 0;       ///< windows per image that there is room for
    bool is_grouped = false;        ///< windows are grouped on the GPU
    std::size_t landmarks = 0;      ///< points per face; 0 = none are looked for
    bool is_traced = false;         ///< the fate of every window is kept
    std::size_t table_bytes = 0;    ///< of the cascade's tables
    std::size_t image_bytes = 0;    ///< of all images, without gaps between rows
    std::size_t counter_words = 0;  ///< that the cascade's kernels count in
};

/// The places of a batch's data: offsets in bytes from the start of each piece of memory, and the bytes of
/// each piece. Offsets are multiples of 256.
struct GpuBatchLayout {
    GpuBatchLayout() = default;
    explicit GpuBatchLayout(const GpuBatchSize& size);

    /// On the GPU, and staged on the host in the same places.
    struct {
        std::size_t views = 0;     ///< ImageView[image] of the images below; only with landmarks
        std::size_t sources = 0;   ///< GatherSource[image]; only if the images are resident
        std::size_t tables = 0;    ///< of the cascade
        std::size_t images = 0;    ///< right behind the tables
        std::size_t uploaded = 0;  ///< bytes that come from the host: all, or what is before the images
        std::size_t bytes = 0;
    } input;

    /// On the GPU: counters of the cascade, and behind them what the host is given.
    struct {
        std::size_t windows_found = 0;  ///< unsigned[image]
        std::size_t groups_found = 0;   ///< unsigned[image]
        std::size_t groups = 0;         ///< RectGroup[image][first_groups]
        std::size_t cleared_words = 0;  ///< words to clear from the start, before the scan
        std::size_t downloaded = 0;     ///< bytes that go to the host, from windows_found on
        std::size_t bytes = 0;
    } results;

    /// On the host: what was downloaded.
    struct {
        std::size_t windows_found = 0;  ///< as in results, from 0 on
        std::size_t groups_found = 0;
        std::size_t groups = 0;
        std::size_t landmarks = 0;  ///< positions of the first faces
        std::size_t bytes = 0;
    } output;

    /// On the GPU: FoundWindows of all images.
    struct {
        std::size_t windows = 0;
        std::size_t rects = 0;
        std::size_t parents = 0;
        std::size_t bytes = 0;
    } found;

    /// On the GPU: scratch memory and groups of Grouping.
    struct {
        std::size_t groups = 0;
        std::size_t means = 0;
        std::size_t sums = 0;
        std::size_t members = 0;
        std::size_t classes = 0;
        std::size_t bytes = 0;
    } grouping;

    /// On the GPU: the faces whose landmarks are found, and their positions.
    struct {
        std::size_t count = 0;
        std::size_t tasks = 0;
        std::size_t positions = 0;
        std::size_t bytes = 0;
        std::size_t max_faces = 0;         ///< that there is room for
        std::size_t face_bytes = 0;        ///< of one face's positions
        std::size_t downloaded_faces = 0;  ///< that come together with the groups; more are fetched after
    } landmarks;

    /// On the GPU: WindowTrace of all levels in a row.
    struct {
        std::size_t sums = 0;
        std::size_t stages = 0;
        std::size_t bytes = 0;
    } trace;
};

}  // namespace fovea::cuda_backend
