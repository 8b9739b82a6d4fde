#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lib/process/dynamic_library.hpp"

namespace fovea {

/// A GPU's readings from NVML now. A value is absent if NVML does not tell it (no such sensor, no right to
/// ask, a virtual GPU).
struct NvmlReading {
    std::optional<double> power_w;        ///< power drawn, a mean over up to a second
    std::optional<double> power_limit_w;  ///< the limit that is enforced
    std::optional<double> energy_j;       ///< since the driver was loaded
    std::optional<int> temperature_c;
    std::optional<int> sm_clock_mhz, sm_clock_limit_mhz;
    std::optional<int> memory_clock_mhz, memory_clock_limit_mhz;
    std::optional<std::uint64_t> memory_used_bytes, memory_total_bytes;  ///< by all programs and the driver
    std::optional<bool> ecc;                                             ///< memory errors are corrected
};

/// The driver's monitoring library, loaded while the program runs (libnvidia-ml.so.1 comes with the driver).
class Nvml {
  public:
    Nvml();
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    bool available() const { return started_; }
    /// Why NVML is not available, a sentence; empty if it is.
    const std::string& why_none() const { return why_none_; }
    /// The library's file; empty if it was not loaded.
    const std::string& file() const { return library_.file(); }
    /// The driver's version, e.g. "580.82.07"; empty if unknown.
    std::string driver_version() const;

    /// Reads a GPU. \param pci_bus_id e.g. "0000:1b:00.0": NVML and CUDA number GPUs differently.
    NvmlReading read(const std::string& pci_bus_id) const;

  private:
    DynamicLibrary library_;
    bool started_ = false;
    std::string why_none_;
};

}  // namespace fovea
