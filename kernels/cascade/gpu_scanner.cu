#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <deque>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/cascade/gpu_scanner.hpp"
#include "kernels/cascade/scan_cuda.hpp"
#include "kernels/device_cuda.hpp"
#include "kernels/group/group_cuda.hpp"
#include "kernels/host_copy.hpp"
#include "kernels/launch.cuh"
#include "kernels/resize/resize.hpp"

namespace fovea::cuda_backend {
namespace {

constexpr std::size_t alignment = 256;

std::size_t aligned(std::size_t bytes, std::size_t to = alignment) {
    return (bytes + to - 1) / to * to;
}

/// Memory that grows as needed. What lies in it is lost when it does.
class DeviceMemory {
  public:
    explicit DeviceMemory(int device) : device_(device) {}
    ~DeviceMemory() { release(); }
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    /// True if reserve() would move the memory: if it is too small, or large and hardly used.
    bool moves(std::size_t bytes) const {
        constexpr std::size_t large = std::size_t{1} << 30;
        return bytes > bytes_ || (bytes_ > large && bytes < bytes_ / 8);
    }
    /// \throws std::bad_alloc if there is not enough; DeviceError.
    void reserve(std::size_t bytes) {
        if (!moves(bytes)) return;
        release();
        check(cudaSetDevice(device_), device_, "selecting the device");
        const std::size_t wanted = aligned(bytes + bytes / 8);
        cudaError_t status = cudaMalloc(&data_, wanted);
        bytes_ = wanted;
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            status = cudaMalloc(&data_, bytes);
            bytes_ = bytes;
        }
        if (status != cudaSuccess) {
            data_ = nullptr;
            bytes_ = 0;
        }
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            throw std::bad_alloc();
        }
        check(status, device_, "allocating memory");
        // Parts that no kernel writes are copied to the host along with those that one does.
        // Other streams do not wait for the one that clears.
        check(cudaMemset(data_, 0, bytes_), device_, "clearing memory");
        check(cudaStreamSynchronize(nullptr), device_, "clearing memory");
    }
    void release() noexcept {
        if (data_ != nullptr) cuda_backend::release(device_, data_);
        data_ = nullptr;
        bytes_ = 0;
    }
    template <class T = std::byte>
    T* at(std::size_t offset = 0) const {
        return reinterpret_cast<T*>(static_cast<std::byte*>(data_) + offset);
    }

  private:
    int device_;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

/// Host memory that only grows: page-locked, which a GPU copies at full speed and without the host, or plain.
class HostMemory {
  public:
    HostMemory(int device, bool pinned) : device_(device), pinned_(pinned) {}
    ~HostMemory() { release(); }
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;

    bool moves(std::size_t bytes) const { return bytes > bytes_; }
    void reserve(std::size_t bytes) {
        if (!moves(bytes)) return;
        release();
        const std::size_t wanted = aligned(bytes + bytes / 8);
        if (pinned_) {
            const cudaError_t status = cudaHostAlloc(&data_, wanted, cudaHostAllocDefault);
            if (status == cudaErrorMemoryAllocation) {
                cudaGetLastError();
                data_ = nullptr;
                throw std::bad_alloc();
            }
            check(status, device_, "allocating page-locked memory");
        } else {
            data_ = ::operator new(wanted);
        }
        bytes_ = wanted;
    }
    void release() noexcept {
        if (data_ != nullptr) {
            if (pinned_) {
                cudaFreeHost(data_);
            } else {
                ::operator delete(data_);
            }
        }
        data_ = nullptr;
        bytes_ = 0;
    }
    template <class T = std::byte>
    T* at(std::size_t offset = 0) const {
        return reinterpret_cast<T*>(static_cast<std::byte*>(data_) + offset);
    }

  private:
    int device_;
    bool pinned_;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

class Event {
  public:
    explicit Event(int device) : device_(device) {
        check(cudaEventCreate(&event_), device, "creating an event");
    }
    ~Event() { cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    void record(cudaStream_t stream) {
        check(cudaEventRecord(event_, stream), device_, "recording an event");
    }
    float since(const Event& start) const {
        float time_ms = 0;
        check(cudaEventElapsedTime(&time_ms, start.event_, event_), device_, "reading an event");
        return time_ms;
    }

  private:
    int device_;
    cudaEvent_t event_ = nullptr;
};

/// A graph that is ready to be launched.
class GraphExecutable {
  public:
    explicit GraphExecutable(cudaGraphExec_t executable) : executable_(executable) {}
    ~GraphExecutable() { cudaGraphExecDestroy(executable_); }
    GraphExecutable(const GraphExecutable&) = delete;
    GraphExecutable& operator=(const GraphExecutable&) = delete;
    cudaGraphExec_t get() const { return executable_; }

  private:
    cudaGraphExec_t executable_;
};

/// How the scan of one cascade is laid out on one GPU.
struct Configuration {
    TileTable table = TileTable::haar;
    TileCascade packed[2];
    ScanTables tables;  ///< without pointers
    ScanMemory memory;
    int blocks_per_multiprocessor = 0;
};

class Configurator {
  public:
    Configurator(const Cascade& cascade, int device, const EngineVariant& variant)
        : cascade_(cascade), device_(device), variant_(variant) {
        haar_ = cascade.feature == Cascade::Feature::haar;
        for (const auto& [attribute, value] :
             {std::pair{cudaDevAttrMaxSharedMemoryPerMultiprocessor, &shared_per_multiprocessor_},
              std::pair{cudaDevAttrMaxSharedMemoryPerBlockOptin, &shared_per_block_},
              std::pair{cudaDevAttrReservedSharedMemoryPerBlock, &reserved_per_block_}}) {
            check(cudaDeviceGetAttribute(value, attribute, device), device, "reading the device's limits");
        }
    }

