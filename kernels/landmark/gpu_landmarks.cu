// An ensemble of regression trees on a GPU. A block takes up to eight faces through all cascades: it looks at the pixels
// of each, walks through the trees, a thread a tree and face, and then adds the leaves, a thread four coordinates of a
// face (a single one if there are only one or two faces), tree after tree in their order. The leaves are what takes time:
// they come from the second-level cache, which holds the cascade that all blocks are at.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "kernels/cascade/gpu_memory.cuh"
#include "kernels/host_copy.hpp"
#include "kernels/landmark/gpu_landmarks.hpp"
#include "kernels/landmark/landmark_body.hpp"

namespace fovea::cuda_backend {
namespace {

constexpr int block_threads = 288;
constexpr int most_faces_of_block = 8;
constexpr int least_blocks_of_processor = 3;
// Trees that are walked through before their leaves are added.
constexpr int trees_of_round = 512;
constexpr int task_threads = 256;

/// A split as a thread loads it, in one go.
struct alignas(8) GpuSplit {
    std::uint16_t first;
    std::uint16_t second;
    std::int16_t threshold;
    std::int16_t padding;
};

struct GpuCascade {
    const LandmarkPixel* pixels;
    const GpuSplit* splits;
    const float* leaves;                  ///< rows of 4 · quads; null if quantised
    const std::int8_t* quantised_leaves;  ///< likewise
    float leaf_unit;
    int pixel_count;
    int trees;
};

struct GpuModel {
    const GpuCascade* cascades;
    const float* initial_shape;
    const double* turn_weights;
    int cascade_count;
    int points;
    int depth;
    int subpixels;
    bool turns;
    int quads;        ///< of coordinates: 2 · points / 4, rounded up
    int most_pixels;  ///< of any cascade
};

struct SharedLayout {
    std::size_t shapes, pixels, leaves, turns, places, bytes;
};

__host__ __device__ inline SharedLayout shared_layout(const GpuModel& model, int faces) {
    const auto aligned = [](std::size_t bytes) { return (bytes + 15) / 16 * 16; };
    SharedLayout layout;
    layout.places = 0;
    layout.turns = aligned(sizeof(UnitToImage) * faces);
    layout.shapes = layout.turns + aligned(sizeof(ShapeTurn) * faces);
    layout.leaves = layout.shapes + sizeof(float4) * model.quads * faces;
    layout.pixels = layout.leaves + aligned(sizeof(std::uint16_t) * trees_of_round * faces);
    layout.bytes = layout.pixels + aligned(static_cast<std::size_t>(model.most_pixels) * faces);
    return layout;
}

__device__ void find_turns(const GpuModel& model, int faces, const float* shapes, ShapeTurn* turns) {
    const unsigned whole_warps = (faces * turn_lanes + 31) / 32 * 32;
    for (unsigned i = threadIdx.x; i < whole_warps; i += blockDim.x) {
        const int face = static_cast<int>(i) / turn_lanes, lane = static_cast<int>(i) % turn_lanes;
        TurnSums sums;
        if (face < faces && model.turns) {
            sums = turn_sums(model.turn_weights, shapes + face * 4 * model.quads, model.points, lane);
        }
        // The order of turn_of.
        for (int step = turn_lanes / 2; step > 0; step /= 2) {
            sums.along += __shfl_down_sync(0xFFFFFFFF, sums.along, step, turn_lanes);
            sums.across += __shfl_down_sync(0xFFFFFFFF, sums.across, step, turn_lanes);
        }
        if (face < faces && lane == 0) {
            turns[face] = model.turns
                              ? ShapeTurn{static_cast<float>(sums.along), static_cast<float>(sums.across)}
                              : ShapeTurn{};
        }
    }
}

__device__ std::uint16_t walk(const GpuSplit* tree, int depth, const std::uint8_t* pixels) {
    int node = 0;
    for (int level = 0; level < depth; ++level) {
        const int2 words = __ldg(reinterpret_cast<const int2*>(tree + node));
        const int first = words.x & 0xFFFF, second = static_cast<unsigned>(words.x) >> 16;
        const int threshold = static_cast<std::int16_t>(words.y & 0xFFFF);
        node = 2 * node + 1 + (pixels[first] - pixels[second] > threshold ? 0 : 1);
    }
    return static_cast<std::uint16_t>(node - ((1 << depth) - 1));
}

/// What a thread adds: four neighbouring coordinates, or one where there are threads enough.
template <int Width>
struct Lanes;
template <>
struct Lanes<4> {
    using Floats = float4;
    using Bytes = char4;
    using Words = int4;
    static constexpr int leaves_under_way = 8;

