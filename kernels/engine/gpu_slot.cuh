#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <deque>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <vector>

#include "kernels/core/gpu_memory.cuh"
#include "kernels/core/host_copy.hpp"
#include "kernels/core/image_memory.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/engine/gather_cuda.hpp"
#include "kernels/engine/scan_program.hpp"
#include "kernels/group/group_cuda.hpp"
#include "kernels/landmark/gpu_landmarks.hpp"

namespace fovea::cuda_backend {

/// All that a captured graph depends on: the tables and images, and where images come from that lie on the device, are
/// copied anew by each replay.
struct GraphKey {
    int images = 0;
    ImageMemory memory = ImageMemory::host;
    std::size_t table_bytes = 0;
    std::size_t image_bytes = 0;
    std::size_t counter_words = 0;
    std::vector<std::size_t> shape;
    int min_neighbors = 0;
    int capacity = 0;
    std::uint64_t landmarks = 0;  ///< the model's identity; 0 = none
    std::array<double, 5> face{};
    BoxEdges edges;

    friend bool operator==(const GraphKey&, const GraphKey&) = default;
};

/// Device time of the parts of one repetition, milliseconds.
struct PartTimes {
    double upload = 0;
    double preprocessing = 0;
    double scan = 0;
    double grouping = 0;
    double download = 0;
    double resident = 0;
    double pinned = 0;  ///< by the host's clock, upload to download
};

/// What a slot finds in the groups of its images; without a model, nothing.
struct SlotLandmarks {
    GpuLandmarks* model = nullptr;
    WindowFace face;
    BoxEdges edges;
};

// Windows of each image that there is room for at first.
constexpr int least_capacity = 2048;

// Places for the windows of all images of a batch that are made because the batch before needed them.
constexpr unsigned most_places_kept = 1U << 22;

// Of an image with more windows than this the host does the grouping: a GPU compares all pairs, the host
// only those that are near.
constexpr int most_windows_grouped = 1 << 17;

// Groups of each image that are copied to the host together with their number; more are fetched after. Only these get
// landmarks here; those of others are left to the caller.
constexpr int first_groups = 64;

// Of this many faces of a batch, and four more for each image, landmarks are copied together with the groups; what more
// there is is fetched after.
constexpr int first_landmarks = 64;

inline std::vector<RectGroup> group_rects_of(std::span<const CascadeWindow> windows,
                                             std::span<const Rect> rects, int min_neighbors,
                                             GroupScore score) {
    std::vector<ScoredRect> scored;
    scored.reserve(windows.size());
    for (std::size_t i = 0; i < windows.size(); ++i) scored.push_back({rects[i], windows[i].last_sum});
    return group_rects(scored, min_neighbors, default_group_eps, score);
}

/// A stream with its memory: one batch at a time.
class Slot {
  public:
    Slot(int device, const ScanModel& model, const EngineVariant& variant, EngineCounters& counters)
        : device_(device),
          group_score_(model.group_score()),
          variant_(variant),
          counters_(counters),
          stream_(Device::cuda(device, variant.share)),
          program_(model.make_program()),
          staging_(device, variant.pinned),
          output_(device, variant.pinned),
          input_(device),
          results_(device),
          found_(device),
          scratch_(device),
          traces_(device),
          landmarks_(device) {}

    cudaStream_t stream() const { return static_cast<cudaStream_t>(stream_.stream()); }
    bool busy() const { return busy_; }
    void synchronize() const { stream_.synchronize(); }
    void abandon() noexcept {
        cudaStreamSynchronize(stream());
        busy_ = false;
    }

    /// Queues the work of a batch; it is done when collect() returns.
    void start(std::span<const ScanJob> jobs, int min_neighbors, const SlotLandmarks& landmarks = {},
               ImageMemory memory = ImageMemory::host) {
        prepare(jobs, min_neighbors, false, landmarks, memory);
        if (layout_.windows > 0) submit();
        busy_ = true;
    }