    /// Tables and memory of the largest tiles of which several fit on a multiprocessor.
    Configuration configure() {
        const TileTable wanted = wanted_table();
        const TileTable general = haar_ ? TileTable::haar : TileTable::lbp;
        for (const TileTable table : {wanted, general}) {
            for (int blocks = scan_blocks; blocks >= 1; --blocks) {
                const int least_rows = blocks == 1 ? 1 : 16;
                if (try_shared(table, blocks, least_rows)) return finish(table);
            }
        }
        if (!try_slab(general)) {
            throw std::invalid_argument("a window of " + std::to_string(cascade_.window.width) + "x" +
                                        std::to_string(cascade_.window.height) +
                                        " pixels, or the number of stages, is too large for this GPU");
        }
        return finish(general);
    }

  private:
    static constexpr int most_rows[2] = {96, 64};

    TileTable wanted_table() const {
        if (!haar_) return has_lbp_stumps(cascade_) ? TileTable::lbp_stumps : TileTable::lbp;
        if (!variant_.merged_corners || !can_merge_corners(cascade_)) return TileTable::haar;
        return cascade_.stumps_only ? TileTable::merged_stumps : TileTable::merged_trees;
    }

    // Memory of a tile of one step; `shared` and `slab` grow by it.
    TileMemory place(const TileLayout& layout, int start, int& shared_end, int& slab_end, bool slab) const {
        TileMemory memory;
        std::size_t at = start;
        const auto take = [](std::size_t& from, std::size_t bytes) {
            const std::size_t place = from;
            from = aligned(from + bytes, 16);
            return static_cast<int>(place);
        };
        const std::size_t windows = static_cast<std::size_t>(TileLayout::columns) * layout.rows;
        const std::size_t pixels = static_cast<std::size_t>(layout.pixel_width) * layout.pixel_height;
        const std::size_t queues = 2 * sizeof(std::uint16_t) * windows;
        const std::size_t integral = static_cast<std::size_t>(layout.total_elements()) * sizeof(std::int32_t);
        memory.masks = take(at, 4 * sizeof(std::uint32_t) * layout.rows);
        if (haar_) memory.deviations = take(at, sizeof(float) * windows);
        if (slab) {
            std::size_t slab_at = 0;
            memory.queues = take(at, queues);
            memory.integral = take(slab_at, integral);
            memory.pixels = take(slab_at, pixels);
            slab_end = std::max(slab_end, static_cast<int>(slab_at));
        } else {
            // The pixels are done with before the first window is queued.
            memory.queues = memory.pixels = take(at, std::max(queues, pixels));
            memory.integral = take(at, integral);
        }
        shared_end = std::max(shared_end, static_cast<int>(at));
        return memory;
    }

    // Memory of a block that no tile's size changes. Nodes are staged where the first stage fits.
    int common_memory(TileTable table, bool may_stage) {
        memory_ = {};
        std::size_t at = aligned(sizeof(TileStage) * cascade_.stages.size(), 16);
        memory_.partial_sums = static_cast<int>(at);
        at += sizeof(double) * scan_threads;
        if (!may_stage) return static_cast<int>(at);
        const std::size_t node = node_size(table);
        const std::size_t most_bytes = table == TileTable::merged_stumps ? 2560 : 5120;
        std::size_t largest = 0;
        std::size_t first = 0;
        for (const CascadeStage& stage : cascade_.stages) {
            std::size_t bytes = 0;
            for (int t = 0; t < stage.tree_count; ++t) {
                const int nodes = cascade_.trees[stage.first_tree + t].node_count;
                bytes += node * static_cast<std::size_t>(table == TileTable::merged_trees ? 2 : nodes);
            }
            if (&stage == cascade_.stages.data()) first = bytes;
            if (bytes <= most_bytes) largest = std::max(largest, bytes);
        }
        if (first > 2 * most_bytes) return static_cast<int>(at);
        memory_.staged_nodes_bytes = static_cast<int>(std::max(first, largest));
        for (int& place : memory_.staged_nodes) {
            place = static_cast<int>(at);
            at += aligned(memory_.staged_nodes_bytes, 16);
        }
        return static_cast<int>(at);
    }

    static std::size_t node_size(TileTable table) {
        switch (table) {
            case TileTable::merged_stumps:
            case TileTable::merged_trees:
                return sizeof(MergedStump);
            case TileTable::haar:
                return sizeof(HaarTileNode);
            case TileTable::lbp_stumps:
                return sizeof(LbpStump);
            case TileTable::lbp:
                break;
        }
        return sizeof(LbpTileNode);
    }

    bool try_shared(TileTable table, int blocks, int least_rows) {
        if (!variant_.shared_integral) return false;
        const int budget =
            std::min(shared_per_block_, shared_per_multiprocessor_ / blocks - reserved_per_block_) -
            static_shared;
        const int start =
            common_memory(table, variant_.staged_stumps && variant_.compaction && variant_.bank_queues &&
                                     variant_.warp_windows && variant_.window_sets);
        const bool short_offsets = has_short_offsets(table);
        memory_.shared_bytes = start;
        for (int step = 1; step <= 2; ++step) {
            int rows = most_rows[step - 1];
            for (; rows >= least_rows; rows -= rows > 16 ? 4 : 1) {
                const TileLayout layout = make_tile_layout(cascade_.window, step, rows, cascade_.has_tilted);
                if (short_offsets && layout.total_elements() > 1 << 14) continue;
                int end = 0;
                int unused = 0;
                const TileMemory memory = place(layout, start, end, unused, false);
                if (end > budget) continue;
                layouts_[step - 1] = layout;
                memory_.tiles[step - 1] = memory;
                memory_.shared_bytes = std::max(memory_.shared_bytes, end);
                break;
            }
            if (rows < least_rows) return false;
        }
        return true;
    }