    template <class Sum, class Value>
    static __device__ void add(Sum& sum, const Value& value) {
        sum.x += value.x;
        sum.y += value.y;
        sum.z += value.z;
        sum.w += value.w;
    }
    static __device__ float4 scaled(const int4& words, float unit) {
        return make_float4(unit * static_cast<float>(words.x), unit * static_cast<float>(words.y),
                           unit * static_cast<float>(words.z), unit * static_cast<float>(words.w));
    }
};
template <>
struct Lanes<1> {
    using Floats = float;
    using Bytes = signed char;
    using Words = int;
    static constexpr int leaves_under_way = 32;

    template <class Sum, class Value>
    static __device__ void add(Sum& sum, const Value& value) {
        sum += value;
    }
    static __device__ float scaled(int words, float unit) { return unit * static_cast<float>(words); }
};

// Adds the rows that were chosen, in order; several are under way at once. \param columns of a row.
template <int Width, class Sum, class Row>
__device__ void add_leaves(Sum& sum, const Row* rows, int leaves_of_tree, int columns,
                           const std::uint16_t* chosen, int trees) {
    constexpr int under_way = Lanes<Width>::leaves_under_way;
    const auto row = [&](int t) {
        return rows + (static_cast<std::size_t>(t) * leaves_of_tree + chosen[t]) * columns;
    };
    int t = 0;
    for (; t + under_way <= trees; t += under_way) {
        Row values[under_way];
#pragma unroll
        for (int k = 0; k < under_way; ++k) values[k] = __ldg(row(t + k));
#pragma unroll
        for (int k = 0; k < under_way; ++k) Lanes<Width>::add(sum, values[k]);
    }
    for (; t < trees; ++t) Lanes<Width>::add(sum, __ldg(row(t)));
}

// Adds the leaves of a cascade to the shapes of a block's faces.
template <int Width>
__device__ void add_cascade(const GpuModel& model, const GpuCascade& cascade, int faces, float* shapes,
                            const std::uint8_t* pixels, std::uint16_t* leaves) {
    using Kind = Lanes<Width>;
    const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
    const int leaves_of_tree = 1 << model.depth;
    const int columns = 4 * model.quads / Width;
    // What quantised leaves sum to lasts for a whole cascade, so that each thread keeps its own coordinates; more than the
    // block has threads for are few rounds of this.
    for (int begin = 0; begin < faces * columns; begin += threads) {
        const int item = begin + thread;
        const bool busy = item < faces * columns;
        const int face = item / columns, column = item % columns;
        auto* const shape = reinterpret_cast<typename Kind::Floats*>(shapes) + (busy ? item : 0);
        typename Kind::Floats sum = *shape;
        typename Kind::Words words{};
        for (int round = 0; round < cascade.trees; round += trees_of_round) {
            const int trees = min(trees_of_round, cascade.trees - round);
            __syncthreads();
            for (int i = thread; i < faces * trees; i += threads) {
                const int f = i / trees, t = i % trees;
                leaves[f * trees_of_round + t] =
                    walk(cascade.splits + static_cast<std::size_t>(round + t) * (leaves_of_tree - 1),
                         model.depth, pixels + f * model.most_pixels);
            }
            __syncthreads();
            if (!busy) continue;
            const std::size_t first = static_cast<std::size_t>(round) * leaves_of_tree * columns + column;
            const std::uint16_t* const chosen = leaves + face * trees_of_round;
            if (cascade.leaves != nullptr) {
                add_leaves<Width>(sum, reinterpret_cast<const typename Kind::Floats*>(cascade.leaves) + first,
                                  leaves_of_tree, columns, chosen, trees);
            } else {
                add_leaves<Width>(
                    words, reinterpret_cast<const typename Kind::Bytes*>(cascade.quantised_leaves) + first,
                    leaves_of_tree, columns, chosen, trees);
            }
        }
        if (!busy) continue;
        if (cascade.leaves == nullptr) Kind::add(sum, Kind::scaled(words, cascade.leaf_unit));
        *shape = sum;
    }
}

__global__ void __launch_bounds__(block_threads, least_blocks_of_processor)
    landmark_kernel(GpuModel model, int faces_of_block, const ImageView<const std::uint8_t>* images,
                    const LandmarkTask* tasks, const unsigned* count, std::int32_t* positions) {
    extern __shared__ __align__(16) unsigned char memory[];
    const SharedLayout layout = shared_layout(model, faces_of_block);
    UnitToImage* const to_image = reinterpret_cast<UnitToImage*>(memory + layout.places);
    ShapeTurn* const turns = reinterpret_cast<ShapeTurn*>(memory + layout.turns);
    float* const shapes = reinterpret_cast<float*>(memory + layout.shapes);
    std::uint16_t* const leaves = reinterpret_cast<std::uint16_t*>(memory + layout.leaves);
    std::uint8_t* const pixels = memory + layout.pixels;
    const unsigned total = *count;
    const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
    const int stride = 4 * model.quads, coordinates = 2 * model.points;
    // The same number of faces, or nearly so, for every block: few faces are spread over all of them.
    const unsigned rounds = (total + gridDim.x * faces_of_block - 1) / (gridDim.x * faces_of_block);
    const unsigned share = rounds == 0 ? 1 : (total + gridDim.x * rounds - 1) / (gridDim.x * rounds);
    for (unsigned first = blockIdx.x * share; first < total; first += gridDim.x * share) {
        const int faces = static_cast<int>(min(share, total - first));
        for (int f = thread; f < faces; f += threads) to_image[f] = unit_to_image(tasks[first + f].box);
        for (int i = thread; i < faces * stride; i += threads) {
            shapes[i] = i % stride < coordinates ? model.initial_shape[i % stride] : 0;
        }
        __syncthreads();
        for (int c = 0; c < model.cascade_count; ++c) {
            const GpuCascade cascade = model.cascades[c];
            find_turns(model, faces, shapes, turns);
            __syncthreads();
            for (int i = thread; i < faces * cascade.pixel_count; i += threads) {
                const int f = i / cascade.pixel_count, p = i % cascade.pixel_count;
                pixels[f * model.most_pixels + p] =
                    landmark_pixel(images[tasks[first + f].image], to_image[f], turns[f], cascade.pixels[p],
                                   shapes + f * stride);
            }
            __syncthreads();
            if (faces * stride <= threads) {
                add_cascade<1>(model, cascade, faces, shapes, pixels, leaves);
            } else {
                add_cascade<4>(model, cascade, faces, shapes, pixels, leaves);
            }
            __syncthreads();
        }
        for (int i = thread; i < faces * model.points; i += threads) {
            const int f = i / model.points, p = i % model.points;
            const float* const point = shapes + f * stride + 2 * p;
            const ImagePlace place = place_of(to_image[f], point[0], point[1]);
            std::int32_t* const to = positions + (static_cast<std::size_t>(first) + f) * coordinates + 2 * p;
            to[0] = rounded_coordinate(place.x, model.subpixels);
            to[1] = rounded_coordinate(place.y, model.subpixels);
        }
        __syncthreads();
    }
}

// One block: the images' places in the list of tasks follow from the sum of the counts before them.
__global__ void __launch_bounds__(task_threads)
    task_kernel(DetectedFaces faces, const ImageView<const std::uint8_t>* images, LandmarkTask* tasks,
                unsigned* count) {
    __shared__ unsigned sums[task_threads];
    __shared__ unsigned before;
    const unsigned thread = threadIdx.x;
    if (thread == 0) before = 0;
    for (int base = 0; base < faces.images; base += task_threads) {
        const int image = base + static_cast<int>(thread);
        const unsigned own =
            image < faces.images ? min(faces.counts[image], static_cast<unsigned>(faces.first_count)) : 0;
        sums[thread] = own;
        __syncthreads();
        for (unsigned step = 1; step < task_threads; step *= 2) {
            const unsigned left = thread >= step ? sums[thread - step] : 0;
            __syncthreads();
            sums[thread] += left;
            __syncthreads();
        }
        unsigned place = before + sums[thread] - own;
        for (unsigned g = 0; g < own; ++g) {
            const RectGroup& group = faces.groups[static_cast<std::size_t>(image) * faces.first_count + g];
            const FaceBox box = inside_image(face_of_window(faces.face, group.rect), images[image].width,
                                             images[image].height);
            tasks[place++] = {static_cast<std::uint32_t>(image), rect_of_edges(box, faces.edges)};
        }
        __syncthreads();
        if (thread == task_threads - 1) before += sums[thread];
        __syncthreads();
    }
    if (thread == 0) *count = before;
}

}  // namespace

class GpuLandmarks::Implementation {
  public:
    Implementation(const LandmarkModel& model, const LandmarkTables& tables, int device)
        : device_(device), stream_(Device::cuda(device)), memory_(device), input_(device), output_(device) {
        check(cudaSetDevice(device), device, "selecting the device");
        upload(model, tables);
        choose_shape();
    }

