#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/buffer.hpp"
#include "kernels/core/gpu_chained_launch.cuh"
#include "kernels/core/gpu_memory.cuh"
#include "kernels/core/gpu_occupancy.cuh"
#include "kernels/core/host_copy.hpp"
#include "kernels/face_net/gpu_face_net.hpp"
#include "kernels/face_net/gpu_face_net_kernels.cuh"
#include "kernels/face_net/gpu_suppression_kernels.cuh"

namespace fovea::cuda_backend {
namespace {

/// A batch is divided into parts of about so many bytes of maps, more than the first and at most the second
/// unless one image takes more: while the GPU works on a part, the host sorts the cells of the one before.
constexpr std::size_t min_part_bytes = std::size_t{64} << 20, max_part_bytes = std::size_t{256} << 20;
constexpr std::size_t wanted_parts = 4;
/// Cells of an image that are copied to the host without asking how many there are, at first.
constexpr std::size_t likely_cells = 512;
/// Blocks that reduce an image.
constexpr int quarter_blocks = 256;
/// Cells of all levels for each cell of stride 32.
constexpr std::size_t cells_of_32 = 16 + 4 + 1;
/// Cells of an image that suppression has room for, at least.
constexpr std::size_t min_segment = 256;
/// Blocks that put cells into their segments, and blocks that compare cells, for all images of a part.
constexpr unsigned place_blocks = 64, neighbour_blocks = 1024;

std::size_t cells_of(Size size) {
    const Size cells = face_net_cells(size, face_net_levels - 1);
    return static_cast<std::size_t>(cells.width) * static_cast<std::size_t>(cells.height);
}

/// An image of the batch in one of its sizes.
struct SizedImage {
    std::size_t image = 0;
    std::size_t number = 0;  ///< of the size
    Size size;
};

/// Copies of what a launch reads, one behind the other.
class Upload {
  public:
    explicit Upload(HostMemory& memory) : memory_(memory) {}

    void reserve(std::size_t bytes) { memory_.reserve(bytes); }
    template <class T>
    std::size_t add(const std::vector<T>& values) {
        const std::size_t place = bytes_;
        std::memcpy(memory_.at(place), values.data(), values.size() * sizeof(T));
        bytes_ = align_up(place + values.size() * sizeof(T));
        return place;
    }
    std::size_t bytes() const { return bytes_; }

  private:
    HostMemory& memory_;
    std::size_t bytes_ = 0;
};

/// The tiles of all launches: those of maps with 16, 8, 4, 2 and 1 values in a row of a cell of stride 32,
/// and those of the heads.
struct LaunchTiles {
    static constexpr std::size_t maps = 5, heads = maps;
    std::array<NetSegments, maps + 1> lists;

    explicit LaunchTiles(std::span<const NetImage> images) {
        for (std::size_t list = 0; list < maps; ++list) lists[list].add(images, 16 >> list, 0);
        for (int level = 0; level < face_net_levels; ++level)
            lists[heads].add(images, 4 >> level, static_cast<std::uint32_t>(level));
    }
};

/// A list of LaunchTiles on the GPU.
struct TilesOnGpu {
    const NetSegment* segments = nullptr;
    int segment_count = 0;
    unsigned tiles = 0;
};

/// The counts of a part's launches, at the beginning of its list of cells.
struct PartCounts {
    std::uint32_t found;
    std::uint32_t kept;  ///< by suppression
};
constexpr std::size_t image_counts_first = align_up(sizeof(PartCounts), alignof(SuppressionCounts));

/// The place of the cells behind the counts of so many images.
constexpr std::size_t list_first(std::size_t images) {
    return align_up(image_counts_first + images * sizeof(SuppressionCounts));
}

/// The memory of a part of a batch, its stream, and what is known of the work that is queued there.
struct PartLane {
    PartLane(int gpu, GpuShare share)
        : device(Device::cuda(gpu, share)),
          maps(gpu),
          pixels(gpu),
          found(gpu),
          suppressing(gpu),
          list(gpu),
          tables(gpu),
          upload(gpu, true),
          pixels_upload(gpu, true),
          download(gpu, true) {}

