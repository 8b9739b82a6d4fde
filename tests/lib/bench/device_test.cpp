#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/core/buffer.hpp"
#include "lib/bench/figures.hpp"
#include "lib/bench/jpeg_rate.hpp"
#include "lib/device/nvml.hpp"
#include "lib/image/nvjpeg.hpp"
#include "lib/image/read_grey.hpp"
#include "lib/json/json.hpp"
#include "lib/process/dynamic_library.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea {
namespace {

using Catch::Matchers::Contains;

}  // namespace

TEST_CASE("a rate is work by time, its quartiles by rate", "[device]") {
    // Times 1, 2, 4, 8, 10 s: quartiles 2, 4, 8.
    const Figure figure =
        rate_figure("cpu", {"copy", "a copy", "much"}, "GB/s", 1e9, {8e9, {4.0, 1.0, 10.0, 2.0, 8.0}});
    CHECK(figure.median == Approx(2));
    CHECK(figure.quartile_1 == Approx(1));
    CHECK(figure.quartile_3 == Approx(4));
    CHECK(figure.best == Approx(8));
    CHECK(figure.repetitions == 5);
    CHECK(figure.unit == "GB/s");
}

TEST_CASE("a latency is time by work in microseconds", "[device]") {
    const Figure figure = latency_figure("cuda:0", {"launch", "", ""}, {2, {8e-6, 4e-6, 6e-6}});
    CHECK(figure.median == Approx(3));
    CHECK(figure.quartile_1 == Approx(2.5));
    CHECK(figure.quartile_3 == Approx(3.5));
    CHECK(figure.best == Approx(2));
    CHECK(figure.unit == "µs");
}

TEST_CASE("a figure's JSON holds four digits and says what it bounds", "[device]") {
    Figure figure;
    figure.device = "cuda:0";
    figure.name = "launch";
    figure.unit = "µs";
    figure.bounds = "one image alone";
    figure.median = 3.14159;
    figure.quartile_1 = 0.0271828;
    figure.quartile_3 = 4261.37;
    figure.best = 16723456.0;
    figure.repetitions = 7;
    CHECK(figure_json(figure).dump() ==
          R"({"device":"cuda:0","name":"launch","median":3.142,"quartile_1":0.02718,"quartile_3":4261.0,)"
          R"("best":16720000.0,"unit":"µs","repetitions":7,"bounds":"one image alone"})");
}

TEST_CASE("a library is loaded if it is there", "[device]") {
    const DynamicLibrary libc({"libfovea-none.so.1", "libc.so.6"});
    REQUIRE(libc.loaded());
    CHECK_THAT(libc.file(), Contains("/libc.so.6"));
    CHECK(libc.why_none().empty());
    const auto absolute = libc.find<int (*)(int)>("abs");
    REQUIRE(absolute != nullptr);
    CHECK(absolute(-3) == 3);
    CHECK(libc.find<int (*)(int)>("fovea_has_no_such_function") == nullptr);

    const DynamicLibrary none({"libfovea-none.so.1"});
    CHECK_FALSE(none.loaded());
    CHECK(none.file().empty());
    CHECK_THAT(none.why_none(), Contains("libfovea-none.so.1"));
    CHECK(none.find<int (*)(int)>("abs") == nullptr);
}

TEST_CASE("NVML is there or says why not", "[device]") {
    const Nvml nvml;
    CHECK(nvml.available() == nvml.why_none().empty());
    CHECK((nvml.available() || nvml.driver_version().empty()));
    const NvmlReading nothing = nvml.read("ffff:ff:1f.7");
    CHECK_FALSE(nothing.power_w.has_value());
    CHECK_FALSE(nothing.memory_used_bytes.has_value());
    CHECK_FALSE(nothing.ecc.has_value());
}