    int device() const { return device_; }
    int points() const { return model_.points; }
    std::uint64_t identity() const { return identity_; }

    void find(std::span<const ImageView<const std::uint8_t>> images, std::span<const LandmarkTask> faces,
              std::int32_t* positions) {
        const std::lock_guard lock(mutex_);
        const std::size_t coordinates = 2 * static_cast<std::size_t>(model_.points);
        for (std::size_t done = 0; done < faces.size();) {
            const Part part = take(images, faces.subspan(done));
            start(images, part);
            const std::size_t bytes = part.tasks.size() * coordinates * sizeof(std::int32_t);
            cuda_backend::copy(device_, stream_.stream(), positions + done * coordinates, output_.at(),
                               bytes);
            stream_.synchronize();
            done += part.tasks.size();
        }
    }

    std::vector<double> measure(std::span<const ImageView<const std::uint8_t>> images,
                                std::span<const LandmarkTask> faces, int repeat) {
        const std::lock_guard lock(mutex_);
        const Part part = take(images, faces, ~std::size_t{0});
        start(images, part);
        std::vector<double> times;
        Event before(device_), after(device_);
        for (int i = -3; i < repeat; ++i) {
            before.record(stream());
            enqueue(stream_.stream(), input_.at<ImageView<const std::uint8_t>>(layout_.views),
                    input_.at<LandmarkTask>(layout_.tasks), input_.at<unsigned>(layout_.count),
                    static_cast<unsigned>(part.tasks.size()), output_.at<std::int32_t>());
            after.record(stream());
            stream_.synchronize();
            if (i >= 0) times.push_back(after.since(before));
        }
        return times;
    }