    const Device device;
    DeviceMemory maps, pixels;
    DeviceMemory found;        ///< cells before suppression
    DeviceMemory suppressing;  ///< what suppression works with
    DeviceMemory list;         ///< counts and cells for the host
    DeviceMemory tables;
    HostMemory upload, pixels_upload, download;
    std::vector<SizedImage> images;
    std::vector<SizedPlace> places;  ///< of these
    std::size_t whole_images = 0;
    std::size_t copied_cells = 0;  ///< to the host, as soon as they are found
    bool suppresses = false;
};

using UnitKernel = void (*)(const NetImage*, const NetSegment*, int, UnitJobs);
using HeadEndKernel = void (*)(const NetImage*, const NetSegment*, int, UnitJobs, FoundCell*, unsigned*);

/// A kernel that was compiled for the channels of a unit.
struct KnownKernel {
    NetSource source;
    int inputs, outputs;
    UnitKernel kernel;
};
template <NetSource source, int inputs, int outputs>
constexpr KnownKernel known{source, inputs, outputs, run_units<source, inputs, outputs>};
/// Those of the networks that ship.
constexpr KnownKernel known_units[] = {known<NetSource::stem, 16, 16>,  known<NetSource::map, 16, 64>,
                                       known<NetSource::map, 64, 64>,   known<NetSource::sum, 64, 64>,
                                       known<NetSource::stem, 32, 32>,  known<NetSource::map, 32, 96>,
                                       known<NetSource::map, 96, 96>,   known<NetSource::map, 96, 128>,
                                       known<NetSource::map, 128, 128>, known<NetSource::sum, 128, 128>};

/// The kernel for units of these channels.
UnitKernel unit_kernel(NetSource source, int inputs, int outputs) {
    for (const KnownKernel& known : known_units) {
        if (known.source == source && known.inputs == inputs && known.outputs == outputs) return known.kernel;
    }
    return source == NetSource::stem  ? run_units<NetSource::stem>
           : source == NetSource::sum ? run_units<NetSource::sum>
                                      : run_units<NetSource::map>;
}

HeadEndKernel head_end_kernel(int inputs) {
    return inputs == 64 ? run_head_ends<64> : inputs == 128 ? run_head_ends<128> : run_head_ends<>;
}

class CudaFaceNet : public GpuFaceNet {
  public:
    CudaFaceNet(const FaceNet& net, int gpu, GpuShare share)
        : net_(net),
          weights_(gpu_net_weights(net)),
          lanes_{{{gpu, share}, {gpu, share}}},
          words_(lanes_[0].device, weights_.words.size()),
          head_ends_(head_end_kernel(net.channels)),
          is_chained_(can_be_chained(gpu, reinterpret_cast<const void*>(head_ends_))),
          few_tiles_(2 * static_cast<unsigned>(multiprocessors(gpu, share))) {
        words_.upload(weights_.words.data(), weights_.words.size());
        lanes_[0].device.synchronize();
        // Large tiles need more shared memory than a kernel has unasked.
        const auto prepare = [&](const auto kernel, NetSource source, const NetUnitPlace& unit, int threads) {
            const int bytes = unit_shared_bytes(unit.inputs, unit.outputs, source);
            if (blocks_per_multiprocessor(gpu, reinterpret_cast<const void*>(kernel), threads, bytes) > 0)
                return;
            throw DeviceError("cuda:" + std::to_string(gpu) +
                              " has too little shared memory for a network of " +
                              std::to_string(net.channels) + " channels");
        };
        const auto prepare_unit = [&](NetSource source, const NetUnitPlace& unit) {
            prepare(unit_kernel(source, unit.inputs, unit.outputs), source, unit,
                    max_threads_of(unit.outputs));
        };
        for (const NetUnitPlace& unit : weights_.backbone)
            prepare_unit(&unit == weights_.backbone.data() ? NetSource::stem : NetSource::map, unit);
        for (const NetSource source : {NetSource::map, NetSource::sum})
            prepare_unit(source, weights_.neck[0]);
        prepare_unit(NetSource::map, weights_.heads[0][0]);
        prepare(head_ends_, NetSource::map, weights_.heads[0][1], few_net_threads);
    }

