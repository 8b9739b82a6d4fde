#pragma once

#include <string>
#include <vector>

namespace fovea {

/// A shared library that this program can do without: loaded while it runs, where it is there.
///
/// The libraries of NVIDIA's driver (NVML, NVDEC) lie only where a driver is, and nvJPEG only where somebody
/// put it. If the program were linked with them, it would not even start elsewhere.
class DynamicLibrary {
  public:
    /// Loads the first of `names` that can be loaded: a bare name is looked for as the loader does, a path is
    /// taken as it is ($ORIGIN = the folder of this program).
    explicit DynamicLibrary(const std::vector<std::string>& names);
    ~DynamicLibrary();
    DynamicLibrary(const DynamicLibrary&) = delete;
    DynamicLibrary& operator=(const DynamicLibrary&) = delete;

    bool loaded() const { return handle_ != nullptr; }
    /// The file it was loaded from; empty if it was not.
    const std::string& file() const { return file_; }
    /// The loader's words for the last name tried; empty if it was loaded.
    const std::string& why_none() const { return why_none_; }

    /// The function of that name; nullptr if the library has none or was not loaded. `Function` is a pointer
    /// to function and must be what the library's header says.
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