    void enqueue_tasks(void* stream, const DetectedFaces& faces, const ImageView<const std::uint8_t>* images,
                       LandmarkTask* tasks, unsigned* count) const {
        task_kernel<<<1, task_threads, 0, static_cast<cudaStream_t>(stream)>>>(faces, images, tasks, count);
        check(cudaGetLastError(), device_, "listing the faces found");
    }

    void enqueue(void* stream, const ImageView<const std::uint8_t>* images, const LandmarkTask* tasks,
                 const unsigned* count, unsigned most, std::int32_t* positions) const {
        if (most == 0) return;
        const unsigned blocks = std::min(most, static_cast<unsigned>(blocks_));
        landmark_kernel<<<blocks, block_threads, shared_bytes_, static_cast<cudaStream_t>(stream)>>>(
            model_, faces_of_block_, images, tasks, count, positions);
        check(cudaGetLastError(), device_, "finding landmarks");
    }

  private:
    /// Faces that are evaluated at once, and the images that they need.
    struct Part {
        std::vector<LandmarkTask> tasks;    // with images numbered as below
        std::vector<std::uint32_t> images;  // numbers among all images
        std::vector<std::size_t> offsets;   // of each image's pixels
        std::size_t pixels = 0;
    };

    struct InputLayout {
        std::size_t count = 0, tasks = 0, views = 0, pixels = 0, bytes = 0;
    };

