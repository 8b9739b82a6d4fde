// A landmark model in a GPU's memory, and the launches of the kernels that evaluate it.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "kernels/core/gpu_memory.cuh"
#include "kernels/core/host_copy.hpp"
#include "kernels/core/image_memory.hpp"
#include "kernels/landmark/gpu_landmark_kernels.cuh"
#include "kernels/landmark/gpu_landmarks.hpp"
#include "kernels/landmark/gpu_one_face_kernel.cuh"

namespace fovea::cuda_backend {

class GpuLandmarks::Implementation {
  public:
    Implementation(const LandmarkModel& model, const LandmarkTables& tables, int device)
        : gpu_(device), memory_(device), workspaces_(device) {
        check(cudaSetDevice(device), device, "selecting the device");
        upload(model, tables);
        choose_shape();
    }

    int device() const { return gpu_; }
    int points() const { return model_.points; }
    std::uint64_t identity() const { return identity_; }

    void find(std::span<const ImageView<const std::uint8_t>> images, std::span<const LandmarkTask> faces,
              ImageMemory memory, std::int32_t* positions) {
        const auto workspace = workspaces_.borrow();
        const std::size_t coordinates = 2 * static_cast<std::size_t>(model_.points);
        for (std::size_t done = 0; done < faces.size();) {
            const Part part = take(images, faces.subspan(done), memory);
            workspace->start(*this, images, part, memory);
            workspace->bring(part.tasks.size() * coordinates, positions + done * coordinates);
            done += part.tasks.size();
        }
    }

    std::vector<double> measure(std::span<const ImageView<const std::uint8_t>> images,
                                std::span<const LandmarkTask> faces, int repeat) {
        Workspace workspace(gpu_);
        const Part part = take(images, faces, ImageMemory::host, ~std::size_t{0});
        workspace.start(*this, images, part, ImageMemory::host);
        return workspace.measure(*this, part.tasks.size(), repeat);
    }

    void enqueue_tasks(const Device& device, const DetectedFaces& faces,
                       const ImageView<const std::uint8_t>* images, LandmarkTask* tasks,
                       unsigned* count) const {
        launch_kernel(device, "listing the faces found", 1, task_threads, 0, task_kernel, faces, images,
                      tasks, count);
    }

    void enqueue(const Device& device, const ImageView<const std::uint8_t>* images, const LandmarkTask* tasks,
                 const unsigned* count, unsigned most, std::int32_t* positions) const {
        if (most == 0) return;
        const int processors = multiprocessors(gpu_, device.share());
        if (few_faces_ > 0) {
            const unsigned blocks = std::min(most, static_cast<unsigned>(processors));
            launch_kernel(device, "finding landmarks", blocks, one_face_threads, one_face_.bytes,
                          one_face_kernel, model_, one_face_, few_faces_, images, tasks, count, positions);
        }
        if (most <= few_faces_) return;
        const unsigned blocks = std::min(most, static_cast<unsigned>(blocks_of_processor_ * processors));
        launch_kernel(device, "finding landmarks", blocks, block_threads, shared_bytes_, landmark_kernel,
                      model_, faces_of_block_, few_faces_ + 1, images, tasks, count, positions);
    }

  private:
    /// Faces that are evaluated at once, and the images that they need.
    struct Part {
        std::vector<LandmarkTask> tasks;    // with images numbered as below
        std::vector<std::uint32_t> images;  // numbers among all images
        std::vector<std::size_t> offsets;   // of each image's pixels, if they must be brought
        std::size_t pixels = 0;
    };

    /// Memory and a stream for one find() at a time.
    class Workspace {
      public:
        explicit Workspace(int gpu)
            : gpu_(gpu),
              device_(Device::cuda(gpu)),
              input_(gpu),
              pixels_(gpu),
              output_(gpu),
              staged_pixels_(gpu, true),
              staged_(gpu, true),
              found_(gpu, true) {}

