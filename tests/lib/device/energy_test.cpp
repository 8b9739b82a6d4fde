#include "lib/device/energy.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/core/stopwatch.hpp"
#include "lib/device/rapl.hpp"
#include "lib/json/json.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea {
namespace {

using Catch::Matchers::Contains;

void write_domain(const test::TempDir& folder, const std::string& domain, const std::string& name,
                  const std::string& energy_uj, const std::string& range_uj = "1000000000") {
    folder.write(domain + "/name", name + "\n");
    folder.write(domain + "/energy_uj", energy_uj + "\n");
    folder.write(domain + "/max_energy_range_uj", range_uj + "\n");
}

void set_energy(const test::TempDir& folder, const std::string& domain, const std::string& energy_uj) {
    folder.write(domain + "/energy_uj", energy_uj + "\n");
}

}  // namespace

TEST_CASE("RAPL sums packages and memory and nothing twice", "[energy]") {
    const test::TempDir folder;
    write_domain(folder, "intel-rapl:0", "package-0", "5000000");
    write_domain(folder, "intel-rapl:1", "package-1", "0");
    write_domain(folder, "intel-rapl:0:0", "core", "4000000");
    write_domain(folder, "intel-rapl:0:1", "dram", "100");
    write_domain(folder, "intel-rapl:2", "psys", "9000000");
    write_domain(folder, "intel-rapl-mmio:0", "package-0", "5000000");
    Rapl rapl(folder.path());
    rapl.update();
    CHECK(rapl.packages_j() == 0.0);
    set_energy(folder, "intel-rapl:0", "7500000");
    set_energy(folder, "intel-rapl:1", "1000000");
    for (const char* other : {"intel-rapl:0:0", "intel-rapl:2", "intel-rapl-mmio:0"})
        set_energy(folder, other, "900000000");
    set_energy(folder, "intel-rapl:0:1", "250100");
    rapl.update();
    CHECK(rapl.packages_j().value() == Approx(3.5));
    CHECK(rapl.dram_j().value() == Approx(0.25));
}

TEST_CASE("RAPL's counters turn over", "[energy]") {
    const test::TempDir folder;
    write_domain(folder, "intel-rapl:0", "package-0", "9000000", "10000000");
    Rapl rapl(folder.path());
    rapl.update();
    set_energy(folder, "intel-rapl:0", "500000");  // 1 J to the end of the range, 0.5 J behind it
    rapl.update();
    CHECK(rapl.packages_j().value() == Approx(1.5));
    set_energy(folder, "intel-rapl:0", "400000");  // and nearly once around
    rapl.update();
    CHECK(rapl.packages_j().value() == Approx(11.4));
    CHECK_FALSE(rapl.dram_j().has_value());
    CHECK_THAT(rapl.why_no_dram(), Contains("no counter of memory"));
}

TEST_CASE("RAPL says why there is nothing", "[energy]") {
    const test::TempDir folder;
    Rapl nowhere(folder.path() / "none");
    nowhere.update();
    CHECK_FALSE(nowhere.packages_j().has_value());
    CHECK_THAT(nowhere.why_no_packages(), Contains("no intel-rapl counters"));

    write_domain(folder, "intel-rapl:0", "package-0", "5000000");
    write_domain(folder, "intel-rapl:1", "package-1", "");  // as one that must not be read
    Rapl half(folder.path());
    half.update();
    half.update();
    CHECK_FALSE(half.packages_j().has_value());
    CHECK_THAT(half.why_no_packages(), Contains("intel-rapl:1/energy_uj cannot be read"));

    write_domain(folder, "intel-rapl:1", "package-1", "50", "");
    Rapl no_range(folder.path());
    no_range.update();
    set_energy(folder, "intel-rapl:1", "40");
    no_range.update();
    CHECK_FALSE(no_range.packages_j().has_value());
    CHECK_THAT(no_range.why_no_packages(), Contains("range is not known"));
}

TEST_CASE("a meter takes the difference of a GPU's energy counter", "[energy]") {
    const test::TempDir folder;
    write_domain(folder, "intel-rapl:0", "package-0", "1000000");
    double first_j = 100, second_j = 7;
    EnergySources sources{folder.path(), {}, ""};
    sources.gpu = [&](const std::string& id) {
        NvmlReading reading;
        reading.energy_j = id == "a" ? first_j : second_j;
        reading.power_w = 1e6;  // not looked at where there is a counter
        return reading;
    };
    const std::vector<std::string> ids{"a", "b"}, names{"cuda:0", "cuda:3"};
    EnergyMeter meter(ids, sources);
    meter.start();
    first_j = 130;
    set_energy(folder, "intel-rapl:0", "3000000");
    const EnergyReading reading = meter.stop();
    CHECK(energy_to_json(reading, names, 60).dump() ==
          R"({"gpu":[{"device":"cuda:0","joules":30.0,"joules_per_image":0.5},)"
          R"({"device":"cuda:3","joules":0.0,"joules_per_image":0.0}],)"
          R"("cpu":{"joules":2.0,"joules_per_image":0.033333},"dram":{"unavailable":")" +
              folder.path().string() + R"( has no counter of memory"}})");

    // A second job begins at nothing; a counter that falls is no counter.
    meter.start();
    first_j = 131;
    second_j = 1;
    const EnergyReading again = meter.stop();
    CHECK(again.gpus[0].joules == 1.0);
    CHECK_FALSE(again.gpus[1].joules.has_value());
    CHECK_FALSE(energy_to_json(again, names, 0)["gpu"][0].contains("joules_per_image"));
}

TEST_CASE("a meter integrates the power of a GPU without a counter", "[energy]") {
    const test::TempDir folder;
    EnergySources sources{folder.path(), {}, ""};
    std::atomic<int> asked{0};
    sources.gpu = [&](const std::string&) {
        NvmlReading reading;
        reading.power_w = 400;
        ++asked;
        return reading;
    };
    const std::vector<std::string> ids{"a"}, names{"cuda:0"};
    EnergyMeter meter(ids, sources);
    const Stopwatch watch;
    meter.start();
    std::this_thread::sleep_for(std::chrono::milliseconds(350));
    const EnergyReading reading = meter.stop();
    const double seconds = watch.seconds();
    CHECK(reading.gpus[0].joules.value() <= 400 * seconds);
    CHECK(reading.gpus[0].joules.value() >= 400 * 0.35);
    CHECK(asked >= 3);
    CHECK(energy_to_json(reading, names, 1)["gpu"][0]["source"] == "power, sampled ten times a second");
}

TEST_CASE("a meter without GPUs or with silent ones says so", "[energy]") {
    const test::TempDir folder;
    const std::vector<std::string> ids{"a"}, names{"cuda:0"};
    EnergyMeter silent(ids, {folder.path(), [](const std::string&) { return NvmlReading(); }, ""});
    silent.start();
    CHECK_THAT(silent.stop().gpus[0].unavailable, Contains("neither the energy nor the power"));

    EnergyMeter none(ids, {folder.path(), {}, "there is no driver"});
    none.start();
    const Json json = energy_to_json(none.stop(), names, 5);
    CHECK(json["gpu"][0] == Json{{"device", "cuda:0"}, {"unavailable", "there is no driver"}});
    CHECK_THAT(json["cpu"]["unavailable"].get<std::string>(), Contains("no intel-rapl counters"));

    EnergyMeter cpu_only({});
    cpu_only.start();
    const EnergyReading reading = cpu_only.stop();
    CHECK(reading.gpus.empty());
    CHECK(reading.cpu.joules.has_value() == reading.cpu.unavailable.empty());
}

}  // namespace fovea