    std::vector<CascadeFindings> collect() {
        busy_ = false;
        std::vector<CascadeFindings> findings(images_);
        if (layout_.windows == 0) return findings;
        check(cudaSetDevice(device_), device_, "selecting the device");
        synchronize();
        for (unsigned most = most_found(); most > static_cast<unsigned>(capacity_); most = most_found()) {
            // The images are on the device still; only what was found must be found again.
            if (most > 1U << 30) throw std::length_error("more than 2^30 windows pass in one image");
            ++counters_.repeats;
            capacity_ = static_cast<int>(std::bit_ceil(most));
            reserve_found(images_, min_neighbors_ > 0);
            enqueue_scan(true);
            enqueue_grouping();
            enqueue_landmarks();
            enqueue_download();
            synchronize();
        }
        most_found_before_ = most_found();
        if (min_neighbors_ > 0) {
            fetch_groups(findings);
            if (wants_landmarks()) fetch_landmarks(findings);
        } else {
            fetch_windows(findings);
        }
        return findings;
    }

    std::vector<RectGroup> group(std::span<const CascadeWindow> windows, std::span<const Rect> rects,
                                 int min_neighbors) {
        layout_ = {};
        wanted_ = {};
        images_ = 1;
        min_neighbors_ = min_neighbors;
        capacity_ = std::max(capacity_, static_cast<int>(std::bit_ceil(windows.size())));
        reserve_results();
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
        std::vector<std::int16_t> stages(layout_.windows);
        std::vector<double> sums(layout_.windows);
        if (layout_.windows > 0) {
            enqueue_input();
            enqueue_scan(true);
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
        if (layout_.windows == 0) return std::vector<PartTimes>(repeat);
        const auto graph = capture([&] {
            enqueue_scan(true);
            enqueue_grouping();
        });
        const auto whole = capture([&] { enqueue_all(); });
        Event events[8] = {Event(device_), Event(device_), Event(device_), Event(device_),
                           Event(device_), Event(device_), Event(device_), Event(device_)};
        std::vector<PartTimes> times;
        constexpr int warm_up = 3;
        for (int i = -warm_up; i < repeat; ++i) {
            events[0].record(stream());
            enqueue_input();
            events[1].record(stream());
            enqueue_scan(false);
            events[2].record(stream());
            enqueue_scan(true);
            events[3].record(stream());
            enqueue_grouping();
            events[4].record(stream());
            enqueue_download();
            events[5].record(stream());
            synchronize();
            events[6].record(stream());
            check(cudaGraphLaunch(graph->get(), stream()), device_, "launching a graph");
            events[7].record(stream());
            synchronize();
            const auto start_time = std::chrono::steady_clock::now();
            check(cudaGraphLaunch(whole->get(), stream()), device_, "launching a graph");
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
        graphs_.clear();
        program_->release_memory();
        for (DeviceMemory* memory : {&input_, &results_, &found_, &scratch_, &traces_, &landmarks_}) {
            memory->release();
        }
        staging_.release();
        output_.release();
    }

  private:
    struct Graph {
        GraphKey key;
        std::unique_ptr<GraphExecutable> executable;  // null: seen once
    };

    void prepare(std::span<const ScanJob> jobs, int min_neighbors, bool tracing,
                 const SlotLandmarks& landmarks = {}, ImageMemory memory = ImageMemory::host) {
        check(cudaSetDevice(device_), device_, "selecting the device");
        wanted_ = landmarks;
        memory_ = memory;
        layout_ = program_->plan(jobs);
        images_ = static_cast<int>(jobs.size());
        min_neighbors_ = min_neighbors;
        tracing_ = tracing;
        // As much room as the batch before needed, so that one unusual batch does not cost memory for good.
        const unsigned most = std::max(1U, most_places_kept / std::max(1U, static_cast<unsigned>(images_)));
        capacity_ =
            std::max(least_capacity, static_cast<int>(std::bit_ceil(std::min(most_found_before_, most))));
        key_ = {images_,
                memory_,
                layout_.table_bytes,
                layout_.image_bytes,
                layout_.counter_words,
                layout_.shape,
                min_neighbors_,
                capacity_,
                wanted_.model == nullptr ? 0 : wanted_.model->identity(),
                {wanted_.face.face.x, wanted_.face.face.y, wanted_.face.face.width, wanted_.face.face.height,
                 wanted_.face.window},
                wanted_.edges};
        const InputLayout input = input_layout();
        grow(staging_, uploaded_bytes(input));
        grow(input_, input.bytes);
        if (program_->memory_moves()) graphs_.clear();
        program_->reserve();
        if (tracing) grow(traces_, trace_sums_bytes() + sizeof(std::int16_t) * layout_.windows);
        reserve_results();
        reserve_found(images_, min_neighbors > 0);
        if (wants_landmarks()) grow(landmarks_, landmark_layout().bytes);
        program_->write_tables(staging_.at(input.tables));
        for (int i = 0; i < images_; ++i) stage_image(jobs[i].image, i, input);
    }

    bool wants_landmarks() const { return wanted_.model != nullptr && min_neighbors_ > 0; }

    // A batch's input on the device: if landmarks are wanted, where each image lies; if the images were on the device
    // already, where each comes from; the program's tables; the images. In host memory it ends with what is uploaded.
    struct InputLayout {
        std::size_t views = 0, sources = 0, tables = 0, images = 0, bytes = 0;
    };
    InputLayout input_layout() const {
        const auto count = static_cast<std::size_t>(images_);
        InputLayout layout;
        layout.sources =
            align_up(wants_landmarks() ? sizeof(ImageView<const std::uint8_t>) * count : std::size_t{0});
        layout.tables =
            align_up(layout.sources + (memory_ == ImageMemory::device ? sizeof(GatherSource) * count : 0));
        layout.images = layout.tables + layout_.table_bytes;
        layout.bytes = layout.images + layout_.image_bytes;
        return layout;
    }
    std::size_t uploaded_bytes(const InputLayout& input) const {
        return memory_ == ImageMemory::host ? input.bytes : input.images;
    }

    void stage_image(const ImageView<const std::uint8_t>& image, int number, const InputLayout& input) {
        const std::size_t offset = layout_.image_offsets[number];
        if (memory_ == ImageMemory::host) {
            copy_rows(image, staging_.at<std::uint8_t>(input.images + offset));
        } else {
            staging_.at<GatherSource>(input.sources)[number] = gather_source(image, offset);
        }
        if (!wants_landmarks()) return;
        staging_.at<ImageView<const std::uint8_t>>(input.views)[number] = {
            input_.at<std::uint8_t>(input.images + offset), image.width, image.height, image.width};
    }

    struct LandmarkLayout {
        std::size_t count = 0, tasks = 0, positions = 0, bytes = 0;
    };
    std::size_t most_landmark_faces() const { return static_cast<std::size_t>(images_) * first_groups; }
    std::size_t position_bytes() const { return sizeof(std::int32_t) * 2 * wanted_.model->points(); }
    LandmarkLayout landmark_layout() const {
        LandmarkLayout layout;
        layout.tasks = align_up(sizeof(unsigned));
        layout.positions = align_up(layout.tasks + sizeof(LandmarkTask) * most_landmark_faces());
        layout.bytes = layout.positions + position_bytes() * most_landmark_faces();
        return layout;
    }
    // Faces whose landmarks come with the groups.
    std::size_t landmarks_downloaded() const {
        return std::min(most_landmark_faces(), static_cast<std::size_t>(4 * images_ + first_landmarks));
    }

    // Results on the device: the program's counters, then what the host is given, in one piece: windows and groups
    // of each image, then the first groups of each.
    std::size_t counts_offset() const { return align_up(sizeof(unsigned) * layout_.counter_words); }
    std::size_t counts_bytes() const { return align_up(sizeof(unsigned) * images_); }
    std::size_t groups_offset() const { return 2 * counts_bytes(); }
    std::size_t output_bytes() const {
        return groups_offset() + sizeof(RectGroup) * static_cast<std::size_t>(images_) * first_groups;
    }

    // Graphs hold addresses: they go before the memory does, also if there then is not enough.
    template <class Memory>
    void grow(Memory& memory, std::size_t bytes) {
        if (memory.moves(bytes)) graphs_.clear();
        memory.reserve(bytes);
    }

    // On the host, landmarks follow.
    std::size_t host_output_bytes() const {
        return align_up(output_bytes()) + (wants_landmarks() ? position_bytes() * landmarks_downloaded() : 0);
    }

    void reserve_results() {
        grow(results_, counts_offset() + output_bytes());
        grow(output_, host_output_bytes());
    }

    std::size_t rects_offset() const {
        return align_up(sizeof(CascadeWindow) * static_cast<std::size_t>(images_) * capacity_);
    }
    std::size_t parents_offset() const {
        return rects_offset() + align_up(sizeof(Rect) * static_cast<std::size_t>(images_) * capacity_);
    }

    void reserve_found(int images, bool grouped) {
        const std::size_t places = static_cast<std::size_t>(images) * capacity_;
        grow(found_, parents_offset() + sizeof(int) * places);
        if (grouped) grow(scratch_, grouping_layout(places).bytes);
    }

    std::size_t trace_sums_bytes() const { return align_up(sizeof(double) * layout_.windows); }

    FoundWindows found_windows() const {
        FoundWindows found;
        found.capacity = capacity_;
        found.counts = results_.at<unsigned>(counts_offset());
        found.windows = found_.at<CascadeWindow>();
        found.rects = found_.at<Rect>(rects_offset());
        found.parents = found_.at<int>(parents_offset());
        return found;
    }

    struct GroupingLayout {
        std::size_t groups = 0, means = 0, sums = 0, members = 0, classes = 0, bytes = 0;
    };

    static GroupingLayout grouping_layout(std::size_t places) {
        GroupingLayout layout;
        const auto take = [&](std::size_t bytes) {
            const std::size_t place = layout.bytes;
            layout.bytes = align_up(place + bytes);
            return place;
        };
        layout.groups = take(sizeof(RectGroup) * places);
        layout.means = take(sizeof(RectGroup) * places);
        layout.sums = take(5 * sizeof(unsigned long long) * places);
        layout.members = take(sizeof(int) * places);
        layout.classes = take(sizeof(int) * places);
        return layout;
    }

    Grouping grouping() const {
        const GroupingLayout layout = grouping_layout(static_cast<std::size_t>(images_) * capacity_);
        Grouping grouping;
        grouping.counts = results_.at<unsigned>(counts_offset() + counts_bytes());
        grouping.first_groups = results_.at<RectGroup>(counts_offset() + groups_offset());
        grouping.first_count = first_groups;
        grouping.score = group_score_;
        grouping.groups = scratch_.at<RectGroup>(layout.groups);
        grouping.means = scratch_.at<RectGroup>(layout.means);
        grouping.sums = scratch_.at<unsigned long long>(layout.sums);
        grouping.members = scratch_.at<int>(layout.members);
        grouping.classes = scratch_.at<int>(layout.classes);
        grouping.min_neighbors = min_neighbors_;
        grouping.most_windows = most_windows_grouped;
        return grouping;
    }

    void copy(void* target, const void* source, std::size_t bytes) {
        if (bytes > 0) cuda_backend::copy(device_, stream(), target, source, bytes);
    }

    void enqueue_input() {
        const InputLayout input = input_layout();
        copy(input_.at(), staging_.at(), uploaded_bytes(input));
        if (memory_ == ImageMemory::host) return;
        launch_gather(device_, stream(), input_.at<GatherSource>(input.sources), images_,
                      input_.at(input.images), layout_.image_bytes);
    }

    void enqueue_scan(bool with_cascade) {
        ScanTarget target;
        target.input = input_.at(input_layout().tables);
        target.found = found_windows();
        target.counters = results_.at<unsigned>();
        target.cleared_words = counts_offset() / sizeof(unsigned) + images_;
        if (tracing_) {
            target.trace_sums = traces_.at<double>();
            target.trace_stages = traces_.at<std::int16_t>(trace_sums_bytes());
        }
        program_->enqueue(stream(), target, with_cascade);
    }

    void enqueue_grouping() {
        if (min_neighbors_ > 0) launch_grouping(device_, stream(), images_, found_windows(), grouping());
    }

    void enqueue_landmarks() {
        if (!wants_landmarks()) return;
        const Grouping groups = grouping();
        const LandmarkLayout layout = landmark_layout();
        const auto* const views = input_.at<ImageView<const std::uint8_t>>(input_layout().views);
        auto* const tasks = landmarks_.at<LandmarkTask>(layout.tasks);
        auto* const count = landmarks_.at<unsigned>(layout.count);
        wanted_.model->enqueue_tasks(
            stream(),
            {images_, groups.counts, groups.first_groups, first_groups, wanted_.face, wanted_.edges}, views,
            tasks, count);
        wanted_.model->enqueue(stream(), views, tasks, count, static_cast<unsigned>(most_landmark_faces()),
                               landmarks_.at<std::int32_t>(layout.positions));
    }

    void enqueue_download() {
        copy(output_.at(), results_.at(counts_offset()),
             min_neighbors_ > 0 ? output_bytes() : sizeof(unsigned) * images_);
        if (!wants_landmarks()) return;
        copy(output_.at(align_up(output_bytes())), landmarks_.at(landmark_layout().positions),
             position_bytes() * landmarks_downloaded());
    }

    void enqueue_all() {
        enqueue_input();
        enqueue_scan(true);
        enqueue_grouping();
        enqueue_landmarks();
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
    std::unique_ptr<GraphExecutable> capture(Work work) {
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
        return std::make_unique<GraphExecutable>(executable);
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
            if (graphs_.size() == most_graphs) graphs_.pop_front();
            graphs_.push_back({key_, nullptr});
            enqueue_all();
            return;
        }
        if (known->executable == nullptr) known->executable = capture([&] { enqueue_all(); });
        check_memory(cudaGraphLaunch(known->executable->get(), stream()), "launching a graph");
        ++counters_.graph_replays;
    }

    unsigned most_found() const {
        const unsigned* const counts = output_.at<unsigned>();
        return images_ == 0 ? 0 : *std::max_element(counts, counts + images_);
    }

    void fetch_groups(std::vector<CascadeFindings>& findings) {
        const unsigned* const counts = output_.at<unsigned>(counts_bytes());
        const RectGroup* const first = output_.at<RectGroup>(groups_offset());
        const Grouping device_groups = grouping();
        bool waiting = false;
        for (int i = 0; i < images_; ++i) {
            std::vector<RectGroup>& groups = findings[i].groups;
            if (output_.at<unsigned>()[i] > static_cast<unsigned>(most_windows_grouped)) {
                groups = group_on_host(i);
                continue;
            }
            groups.resize(counts[i]);
            std::copy_n(first + static_cast<std::size_t>(i) * first_groups,
                        std::min<int>(first_groups, counts[i]), groups.begin());
            if (static_cast<int>(counts[i]) <= first_groups) continue;
            copy(groups.data() + first_groups,
                 device_groups.groups + static_cast<std::size_t>(i) * capacity_ + first_groups,
                 (counts[i] - first_groups) * sizeof(RectGroup));
            waiting = true;
        }
        if (waiting) synchronize();
    }

    // The faces of all images lie one after the other; of images that the host groups there are none.
    void fetch_landmarks(std::vector<CascadeFindings>& findings) {
        const unsigned* const counts = output_.at<unsigned>(counts_bytes());
        const std::int32_t* const downloaded = output_.at<std::int32_t>(align_up(output_bytes()));
        const std::int32_t* const all = landmarks_.at<std::int32_t>(landmark_layout().positions);
        const std::size_t coordinates = 2 * static_cast<std::size_t>(wanted_.model->points());
        std::size_t first = 0;
        bool waiting = false;
        for (int i = 0; i < images_; ++i) {
            const std::size_t faces = std::min<std::size_t>(first_groups, counts[i]);
            std::vector<std::int32_t>& landmarks = findings[i].landmarks;
            landmarks.resize(faces * coordinates);
            const std::size_t here =
                first < landmarks_downloaded() ? std::min(faces, landmarks_downloaded() - first) : 0;
            std::copy_n(downloaded + first * coordinates, here * coordinates, landmarks.begin());
            if (here < faces) {
                copy(landmarks.data() + here * coordinates, all + (first + here) * coordinates,
                     (faces - here) * position_bytes());
                waiting = true;
            }
            first += faces;
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
        return group_rects_of(windows, rects, min_neighbors_, group_score_);
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
    GroupScore group_score_;
    EngineVariant variant_;
    EngineCounters& counters_;
    Device stream_;
    std::unique_ptr<ScanProgram> program_;
    HostMemory staging_;
    HostMemory output_;
    DeviceMemory input_;
    DeviceMemory results_;
    DeviceMemory found_;
    DeviceMemory scratch_;
    DeviceMemory traces_;
    DeviceMemory landmarks_;
    std::deque<Graph> graphs_;
    BatchLayout layout_;
    SlotLandmarks wanted_;
    ImageMemory memory_ = ImageMemory::host;
    GraphKey key_;
    int images_ = 0;
    int min_neighbors_ = 0;
    int capacity_ = least_capacity;
    unsigned most_found_before_ = 0;
    bool tracing_ = false;
    bool busy_ = false;
};

}  // namespace fovea::cuda_backend
