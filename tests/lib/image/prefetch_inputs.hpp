#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "lib/image/image_inputs.hpp"
#include "tests/support/encoders.hpp"

namespace fovea::test {

inline std::string pgm(int width, int height, char value) {
    return "P5 " + std::to_string(width) + " " + std::to_string(height) + " 255\n" +
           std::string(static_cast<std::size_t>(width * height), value);
}

/// Images in memory; it watches in which order they are opened, and that no more is read once they are
/// decoded.
class WatchedInputs final : public ImageInputs {
  public:
    explicit WatchedInputs(std::vector<ByteVector> images) : images_(std::move(images)) {}

    std::size_t size() const override { return images_.size(); }
    std::string name(std::size_t index) const override { return std::to_string(index); }
    std::unique_ptr<codec::EncodedFile> open(std::size_t index) const override {
        const std::lock_guard lock(mutex_);
        opened.push_back(index);
        if (images_[index].empty()) throw ImageError("is not there");
        return std::make_unique<Member>(*this, images_[index]);
    }

    mutable std::vector<std::size_t> opened;
    mutable std::atomic<int> released = 0;

  private:
    class Member final : public codec::EncodedFile {
      public:
        Member(const WatchedInputs& inputs, const ByteVector& bytes)
            : inputs_(inputs), source_(bytes), size_(bytes.size()) {}
        std::size_t read(std::uint8_t* to, std::size_t length) override { return source_.read(to, length); }
        std::size_t size() const override { return size_; }
        void release() override { ++inputs_.released; }

      private:
        const WatchedInputs& inputs_;
        codec::MemorySource source_;
        std::size_t size_;
    };

    const std::vector<ByteVector> images_;
    mutable std::mutex mutex_;
};

}  // namespace fovea::test
