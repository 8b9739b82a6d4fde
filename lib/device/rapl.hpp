#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fovea {

/// Reads the energy counters of CPU packages and their memory (RAPL: Intel's, and AMD's since Zen; Linux
/// shows both as intel-rapl). They count the whole machine, other programs included.
class Rapl {
  public:
    static constexpr const char* powercap = "/sys/class/powercap";

    /// \param folder /sys/class/powercap or a folder like it, with intel-rapl:N/{name, energy_uj,
    /// max_energy_range_uj} for package N and intel-rapl:N:M/ for its parts.
    explicit Rapl(const std::filesystem::path& folder = powercap);

    /// Adds the energy that was used since the last call; the first call only reads the counters. They begin
    /// anew at max_energy_range_uj, after a minute or more of a busy package: call this more often than that.
    void update();

    /// The joules of all packages between the first and the last update(); absent with why_no_packages().
    std::optional<double> packages_j() const { return sum(packages_); }
    /// The joules of all memory, for which many packages have no counter; absent with why_no_dram().
    std::optional<double> dram_j() const { return sum(dram_); }
    /// The reason, a sentence; empty if there is none.
    const std::string& why_no_packages() const { return packages_.why_none; }
    const std::string& why_no_dram() const { return dram_.why_none; }

  private:
    struct Counter {
        std::filesystem::path file;
        std::uint64_t range_uj = 0;
        std::optional<std::uint64_t> last_uj;
        std::uint64_t used_uj = 0;
    };
    struct Domain {
        std::vector<Counter> counters;
        std::string why_none;
    };
    static void update(Domain& domain);
    static std::optional<double> sum(const Domain& domain);

    Domain packages_, dram_;
};

}  // namespace fovea
