#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "lib/device/nvml.hpp"
#include "lib/device/rapl.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// Energy that a device took, or why nobody knows.
struct EnergyAmount {
    std::optional<double> joules;
    std::string unavailable;          ///< a sentence if there are no joules
    bool from_power_samples = false;  ///< an integral of power, not a counter's difference
};

/// Energy between start() and stop(), of whole devices: what other programs did there meanwhile is in it.
struct EnergyReading {
    std::vector<EnergyAmount> gpus;  ///< in the order given to the meter
    EnergyAmount cpu;                ///< all packages of the machine
    EnergyAmount dram;               ///< all of its memory
};

/// The sources that an EnergyMeter reads.
struct EnergySources {
    std::filesystem::path powercap = Rapl::powercap;
    /// The reading of a GPU now, by its PCI bus; nothing if nobody can be asked.
    std::function<NvmlReading(const std::string& pci_bus_id)> gpu;
    std::string why_no_gpu;  ///< a sentence if `gpu` is not set

    /// RAPL and, if a GPU is to be asked, NVML.
    static EnergySources of_this_machine(bool gpus);
};

/// Measures the energy of a job: GPUs by NVML's counter of total energy, or where they have none by their
/// power, sampled ten times a second; CPU packages and memory by RAPL. Nothing of it fails: what cannot be
/// measured says why.
class EnergyMeter {
  public:
    /// \param gpu_pci_bus_ids  see cuda_pci_bus_id(); empty for a job on the CPU
    explicit EnergyMeter(std::span<const std::string> gpu_pci_bus_ids);
    EnergyMeter(std::span<const std::string> gpu_pci_bus_ids, EnergySources sources);
    ~EnergyMeter();
    EnergyMeter(const EnergyMeter&) = delete;
    EnergyMeter& operator=(const EnergyMeter&) = delete;

    void start();
    /// Since the last start(). Only after one.
    EnergyReading stop();

  private:
    class Gpu;
    void update();
    void watch();
    void end_watch();

    const EnergySources sources_;
    const std::vector<std::string> gpu_ids_;
    std::vector<Gpu> gpus_;
    std::optional<Rapl> rapl_;
    std::mutex mutex_;
    std::condition_variable stopped_;
    bool running_ = false;
    std::thread thread_;
};

/// For run.json: {"gpu": [{"device": "cuda:0", "joules", "joules_per_image"}], "cpu": {"joules",
/// "joules_per_image"}, "dram": ...}; what is not there is {"unavailable": why}, what was sampled has
/// "source".
/// \param gpu_names  as many as the reading has GPUs  \param images  that the energy was spent on; with none
/// there is no ratio
Json energy_to_json(const EnergyReading& reading, std::span<const std::string> gpu_names, std::size_t images);

}  // namespace fovea