    bool try_slab(TileTable table) {
        const int start = common_memory(table, false);
        memory_.shared_bytes = start;
        for (int step = 1; step <= 2; ++step) {
            layouts_[step - 1] = make_tile_layout(cascade_.window, step, 32, cascade_.has_tilted);
            memory_.tiles[step - 1] =
                place(layouts_[step - 1], start, memory_.shared_bytes, memory_.slab_bytes, true);
        }
        memory_.slab_bytes = static_cast<int>(aligned(memory_.slab_bytes));
        return memory_.shared_bytes + static_shared <= shared_per_block_;
    }

    Configuration finish(TileTable table) {
        Configuration configuration;
        configuration.table = table;
        configuration.memory = memory_;
        ScanTables& tables = configuration.tables;
        tables.stage_count = static_cast<int>(cascade_.stages.size());
        tables.window = cascade_.window;
        tables.tilted = cascade_.has_tilted;
        for (int i = 0; i < 2; ++i) {
            configuration.packed[i] = pack_for_tiles(cascade_, layouts_[i], table);
            tables.layouts[i] = layouts_[i];
            std::copy_n(configuration.packed[i].normalisation_corners, 4, tables.normalisation_corners[i]);
        }
        tables.normalisation_area = configuration.packed[0].normalisation_area;
        configuration.blocks_per_multiprocessor =
            std::min(scan_blocks_per_multiprocessor(device_, table, memory_, false),
                     scan_blocks_per_multiprocessor(device_, table, memory_, true));
        if (configuration.blocks_per_multiprocessor == 0) {
            throw std::invalid_argument("no block of the scan fits on this GPU");
        }
        return configuration;
    }

    // What the kernel declares itself, generously.
    static constexpr int static_shared = 1024;

    const Cascade& cascade_;
    int device_;
    EngineVariant variant_;
    bool haar_ = true;
    int shared_per_multiprocessor_ = 0;
    int shared_per_block_ = 0;
    int reserved_per_block_ = 0;
    TileLayout layouts_[2];
    ScanMemory memory_;
};

/// The levels of a batch as the scan takes them.
struct Plan {
    std::vector<TiledLevel> levels;
    std::vector<int> first_tiles;
    int tiles = 0;
    std::size_t image_bytes = 0;
    std::vector<std::size_t> image_offsets;
    std::int64_t windows = 0;

    std::size_t levels_bytes() const { return aligned(levels.size() * sizeof(TiledLevel)); }
    std::size_t tables_bytes() const { return levels_bytes() + aligned(first_tiles.size() * sizeof(int)); }
};

Plan make_plan(std::span<const ScanJob> jobs, const TileLayout* layouts) {
    Plan plan;
    std::int64_t tiles = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const ScanJob& job = jobs[i];
        plan.image_offsets.push_back(plan.image_bytes);
        for (std::size_t l = 0; l < job.levels.size(); ++l) {
            const PyramidLevel& level = job.levels[l];
            TiledLevel tiled;
            tiled.windows_per_row = level.windows_per_row();
            tiled.window_rows = level.window_rows();
            if (tiled.windows_per_row == 0 || tiled.window_rows == 0) continue;
            const TileLayout& layout = layouts[level.step - 1];
            tiled.image_offset = static_cast<unsigned>(plan.image_bytes);
            tiled.scale_x = resize_scale(job.image.width, level.size.width);
            tiled.scale_y = resize_scale(job.image.height, level.size.height);
            tiled.image_size = {job.image.width, job.image.height};
            tiled.step = level.step;
            tiled.tile_rows = layout.rows;
            tiled.tiles_per_column = (tiled.window_rows + tiled.tile_rows - 1) / tiled.tile_rows;
            tiled.image = static_cast<int>(i);
            tiled.level = job.level_numbers[l];
            tiled.scale = level.scale;
            tiled.box = level.box;
            tiled.first_window = plan.windows;
            plan.windows += static_cast<std::int64_t>(tiled.windows_per_row) * tiled.window_rows;
            plan.first_tiles.push_back(static_cast<int>(tiles));
            const int tile_columns = (tiled.windows_per_row + TileLayout::columns - 1) / TileLayout::columns;
            tiles += static_cast<std::int64_t>(tiled.tiles_per_column) * tile_columns;
            if (tiles > 1 << 30) throw std::length_error("the images have too many windows for one batch");
            plan.levels.push_back(tiled);
        }
        plan.image_bytes += aligned(
            static_cast<std::size_t>(job.image.width) * static_cast<std::size_t>(job.image.height), 16);
    }
    if (plan.image_bytes > std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("the image has more than 4 gigapixels (2^32 bytes of grey levels)");
    }
    plan.first_tiles.push_back(static_cast<int>(tiles));
    plan.tiles = static_cast<int>(tiles);
    return plan;
}

/// All that a captured graph depends on: the tables and images themselves are copied anew by each replay.
struct GraphKey {
    int images = 0;
    int levels = 0;
    int tiles = 0;
    std::size_t image_bytes = 0;
    int min_neighbors = 0;
    int capacity = 0;