    std::vector<ImageCells> run(const ImageBatch& images, float min_logit,
                                const std::optional<NetSuppression>& suppression) override {
        std::vector<ImageCells> results(images.size());
        const std::vector<std::vector<SizedImage>> parts = parts_of(images, results);
        for (std::size_t p = 0; p < parts.size(); ++p) {
            if (p >= lanes_.size()) fetch(lane_of(p), results);
            start(lane_of(p), images, parts[p], min_logit, suppression);
        }
        for (std::size_t p = parts.size() - std::min(parts.size(), lanes_.size()); p < parts.size(); ++p)
            fetch(lane_of(p), results);
        return results;
    }

  private:
    PartLane& lane_of(std::size_t part) { return lanes_[part % lanes_.size()]; }

    /// \param results gets a list for each size of each image
    std::vector<std::vector<SizedImage>> parts_of(const ImageBatch& images,
                                                  std::vector<ImageCells>& results) const {
        std::vector<std::size_t> cells(images.size());
        std::vector<std::vector<Size>> sizes(images.size());
        for (std::size_t i = 0; i < images.size(); ++i) {
            const ImageBatch::View& image = images.views[i];
            if (image.empty()) throw std::invalid_argument("an image has no pixels");
            sizes[i] = face_net_sizes({image.width, image.height});
            results[i].of_size.resize(sizes[i].size());
            for (const Size size : sizes[i]) cells[i] += cells_of(size);
        }
        const std::size_t all_bytes =
            net_maps(net_, std::accumulate(cells.begin(), cells.end(), std::size_t{0})).bytes;
        const std::size_t most = std::clamp(all_bytes / wanted_parts, min_part_bytes, max_part_bytes);
        std::vector<std::vector<SizedImage>> parts;
        std::size_t part_cells = 0;
        for (std::size_t i = 0; i < images.size(); ++i) {
            if (parts.empty() || net_maps(net_, part_cells + cells[i]).bytes > most) {
                parts.emplace_back();
                part_cells = 0;
            }
            part_cells += cells[i];
            for (std::size_t s = 0; s < sizes[i].size(); ++s) parts.back().push_back({i, s, sizes[i][s]});
        }
        return parts;
    }

    /// Places images, and their smaller sizes, on the GPU.
    static std::vector<NetImage> place_images(PartLane& lane, const ImageBatch& images,
                                              std::vector<std::vector<QuarterJob>>& quarters) {
        const std::vector<SizedImage>& part = lane.images;
        // Pixels on the host come first, then those of smaller sizes.
        std::vector<std::size_t> places;
        std::size_t bytes = 0, uploaded = 0;
        for (const bool is_whole : {true, false}) {
            for (const SizedImage& sized : part) {
                if ((sized.number == 0) != is_whole || (is_whole && images.is_on_gpu())) continue;
                places.push_back(bytes);
                bytes = align_up(bytes + static_cast<std::size_t>(sized.size.width) *
                                             static_cast<std::size_t>(sized.size.height));
            }
            if (is_whole) uploaded = bytes;
        }
        lane.pixels.reserve(bytes);
        lane.pixels_upload.reserve(uploaded);
        std::vector<NetImage> placed(part.size());
        std::size_t next = 0;
        std::uint32_t first_cell = 0;
        for (std::size_t i = 0; i < part.size(); ++i) {
            const SizedImage& sized = part[i];
            const Size cells = face_net_cells(sized.size, face_net_levels - 1);
            placed[i] = {nullptr,     sized.size.width, sized.size.width, sized.size.height,
                         cells.width, cells.height,     first_cell};
            first_cell += static_cast<std::uint32_t>(cells_of(sized.size));
        }
        for (std::size_t i = 0; i < part.size(); ++i) {
            if (part[i].number != 0) continue;
            const ImageBatch::View& view = images.views[part[i].image];
            if (images.is_on_gpu()) {
                placed[i].pixels = view.data;
                placed[i].pitch = view.stride;
                continue;
            }
            const std::size_t place = places[next++];
            placed[i].pixels = lane.pixels.at<std::uint8_t>(place);
            copy_rows(view, lane.pixels_upload.at<std::uint8_t>(place));
        }
        if (uploaded > 0)
            cuda_backend::copy(lane.device.index(), lane.device.stream(), lane.pixels.at(),
                               lane.pixels_upload.at(), uploaded);
        for (std::size_t i = 0; i < part.size(); ++i) {
            if (part[i].number == 0) continue;
            placed[i].pixels = lane.pixels.at<std::uint8_t>(places[next++]);
            if (quarters.size() < part[i].number) quarters.resize(part[i].number);
            const NetImage& whole = placed[i - 1];
            quarters[part[i].number - 1].push_back({whole.pixels, whole.pitch,
                                                    const_cast<std::uint8_t*>(placed[i].pixels),
                                                    part[i].size.width, part[i].size.height});
        }
        return placed;
    }

