#include "lib/image/prefetch.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "kernels/core/stopwatch.hpp"
#include "lib/files/shortage.hpp"
#include "lib/files/thread_shortage.hpp"
#include "lib/image/frame_opener.hpp"
#include "lib/image/load.hpp"
#include "lib/process/process.hpp"

namespace fovea {

namespace {

class PlaceInputs final : public ImageInputs {
  public:
    PlaceInputs(std::vector<ImageLocation> places, const PrefetchOptions& options)
        : places_(std::move(places)),
          has_frames_(std::any_of(places_.begin(), places_.end(),
                                  [](const ImageLocation& place) { return place.frame.has_value(); })),
          frames_(video_read_options(options.decode, options.threads, options.max_image_bytes)) {}

    std::size_t size() const override { return places_.size(); }
    bool in_order() const override { return has_frames_; }
    std::string name(std::size_t index) const override { return places_[index].text(); }
    std::unique_ptr<codec::EncodedFile> open(std::size_t index) const override {
        const ImageLocation& place = places_[index];
        if (place.frame) return frames_.open(*place.frame);
        return open_image_file(place.file);
    }

  private:
    const std::vector<ImageLocation> places_;
    const bool has_frames_;
    mutable FrameOpener frames_;
};

/// Each thread has a file open. Others are needed for what a job writes.
std::size_t max_readers() {
    constexpr std::size_t for_others = 8;
    const std::size_t left = descriptors_left();
    return left > for_others ? left - for_others : 1;
}

}  // namespace

// The images are claimed, and opened where that needs an order, by the threads in order. A thread first reads
// the beginning of its image, which as a rule tells all that it is going to take; then it waits for its turn
// and for the memory; only then it reads on and decodes. The turn goes from image to image strictly in order.
// An image gets memory when what it asks for still fits, or when it is the one that the caller waits for. At
// that moment all earlier images have been handed out and no later one has had its turn, so nothing else is
// held: an image of any size passes, no two threads can wait for each other, and never is more charged than
// max_bytes or the one image. An image that does not know its needs yet keeps the turn, and asks again, until
// it does.
//
// A shortage at an image ends the list there: next() throws it when the images before are handed out, and
// threads begin no more. Noting it takes no memory, as that may be what is short.
class ImagePrefetcher::Implementation {
  public:
    Implementation(const ImageInputs& inputs, const PrefetchOptions& options)
        : inputs_(inputs),
          options_(options),
          load_options_{options.decode, options.keep_encoded, options.max_image_bytes, options.buffers,
                        options.keep_files},
          end_(std::max(inputs.size(), options.first)),
          next_claim_(options.first),
          next_turn_(options.first),
          next_out_(options.first) {
        const std::size_t wanted = std::min(
            {end_ - options.first, static_cast<std::size_t>(std::max(1, options_.threads)), max_readers()});
        threads_.reserve(wanted);
        waiting_.reserve(wanted);
        try {
            while (threads_.size() < wanted) threads_.emplace_back([this] { work(); });
        } catch (const std::system_error&) {
            // Fewer threads than asked for are slower, none is an error.
            if (threads_.empty()) throw ShortageError(no_thread);
        } catch (...) {
            stop();
            throw;
        }
    }

    ~Implementation() { stop(); }

    Implementation(const Implementation&) = delete;
    Implementation& operator=(const Implementation&) = delete;

    std::optional<LoadedImage> next() {
        std::unique_lock lock(mutex_);
        if (next_out_ == end_) return std::nullopt;
        handed_over_.wait(lock, [&] { return next_out_ >= short_at_ || ready_.count(next_out_) > 0; });
        if (next_out_ >= short_at_) throw_shortage();
        auto node = ready_.extract(next_out_);
        held_ -= node.mapped().charge;
        ++next_out_;
        wake_turn();
        return std::move(node.mapped().image);
    }