    friend bool operator==(const GraphKey&, const GraphKey&) = default;
};

// Windows of each image that there is room for at first.
constexpr int least_capacity = 2048;

// Places for the windows of all images of a batch that are made because the batch before needed them.
constexpr unsigned most_places_kept = 1U << 22;

// Of an image with more windows than this the host does the grouping: a GPU compares all pairs, the host
// only those that are near.
constexpr int most_windows_grouped = 1 << 17;

// Groups of each image that are copied to the host together with their number; more are fetched after.
constexpr int first_groups = 64;

std::vector<RectGroup> group_rects_of(std::span<const CascadeWindow> windows, std::span<const Rect> rects,
                                      int min_neighbors) {
    std::vector<ScoredRect> scored;
    scored.reserve(windows.size());
    for (std::size_t i = 0; i < windows.size(); ++i) scored.push_back({rects[i], windows[i].last_sum});
    return group_rects(scored, min_neighbors);
}

/// A stream with its memory: one batch at a time.
class Slot {
  public:
    Slot(int device, const Configuration& configuration, const ScanTables& tables, int blocks,
         const EngineVariant& variant, EngineCounters& counters)
        : device_(device),
          configuration_(configuration),
          tables_(tables),
          most_blocks_(blocks),
          variant_(variant),
          counters_(counters),
          stream_(Device::cuda(device)),
          staging_(device, variant.pinned),
          output_(device, variant.pinned),
          input_(device),
          control_(device),
          exits_(device),
          slabs_(device),
          found_(device),
          scratch_(device),
          traces_(device) {}

    ~Slot() { drop_graphs(); }

    cudaStream_t stream() const { return static_cast<cudaStream_t>(stream_.stream()); }
    bool busy() const { return busy_; }
    void synchronize() const { stream_.synchronize(); }
    void abandon() noexcept {
        cudaStreamSynchronize(stream());
        busy_ = false;
    }

    /// Queues the work of a batch; it is done when collect() returns.
    void start(std::span<const ScanJob> jobs, int min_neighbors) {
        prepare(jobs, min_neighbors, false);
        if (plan_.tiles > 0) submit();
        busy_ = true;
    }

    std::vector<CascadeFindings> collect() {
        busy_ = false;
        std::vector<CascadeFindings> findings(images_);
        if (plan_.tiles == 0) return findings;
        check(cudaSetDevice(device_), device_, "selecting the device");
        synchronize();
        for (unsigned most = most_found(); most > static_cast<unsigned>(capacity_); most = most_found()) {
            // The images are on the device still; only what was found must be found again.
            if (most > 1U << 30) throw std::length_error("more than 2^30 windows pass in one image");
            ++counters_.repeats;
            capacity_ = static_cast<int>(std::bit_ceil(most));
            reserve_found(images_, min_neighbors_ > 0);
            enqueue_scan(tables_.stage_count);
            enqueue_grouping();
            enqueue_download();
            synchronize();
        }
        most_found_before_ = most_found();
        if (min_neighbors_ > 0) {
            fetch_groups(findings);
        } else {
            fetch_windows(findings);
        }
        return findings;
    }

    std::vector<RectGroup> group(std::span<const CascadeWindow> windows, std::span<const Rect> rects,
                                 int min_neighbors) {
        plan_ = {};
        images_ = 1;
        min_neighbors_ = min_neighbors;
        capacity_ = std::max(capacity_, static_cast<int>(std::bit_ceil(windows.size())));
        reserve_control();
        reserve_found(1, true);
        const FoundWindows found = found_windows();
        const auto count = static_cast<unsigned>(windows.size());
        std::vector<int> parents(windows.size());
        for (std::size_t i = 0; i < parents.size(); ++i) parents[i] = static_cast<int>(i);
        copy(found.counts, &count, sizeof count);
        copy(found.windows, windows.data(), windows.size_bytes());
        copy(found.rects, rects.data(), rects.size_bytes());
        copy(found.parents, parents.data(), parents.size() * sizeof(int));
        enqueue_grouping();
        enqueue_download();
        synchronize();
        std::vector<CascadeFindings> findings(1);
        fetch_groups(findings);
        return findings[0].groups;
    }

    WindowTrace trace(const ScanJob& job) {
        prepare({&job, 1}, 0, true);
        WindowTrace trace;
        trace.levels.resize(job.levels.size());
        std::vector<std::int16_t> stages(plan_.windows);
        std::vector<double> sums(plan_.windows);
        if (plan_.tiles > 0) {
            enqueue_upload();
            enqueue_scan(tables_.stage_count);
            copy(stages.data(), traces_.at<std::int16_t>(trace_sums_bytes()),
                 stages.size() * sizeof(std::int16_t));
            copy(sums.data(), traces_.at<double>(), sums.size() * sizeof(double));
            synchronize();
        }
        std::size_t at = 0;
        for (std::size_t i = 0; i < job.levels.size(); ++i) {
            WindowTrace::Level& level = trace.levels[i];
            level.windows_per_row = job.levels[i].windows_per_row();
            level.window_rows = job.levels[i].window_rows();
            const std::size_t count = static_cast<std::size_t>(level.windows_per_row) * level.window_rows;
            level.stages_passed.assign(stages.begin() + at, stages.begin() + at + count);
            level.last_sums.assign(sums.begin() + at, sums.begin() + at + count);
            at += count;
        }
        tracing_ = false;
        return trace;
    }

    std::vector<PartTimes> measure(std::span<const ScanJob> jobs, int min_neighbors, int repeat) {
        // Once in full, so that all memory has its size.
        start(jobs, min_neighbors);
        collect();
        if (plan_.tiles == 0) return std::vector<PartTimes>(repeat);
        const GraphExecutable graph(capture([&] {
            enqueue_scan(tables_.stage_count);
            enqueue_grouping();
        }));
        const GraphExecutable whole(capture([&] { enqueue_all(); }));
        Event events[8] = {Event(device_), Event(device_), Event(device_), Event(device_),
                           Event(device_), Event(device_), Event(device_), Event(device_)};
        std::vector<PartTimes> times;
        constexpr int warm_up = 3;
        for (int i = -warm_up; i < repeat; ++i) {
            events[0].record(stream());
            enqueue_upload();
            events[1].record(stream());
            enqueue_scan(0);
            events[2].record(stream());
            enqueue_scan(tables_.stage_count);
            events[3].record(stream());
            enqueue_grouping();
            events[4].record(stream());
            enqueue_download();
            events[5].record(stream());
            synchronize();
            events[6].record(stream());
            check(cudaGraphLaunch(graph.get(), stream()), device_, "launching a graph");
            events[7].record(stream());
            synchronize();
            const auto start_time = std::chrono::steady_clock::now();
            check(cudaGraphLaunch(whole.get(), stream()), device_, "launching a graph");
            synchronize();
            const std::chrono::duration<double, std::milli> elapsed =
                std::chrono::steady_clock::now() - start_time;
            if (i < 0) continue;
            PartTimes part;
            part.upload = events[1].since(events[0]);
            part.preprocessing = events[2].since(events[1]);
            part.scan = events[3].since(events[2]) - part.preprocessing;
            part.grouping = events[4].since(events[3]);
            part.download = events[5].since(events[4]);
            part.resident = events[7].since(events[6]);
            part.pinned = elapsed.count();
            times.push_back(part);
        }
        return times;
    }