    /// Queues the network on a part of a batch.
    void start(PartLane& lane, const ImageBatch& images, const std::vector<SizedImage>& part, float min_logit,
               const std::optional<NetSuppression>& suppression) {
        lane.images = part;
        lane.suppresses = suppression.has_value();
        lane.places.clear();
        lane.whole_images = 0;
        for (const SizedImage& sized : part) {
            if (sized.number == 0) ++lane.whole_images;
            lane.places.push_back({static_cast<std::uint32_t>(lane.whole_images - 1),
                                   static_cast<std::uint32_t>(sized.number)});
        }
        std::vector<std::vector<QuarterJob>> quarters;
        const std::vector<NetImage> placed = place_images(lane, images, quarters);
        std::size_t cells = 0;
        for (const SizedImage& sized : part) cells += cells_of(sized.size);
        const NetMaps maps = net_maps(net_, cells);
        lane.maps.reserve(maps.bytes);
        const std::size_t most_cells = cells * cells_of_32;
        const std::size_t first = list_first(lane.whole_images);
        lane.list.reserve(first + most_cells * sizeof(FoundCell));
        if (suppression) lane.found.reserve(most_cells * sizeof(FoundCell));
        auto* const listed = lane.list.at<FoundCell>(first);
        auto* const counts = lane.list.at<PartCounts>();
        FoundCell* const found = suppression ? lane.found.at<FoundCell>() : listed;

        const LaunchTiles tiles(placed);
        Upload upload(lane.upload);
        std::size_t bytes =
            align_up(placed.size() * sizeof(NetImage)) + align_up(lane.places.size() * sizeof(SizedPlace));
        for (const NetSegments& list : tiles.lists)
            bytes += align_up(list.segments.size() * sizeof(NetSegment));
        for (const auto& jobs : quarters) bytes += align_up(jobs.size() * sizeof(QuarterJob));
        upload.reserve(bytes);
        lane.tables.reserve(bytes);
        const auto* const images_at = lane.tables.at<const NetImage>(upload.add(placed));
        const auto* const places_at = lane.tables.at<const SizedPlace>(upload.add(lane.places));
        std::array<TilesOnGpu, LaunchTiles::maps + 1> on_gpu;
        for (std::size_t list = 0; list < on_gpu.size(); ++list) {
            const NetSegments& here = tiles.lists[list];
            on_gpu[list] = {lane.tables.at<const NetSegment>(upload.add(here.segments)),
                            static_cast<int>(here.segments.size()), here.tiles};
        }
        std::vector<const QuarterJob*> quarters_at;
        for (const auto& jobs : quarters)
            quarters_at.push_back(lane.tables.at<const QuarterJob>(upload.add(jobs)));
        cuda_backend::copy(lane.device.index(), lane.device.stream(), lane.tables.at(), lane.upload.at(),
                           upload.bytes());
        check(cudaMemsetAsync(lane.list.at(), 0, first, static_cast<cudaStream_t>(lane.device.stream())),
              lane.device.index(), "clearing counters");

        for (std::size_t q = 0; q < quarters.size(); ++q) {
            launch_chained(lane.device, is_chained_, "reducing images",
                           dim3(quarter_blocks, static_cast<unsigned>(quarters[q].size())), net_threads, 0,
                           make_quarters, quarters_at[q]);
        }
        run_net(lane, maps, on_gpu, images_at, min_logit, found, &counts->found);
        if (suppression) {
            SuppressionJob job{};
            job.found = found;
            job.found_count = &counts->found;
            job.places = places_at;
            job.counts = lane.list.at<SuppressionCounts>(image_counts_first);
            job.kept = listed;
            job.kept_count = &counts->kept;
            job.rule = *suppression;
            suppress(lane, job);
        }
        lane.copied_cells = std::min(likely_ * part.size(), most_cells);
        lane.download.reserve(first + lane.copied_cells * sizeof(FoundCell));
        cuda_backend::copy(lane.device.index(), lane.device.stream(), lane.download.at(), lane.list.at(),
                           first + lane.copied_cells * sizeof(FoundCell));
    }

