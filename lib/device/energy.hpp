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

/// The energy that a device took, or the reason why it is unknown.
struct EnergyAmount {
    std::optional<double> joules;
    std::string unavailable;          ///< the reason, a sentence, if `joules` is absent
    bool from_power_samples = false;  ///< an integral of power, not a counter's difference
};

/// The energy that whole devices took between start() and stop(); the work of other programs is in it.
struct EnergyReading {
    std::vector<EnergyAmount> gpus;  ///< in the order given to the meter
    EnergyAmount cpu;                ///< all packages of the machine
    EnergyAmount dram;               ///< all of its memory
};

/// The sources that an EnergyMeter reads.
struct EnergySources {
    std::filesystem::path powercap = Rapl::powercap;
    /// Reads a GPU now, by its PCI bus; empty if GPUs cannot be read.
    std::function<NvmlReading(const std::string& pci_bus_id)> gpu;
    std::string why_no_gpu;  ///< the reason, a sentence, if `gpu` is empty

    /// RAPL and, if GPUs are to be measured, NVML.
    static EnergySources of_this_machine(bool gpus);
};

/// Measures the energy of a job: GPUs by NVML's counter of total energy or, if they have none, by their
/// power, sampled ten times a second; CPU packages and memory by RAPL. It never fails: EnergyAmount says why
/// something could not be measured.
class EnergyMeter {
  public:
    /// \param gpu_pci_bus_ids by cuda_pci_bus_id(); empty for a job on the CPU.
    explicit EnergyMeter(std::span<const std::string> gpu_pci_bus_ids);
    EnergyMeter(std::span<const std::string> gpu_pci_bus_ids, EnergySources sources);
    ~EnergyMeter();
    EnergyMeter(const EnergyMeter&) = delete;
    EnergyMeter& operator=(const EnergyMeter&) = delete;

    void start();
    /// The energy since start(), which must have been called before.
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

/// A reading as run.json has it: {"gpu": [{"device": "cuda:0", "joules", "joules_per_image"}], "cpu":
/// {"joules", "joules_per_image"}, "dram": ...}. An unknown amount is {"unavailable": why}; sampled power
/// has "source".
/// \param gpu_names  one for each GPU of the reading: "cuda:0"
/// \param images     the number of images that the energy was spent on; 0 leaves "joules_per_image" out
Json energy_to_json(const EnergyReading& reading, std::span<const std::string> gpu_names, std::size_t images);

}  // namespace fovea