        /// Queues all that a part needs, and its evaluation.
        void start(const Implementation& model, std::span<const ImageView<const std::uint8_t>> images,
                   const Part& part, ImageMemory memory) {
            check(cudaSetDevice(gpu_), gpu_, "selecting the device");
            reserve(model, part);
            if (memory == ImageMemory::host) bring_pixels(images, part);
            const auto count = static_cast<unsigned>(part.tasks.size());
            std::memcpy(staged_.at(), &count, sizeof(count));
            std::memcpy(staged_.at(tasks_), part.tasks.data(), sizeof(LandmarkTask) * part.tasks.size());
            for (std::size_t i = 0; i < part.images.size(); ++i) {
                ImageView<const std::uint8_t> view = images[part.images[i]];
                if (memory == ImageMemory::host) {
                    view.data = pixels_.at<std::uint8_t>(part.offsets[i]);
                    view.stride = view.width;
                }
                std::memcpy(staged_.at(views_ + i * sizeof(view)), &view, sizeof(view));
            }
            cuda_backend::copy(gpu_, device_.stream(), input_.at(), staged_.at(), bytes_);
            enqueue(model, count);
        }

        /// Waits for the positions of what was started.
        void bring(std::size_t coordinates, std::int32_t* positions) {
            const std::size_t bytes = coordinates * sizeof(std::int32_t);
            cuda_backend::copy(gpu_, device_.stream(), found_.at(), output_.at(), bytes);
            device_.synchronize();
            std::memcpy(positions, found_.at(), bytes);
        }

        std::vector<double> measure(const Implementation& model, std::size_t count, int repeat) {
            std::vector<double> times;
            const auto stream = static_cast<cudaStream_t>(device_.stream());
            Event before(gpu_), after(gpu_);
            for (int i = -3; i < repeat; ++i) {
                before.record(stream);
                enqueue(model, static_cast<unsigned>(count));
                after.record(stream);
                device_.synchronize();
                if (i >= 0) times.push_back(after.since(before));
            }
            return times;
        }

      private:
        void reserve(const Implementation& model, const Part& part) {
            tasks_ = align_up(sizeof(unsigned));
            views_ = align_up(tasks_ + sizeof(LandmarkTask) * part.tasks.size());
            bytes_ = align_up(views_ + sizeof(ImageView<const std::uint8_t>) * part.images.size());
            const std::size_t found =
                part.tasks.size() * 2 * static_cast<std::size_t>(model.points()) * sizeof(std::int32_t);
            input_.reserve(bytes_);
            staged_.reserve(bytes_);
            output_.reserve(found);
            found_.reserve(found);
        }

        void bring_pixels(std::span<const ImageView<const std::uint8_t>> images, const Part& part) {
            pixels_.reserve(part.pixels);
            const bool staged = part.pixels <= max_staged_pixels && can_stage(part.pixels);
            for (std::size_t i = 0; i < part.images.size(); ++i) {
                const ImageView<const std::uint8_t>& image = images[part.images[i]];
                if (image.empty()) continue;
                if (staged) {
                    copy_rows(image, staged_pixels_.at<std::uint8_t>(part.offsets[i]));
                    continue;
                }
                const auto width = static_cast<std::size_t>(image.width);
                check(cudaMemcpy2DAsync(pixels_.at(part.offsets[i]), width, image.data,
                                        static_cast<std::size_t>(image.stride), width,
                                        static_cast<std::size_t>(image.height), cudaMemcpyHostToDevice,
                                        static_cast<cudaStream_t>(device_.stream())),
                      gpu_, "copying an image");
            }
            if (staged)
                cuda_backend::copy(gpu_, device_.stream(), pixels_.at(), staged_pixels_.at(), part.pixels);
        }

        bool can_stage(std::size_t bytes) try {
            staged_pixels_.reserve(bytes);
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }

