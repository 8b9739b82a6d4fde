#include "lib/image/prefetch.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "lib/image/load.hpp"

namespace fovea {

// The paths are claimed by the threads in order. A thread first reads the beginning of its file, which as a
// rule tells all that the image is going to take; then it waits for its turn and for the memory; only then it
// reads on and decodes. The turn goes from image to image strictly in order. An image gets memory when what
// it asks for still fits, or when it is the one that the caller waits for. At that moment all earlier images
// have been handed out and no later one has had its turn, so nothing else is held: an image of any size
// passes, no two threads can wait for each other, and never is more charged than max_bytes or the one image.
// An image that does not know its needs yet keeps the turn, and asks again, until it does.
class ImagePrefetcher::Implementation {
  public:
    Implementation(std::vector<std::filesystem::path> paths, const PrefetchOptions& options)
        : paths_(std::move(paths)), options_(options) {
        const std::size_t wanted =
            std::min(paths_.size(), static_cast<std::size_t>(std::max(1, options_.threads)));
        threads_.reserve(wanted);
        try {
            while (threads_.size() < wanted) threads_.emplace_back([this] { work(); });
        } catch (const std::system_error&) {
            // Fewer threads than asked for are slower, none is an error.
            if (threads_.empty()) throw Error("cannot start a thread for decoding; lower --threads");
        }
    }

    ~Implementation() {
        {
            const std::lock_guard lock(mutex_);
            stop_ = true;
        }
        changed_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    Implementation(const Implementation&) = delete;
    Implementation& operator=(const Implementation&) = delete;

    std::optional<LoadedImage> next() {
        std::unique_lock lock(mutex_);
        if (next_out_ == paths_.size()) return std::nullopt;
        changed_.wait(lock, [&] { return ready_.count(next_out_) > 0; });
        auto node = ready_.extract(next_out_);
        held_ -= node.mapped().charge;
        ++next_out_;
        lock.unlock();
        changed_.notify_all();
        return std::move(node.mapped().image);
    }

    std::size_t peak_bytes() const {
        const std::lock_guard lock(mutex_);
        return peak_;
    }

  private:
    struct Ready {
        LoadedImage image;
        std::size_t charge = 0;
    };

    // What an image costs besides its pixels. It also keeps unreadable ones from piling up without end.
    static constexpr std::size_t overhead = 1024;

    void work() {
        for (;;) {
            std::size_t index = 0;
            {
                const std::lock_guard lock(mutex_);
                if (stop_ || next_claim_ == paths_.size()) return;
                index = next_claim_++;
            }
            if (!load(index)) return;
        }
    }

    /// Thrown through the decoding of an image, which need not know it, when the prefetcher is destroyed.
    struct Stopped {};

    /// False if the prefetcher is being destroyed.
    bool load(std::size_t index) {
        Ready ready;
        ready.image.index = index;
        std::size_t charge = 0;
        bool had_turn = false;
        try {
            guard(ready.image, [&] {
                ready.image.image =
                    codec::load_image(paths_[index], options_.decode, [&](std::size_t bytes, bool last) {
                        admit(index, charge, overhead + bytes, last);
                        had_turn = last;
                    });
            });
            if (!had_turn) admit(index, charge, overhead, true);
        } catch (const Stopped&) {
            return false;
        }
        ready.charge = std::min(charge, overhead + ready.image.image.pixels.size());
        {
            const std::lock_guard lock(mutex_);
            held_ -= charge - ready.charge;
            ready_.emplace(index, std::move(ready));
        }
        changed_.notify_all();
        return true;
    }

    /// Waits until the image may take `bytes` instead of `charge`, which it changes.
    void admit(std::size_t index, std::size_t& charge, std::size_t bytes, bool last) {
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] {
                const std::size_t others = held_ - charge;
                const bool fits =
                    bytes <= charge || (others < options_.max_bytes && bytes <= options_.max_bytes - others);
                return stop_ || (next_turn_ == index && (fits || next_out_ == index));
            });
            if (stop_) throw Stopped();
            if (last) ++next_turn_;
            held_ = held_ - charge + bytes;
            charge = bytes;
            peak_ = std::max(peak_, held_);
        }
        changed_.notify_all();
    }

    /// Whatever goes wrong with one image is the result of that image.
    template <class Function>
    static void guard(LoadedImage& image, Function function) {
        try {
            function();
        } catch (const ImageError& e) {
            image.unreadable = e.what();
        } catch (const std::bad_alloc&) {
            image.unreadable = "out of memory";
        } catch (const std::exception& e) {
            image.unreadable = std::string("decoder failed: ") + e.what();
        }
        if (!image.unreadable.empty()) image.image = {};
    }

    const std::vector<std::filesystem::path> paths_;
    const PrefetchOptions options_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;  // any of the below
    bool stop_ = false;
    std::size_t next_claim_ = 0;
    std::size_t next_turn_ = 0;
    std::size_t next_out_ = 0;
    std::size_t held_ = 0;  // bytes charged for images that were not handed out yet
    std::size_t peak_ = 0;
    std::map<std::size_t, Ready> ready_;

    std::vector<std::thread> threads_;
};

ImagePrefetcher::ImagePrefetcher(std::vector<std::filesystem::path> paths, const PrefetchOptions& options)
    : implementation_(std::make_unique<Implementation>(std::move(paths), options)) {}

ImagePrefetcher::~ImagePrefetcher() = default;

std::optional<LoadedImage> ImagePrefetcher::next() {
    return implementation_->next();
}

std::size_t ImagePrefetcher::peak_bytes() const {
    return implementation_->peak_bytes();
}

}  // namespace fovea