    std::size_t peak_bytes() const {
        const std::lock_guard lock(mutex_);
        return peak_;
    }

    PrefetchTimes times() const {
        const std::lock_guard lock(mutex_);
        return times_;
    }

  private:
    struct Ready {
        LoadedImage image;
        std::size_t charge = 0;
    };

    // The cost of an image besides its pixels. It also keeps unreadable ones from piling up without end.
    static constexpr std::size_t overhead = 1024;

    void work() {
        while (load_next()) {
        }
    }

    void stop() {
        {
            const std::lock_guard lock(mutex_);
            stop_ = true;
            for (const Waiting& waiting : waiting_) waiting.turn->notify_one();
        }
        inputs_.stop();
        for (std::thread& thread : threads_) thread.join();
    }

    /// The exception in flight is what an image could not be loaded for.
    void end_at(std::size_t index) noexcept {
        const std::lock_guard lock(mutex_);
        if (index >= short_at_) return;
        short_at_ = index;
        shortage_ = std::current_exception();
        handed_over_.notify_one();
    }

    [[noreturn]] void throw_shortage() const {
        try {
            std::rethrow_exception(shortage_);
        } catch (const std::bad_alloc&) {
            throw ShortageError("there is not enough memory for '" + inputs_.name(short_at_) +
                                "'; lower --threads, or end other programs");
        }
    }

    /// Thrown through the decoding of an image, which need not know it, when the prefetcher is destroyed.
    struct Stopped {};

    /// An image that waits for its turn or for memory.
    struct Waiting {
        std::size_t index = 0;
        std::condition_variable* turn = nullptr;
    };

    std::vector<Waiting>::iterator find_waiting(std::size_t index) {
        return std::find_if(waiting_.begin(), waiting_.end(),
                            [&](const Waiting& waiting) { return waiting.index == index; });
    }

    /// An image on its way through a thread.
    struct LoadState {
        Ready ready;
        std::size_t charge = 0;
        bool had_turn = false;
        double waited = 0;
        double opening = 0;
    };

    /// False at the end of the list, or if the prefetcher is being destroyed.
    bool load_next() {
        // Claimed and opened in one step: no image can be opened before an earlier one.
        std::unique_lock opening(opening_, std::defer_lock);
        const Stopwatch watch;
        if (inputs_.in_order()) opening.lock();
        LoadState passage;
        LoadedImage& image = passage.ready.image;
        {
            const std::lock_guard lock(mutex_);
            if (stop_ || next_claim_ >= std::min(end_, short_at_)) return false;
            image.index = next_claim_++;
        }
        try {
            guard(image, [&] {
                const std::unique_ptr<codec::EncodedFile> file = inputs_.open(image.index);
                // An archive is opened when the threads before have read their images: that is waiting.
                (opening.owns_lock() ? passage.waited : passage.opening) = watch.seconds();
                if (opening.owns_lock()) opening.unlock();
                load(*file, passage);
            });
            if (opening.owns_lock()) opening.unlock();
            if (!passage.had_turn) wait_for_turn(passage, overhead, true);
            deliver(std::move(passage));
        } catch (const Stopped&) {
            return false;
        } catch (...) {
            end_at(image.index);
            return false;
        }
        return true;
    }

    void load(codec::EncodedFile& file, LoadState& passage) {
        codec::load_image(
            file, load_options_,
            [&](std::size_t bytes, bool last) { wait_for_turn(passage, overhead + bytes, last); },
            passage.ready.image);
    }

    void deliver(LoadState&& passage) {
        Ready& ready = passage.ready;
        const LoadedImage& image = ready.image;
        const std::size_t index = image.index;
        const std::size_t held =
            image.image.pixels.size() + image.file.size() + (image.jpeg ? image.jpeg->bytes.size() : 0);
        ready.charge = std::min(passage.charge, overhead + held);
        {
            const std::lock_guard lock(mutex_);
            times_.read_seconds += image.read_seconds + passage.opening;
            times_.decode_seconds += image.decode_seconds;
            times_.wait_seconds += passage.waited;
            times_.encoded_bytes += image.encoded_bytes;
            held_ -= passage.charge - ready.charge;
            wake_turn();
            ready_.emplace(index, std::move(ready));
            if (index == next_out_) handed_over_.notify_one();
        }
    }