TEST_CASE("NVML reads a GPU", "[device][cuda]") {
    const std::optional<Device> device = test::gpu();
    if (!device) return;
    const Nvml nvml;
    if (!nvml.available()) {
        WARN("not run: " << nvml.why_none());
        return;
    }
    CHECK_FALSE(nvml.driver_version().empty());
    const NvmlReading reading = nvml.read(cuda_pci_bus_id(device->index()));
    if (reading.temperature_c) {
        CHECK(*reading.temperature_c > 0);
        CHECK(*reading.temperature_c < 120);
    }
    if (reading.memory_used_bytes) CHECK(*reading.memory_used_bytes <= *reading.memory_total_bytes);
    if (reading.power_w) CHECK(*reading.power_w > 0);
    if (reading.sm_clock_mhz) CHECK(*reading.sm_clock_mhz > 0);
}

TEST_CASE("work beside the JPEG engines leaves them some multiprocessors", "[device][cuda]") {
    const std::optional<Device> device = test::gpu();
    if (!device) return;
    CHECK(device->share() == GpuShare::all);
    const int all = multiprocessors(device->index(), GpuShare::all);
    const int beside = multiprocessors(device->index(), GpuShare::leave_room_for_nvjpeg);
    CHECK(all == cuda_devices().at(static_cast<std::size_t>(device->index())).multiprocessors);
    // All are taken if the driver shares nothing out.
    CHECK((beside == all || (beside == all - 4 && all >= 32)));
    // Both kinds of stream, opened and closed by turns, and moved.
    for (int i = 0; i < 3; ++i) {
        Device sharing = Device::cuda(device->index(), GpuShare::leave_room_for_nvjpeg);
        CHECK(sharing.share() == GpuShare::leave_room_for_nvjpeg);
        Device other = Device::cuda(device->index());
        std::swap(sharing, other);
        CHECK(other.share() == GpuShare::leave_room_for_nvjpeg);
        std::vector<int> numbers(1000, i), copied(1000);
        Buffer<int> buffer(other, numbers.size());
        buffer.upload(numbers.data(), numbers.size());
        buffer.download(copied.data(), copied.size());
        CHECK(copied == numbers);
    }
}

TEST_CASE("a GPU that is not there has no multiprocessors", "[device]") {
    CHECK_THROWS_AS(multiprocessors(1'000'000, GpuShare::all), DeviceError);
    CHECK_THROWS_AS(multiprocessors(1'000'000, GpuShare::leave_room_for_nvjpeg), DeviceError);
    CHECK_THROWS_AS(Device::cuda(1'000'000, GpuShare::leave_room_for_nvjpeg), DeviceError);
}

TEST_CASE("the synthetic JPEG is like a photograph", "[device]") {
    const JpegSample sample = synthetic_jpeg_sample();
    CHECK(sample.size == Size{1920, 1080});
    const double bits = 8.0 * static_cast<double>(sample.bytes.size()) / (1920 * 1080);
    CHECK(bits > 1.5);
    CHECK(bits < 4);
    CHECK(sample.bytes == synthetic_jpeg_sample().bytes);
    const GreyImage image = decode_grey_image(sample.bytes);
    REQUIRE(image.width == 1920);
    double sum = 0, squares = 0;
    for (const std::uint8_t pixel : image.pixels) sum += pixel, squares += double{1} * pixel * pixel;
    const double mean = sum / static_cast<double>(image.pixels.size());
    CHECK(mean > 90);
    CHECK(mean < 165);
    CHECK(std::sqrt(squares / static_cast<double>(image.pixels.size()) - mean * mean) > 15);
    const Timing timing = measure_cpu_jpeg(sample, 1);
    CHECK(timing.work == 1);
    CHECK(timing.seconds.at(0) > 0);
}