    /// Gives all memory back.
    void release_memory() noexcept {
        drop_graphs();
        for (DeviceMemory* memory : {&input_, &control_, &exits_, &slabs_, &found_, &scratch_, &traces_}) {
            memory->release();
        }
        staging_.release();
        output_.release();
    }

  private:
    struct Graph {
        GraphKey key;
        cudaGraphExec_t executable = nullptr;  // null: seen once
    };

    void prepare(std::span<const ScanJob> jobs, int min_neighbors, bool tracing) {
        check(cudaSetDevice(device_), device_, "selecting the device");
        plan_ = make_plan(jobs, tables_.layouts);
        images_ = static_cast<int>(jobs.size());
        min_neighbors_ = min_neighbors;
        tracing_ = tracing;
        // As much room as the batch before needed, so that one unusual batch does not cost memory for good.
        const unsigned most = std::max(1U, most_places_kept / std::max(1U, static_cast<unsigned>(images_)));
        capacity_ =
            std::max(least_capacity, static_cast<int>(std::bit_ceil(std::min(most_found_before_, most))));
        key_ = {images_,        static_cast<int>(plan_.levels.size()),
                plan_.tiles,    plan_.image_bytes,
                min_neighbors_, capacity_};
        const std::size_t input_bytes = plan_.tables_bytes() + plan_.image_bytes;
        grow(staging_, input_bytes);
        grow(input_, input_bytes);
        grow(exits_, sizeof(TileExit) * static_cast<std::size_t>(plan_.tiles));
        blocks_ = std::min(most_blocks_, plan_.tiles);
        if (configuration_.memory.slab_bytes > 0) {
            grow(slabs_, static_cast<std::size_t>(blocks_) * configuration_.memory.slab_bytes);
        }
        if (tracing) grow(traces_, trace_sums_bytes() + sizeof(std::int16_t) * plan_.windows);
        reserve_control();
        reserve_found(images_, min_neighbors > 0);
        std::copy(plan_.levels.begin(), plan_.levels.end(), staging_.at<TiledLevel>());
        std::copy(plan_.first_tiles.begin(), plan_.first_tiles.end(), staging_.at<int>(plan_.levels_bytes()));
        for (int i = 0; i < images_; ++i) {
            copy_rows(jobs[i].image,
                      staging_.at<std::uint8_t>(plan_.tables_bytes() + plan_.image_offsets[i]));
        }
    }

    // Counters that start at 0 and are cleared together: next tile, windows of each image, tiles done.
    std::size_t counts_offset() const { return alignment; }
    std::size_t done_offset() const { return counts_offset() + aligned(sizeof(unsigned) * images_); }
    std::size_t cleared_bytes() const { return done_offset() + sizeof(unsigned) * plan_.tiles; }

    // Graphs hold addresses: they go before the memory does, also if there then is not enough.
    template <class Memory>
    void grow(Memory& memory, std::size_t bytes) {
        if (memory.moves(bytes)) drop_graphs();
        memory.reserve(bytes);
    }

    void reserve_control() {
        grow(control_, cleared_bytes());
        grow(output_, output_bytes());
    }

    std::size_t rects_offset() const {
        return aligned(sizeof(CascadeWindow) * static_cast<std::size_t>(images_) * capacity_);
    }
    std::size_t parents_offset() const {
        return rects_offset() + aligned(sizeof(Rect) * static_cast<std::size_t>(images_) * capacity_);
    }

    void reserve_found(int images, bool grouped) {
        const std::size_t places = static_cast<std::size_t>(images) * capacity_;
        grow(found_, parents_offset() + sizeof(int) * places);
        if (grouped) grow(scratch_, grouping_layout(images, places).bytes);
    }

    std::size_t trace_sums_bytes() const { return aligned(sizeof(double) * plan_.windows); }

    FoundWindows found_windows() const {
        FoundWindows found;
        found.capacity = capacity_;
        found.counts = control_.at<unsigned>(counts_offset());
        found.windows = found_.at<CascadeWindow>();
        found.rects = found_.at<Rect>(rects_offset());
        found.parents = found_.at<int>(parents_offset());
        return found;
    }

    struct GroupingLayout {
        std::size_t counts = 0, groups = 0, means = 0, sums = 0, members = 0, classes = 0, bytes = 0;
    };

    static GroupingLayout grouping_layout(int images, std::size_t places) {
        GroupingLayout layout;
        const auto take = [&](std::size_t bytes) {
            const std::size_t place = layout.bytes;
            layout.bytes = aligned(place + bytes);
            return place;
        };
        layout.counts = take(sizeof(unsigned) * images);
        layout.groups = take(sizeof(RectGroup) * places);
        layout.means = take(sizeof(RectGroup) * places);
        layout.sums = take(5 * sizeof(unsigned long long) * places);
        layout.members = take(sizeof(int) * places);
        layout.classes = take(sizeof(int) * places);
        return layout;
    }