    static constexpr std::size_t most_bytes_at_once = std::size_t{256} << 20;
    static constexpr std::size_t most_faces_at_once = 1 << 16;

    cudaStream_t stream() const { return static_cast<cudaStream_t>(stream_.stream()); }

    static Part take(std::span<const ImageView<const std::uint8_t>> images,
                     std::span<const LandmarkTask> faces, std::size_t most_bytes = most_bytes_at_once) {
        Part part;
        std::vector<std::int64_t> numbers(images.size(), -1);
        for (const LandmarkTask& face : faces) {
            if (most_bytes == most_bytes_at_once && part.tasks.size() == most_faces_at_once) break;
            std::int64_t& number = numbers[face.image];
            if (number < 0) {
                const ImageView<const std::uint8_t>& image = images[face.image];
                const std::size_t bytes = static_cast<std::size_t>(std::max(image.width, 0)) *
                                          static_cast<std::size_t>(std::max(image.height, 0));
                if (!part.tasks.empty() && part.pixels + bytes > most_bytes) break;
                number = static_cast<std::int64_t>(part.images.size());
                part.images.push_back(face.image);
                part.offsets.push_back(part.pixels);
                part.pixels = align_up(part.pixels + bytes);
            }
            part.tasks.push_back({static_cast<std::uint32_t>(number), face.box});
        }
        return part;
    }

    void start(std::span<const ImageView<const std::uint8_t>> images, const Part& part) {
        check(cudaSetDevice(device_), device_, "selecting the device");
        layout_.count = 0;
        layout_.tasks = align_up(sizeof(unsigned));
        layout_.views = align_up(layout_.tasks + sizeof(LandmarkTask) * part.tasks.size());
        layout_.pixels = align_up(layout_.views + sizeof(ImageView<const std::uint8_t>) * part.images.size());
        layout_.bytes = layout_.pixels + part.pixels;
        input_.reserve(layout_.bytes);
        output_.reserve(part.tasks.size() * 2 * static_cast<std::size_t>(model_.points) *
                        sizeof(std::int32_t));
        std::vector<std::byte> staged(layout_.bytes);
        const auto count = static_cast<unsigned>(part.tasks.size());
        std::memcpy(staged.data() + layout_.count, &count, sizeof(count));
        std::memcpy(staged.data() + layout_.tasks, part.tasks.data(),
                    sizeof(LandmarkTask) * part.tasks.size());
        for (std::size_t i = 0; i < part.images.size(); ++i) {
            const ImageView<const std::uint8_t>& image = images[part.images[i]];
            const std::size_t place = layout_.pixels + part.offsets[i];
            const ImageView<const std::uint8_t> view{input_.at<std::uint8_t>(place), image.width,
                                                     image.height, image.width};
            std::memcpy(staged.data() + layout_.views + i * sizeof(view), &view, sizeof(view));
            copy_rows(image, reinterpret_cast<std::uint8_t*>(staged.data() + place));
        }
        check(cudaSetDevice(device_), device_, "selecting the device");
        cuda_backend::copy(device_, stream_.stream(), input_.at(), staged.data(), layout_.bytes);
        enqueue(stream_.stream(), input_.at<ImageView<const std::uint8_t>>(layout_.views),
                input_.at<LandmarkTask>(layout_.tasks), input_.at<unsigned>(layout_.count), count,
                output_.at<std::int32_t>());
        // `staged` is read until then.
        stream_.synchronize();
    }