    /// Only the thread whose image has the turn can go on: all others sleep on. Call it with the lock held.
    void wake_turn() {
        const auto found = find_waiting(next_turn_);
        if (found != waiting_.end()) found->turn->notify_one();
    }

    /// Waits until the image may take `bytes` instead of what it is charged with.
    void wait_for_turn(LoadState& passage, std::size_t bytes, bool last) {
        const Stopwatch watch;
        const std::size_t index = passage.ready.image.index;
        {
            std::unique_lock lock(mutex_);
            std::condition_variable turn;
            waiting_.push_back({index, &turn});
            turn.wait(lock, [&] {
                const std::size_t others = held_ - passage.charge;
                const bool fits = bytes <= passage.charge ||
                                  (others < options_.max_bytes && bytes <= options_.max_bytes - others);
                return stop_ || (next_turn_ == index && (fits || next_out_ == index));
            });
            *find_waiting(index) = waiting_.back();
            waiting_.pop_back();
            if (stop_) throw Stopped();
            if (last) ++next_turn_;
            held_ = held_ - passage.charge + bytes;
            peak_ = std::max(peak_, held_);
            wake_turn();
        }
        passage.charge = bytes;
        passage.had_turn = last;
        passage.waited += watch.seconds();
    }

    /// Whatever is wrong with an image is the result of that image. A lack of the machine is not.
    template <class Function>
    static void guard(LoadedImage& image, Function function) {
        try {
            function();
        } catch (const ImageError& e) {
            image.unreadable = e.what();
        } catch (const ShortageError&) {
            throw;
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& e) {
            image.unreadable = std::string("decoder failed: ") + e.what();
        }
        if (image.unreadable.empty()) return;
        image.image = {};
        image.jpeg.reset();
    }

    const ImageInputs& inputs_;
    const PrefetchOptions options_;
    const codec::LoadOptions load_options_;
    const std::size_t end_;

    std::mutex opening_;  // of one image after the other; taken before mutex_

    mutable std::mutex mutex_;
    std::condition_variable handed_over_;  // the image that the caller waits for
    std::vector<Waiting> waiting_;         // one of each thread at most: it has room for all
    bool stop_ = false;
    std::size_t short_at_ = static_cast<std::size_t>(-1);  // the first image at which something was short
    std::exception_ptr shortage_;
    std::size_t next_claim_;
    std::size_t next_turn_;
    std::size_t next_out_;
    std::size_t held_ = 0;  // bytes charged for images that were not handed out yet
    std::size_t peak_ = 0;
    std::map<std::size_t, Ready> ready_;
    PrefetchTimes times_;

    std::vector<std::thread> threads_;
};

ImagePrefetcher::ImagePrefetcher(const ImageInputs& inputs, const PrefetchOptions& options)
    : implementation_(std::make_unique<Implementation>(inputs, options)) {}

ImagePrefetcher::ImagePrefetcher(std::vector<ImageLocation> places, const PrefetchOptions& options)
    : files_(std::make_unique<PlaceInputs>(std::move(places), options)),
      implementation_(std::make_unique<Implementation>(*files_, options)) {}

ImagePrefetcher::~ImagePrefetcher() = default;

std::optional<LoadedImage> ImagePrefetcher::next() {
    return implementation_->next();
}

std::size_t ImagePrefetcher::peak_bytes() const {
    return implementation_->peak_bytes();
}

PrefetchTimes ImagePrefetcher::times() const {
    return implementation_->times();
}

}  // namespace fovea