    /// Queues the suppression of the found cells.
    void suppress(PartLane& lane, SuppressionJob job) const {
        std::size_t most = 0, of_image = 0;
        for (const SizedImage& sized : lane.images) {
            of_image = (sized.number == 0 ? 0 : of_image) + cells_of(sized.size) * cells_of_32;
            most = std::max(most, of_image);
        }
        // Few of an image's cells are found, as a rule; with more, suppression is the host's.
        const std::size_t capacity =
            std::clamp<std::size_t>(align_up(most / 8, 32), min_segment, max_segment);
        const std::size_t cells = lane.whole_images * capacity;
        std::size_t bytes = 0;
        const auto place = [&](std::size_t size) { return std::exchange(bytes, align_up(bytes + size)); };
        const std::size_t placed = place(cells * sizeof(PlacedCell)), reaches = place(cells * sizeof(float4)),
                          neighbours = place(cells * max_neighbours * sizeof(std::uint16_t));
        lane.suppressing.reserve(bytes);
        job.capacity = static_cast<std::uint32_t>(capacity);
        job.cells = lane.suppressing.at<PlacedCell>(placed);
        job.reaches = lane.suppressing.at<float4>(reaches);
        job.neighbours = lane.suppressing.at<std::uint16_t>(neighbours);
        const auto images = static_cast<unsigned>(lane.whole_images);
        const dim3 pairs(std::clamp(neighbour_blocks / images, 4U, 128U), images);
        const auto launch = [&](const auto kernel, dim3 blocks, int threads, std::size_t shared_bytes) {
            launch_chained(lane.device, is_chained_, "suppressing overlapping faces", blocks, threads,
                           shared_bytes, kernel, job);
        };
        launch(place_cells, place_blocks, suppression_threads, 0);
        launch(find_neighbours<SuppressionPass::within_sizes>, pairs, suppression_threads, waiting_bytes);
        launch(decide_cells<SuppressionPass::within_sizes>, images, decision_threads,
               decision_bytes(capacity));
        launch(find_neighbours<SuppressionPass::among_all>, pairs, suppression_threads, waiting_bytes);
        launch(decide_cells<SuppressionPass::among_all>, images, decision_threads, decision_bytes(capacity));
    }

