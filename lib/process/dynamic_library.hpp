#pragma once

#include <string>
#include <vector>

namespace fovea {

/// A shared library that this program can do without: it is loaded while the program runs, if it is there.
///
/// The libraries of NVIDIA's driver (NVML, NVDEC) are only on machines with a driver, and nvJPEG is often
/// missing. If the program were linked with them, it would not even start elsewhere.
class DynamicLibrary {
  public:
    /// Loads the first of `names` that can be loaded; if none can, loaded() is false. The loader searches
    /// bare names; a path is taken as it is ($ORIGIN = the folder of this program).
    explicit DynamicLibrary(const std::vector<std::string>& names);
    ~DynamicLibrary();
    DynamicLibrary(const DynamicLibrary&) = delete;
    DynamicLibrary& operator=(const DynamicLibrary&) = delete;

    bool loaded() const { return handle_ != nullptr; }
    /// The file that was loaded; empty if none was.
    const std::string& file() const { return file_; }
    /// The loader's reason for the last name that it tried; empty if the library was loaded.
    const std::string& why_none() const { return why_none_; }

    /// The function of that name; nullptr if the library was not loaded or has no such function. `Function`
    /// is its pointer type, by the library's header.
    template <class Function>
    Function find(const char* name) const {
        return reinterpret_cast<Function>(address(name));
    }

  private:
    void* address(const char* name) const;

    void* handle_ = nullptr;
    std::string file_;
    std::string why_none_;
};

}  // namespace fovea