    Grouping grouping() const {
        const GroupingLayout layout = grouping_layout(images_, static_cast<std::size_t>(images_) * capacity_);
        Grouping grouping;
        grouping.counts = scratch_.at<unsigned>(layout.counts);
        grouping.groups = scratch_.at<RectGroup>(layout.groups);
        grouping.means = scratch_.at<RectGroup>(layout.means);
        grouping.sums = scratch_.at<unsigned long long>(layout.sums);
        grouping.members = scratch_.at<int>(layout.members);
        grouping.classes = scratch_.at<int>(layout.classes);
        grouping.min_neighbors = min_neighbors_;
        grouping.most_windows = most_windows_grouped;
        return grouping;
    }

    // Host output: windows found and groups of each image, then the first groups of each.
    std::size_t group_counts_offset() const { return aligned(sizeof(unsigned) * images_); }
    std::size_t groups_offset() const { return 2 * aligned(sizeof(unsigned) * images_); }
    int groups_fetched() const { return std::min(first_groups, capacity_); }
    std::size_t output_bytes() const {
        return groups_offset() + sizeof(RectGroup) * static_cast<std::size_t>(images_) * first_groups;
    }

    void copy(void* target, const void* source, std::size_t bytes) {
        if (bytes > 0) cuda_backend::copy(device_, stream(), target, source, bytes);
    }

    void enqueue_upload() { copy(input_.at(), staging_.at(), plan_.tables_bytes() + plan_.image_bytes); }

    void enqueue_scan(int stage_limit) {
        check(cudaMemsetAsync(control_.at(), 0, cleared_bytes(), stream()), device_, "clearing counters");
        ScanArguments arguments;
        arguments.tables = tables_;
        arguments.memory = configuration_.memory;
        arguments.found = found_windows();
        arguments.images = input_.at<std::uint8_t>(plan_.tables_bytes());
        arguments.levels = input_.at<TiledLevel>();
        arguments.first_tiles = input_.at<int>(plan_.levels_bytes());
        arguments.level_count = static_cast<int>(plan_.levels.size());
        arguments.tile_count = plan_.tiles;
        arguments.next_tile = control_.at<unsigned>();
        arguments.tile_done = control_.at<unsigned>(done_offset());
        arguments.tile_exits = exits_.at<TileExit>();
        arguments.slabs = slabs_.at();
        if (tracing_) {
            arguments.trace_sums = traces_.at<double>();
            arguments.trace_stages = traces_.at<std::int16_t>(trace_sums_bytes());
        }
        arguments.stage_limit = stage_limit;
        arguments.compaction = variant_.compaction;
        arguments.bank_queues = variant_.bank_queues;
        arguments.warp_windows = variant_.warp_windows;
        arguments.window_sets = variant_.window_sets;
        launch_scan(device_, stream(), configuration_.table, blocks_, arguments);
    }

    void enqueue_grouping() {
        if (min_neighbors_ > 0) launch_grouping(device_, stream(), images_, found_windows(), grouping());
    }

    void enqueue_download() {
        copy(output_.at(), control_.at(counts_offset()), sizeof(unsigned) * images_);
        if (min_neighbors_ == 0) return;
        const Grouping groups = grouping();
        copy(output_.at(group_counts_offset()), groups.counts, sizeof(unsigned) * images_);
        const std::size_t row = sizeof(RectGroup) * groups_fetched();
        check(
            cudaMemcpy2DAsync(output_.at(groups_offset()), row, groups.groups, sizeof(RectGroup) * capacity_,
                              row, images_, cudaMemcpyDeviceToHost, stream()),
            device_, "copying groups");
    }

    void enqueue_all() {
        enqueue_upload();
        enqueue_scan(tables_.stage_count);
        enqueue_grouping();
        enqueue_download();
    }

    void check_memory(cudaError_t status, const char* doing) const {
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            throw std::bad_alloc();
        }
        check(status, device_, doing);
    }

