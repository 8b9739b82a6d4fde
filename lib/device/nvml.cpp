#include "lib/device/nvml.hpp"

#include <type_traits>

#include "lib/device/nvml_abi.hpp"

#if defined(FOVEA_HAVE_NVML_HEADER)
#include <nvml.h>

namespace fovea::nvml_abi {
static_assert(success == NVML_SUCCESS && sizeof(Return) == sizeof(nvmlReturn_t));
static_assert(driver_version_bytes == NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE);
static_assert(gpu_temperature == NVML_TEMPERATURE_GPU);
static_assert(sm_clock == NVML_CLOCK_SM && memory_clock == NVML_CLOCK_MEM);
static_assert(feature_enabled == NVML_FEATURE_ENABLED && sizeof(int) == sizeof(nvmlEnableState_t));
static_assert(sizeof(Memory) == sizeof(nvmlMemory_t));
static_assert(sizeof(Device) == sizeof(nvmlDevice_t));
static_assert(std::is_same_v<decltype(&nvmlDeviceGetPowerUsage), nvmlReturn_t (*)(nvmlDevice_t, unsigned*)>);
static_assert(std::is_same_v<decltype(&nvmlDeviceGetTotalEnergyConsumption),
                             nvmlReturn_t (*)(nvmlDevice_t, unsigned long long*)>);
}  // namespace fovea::nvml_abi
#endif

namespace fovea {
namespace {

using namespace nvml_abi;

/// Numbers of one GPU; a call that fails or is missing gives none.
class Reader {
  public:
    Reader(const DynamicLibrary& library, Device device) : library_(library), device_(device) {}

    std::optional<unsigned> number(const char* name) const { return ask<DeviceNumber, unsigned>(name); }
    std::optional<unsigned long long> long_number(const char* name) const {
        return ask<DeviceLongNumber, unsigned long long>(name);
    }
    std::optional<Memory> memory() const { return ask<DeviceMemory, Memory>("nvmlDeviceGetMemoryInfo"); }
    std::optional<int> number_of(const char* name, int kind) const {
        const auto function = library_.find<DeviceKindNumber>(name);
        unsigned value = 0;
        if (function == nullptr || function(device_, kind, &value) != success) return std::nullopt;
        return static_cast<int>(value);
    }
    std::optional<bool> ecc() const {
        const auto function = library_.find<DeviceEccMode>("nvmlDeviceGetEccMode");
        int current = 0, pending = 0;
        if (function == nullptr || function(device_, &current, &pending) != success) return std::nullopt;
        return current == feature_enabled;
    }

  private:
    template <class Function, class Value>
    std::optional<Value> ask(const char* name) const {
        const auto function = library_.find<Function>(name);
        Value value{};
        if (function == nullptr || function(device_, &value) != success) return std::nullopt;
        return value;
    }

    const DynamicLibrary& library_;
    Device device_;
};

}  // namespace

Nvml::Nvml() : library_({"libnvidia-ml.so.1"}) {
    if (!library_.loaded()) {
        why_none_ = "libnvidia-ml.so.1 is not there; it comes with NVIDIA's driver";
        return;
    }
    const auto init = library_.find<Init>("nvmlInit_v2");
    if (init == nullptr) {
        why_none_ = library_.file() + " has no nvmlInit_v2; the driver is too old";
        return;
    }
    const Return status = init();
    started_ = status == success;
    if (started_) return;
    const auto error_string = library_.find<ErrorString>("nvmlErrorString");
    why_none_ = "NVML does not start: " +
                (error_string == nullptr ? "error " + std::to_string(status) : error_string(status));
}

Nvml::~Nvml() {
    const auto shutdown = library_.find<Shutdown>("nvmlShutdown");
    if (started_ && shutdown != nullptr) shutdown();
}

std::string Nvml::driver_version() const {
    const auto ask = library_.find<DriverVersion>("nvmlSystemGetDriverVersion");
    char version[driver_version_bytes] = "";
    if (!started_ || ask == nullptr || ask(version, sizeof(version)) != success) return {};
    return version;
}

NvmlReading Nvml::read(const std::string& pci_bus_id) const {
    NvmlReading reading;
    const auto find = library_.find<DeviceByPciBusId>("nvmlDeviceGetHandleByPciBusId_v2");
    Device device = nullptr;
    if (!started_ || find == nullptr || find(pci_bus_id.c_str(), &device) != success) return reading;
    const Reader reader(library_, device);
    if (const auto milliwatts = reader.number("nvmlDeviceGetPowerUsage")) reading.power_w = *milliwatts / 1e3;
    if (const auto milliwatts = reader.number("nvmlDeviceGetEnforcedPowerLimit"))
        reading.power_limit_w = *milliwatts / 1e3;
    if (const auto millijoules = reader.long_number("nvmlDeviceGetTotalEnergyConsumption"))
        reading.energy_j = static_cast<double>(*millijoules) / 1e3;
    reading.temperature_c = reader.number_of("nvmlDeviceGetTemperature", gpu_temperature);
    reading.sm_clock_mhz = reader.number_of("nvmlDeviceGetClockInfo", sm_clock);
    reading.sm_clock_limit_mhz = reader.number_of("nvmlDeviceGetMaxClockInfo", sm_clock);
    reading.memory_clock_mhz = reader.number_of("nvmlDeviceGetClockInfo", memory_clock);
    reading.memory_clock_limit_mhz = reader.number_of("nvmlDeviceGetMaxClockInfo", memory_clock);
    if (const auto memory = reader.memory()) {
        reading.memory_used_bytes = memory->used;
        reading.memory_total_bytes = memory->total;
    }
    reading.ecc = reader.ecc();
    return reading;
}

}  // namespace fovea
