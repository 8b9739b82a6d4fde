#pragma once

#include <memory>

namespace fovea {

/// A member of type T that few objects set: it is a pointer, and takes more memory only once it is set. Until
/// then it reads as T(). Copies are deep.
template <class T>
class Rare {
  public:
    Rare() = default;
    Rare(const Rare& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
    Rare(Rare&&) noexcept = default;
    Rare& operator=(const Rare& other) {
        if (this != &other) value_ = other.value_ ? std::make_unique<T>(*other.value_) : nullptr;
        return *this;
    }
    Rare& operator=(Rare&&) noexcept = default;
    ~Rare() = default;

    const T& operator*() const {
        static const T nothing{};
        return value_ ? *value_ : nothing;
    }
    const T* operator->() const { return &**this; }

    /// The value, to be changed; from now on it is set.
    T& edit() {
        if (!value_) value_ = std::make_unique<T>();
        return *value_;
    }
    bool is_set() const { return value_ != nullptr; }
    void reset() { value_.reset(); }

  private:
    std::unique_ptr<T> value_;
};

}  // namespace fovea
