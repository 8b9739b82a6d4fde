#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <tuple>

#include "kernels/core/buffer.hpp"
#include "kernels/core/gpu_memory.cuh"
#include "kernels/core/gpu_occupancy.cuh"
#include "kernels/face_net/gpu_face_net.hpp"
#include "kernels/face_net/gpu_face_net_kernels.cuh"

namespace fovea::cuda_backend {
namespace {

/// Maps of a part of a batch take no more than this, unless one image does.
constexpr std::size_t part_bytes = std::size_t{256} << 20;
/// Cells that are copied to the host without asking how many there are.
constexpr std::size_t likely_cells = 4096;
/// Blocks that reduce an image.
constexpr int quarter_blocks = 64;

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

/// Tiles of all launches.
struct TileLists {
    std::vector<NetTile> tiles;
    // Where each begins: by values in a row of a cell of stride 32 (16, 8, 4, 2, 1), and those of the heads.
    std::array<std::size_t, 6> first{};
    std::array<std::size_t, 6> count{};
    static constexpr std::size_t heads = 5;

    explicit TileLists(std::span<const NetImage> images) {
        for (std::size_t list = 0; list < first.size(); ++list) {
            first[list] = tiles.size();
            if (list < heads) {
                add_net_tiles(images, 16 >> list, 0, tiles);
            } else {
                for (int level = 0; level < face_net_levels; ++level)
                    add_net_tiles(images, 4 >> level, static_cast<std::uint32_t>(level), tiles);
            }
            count[list] = tiles.size() - first[list];
        }
    }
};

class CudaFaceNet : public GpuFaceNet {
  public:
    CudaFaceNet(const FaceNet& net, int gpu, GpuShare share)
        : net_(net),
          device_(Device::cuda(gpu, share)),
          weights_(gpu_net_weights(net)),
          words_(device_, weights_.words.size()),
          maps_(gpu),
          pixels_(gpu),
          found_(gpu),
          tables_(gpu),
          upload_(gpu, true),
          pixels_upload_(gpu, true),
          download_(gpu, true) {
        words_.upload(weights_.words.data(), weights_.words.size());
        device_.synchronize();
        // Large tiles need more shared memory than a kernel has unasked.
        const int most = unit_shared_bytes(net.channels, net.channels, NetSource::map);
        for (const void* kernel : {reinterpret_cast<const void*>(run_units<NetSource::map>),
                                   reinterpret_cast<const void*>(run_units<NetSource::sum>),
                                   reinterpret_cast<const void*>(run_units<NetSource::stem>),
                                   reinterpret_cast<const void*>(run_head_ends)}) {
            if (blocks_per_multiprocessor(gpu, kernel, net_threads, most) == 0) {
                throw DeviceError("cuda:" + std::to_string(gpu) +
                                  " has too little shared memory for a network of " +
                                  std::to_string(net.channels) + " channels");
            }
        }
    }

    std::vector<std::vector<std::vector<NetCell>>> run(const ImageBatch& images, float min_logit) override {
        std::vector<std::vector<std::vector<NetCell>>> results(images.size());
        std::size_t first = 0;
        while (first < images.size()) {
            std::vector<SizedImage> part;
            std::size_t cells = 0, next = first;
            for (; next < images.size(); ++next) {
                const ImageBatch::View& image = images.views[next];
                if (image.empty()) throw std::invalid_argument("an image has no pixels");
                std::size_t more = 0;
                const std::vector<Size> sizes = face_net_sizes({image.width, image.height});
                for (const Size size : sizes) more += cells_of(size);
                if (next > first && net_maps(net_, cells + more).bytes > part_bytes) break;
                cells += more;
                results[next].resize(sizes.size());
                for (std::size_t s = 0; s < sizes.size(); ++s) part.push_back({next, s, sizes[s]});
            }
            run_part(images, part, cells, min_logit, results);
            first = next;
        }
        return results;
    }

  private:
    /// Places images, and their smaller sizes, on the GPU.
    std::vector<NetImage> place_images(const ImageBatch& images, const std::vector<SizedImage>& part,
                                       std::vector<std::vector<QuarterJob>>& quarters) {
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
        pixels_.reserve(bytes);
        pixels_upload_.reserve(uploaded);
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
            placed[i].pixels = pixels_.at<std::uint8_t>(place);
            for (int y = 0; y < view.height; ++y) {
                std::memcpy(pixels_upload_.at<std::uint8_t>(place) + static_cast<std::size_t>(y) * view.width,
                            view.row(y), static_cast<std::size_t>(view.width));
            }
        }
        if (uploaded > 0)
            cuda_backend::copy(device_.index(), device_.stream(), pixels_.at(), pixels_upload_.at(),
                               uploaded);
        for (std::size_t i = 0; i < part.size(); ++i) {
            if (part[i].number == 0) continue;
            placed[i].pixels = pixels_.at<std::uint8_t>(places[next++]);
            if (quarters.size() < part[i].number) quarters.resize(part[i].number);
            const NetImage& whole = placed[i - 1];
            quarters[part[i].number - 1].push_back({whole.pixels, whole.pitch,
                                                    const_cast<std::uint8_t*>(placed[i].pixels),
                                                    part[i].size.width, part[i].size.height});
        }
        return placed;
    }