    template <class Work>
    cudaGraphExec_t capture(Work work) {
        check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal), device_,
              "capturing a graph");
        cudaGraph_t graph = nullptr;
        try {
            work();
        } catch (...) {
            cudaStreamEndCapture(stream(), &graph);
            if (graph != nullptr) cudaGraphDestroy(graph);
            throw;
        }
        check(cudaStreamEndCapture(stream(), &graph), device_, "capturing a graph");
        cudaGraphExec_t executable = nullptr;
        const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
        cudaGraphDestroy(graph);
        check_memory(status, "making a graph");
        return executable;
    }

    // A shape's first batch runs as it is, its second is captured, and from then on replayed.
    void submit() {
        // Filling the staging memory may have run other work of this thread's.
        check(cudaSetDevice(device_), device_, "selecting the device");
        if (!variant_.graphs || !variant_.pinned) {
            enqueue_all();
            return;
        }
        const auto known = std::find_if(graphs_.begin(), graphs_.end(),
                                        [&](const Graph& graph) { return graph.key == key_; });
        if (known == graphs_.end()) {
            constexpr std::size_t most_graphs = 8;
            if (graphs_.size() == most_graphs) {
                if (graphs_.front().executable != nullptr) cudaGraphExecDestroy(graphs_.front().executable);
                graphs_.pop_front();
            }
            graphs_.push_back({key_, nullptr});
            enqueue_all();
            return;
        }
        if (known->executable == nullptr) known->executable = capture([&] { enqueue_all(); });
        check_memory(cudaGraphLaunch(known->executable, stream()), "launching a graph");
        ++counters_.graph_replays;
    }

    void drop_graphs() noexcept {
        for (const Graph& graph : graphs_) {
            if (graph.executable != nullptr) cudaGraphExecDestroy(graph.executable);
        }
        graphs_.clear();
    }

    unsigned most_found() const {
        const unsigned* const counts = output_.at<unsigned>();
        return images_ == 0 ? 0 : *std::max_element(counts, counts + images_);
    }

    void fetch_groups(std::vector<CascadeFindings>& findings) {
        const unsigned* const counts = output_.at<unsigned>(group_counts_offset());
        const RectGroup* const first = output_.at<RectGroup>(groups_offset());
        const Grouping device_groups = grouping();
        bool waiting = false;
        for (int i = 0; i < images_; ++i) {
            std::vector<RectGroup>& groups = findings[i].groups;
            if (output_.at<unsigned>()[i] > static_cast<unsigned>(most_windows_grouped)) {
                groups = group_on_host(i);
                continue;
            }
            const int fetched = groups_fetched();
            groups.resize(counts[i]);
            std::copy_n(first + static_cast<std::size_t>(i) * fetched, std::min<int>(fetched, counts[i]),
                        groups.begin());
            if (static_cast<int>(counts[i]) <= fetched) continue;
            copy(groups.data() + fetched,
                 device_groups.groups + static_cast<std::size_t>(i) * capacity_ + fetched,
                 (counts[i] - fetched) * sizeof(RectGroup));
            waiting = true;
        }
        if (waiting) synchronize();
    }

    std::vector<RectGroup> group_on_host(int image) {
        const FoundWindows found = found_windows();
        const std::size_t first = static_cast<std::size_t>(image) * capacity_;
        const unsigned count = output_.at<unsigned>()[image];
        std::vector<CascadeWindow> windows(count);
        std::vector<Rect> rects(count);
        copy(windows.data(), found.windows + first, count * sizeof(CascadeWindow));
        copy(rects.data(), found.rects + first, count * sizeof(Rect));
        synchronize();
        ++counters_.host_groupings;
        return group_rects_of(windows, rects, min_neighbors_);
    }

    void fetch_windows(std::vector<CascadeFindings>& findings) {
        const unsigned* const counts = output_.at<unsigned>();
        const FoundWindows found = found_windows();
        for (int i = 0; i < images_; ++i) {
            findings[i].windows.resize(counts[i]);
            copy(findings[i].windows.data(), found.windows + static_cast<std::size_t>(i) * capacity_,
                 counts[i] * sizeof(CascadeWindow));
        }
        synchronize();
        for (CascadeFindings& finding : findings) {
            std::sort(finding.windows.begin(), finding.windows.end(), comes_before);
        }
    }

    int device_;
    const Configuration& configuration_;
    const ScanTables& tables_;
    int most_blocks_;
    EngineVariant variant_;
    EngineCounters& counters_;
    Device stream_;
    HostMemory staging_;
    HostMemory output_;
    DeviceMemory input_;
    DeviceMemory control_;
    DeviceMemory exits_;
    DeviceMemory slabs_;
    DeviceMemory found_;
    DeviceMemory scratch_;
    DeviceMemory traces_;
    std::deque<Graph> graphs_;
    Plan plan_;
    GraphKey key_;
    int images_ = 0;
    int min_neighbors_ = 0;
    int blocks_ = 0;
    int capacity_ = least_capacity;
    unsigned most_found_before_ = 0;
    bool tracing_ = false;
    bool busy_ = false;
};

}  // namespace

