#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

#include "kernels/core/host_copy.hpp"
#include "kernels/engine/gpu_batch.cuh"

namespace fovea::cuda_backend {
namespace {

// Places for the windows of all images of a batch that are made because the batch before needed them.
constexpr std::size_t max_places_kept = std::size_t{1} << 22;

}  // namespace

GpuBatch::GpuBatch(int gpu, const GpuCascade& cascade, const EngineOptions& options, EngineCounters& counters)
    : gpu_(gpu),
      group_score_(cascade.group_score()),
      options_(options),
      counters_(counters),
      device_(Device::cuda(gpu, options.share)),
      cascade_(cascade.make_batch()),
      staging_(gpu, options.pinned),
      output_(gpu, options.pinned),
      input_(gpu),
      results_(gpu),
      found_(gpu),
      scratch_(gpu),
      traces_(gpu),
      landmarks_(gpu),
      graphs_(device_) {}

void GpuBatch::abandon() noexcept {
    cudaStreamSynchronize(stream());
    busy_ = false;
}

void GpuBatch::start(std::span<const ScanJob> jobs, const BatchRequest& request) {
    prepare(jobs, request, false);
    if (size_.windows > 0) {
        // Staging the images may have run other work of this thread's.
        check(cudaSetDevice(gpu_), gpu_, "selecting the device");
        if (options_.graphs && options_.pinned) {
            counters_.graph_replays += graphs_.run(graph_key(), [this] { enqueue_all(); });
        } else {
            enqueue_all();
        }
    }
    busy_ = true;
}

std::vector<CascadeResult> GpuBatch::collect() {
    busy_ = false;
    if (size_.windows == 0) return std::vector<CascadeResult>(size_.images);
    check(cudaSetDevice(gpu_), gpu_, "selecting the device");
    device_.synchronize();
    repeat_until_all_fit();
    max_found_before_ = max_windows_found();
    return fetch();
}

// The images are on the device still; only the windows must be found again.
void GpuBatch::repeat_until_all_fit() {
    for (unsigned most = max_windows_found(); most > size_.capacity; most = max_windows_found()) {
        if (most > 1U << 30) throw std::length_error("more than 2^30 windows pass in one image");
        ++counters_.repeats;
        set_capacity(std::bit_ceil(most));
        reserve_results();
        enqueue_scan(true);
        enqueue_grouping();
        enqueue_landmarks();
        enqueue_download();
        device_.synchronize();
    }
}

std::vector<RectGroup> GpuBatch::group(std::span<const CascadeWindow> windows, std::span<const Rect> rects,
                                       int min_neighbors) {
    request_ = {min_neighbors};
    scan_ = {};
    size_ = {};
    size_.images = 1;
    size_.is_grouped = true;
    set_capacity(std::max<std::size_t>(min_capacity, std::bit_ceil(windows.size())));
    reserve_results();
    const FoundWindows found = found_windows();
    const auto count = static_cast<unsigned>(windows.size());
    std::vector<int> parents(windows.size());
    std::iota(parents.begin(), parents.end(), 0);
    copy(found.counts, &count, sizeof count);
    copy(found.windows, windows.data(), windows.size_bytes());
    copy(found.rects, rects.data(), rects.size_bytes());
    copy(found.parents, parents.data(), parents.size() * sizeof(int));
    enqueue_grouping();
    enqueue_download();
    device_.synchronize();
    return fetch().at(0).groups;
}

void GpuBatch::release_memory() noexcept {
    graphs_.clear();
    cascade_->release_memory();
    for (DeviceMemory* memory : {&input_, &results_, &found_, &scratch_, &traces_, &landmarks_}) {
        memory->release();
    }
    staging_.release();
    output_.release();
}

void GpuBatch::prepare(std::span<const ScanJob> jobs, const BatchRequest& request, bool is_traced) {
    check(cudaSetDevice(gpu_), gpu_, "selecting the device");
    request_ = request;
    scan_ = cascade_->plan(jobs);
    size_ = {};
    size_.images = jobs.size();
    size_.is_resident = request.memory == ImageMemory::device;
    size_.windows = static_cast<std::size_t>(scan_.windows);
    size_.is_grouped = request.min_neighbors > 0;
    if (request.landmarks.model != nullptr && size_.is_grouped) {
        size_.landmarks = static_cast<std::size_t>(request.landmarks.model->points());
    }
    size_.is_traced = is_traced;
    size_.table_bytes = scan_.table_bytes;
    size_.image_bytes = scan_.image_bytes;
    size_.counter_words = scan_.counter_words;
    // Keeps the room that the batch before needed, so that one unusual batch does not cost memory for good.
    const std::size_t kept =
        std::min<std::size_t>(max_found_before_, max_places_kept / std::max<std::size_t>(1, size_.images));
    set_capacity(std::max<std::size_t>(min_capacity, std::bit_ceil(kept)));
    if (cascade_->memory_moves()) graphs_.clear();
    cascade_->reserve();
    reserve_input();
    reserve_results();
    cascade_->write_tables(staging_.at(layout_.input.tables));
    for (std::size_t i = 0; i < jobs.size(); ++i) stage_image(jobs[i].image, static_cast<int>(i));
}

void GpuBatch::set_capacity(std::size_t capacity) {
    size_.capacity = capacity;
    layout_ = GpuBatchLayout(size_);
}

// Graphs hold addresses: they go before the memory does, also if there then is not enough.
template <class Memory>
void GpuBatch::grow(Memory& memory, std::size_t bytes) {
    if (memory.moves(bytes)) graphs_.clear();
    memory.reserve(bytes);
}

void GpuBatch::reserve_input() {
    grow(staging_, layout_.input.uploaded);
    grow(input_, layout_.input.bytes);
}

void GpuBatch::reserve_results() {
    if (size_.is_traced) grow(traces_, layout_.trace.bytes);
    grow(results_, layout_.results.bytes);
    grow(output_, layout_.output.bytes);
    grow(found_, layout_.found.bytes);
    if (size_.is_grouped) grow(scratch_, layout_.grouping.bytes);
    if (wants_landmarks()) grow(landmarks_, layout_.landmarks.bytes);
}

GraphKey GpuBatch::graph_key() const {
    const BatchLandmarks& landmarks = request_.landmarks;
    const FaceBox& face = landmarks.face.face;
    return {size_.images,
            request_.memory,
            size_.table_bytes,
            size_.image_bytes,
            size_.counter_words,
            scan_.shape,
            request_.min_neighbors,
            size_.capacity,
            landmarks.model == nullptr ? 0 : landmarks.model->identity(),
            {face.x, face.y, face.width, face.height, landmarks.face.window},
            landmarks.edges};
}

void GpuBatch::stage_image(const ImageView<const std::uint8_t>& image, int number) {
    const std::size_t offset = scan_.image_offsets[number];
    if (size_.is_resident) {
        staging_.at<GatherSource>(layout_.input.sources)[number] = gather_source(image, offset);
    } else {
        copy_rows(image, staging_.at<std::uint8_t>(layout_.input.images + offset));
    }
    if (!wants_landmarks()) return;
    staging_.at<ImageView<const std::uint8_t>>(layout_.input.views)[number] = {
        input_.at<std::uint8_t>(layout_.input.images + offset), image.width, image.height, image.width};
}

FoundWindows GpuBatch::found_windows() const {
    FoundWindows found;
    found.capacity = static_cast<int>(size_.capacity);
    found.counts = results_.at<unsigned>(layout_.results.windows_found);
    found.windows = found_.at<CascadeWindow>(layout_.found.windows);
    found.rects = found_.at<Rect>(layout_.found.rects);
    found.parents = found_.at<int>(layout_.found.parents);
    return found;
}

Grouping GpuBatch::grouping() const {
    Grouping grouping;
    grouping.counts = results_.at<unsigned>(layout_.results.groups_found);
    grouping.first_groups = results_.at<RectGroup>(layout_.results.groups);
    grouping.first_count = static_cast<int>(first_groups);
    grouping.score = group_score_;
    grouping.groups = scratch_.at<RectGroup>(layout_.grouping.groups);
    grouping.means = scratch_.at<RectGroup>(layout_.grouping.means);
    grouping.sums = scratch_.at<unsigned long long>(layout_.grouping.sums);
    grouping.members = scratch_.at<int>(layout_.grouping.members);
    grouping.classes = scratch_.at<int>(layout_.grouping.classes);
    grouping.min_neighbors = request_.min_neighbors;
    grouping.max_windows = max_windows_grouped;
    return grouping;
}

void GpuBatch::copy(void* target, const void* source, std::size_t bytes) {
    if (bytes > 0) cuda_backend::copy(gpu_, stream(), target, source, bytes);
}

void GpuBatch::enqueue_input() {
    copy(input_.at(), staging_.at(), layout_.input.uploaded);
    if (!size_.is_resident) return;
    launch_gather(device_, input_.at<GatherSource>(layout_.input.sources), static_cast<int>(size_.images),
                  input_.at(layout_.input.images), size_.image_bytes);
}

void GpuBatch::enqueue_scan(bool with_cascade) {
    ScanTarget target;
    target.input = input_.at(layout_.input.tables);
    target.found = found_windows();
    target.counters = results_.at<unsigned>();
    target.cleared_words = layout_.results.cleared_words;
    if (size_.is_traced) {
        target.trace_sums = traces_.at<double>(layout_.trace.sums);
        target.trace_stages = traces_.at<std::int16_t>(layout_.trace.stages);
    }
    cascade_->enqueue(device_, target, with_cascade);
}

void GpuBatch::enqueue_grouping() {
    if (!size_.is_grouped) return;
    launch_grouping(device_, static_cast<int>(size_.images), found_windows(), grouping());
}

void GpuBatch::enqueue_landmarks() {
    if (!wants_landmarks()) return;
    const BatchLandmarks& wanted = request_.landmarks;
    const Grouping groups = grouping();
    const auto* const views = input_.at<ImageView<const std::uint8_t>>(layout_.input.views);
    auto* const tasks = landmarks_.at<LandmarkTask>(layout_.landmarks.tasks);
    auto* const count = landmarks_.at<unsigned>(layout_.landmarks.count);
    wanted.model->enqueue_tasks(device_,
                                {static_cast<int>(size_.images), groups.counts, groups.first_groups,
                                 groups.first_count, wanted.face, wanted.edges},
                                views, tasks, count);
    wanted.model->enqueue(device_, views, tasks, count, static_cast<unsigned>(layout_.landmarks.max_faces),
                          landmarks_.at<std::int32_t>(layout_.landmarks.positions));
}

void GpuBatch::enqueue_download() {
    copy(output_.at(), results_.at(layout_.results.windows_found), layout_.results.downloaded);
    if (!wants_landmarks()) return;
    copy(output_.at(layout_.output.landmarks), landmarks_.at(layout_.landmarks.positions),
         layout_.landmarks.face_bytes * layout_.landmarks.downloaded_faces);
}

void GpuBatch::enqueue_all() {
    enqueue_input();
    enqueue_scan(true);
    enqueue_grouping();
    enqueue_landmarks();
    enqueue_download();
}

}  // namespace fovea::cuda_backend