TEST_CASE("only a whole JPEG is measured with", "[device]") {
    const test::TempDir folder;
    const std::vector<std::uint8_t> jpeg = synthetic_jpeg_sample().bytes;
    const std::string bytes(jpeg.begin(), jpeg.end());
    const JpegSample sample = read_jpeg_sample(folder.write("photo.jpg", bytes));
    CHECK(sample.size == Size{1920, 1080});
    CHECK(sample.bytes == jpeg);
    CHECK_THAT(sample.description, Contains("photo.jpg"));
    CHECK_THROWS_AS(read_jpeg_sample(folder.write("grey.pgm", "P5\n1 1\n255\n\x80")), UsageError);
    CHECK_THROWS_AS(read_jpeg_sample(folder.path() / "none.jpg"), UsageError);
    CHECK_THROWS_WITH(read_jpeg_sample(folder.write("half.jpg", bytes.substr(0, bytes.size() / 2))),
                      Contains("half.jpg") && Contains("truncated"));
}

TEST_CASE("nvJPEG is there or says why not", "[device]") {
    const NvJpegLibrary& library = nvjpeg_library();
    CHECK(library.loaded == library.why_none.empty());
    CHECK(library.built == !library.built_version.empty());
    CHECK((library.built || !library.loaded));
    CHECK(library.loaded == !library.version.empty());
    const Device cpu = Device::cpu();
    CHECK_THROWS_AS(NvJpegDecoder(cpu, NvJpegBackend::multiprocessors), NvJpegUnavailable);
    CHECK_THROWS_AS(NvJpegDecoder(cpu, NvJpegBackend::engines), NvJpegUnavailable);
}

TEST_CASE("nvJPEG decodes what TurboJPEG decodes", "[device][cuda]") {
    const std::optional<Device> device = test::gpu();
    if (!device) return;
    const JpegSample sample = synthetic_jpeg_sample();
    const GreyImage expected = decode_grey_image(sample.bytes);
    const auto [width, height] = sample.size;
    const int stride = width + 64;  // what lies between the rows must stay as it is
    for (const auto backend : {NvJpegBackend::engines, NvJpegBackend::multiprocessors}) {
        CAPTURE(static_cast<int>(backend));
        try {
            NvJpegDecoder decoder(*device, backend);
            CHECK(decoder.backend() == backend);
            CHECK(decoder.size(sample.bytes) == sample.size);
            REQUIRE(decoder.supports(sample.bytes));
            const std::vector<std::uint8_t> text{'n', 'o', 'n', 'e'};
            CHECK_THROWS_AS(decoder.size(text), NvJpegRefused);
            CHECK_FALSE(decoder.supports(text));
            for (const std::size_t batch : {1, 3, 64}) {
                CAPTURE(batch);
                const std::size_t each = static_cast<std::size_t>(stride) * height;
                Buffer<std::uint8_t> memory(*device, batch * each);
                std::vector<std::uint8_t> pixels(batch * each, 7);
                memory.upload(pixels.data(), pixels.size());
                const std::vector<codec::Bytes> files(batch, codec::Bytes(sample.bytes));
                std::vector<ImageView<std::uint8_t>> images(batch);
                for (std::size_t i = 0; i < batch; ++i)
                    images[i] = {memory.data() + i * each, width, height, stride};
                decoder.decode_grey(files, images);
                memory.download(pixels.data(), pixels.size());
                int largest = 0;
                bool gaps_kept = true;
                for (std::size_t row = 0; row < batch * height; ++row) {
                    const std::size_t y = row % height;
                    for (int x = 0; x < width; ++x) {
                        const int difference = pixels[row * stride + x] - expected.pixels[y * width + x];
                        largest = std::max(largest, std::abs(difference));
                    }
                    for (int x = width; x < stride; ++x)
                        gaps_kept = gaps_kept && pixels[row * stride + x] == 7;
                }
                CHECK(largest <= 4);
                CHECK(gaps_kept);
            }
        } catch (const NvJpegUnavailable& none) {
            WARN("not run: " << none.what());
        }
    }
}

}  // namespace fovea