        void enqueue(const Implementation& model, unsigned count) const {
            model.enqueue(device_, input_.at<ImageView<const std::uint8_t>>(views_),
                          input_.at<LandmarkTask>(tasks_), input_.at<unsigned>(), count,
                          output_.at<std::int32_t>());
        }

        int gpu_;
        Device device_;
        DeviceMemory input_;  // how many tasks, tasks, views
        DeviceMemory pixels_;
        DeviceMemory output_;
        HostMemory staged_pixels_;  // as pixels_
        HostMemory staged_;         // as input_
        HostMemory found_;          // as output_
        std::size_t tasks_ = 0, views_ = 0, bytes_ = 0;
    };

    static constexpr std::size_t max_bytes_at_once = std::size_t{256} << 20;
    static constexpr std::size_t max_positions_at_once = std::size_t{16} << 20;
    // A workspace keeps its page-locked memory. More would be missed elsewhere.
    static constexpr std::size_t max_staged_pixels = std::size_t{64} << 20;
    static constexpr std::size_t max_workspaces = 8;
    // Measured on an H200: 1,056 faces take 0.59 ms so, and 0.63 ms in blocks of several faces.
    static constexpr unsigned few_faces_of_processor = 8;

    /// Workspaces that are made as they are needed.
    class Workspaces {
      public:
        struct GiveBack {
            Workspaces& to;
            void operator()(Workspace* workspace) const { to.put(workspace); }
        };

        explicit Workspaces(int gpu) : gpu_(gpu) {}

        /// Waits while all are lent. The workspace comes back by itself.
        std::unique_ptr<Workspace, GiveBack> borrow() { return {take(), GiveBack{*this}}; }

      private:
        Workspace* take() {
            std::unique_lock lock(mutex_);
            returned_.wait(lock, [&] { return !free_.empty() || all_.size() < max_workspaces; });
            if (free_.empty()) return all_.emplace_back(std::make_unique<Workspace>(gpu_)).get();
            Workspace* const workspace = free_.back();
            free_.pop_back();
            return workspace;
        }

        void put(Workspace* workspace) {
            const std::lock_guard lock(mutex_);
            free_.push_back(workspace);
            returned_.notify_one();
        }

        int gpu_;
        std::mutex mutex_;
        std::condition_variable returned_;
        std::vector<std::unique_ptr<Workspace>> all_;
        std::vector<Workspace*> free_;
    };

    Part take(std::span<const ImageView<const std::uint8_t>> images, std::span<const LandmarkTask> faces,
              ImageMemory memory, std::size_t max_bytes = max_bytes_at_once) const {
        Part part;
        std::vector<std::int64_t> numbers(images.size(), -1);
        const std::size_t max_faces =
            std::max<std::size_t>(1, max_positions_at_once / (2 * static_cast<std::size_t>(model_.points)));
        for (const LandmarkTask& face : faces) {
            if (max_bytes == max_bytes_at_once && part.tasks.size() == max_faces) break;
            std::int64_t& number = numbers[face.image];
            if (number < 0) {
                const ImageView<const std::uint8_t>& image = images[face.image];
                const std::size_t bytes = memory == ImageMemory::device
                                              ? 0
                                              : static_cast<std::size_t>(std::max(image.width, 0)) *
                                                    static_cast<std::size_t>(std::max(image.height, 0));
                if (!part.tasks.empty() && part.pixels + bytes > max_bytes) break;
                number = static_cast<std::int64_t>(part.images.size());
                part.images.push_back(face.image);
                part.offsets.push_back(part.pixels);
                part.pixels = align_up(part.pixels + bytes);
            }
            part.tasks.push_back({static_cast<std::uint32_t>(number), face.box});
        }
        return part;
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
        model_.refit_after = static_cast<int>(model.refit_after);
        model_.mean_x = tables.mean_x;
        model_.mean_y = tables.mean_y;
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
            model_.max_pixels = std::max(model_.max_pixels, static_cast<int>(cascade.pixels.size()));
            model_.max_trees = std::max(model_.max_trees, static_cast<int>(cascade.trees));
            model_.has_float_leaves = model_.has_float_leaves || !cascade.is_quantised();
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
        const Device device = Device::cuda(gpu_);
        cuda_backend::copy(gpu_, device.stream(), memory_.at(), packer.bytes().data(), packer.bytes().size());
        device.synchronize();
    }

