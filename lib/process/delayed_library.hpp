#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "lib/process/dynamic_library.hpp"

namespace fovea {

/// A shared library that is loaded when one of its functions is called for the first time.
///
/// `fovea_delayed_library()` of scripts/cmake/delayed_library.cmake makes one with a stub for each function.
/// A stub jumps to the address in its slot; if the slot is empty, it calls address_of() first.
class DelayedLibrary {
  public:
    /// All arguments must outlive this.
    /// \param file     the library's name, e.g. "libheif.so.1"
    /// \param purpose  what cannot be done without it, e.g. "HEIC and AVIF cannot be read"
    /// \param package  Debian's package with it; may be empty
    /// \param names    the names of its functions; a stub knows its function's index
    /// \param slots    the functions' addresses, null until they are called
    constexpr DelayedLibrary(const char* file, const char* purpose, const char* package,
                             const char* const* names, void** slots)
        : file_(file), purpose_(purpose), package_(package), names_(names), slots_(slots) {}

    /// Loads the library and fills function `index`'s slot. \return the function's address. \throws Error if
    /// the library or the function is missing: the error leaves the stub as if the function had thrown it.
    void* address_of(unsigned index);

  private:
    const DynamicLibrary& library();

    const char* file_;
    const char* purpose_;
    const char* package_;
    const char* const* names_;
    void** slots_;
    std::mutex mutex_;
    // Never unloaded: objects made by the library may live longer than any object here.
    const DynamicLibrary* library_ = nullptr;
};

}  // namespace fovea