    UnitWeights weights_of(const NetUnitPlace& place) const {
        const std::uint32_t* words = words_.data();
        return {place.inputs,
                place.outputs,
                reinterpret_cast<const uint4*>(words + place.pointwise),
                reinterpret_cast<const int4*>(words + place.pointwise_bias),
                reinterpret_cast<const float4*>(words + place.pointwise_scale),
                reinterpret_cast<const uint4*>(words + place.depthwise),
                reinterpret_cast<const int4*>(words + place.depthwise_bias),
                reinterpret_cast<const float4*>(words + place.depthwise_scale)};
    }

    /// Queues all units.
    void run_net(const PartLane& lane, const NetMaps& maps, std::span<const TilesOnGpu> tiles,
                 const NetImage* images, float min_logit, FoundCell* found,
                 std::uint32_t* found_count) const {
        const auto map = [&](std::size_t place) { return lane.maps.at<std::uint8_t>(place); };
        // \param list of tiles: 16 >> list values in a row of a cell of stride 32
        const auto job_of = [&](const NetUnitPlace& unit, std::size_t list, const std::uint8_t* from,
                                std::uint8_t* full, std::uint8_t* pooled) {
            UnitJob job{};
            job.cells = 16 >> list;
            job.map = from;
            job.weights = weights_of(unit);
            job.full = full;
            job.pooled = pooled;
            return job;
        };
        const auto launch = [&](const auto kernel, NetSource source, std::size_t list, const UnitJobs& jobs,
                                const auto&... more) {
            const UnitWeights& weights = jobs.job[0].weights;
            const int threads = weights.outputs <= few_channels   ? few_net_threads
                                : tiles[list].tiles <= few_tiles_ ? many_net_threads
                                                                  : net_threads;
            launch_chained(
                lane.device, is_chained_, "running a face network", tiles[list].tiles, threads,
                static_cast<std::size_t>(unit_shared_bytes(weights.inputs, weights.outputs, source)), kernel,
                images, tiles[list].segments, tiles[list].segment_count, jobs, more...);
        };
        const auto units = [&](NetSource source, std::size_t list, const UnitJobs& jobs) {
            const UnitWeights& weights = jobs.job[0].weights;
            launch(unit_kernel(source, weights.inputs, weights.outputs), source, list, jobs);
        };
        const auto unit = [&](const UnitJob& job, std::size_t list) {
            units(NetSource::map, list, UnitJobs{{job}});
        };
        const auto& backbone = weights_.backbone;
        UnitJob stem = job_of(backbone[0], 0, nullptr, nullptr, map(maps.pooled_quarter));
        const std::uint32_t* words = words_.data();
        stem.stem = {reinterpret_cast<const uint4*>(words + weights_.stem),
                     reinterpret_cast<const int4*>(words + weights_.stem_bias),
                     reinterpret_cast<const float4*>(words + weights_.stem_scale), net_.stem_channels};
        units(NetSource::stem, 0, UnitJobs{{stem}});
        const std::uint8_t* from = map(maps.pooled_quarter);
        for (std::size_t i = 0; i < maps.inner.size(); ++i) {
            // Strides 4, 8, 16 and 32. The pooled map goes on; from stride 8 on the necks read the whole,
            // too.
            const std::size_t list = i + 1;
            unit(job_of(backbone[2 * i + 1], list, from, map(maps.inner[i]), nullptr), list);
            std::uint8_t* const pooled = i < maps.pooled.size() ? map(maps.pooled[i]) : nullptr;
            unit(job_of(backbone[2 * i + 2], list, map(maps.inner[i]),
                        i > 0 ? map(maps.levels[i - 1]) : nullptr, pooled),
                 list);
            from = pooled;
        }
        unit(job_of(weights_.neck[2], 4, map(maps.levels[2]), map(maps.necks[2]), nullptr), 4);
        for (std::size_t level : {1U, 0U}) {
            UnitJob job = job_of(weights_.neck[level], level + 2, map(maps.levels[level]),
                                 map(maps.necks[level]), nullptr);
            job.coarse = map(maps.necks[level + 1]);
            job.sum = net_.sums[level];
            units(NetSource::sum, level + 2, UnitJobs{{job}});
        }
        UnitJobs heads{}, ends{};
        for (std::size_t level = 0; level < weights_.heads.size(); ++level) {
            heads.job[level] = job_of(weights_.heads[level][0], level + 2, map(maps.necks[level]),
                                      map(maps.heads[level]), nullptr);
            ends.job[level] =
                job_of(weights_.heads[level][1], level + 2, map(maps.heads[level]), nullptr, nullptr);
            ends.job[level].min_logit = min_logit;
            ends.job[level].level = static_cast<int>(level);
        }
        units(NetSource::map, LaunchTiles::heads, heads);
        launch(head_ends_, NetSource::map, LaunchTiles::heads, ends, found, found_count);
    }

