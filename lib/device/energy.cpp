#include "lib/device/energy.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "lib/json/json.hpp"

namespace fovea {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds between_power_samples{100};
// RAPL's counters turn over after a minute at the earliest.
constexpr std::chrono::seconds between_counters{10};

double to_millijoules(double joules) {
    return std::round(joules * 1000) / 1000;
}

Json amount_to_json(const EnergyAmount& amount, std::size_t images) {
    Json json;
    if (!amount.joules) return json["unavailable"] = amount.unavailable, json;
    json["joules"] = to_millijoules(*amount.joules);
    if (images > 0)
        json["joules_per_image"] = std::round(*amount.joules / static_cast<double>(images) * 1e6) / 1e6;
    if (amount.from_power_samples) json["source"] = "power, sampled ten times a second";
    return json;
}

}  // namespace

/// The energy of one GPU since it was made.
class EnergyMeter::Gpu {
  public:
    void add(const NvmlReading& reading, Clock::time_point now) {
        if (!seen_) {
            seen_ = true;
            by_counter_ = reading.energy_j.has_value();
        }
        const std::optional<double>& value = by_counter_ ? reading.energy_j : reading.power_w;
        if (!value) {
            lost_ = true;
        } else if (!last_) {
            // Nothing to add yet.
        } else if (!by_counter_) {
            joules_ += (*last_ + *value) / 2 * std::chrono::duration<double>(now - last_time_).count();
        } else if (*value < *last_) {
            lost_ = true;  // the driver was loaded anew
        } else {
            joules_ += *value - *last_;
        }
        last_ = value;
        last_time_ = now;
    }

    bool by_power() const { return seen_ && !by_counter_ && !lost_; }

    EnergyAmount amount() const {
        if (lost_) return {{}, "NVML tells neither the energy nor the power of this GPU", false};
        return {joules_, "", !by_counter_};
    }

  private:
    bool seen_ = false, by_counter_ = false, lost_ = false;
    std::optional<double> last_;
    Clock::time_point last_time_;
    double joules_ = 0;
};

EnergySources EnergySources::of_this_machine(bool gpus) {
    EnergySources sources;
    if (!gpus) return sources;
    const auto nvml = std::make_shared<Nvml>();
    if (nvml->available()) {
        sources.gpu = [nvml](const std::string& pci_bus_id) { return nvml->read(pci_bus_id); };
    } else {
        sources.why_no_gpu = nvml->why_none();
    }
    return sources;
}

EnergyMeter::EnergyMeter(std::span<const std::string> gpu_pci_bus_ids)
    : EnergyMeter(gpu_pci_bus_ids, EnergySources::of_this_machine(!gpu_pci_bus_ids.empty())) {}

EnergyMeter::EnergyMeter(std::span<const std::string> gpu_pci_bus_ids, EnergySources sources)
    : sources_(std::move(sources)), gpu_ids_(gpu_pci_bus_ids.begin(), gpu_pci_bus_ids.end()) {}

EnergyMeter::~EnergyMeter() {
    end_watch();
}

void EnergyMeter::start() {
    end_watch();
    gpus_.assign(gpu_ids_.size(), Gpu());
    rapl_.emplace(sources_.powercap);
    running_ = true;
    update();
    thread_ = std::thread([this] { watch(); });
}

EnergyReading EnergyMeter::stop() {
    end_watch();
    update();
    EnergyReading reading;
    for (const Gpu& gpu : gpus_)
        reading.gpus.push_back(sources_.gpu ? gpu.amount() : EnergyAmount{{}, sources_.why_no_gpu, false});
    reading.cpu = {rapl_->packages_j(), rapl_->why_no_packages(), false};
    reading.dram = {rapl_->dram_j(), rapl_->why_no_dram(), false};
    return reading;
}

void EnergyMeter::update() {
    rapl_->update();
    if (!sources_.gpu) return;
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        const NvmlReading reading = sources_.gpu(gpu_ids_[i]);
        gpus_[i].add(reading, Clock::now());
    }
}

void EnergyMeter::watch() {
    const bool by_power =
        std::any_of(gpus_.begin(), gpus_.end(), [](const Gpu& gpu) { return gpu.by_power(); });
    const Clock::duration pause = by_power ? Clock::duration(between_power_samples) : between_counters;
    std::unique_lock lock(mutex_);
    while (!stopped_.wait_for(lock, pause, [this] { return !running_; })) update();
}

void EnergyMeter::end_watch() {
    {
        const std::lock_guard lock(mutex_);
        running_ = false;
    }
    stopped_.notify_all();
    if (thread_.joinable()) thread_.join();
}

Json energy_to_json(const EnergyReading& reading, std::span<const std::string> gpu_names,
                    std::size_t images) {
    Json json;
    json["gpu"] = Json::array();
    for (std::size_t i = 0; i < reading.gpus.size(); ++i) {
        Json gpu{{"device", gpu_names[i]}};
        gpu.update(amount_to_json(reading.gpus[i], images));
        json["gpu"].push_back(std::move(gpu));
    }
    json["cpu"] = amount_to_json(reading.cpu, images);
    json["dram"] = amount_to_json(reading.dram, images);
    return json;
}

}  // namespace fovea