    // Gives a block as many faces as a quarter of the shared memory and its threads allow, at least one, and
    // a multiprocessor as many blocks as it has room for. Few faces get a block and a multiprocessor each.
    void choose_shape() {
        int max_shared = 0;
        check(cudaDeviceGetAttribute(&max_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu_), gpu_,
              "reading an attribute");
        const auto needed = [&] { return shared_layout(model_, faces_of_block_).bytes; };
        while (faces_of_block_ > 1 && (needed() > static_cast<std::size_t>(max_shared) / 4 ||
                                       faces_of_block_ * model_.quads > block_threads)) {
            --faces_of_block_;
        }
        shared_bytes_ = needed();
        if (shared_bytes_ > static_cast<std::size_t>(max_shared)) {
            throw DeviceError("the landmark model needs " + std::to_string(shared_bytes_) +
                              " bytes of shared memory for a face, but a block on cuda:" +
                              std::to_string(gpu_) + " has " + std::to_string(max_shared));
        }
        // The attribute is the kernel's, not the model's: never less than another model needs.
        check(cudaFuncSetAttribute(landmark_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, max_shared),
              gpu_, "asking for shared memory");
        int blocks = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, landmark_kernel, block_threads,
                                                            shared_bytes_),
              gpu_, "counting blocks");
        blocks_of_processor_ = std::max(blocks, 1);
        if (!takes_one_face(model_, static_cast<std::size_t>(max_shared))) return;
        one_face_ = one_face_layout(model_, static_cast<std::size_t>(max_shared));
        few_faces_ = few_faces_of_processor * static_cast<unsigned>(multiprocessors(gpu_, GpuShare::all));
        check(cudaFuncSetAttribute(one_face_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, max_shared),
              gpu_, "asking for shared memory");
    }

    static std::uint64_t next_identity() {
        static std::atomic<std::uint64_t> last{0};
        return ++last;
    }

    int gpu_;
    std::uint64_t identity_ = next_identity();
    DeviceMemory memory_;
    GpuModel model_{};
    int faces_of_block_ = max_faces_of_block;
    std::size_t shared_bytes_ = 0;
    int blocks_of_processor_ = 1;
    OneFaceLayout one_face_{};
    unsigned few_faces_ = 0;  // that blocks of one face evaluate; 0 if the model is too large for them
    Workspaces workspaces_;
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

void GpuLandmarks::find(const ImageBatch& images, std::span<const LandmarkTask> faces,
                        std::int32_t* positions) {
    implementation_->find(images.views, faces, images.is_on_gpu() ? ImageMemory::device : ImageMemory::host,
                          positions);
}

std::vector<double> GpuLandmarks::measure(std::span<const ImageView<const std::uint8_t>> images,
                                          std::span<const LandmarkTask> faces, int repeat) {
    return implementation_->measure(images, faces, repeat);
}

void GpuLandmarks::enqueue_tasks(const Device& device, const DetectedFaces& faces,
                                 const ImageView<const std::uint8_t>* images, LandmarkTask* tasks,
                                 unsigned* count) const {
    implementation_->enqueue_tasks(device, faces, images, tasks, count);
}

void GpuLandmarks::enqueue(const Device& device, const ImageView<const std::uint8_t>* images,
                           const LandmarkTask* tasks, const unsigned* count, unsigned most,
                           std::int32_t* positions) const {
    implementation_->enqueue(device, images, tasks, count, most, positions);
}

}  // namespace fovea::cuda_backend