    /// Waits for a part, and sorts its cells into the results.
    void fetch(PartLane& lane, std::vector<ImageCells>& results) {
        lane.device.synchronize();
        const std::size_t first = list_first(lane.whole_images);
        const PartCounts counts = *lane.download.at<PartCounts>();
        const std::size_t count = lane.suppresses ? counts.kept : counts.found;
        if (count > lane.copied_cells) {
            lane.download.reserve(first + count * sizeof(FoundCell));
            cuda_backend::copy(lane.device.index(), lane.device.stream(), lane.download.at(), lane.list.at(),
                               first + count * sizeof(FoundCell));
            lane.device.synchronize();
        }
        likely_ = std::max(likely_, count / lane.images.size() * 5 / 4);
        const std::span<const FoundCell> cells(lane.download.at<FoundCell>(first), count);
        if (!lane.suppresses) {
            take_all(lane, cells, results, [](const SizedPlace&) { return true; });
            return;
        }
        for (const SizedImage& sized : lane.images) results[sized.image].are_suppressed = true;
        for (const FoundCell& found : cells) {
            const SizedImage& sized = lane.images[found.image];
            results[sized.image].of_size[sized.number].push_back(found.cell);
        }
        const auto* const of_images = lane.download.at<SuppressionCounts>(image_counts_first);
        const std::vector<SuppressionCounts> image_counts(of_images, of_images + lane.whole_images);
        const auto is_doubtful = [&](const SizedPlace& place) {
            return image_counts[place.image].is_doubtful != 0;
        };
        if (!std::any_of(lane.places.begin(), lane.places.end(), is_doubtful)) return;
        lane.download.reserve(counts.found * sizeof(FoundCell));
        cuda_backend::copy(lane.device.index(), lane.device.stream(), lane.download.at(), lane.found.at(),
                           counts.found * sizeof(FoundCell));
        lane.device.synchronize();
        take_all(lane, {lane.download.at<FoundCell>(), counts.found}, results, is_doubtful);
    }

    /// Sorts all found cells of the images that are wanted into the results.
    template <class IsWanted>
    static void take_all(const PartLane& lane, std::span<const FoundCell> found,
                         std::vector<ImageCells>& results, const IsWanted& is_wanted) {
        std::vector<std::vector<NetCell>> cells = cells_by_image(found, lane.images.size());
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (!is_wanted(lane.places[i])) continue;
            ImageCells& result = results[lane.images[i].image];
            result.are_suppressed = false;
            result.of_size[lane.images[i].number] = std::move(cells[i]);
        }
    }

    const FaceNet net_;
    const GpuNetWeights weights_;
    std::array<PartLane, 2> lanes_;
    Buffer<std::uint32_t> words_;
    const HeadEndKernel head_ends_;
    const bool is_chained_;
    /// Tiles of a launch that leave multiprocessors without a second block.
    const unsigned few_tiles_;
    std::size_t likely_ = likely_cells;
};

}  // namespace

std::unique_ptr<GpuFaceNet> make_gpu_face_net(const FaceNet& net, int gpu, GpuShare share) {
    if (const auto fault = find_fault(net))
        throw std::invalid_argument("the network has a fault: " + fault->pointer + ": " + fault->rule);
    return std::make_unique<CudaFaceNet>(net, gpu, share);
}

}  // namespace fovea::cuda_backend