    void run_part(const ImageBatch& images, const std::vector<SizedImage>& part, std::size_t cells,
                  float min_logit, std::vector<std::vector<std::vector<NetCell>>>& results) {
        std::vector<std::vector<QuarterJob>> quarters;
        const std::vector<NetImage> placed = place_images(images, part, quarters);
        const TileLists lists(placed);
        const NetMaps maps = net_maps(net_, cells);
        maps_.reserve(maps.bytes);
        const std::size_t most_cells = cells * (16 + 4 + 1);
        found_.reserve(align_up(sizeof(unsigned)) + most_cells * sizeof(FoundCell));

        Upload upload(upload_);
        std::size_t bytes =
            align_up(placed.size() * sizeof(NetImage)) + align_up(lists.tiles.size() * sizeof(NetTile));
        for (const auto& jobs : quarters) bytes += align_up(jobs.size() * sizeof(QuarterJob));
        upload.reserve(bytes);
        const std::size_t images_at = upload.add(placed), tiles_at = upload.add(lists.tiles);
        std::vector<std::size_t> quarters_at;
        for (const auto& jobs : quarters) quarters_at.push_back(upload.add(jobs));
        tables_.reserve(upload.bytes());
        cuda_backend::copy(device_.index(), device_.stream(), tables_.at(), upload_.at(), upload.bytes());
        check(cudaMemsetAsync(found_.at(), 0, sizeof(unsigned), stream()), device_.index(),
              "clearing a counter");

        for (std::size_t q = 0; q < quarters.size(); ++q) {
            launch_kernel(device_, "reducing images",
                          dim3(quarter_blocks, static_cast<unsigned>(quarters[q].size())), net_threads, 0,
                          make_quarters, tables_.at<const QuarterJob>(quarters_at[q]));
        }
        run_net(maps, lists, tables_.at<const NetImage>(images_at), tables_.at<const NetTile>(tiles_at),
                min_logit);
        fetch(part, most_cells, results);
    }

    cudaStream_t stream() const { return static_cast<cudaStream_t>(device_.stream()); }

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
    void run_net(const NetMaps& maps, const TileLists& lists, const NetImage* images, const NetTile* tiles,
                 float min_logit) {
        const auto map = [&](std::size_t place) { return maps_.at<std::uint8_t>(place); };
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
        const auto launch = [&](auto kernel, NetSource source, std::size_t list, const UnitJobs& jobs) {
            launch_kernel(device_, "running a face network", static_cast<unsigned>(lists.count[list]),
                          net_threads,
                          static_cast<std::size_t>(unit_shared_bytes(jobs.job[0].weights.inputs,
                                                                     jobs.job[0].weights.outputs, source)),
                          kernel, images, tiles + lists.first[list], jobs);
        };
        const auto unit = [&](const UnitJob& job, std::size_t list) {
            launch(run_units<NetSource::map>, NetSource::map, list, UnitJobs{{job}});
        };
        const auto& backbone = weights_.backbone;
        UnitJob stem = job_of(backbone[0], 0, nullptr, nullptr, map(maps.pooled_quarter));
        const std::uint32_t* words = words_.data();
        stem.stem = {words + weights_.stem, reinterpret_cast<const int*>(words + weights_.stem_bias),
                     reinterpret_cast<const float*>(words + weights_.stem_scale), net_.stem_channels};
        launch(run_units<NetSource::stem>, NetSource::stem, 0, UnitJobs{{stem}});
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
            launch(run_units<NetSource::sum>, NetSource::sum, level + 2, UnitJobs{{job}});
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
        launch(run_units<NetSource::map>, NetSource::map, TileLists::heads, heads);
        launch_kernel(
            device_, "running a face network", static_cast<unsigned>(lists.count[TileLists::heads]),
            net_threads,
            static_cast<std::size_t>(unit_shared_bytes(net_.channels, net_head_outputs, NetSource::map)),
            run_head_ends, images, tiles + lists.first[TileLists::heads], ends,
            found_.at<FoundCell>(align_up(sizeof(unsigned))), found_.at<unsigned>());
    }

    /// Waits, and sorts the cells into the results.
    void fetch(const std::vector<SizedImage>& part, std::size_t most_cells,
               std::vector<std::vector<std::vector<NetCell>>>& results) {
        const std::size_t head = align_up(sizeof(unsigned));
        const auto copy_cells = [&](std::size_t first, std::size_t end) {
            const std::size_t from = first == 0 ? 0 : head + first * sizeof(FoundCell);
            cuda_backend::copy(device_.index(), device_.stream(), download_.at(from), found_.at(from),
                               head + end * sizeof(FoundCell) - from);
            device_.synchronize();
        };
        const std::size_t likely = std::min(likely_cells, most_cells);
        download_.reserve(head + likely * sizeof(FoundCell));
        copy_cells(0, likely);
        const std::size_t count = *download_.at<unsigned>();
        if (count > likely) {
            download_.reserve(head + count * sizeof(FoundCell));
            copy_cells(0, count);
        }
        const FoundCell* found = download_.at<FoundCell>(head);
        for (std::size_t i = 0; i < count; ++i) {
            const SizedImage& sized = part[found[i].image];
            results[sized.image][sized.number].push_back(found[i].cell);
        }
        for (const SizedImage& sized : part) {
            std::vector<NetCell>& cells = results[sized.image][sized.number];
            std::sort(cells.begin(), cells.end(), [](const NetCell& a, const NetCell& b) {
                return std::tuple(a.level, a.row, a.column) < std::tuple(b.level, b.row, b.column);
            });
        }
    }

    const FaceNet net_;
    const Device device_;
    const GpuNetWeights weights_;
    Buffer<std::uint32_t> words_;
    DeviceMemory maps_, pixels_, found_, tables_;
    HostMemory upload_, pixels_upload_, download_;
};

}  // namespace

std::unique_ptr<GpuFaceNet> make_gpu_face_net(const FaceNet& net, int gpu, GpuShare share) {
    if (const auto fault = find_fault(net))
        throw std::invalid_argument("the network has a fault: " + fault->pointer + ": " + fault->rule);
    return std::make_unique<CudaFaceNet>(net, gpu, share);
}

}  // namespace fovea::cuda_backend