class GpuScanner::Implementation {
  public:
    Implementation(const Cascade& cascade, int device, const EngineVariant& variant)
        : device_(device), variant_(variant), tables_memory_(device) {
        check_device(device);
        check(cudaSetDevice(device), device, "selecting the device");
        configuration_ = Configurator(cascade, device, variant).configure();
        upload_tables();
        int multiprocessors = 0;
        check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), device,
              "reading the device's properties");
        const int blocks = multiprocessors * configuration_.blocks_per_multiprocessor;
        for (int i = 0; i < (variant.streams ? 3 : 1); ++i) {
            slots_.push_back(
                std::make_unique<Slot>(device, configuration_, tables_, blocks, variant, counters_));
        }
    }

    std::vector<CascadeFindings> run(std::span<const ScanJob> jobs, int min_neighbors) {
        std::vector<CascadeFindings> findings(jobs.size());
        std::deque<Part> parts = divide(jobs);
        std::deque<std::pair<Slot*, Part>> running;
        const auto collect = [&] {
            const auto [slot, part] = running.front();
            running.pop_front();
            collect_into(*slot, part, parts, findings);
        };
        try {
            std::size_t next = 0;
            while (!parts.empty() || !running.empty()) {
                if (parts.empty() || running.size() == slots_.size()) {
                    collect();
                    continue;
                }
                const Part part = parts.front();
                if (part.is_retry && !running.empty()) {
                    collect();
                    continue;
                }
                parts.pop_front();
                if (part.is_retry) release_memory();
                Slot& slot = *slots_[next++ % slots_.size()];
                while (slot.busy()) collect();
                try {
                    slot.start(jobs.subspan(part.first, part.count), min_neighbors);
                } catch (const std::bad_alloc&) {
                    while (!running.empty()) collect();
                    shrink(part, parts);
                    continue;
                }
                running.emplace_back(&slot, part);
                if (part.is_retry) collect();
            }
        } catch (...) {
            for (const auto& slot : slots_) slot->abandon();
            throw;
        }
        return findings;
    }

    std::vector<RectGroup> group(std::span<const CascadeWindow> windows, std::span<const Rect> rects,
                                 int min_neighbors) {
        check(cudaSetDevice(device_), device_, "selecting the device");
        if (windows.empty()) return {};
        if (windows.size() <= static_cast<std::size_t>(most_windows_grouped)) {
            try {
                return slots_[0]->group(windows, rects, min_neighbors);
            } catch (const std::bad_alloc&) {
                // The host has them anyway.
            }
        }
        ++counters_.host_groupings;
        return group_rects_of(windows, rects, min_neighbors);
    }

    WindowTrace trace(const ScanJob& job) { return slots_[0]->trace(job); }

    std::vector<PartTimes> measure(std::span<const ScanJob> jobs, int min_neighbors, int repeat) {
        return slots_[0]->measure(jobs, min_neighbors, repeat);
    }

    const EngineCounters& counters() const { return counters_; }

  private:
    /// Jobs [first, first + count) that run together.
    struct Part {
        std::size_t first = 0;
        std::size_t count = 0;
        bool is_retry = false;
    };

    static void check_device(int device) {
        int count = 0;
        const cudaError_t status = cudaGetDeviceCount(&count);
        if (status != cudaSuccess) cudaGetLastError();
        if (status == cudaSuccess && device >= 0 && device < count) return;
        throw DeviceError(
            "cannot use cuda:" + std::to_string(device) + ": CUDA sees " +
            (status != cudaSuccess ? std::string("no GPU: ") + cudaGetErrorString(status)
             : count == 0          ? "no GPU"
                          : std::to_string(count) + " GPU" + (count == 1 ? "" : "s") + ", numbered from 0"));
    }

    void upload_tables() {
        tables_ = configuration_.tables;
        const TileCascade* const packed = configuration_.packed;
        const std::size_t stages = aligned(packed[0].stages.size() * sizeof(TileStage));
        const std::size_t trees = aligned(packed[0].trees.size() * sizeof(TileTree));
        const std::size_t nodes = aligned(packed[0].nodes.size());
        tables_memory_.reserve(stages + trees + 2 * nodes);
        const auto put = [&](std::size_t at, const void* data, std::size_t bytes) {
            check(cudaMemcpy(tables_memory_.at(at), data, bytes, cudaMemcpyHostToDevice), device_,
                  "copying the cascade");
        };
        put(0, packed[0].stages.data(), packed[0].stages.size() * sizeof(TileStage));
        put(stages, packed[0].trees.data(), packed[0].trees.size() * sizeof(TileTree));
        for (int i = 0; i < 2; ++i)
            put(stages + trees + i * nodes, packed[i].nodes.data(), packed[i].nodes.size());
        check(cudaStreamSynchronize(nullptr), device_, "copying the cascade");
        tables_.stages = tables_memory_.at<TileStage>();
        tables_.trees = packed[0].trees.empty() ? nullptr : tables_memory_.at<TileTree>(stages);
        for (int i = 0; i < 2; ++i) tables_.nodes[i] = tables_memory_.at(stages + trees + i * nodes);
    }

    // Parts large enough to fill the GPU, several so that the next is copied while one is scanned.
    std::deque<Part> divide(std::span<const ScanJob> jobs) const {
        constexpr std::size_t most_bytes = 16 << 20;
        constexpr std::size_t most_bytes_alone = 256 << 20;
        constexpr std::size_t most_images = 256;
        const std::size_t limit = variant_.streams ? most_bytes : most_bytes_alone;
        std::deque<Part> parts;
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const std::size_t size = static_cast<std::size_t>(std::max(jobs[i].image.width, 0)) *
                                     static_cast<std::size_t>(std::max(jobs[i].image.height, 0));
            if (parts.empty() || bytes + size > limit || parts.back().count == most_images) {
                parts.push_back({i, 0, false});
                bytes = 0;
            }
            ++parts.back().count;
            bytes += size;
        }
        return parts;
    }

    void collect_into(Slot& slot, const Part& part, std::deque<Part>& parts,
                      std::vector<CascadeFindings>& findings) {
        try {
            std::vector<CascadeFindings> found = slot.collect();
            std::move(found.begin(), found.end(), findings.begin() + part.first);
        } catch (const std::bad_alloc&) {
            shrink(part, parts);
        }
    }

    void release_memory() noexcept {
        for (const auto& slot : slots_) {
            if (!slot->busy()) slot->release_memory();
        }
    }

    // A part for which the memory did not suffice is done again in halves; one image alone once more, with
    // nothing beside it.
    void shrink(const Part& part, std::deque<Part>& parts) {
        if (part.is_retry) throw std::bad_alloc();
        release_memory();
        ++counters_.shrinks;
        if (part.count == 1) {
            parts.push_front({part.first, 1, true});
            return;
        }
        const std::size_t half = part.count / 2;
        parts.push_front({part.first + half, part.count - half, false});
        parts.push_front({part.first, half, false});
    }

    int device_;
    EngineVariant variant_;
    Configuration configuration_;
    DeviceMemory tables_memory_;
    ScanTables tables_;
    EngineCounters counters_;
    std::vector<std::unique_ptr<Slot>> slots_;
};

GpuScanner::GpuScanner(const Cascade& cascade, int device, const EngineVariant& variant)
    : implementation_(std::make_unique<Implementation>(cascade, device, variant)) {}

GpuScanner::~GpuScanner() = default;

std::vector<CascadeFindings> GpuScanner::run(std::span<const ScanJob> jobs, int min_neighbors) {
    return implementation_->run(jobs, min_neighbors);
}

std::vector<RectGroup> GpuScanner::group(std::span<const CascadeWindow> windows, std::span<const Rect> rects,
                                         int min_neighbors) {
    return implementation_->group(windows, rects, min_neighbors);
}

WindowTrace GpuScanner::trace(const ScanJob& job) {
    return implementation_->trace(job);
}

std::vector<PartTimes> GpuScanner::measure(std::span<const ScanJob> jobs, int min_neighbors, int repeat) {
    return implementation_->measure(jobs, min_neighbors, repeat);
}

const EngineCounters& GpuScanner::counters() const {
    return implementation_->counters();
}

}  // namespace fovea::cuda_backend