    /// Places arrays one after the other, in host memory that is then copied as a whole.
    class Packer {
      public:
        template <class T>
        std::size_t add(const std::vector<T>& values) {
            const std::size_t place = align_up(bytes_.size());
            bytes_.resize(place + sizeof(T) * values.size());
            if (!values.empty()) std::memcpy(bytes_.data() + place, values.data(), sizeof(T) * values.size());
            return place;
        }
        std::vector<std::byte>& bytes() { return bytes_; }

      private:
        std::vector<std::byte> bytes_;
    };

    // Rows without the padding that the CPU's vectors want.
    template <class T>
    static std::vector<T> packed_leaves(const std::vector<T>& leaves, std::size_t from_stride,
                                        std::size_t to_stride) {
        std::vector<T> packed(leaves.size() / from_stride * to_stride);
        for (std::size_t row = 0; row * from_stride < leaves.size(); ++row) {
            std::copy_n(leaves.begin() + static_cast<std::ptrdiff_t>(row * from_stride), to_stride,
                        packed.begin() + static_cast<std::ptrdiff_t>(row * to_stride));
        }
        return packed;
    }

    void upload(const LandmarkModel& model, const LandmarkTables& tables) {
        model_.cascade_count = static_cast<int>(model.cascades.size());
        model_.points = model.points;
        model_.depth = model.depth;
        model_.subpixels = model.subpixels;
        model_.turns = tables.turns;
        model_.quads = (2 * model.points + 3) / 4;
        const std::size_t stride = 4 * static_cast<std::size_t>(model_.quads);
        Packer packer;
        struct Places {
            std::size_t pixels, splits, leaves;
        };
        std::vector<Places> places;
        for (const LandmarkCascade& cascade : model.cascades) {
            std::vector<GpuSplit> splits;
            splits.reserve(cascade.splits.size());
            for (const LandmarkSplit& split : cascade.splits) {
                splits.push_back({split.first, split.second, split.threshold, 0});
            }
            Places place;
            place.pixels = packer.add(cascade.pixels);
            place.splits = packer.add(splits);
            place.leaves =
                cascade.is_quantised()
                    ? packer.add(packed_leaves(cascade.quantised_leaves, model.leaf_stride(), stride))
                    : packer.add(packed_leaves(cascade.leaves, model.leaf_stride(), stride));
            places.push_back(place);
            model_.most_pixels = std::max(model_.most_pixels, static_cast<int>(cascade.pixels.size()));
        }
        const std::size_t shape = packer.add(model.initial_shape);
        const std::size_t weights = packer.add(tables.turn_weights);
        memory_.reserve(align_up(packer.bytes().size()) + sizeof(GpuCascade) * model.cascades.size());
        std::vector<GpuCascade> cascades;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const LandmarkCascade& from = model.cascades[i];
            GpuCascade to{};
            to.pixels = memory_.at<LandmarkPixel>(places[i].pixels);
            to.splits = memory_.at<GpuSplit>(places[i].splits);
            if (from.is_quantised()) {
                to.quantised_leaves = memory_.at<std::int8_t>(places[i].leaves);
            } else {
                to.leaves = memory_.at<float>(places[i].leaves);
            }
            to.leaf_unit = from.leaf_unit;
            to.pixel_count = static_cast<int>(from.pixels.size());
            to.trees = static_cast<int>(from.trees);
            cascades.push_back(to);
        }
        const std::size_t table = packer.add(cascades);
        model_.cascades = memory_.at<GpuCascade>(table);
        model_.initial_shape = memory_.at<float>(shape);
        model_.turn_weights = memory_.at<double>(weights);
        cuda_backend::copy(device_, stream_.stream(), memory_.at(), packer.bytes().data(),
                           packer.bytes().size());
        stream_.synchronize();
    }

    // As many faces a block as its shared memory holds, and as many blocks as the GPU has room for.
    void choose_shape() {
        int most_shared = 0, processors = 0;
        check(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device_), device_,
              "reading an attribute");
        check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device_), device_,
              "reading an attribute");
        const auto needed = [&] { return shared_layout(model_, faces_of_block_).bytes; };
        while (faces_of_block_ > 1 && (needed() > static_cast<std::size_t>(most_shared) / 4 ||
                                       faces_of_block_ * model_.quads > block_threads)) {
            --faces_of_block_;
        }
        shared_bytes_ = needed();
        if (shared_bytes_ > static_cast<std::size_t>(most_shared)) {
            throw DeviceError("the landmark model needs " + std::to_string(shared_bytes_) +
                              " bytes of shared memory for a face, but a block on cuda:" +
                              std::to_string(device_) + " has " + std::to_string(most_shared));
        }
        // The attribute is the kernel's, not the model's: never less than another model needs.
        check(cudaFuncSetAttribute(landmark_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_shared),
              device_, "asking for shared memory");
        int blocks = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, landmark_kernel, block_threads,
                                                            shared_bytes_),
              device_, "counting blocks");
        blocks_ = std::max(blocks, 1) * processors;
    }

    static std::uint64_t next_identity() {
        static std::atomic<std::uint64_t> last{0};
        return ++last;
    }

    int device_;
    std::uint64_t identity_ = next_identity();
    Device stream_;
    DeviceMemory memory_;
    DeviceMemory input_;
    DeviceMemory output_;
    InputLayout layout_;
    GpuModel model_{};
    int faces_of_block_ = most_faces_of_block;
    std::size_t shared_bytes_ = 0;
    int blocks_ = 1;
    std::mutex mutex_;
};

GpuLandmarks::GpuLandmarks(const LandmarkModel& model, const LandmarkTables& tables, int device)
    : implementation_(std::make_unique<Implementation>(model, tables, device)) {}
GpuLandmarks::~GpuLandmarks() = default;

int GpuLandmarks::device() const {
    return implementation_->device();
}
int GpuLandmarks::points() const {
    return implementation_->points();
}
std::uint64_t GpuLandmarks::identity() const {
    return implementation_->identity();
}

void GpuLandmarks::find(std::span<const ImageView<const std::uint8_t>> images,
                        std::span<const LandmarkTask> faces, std::int32_t* positions) {
    implementation_->find(images, faces, positions);
}

std::vector<double> GpuLandmarks::measure(std::span<const ImageView<const std::uint8_t>> images,
                                          std::span<const LandmarkTask> faces, int repeat) {
    return implementation_->measure(images, faces, repeat);
}

void GpuLandmarks::enqueue_tasks(void* stream, const DetectedFaces& faces,
                                 const ImageView<const std::uint8_t>* images, LandmarkTask* tasks,
                                 unsigned* count) const {
    implementation_->enqueue_tasks(stream, faces, images, tasks, count);
}

void GpuLandmarks::enqueue(void* stream, const ImageView<const std::uint8_t>* images,
                           const LandmarkTask* tasks, const unsigned* count, unsigned most,
                           std::int32_t* positions) const {
    implementation_->enqueue(stream, images, tasks, count, most, positions);
}

}  // namespace fovea::cuda_backend
