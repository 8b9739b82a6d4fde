#include "lib/config/device_choice.hpp"

#include <catch2/catch.hpp>

#include "kernels/core/device.hpp"
#include "lib/core/error.hpp"
#include "lib/detect/detector.hpp"
#include "tests/support/edge_scene.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

TEST_CASE("devices are parsed strictly", "[device]") {
    using Kind = DeviceChoice::Kind;
    CHECK(parse_device("auto") == DeviceChoice{Kind::automatic, {}});
    CHECK(parse_device("cpu") == DeviceChoice{Kind::cpu, {}});
    CHECK(parse_device("cuda") == DeviceChoice{Kind::cuda, {}});
    CHECK(parse_device("cuda:0") == DeviceChoice{Kind::cuda, {0}});
    CHECK(parse_device("cuda:3,0,12") == DeviceChoice{Kind::cuda, {3, 0, 12}});
    CHECK(parse_device("cuda:all") == DeviceChoice{Kind::cuda, {}, true});
    for (const char* wrong :
         {"", "CPU", "cuda:ALL", "cuda:all,1", "gpu", "cuda:", "cuda:-1", "cuda:1,", "cuda:,1", "cuda:1 ",
          "cuda:x", "cuda:1x", "cuda:1,1", "cuda:99999999999", "cpu:0", "cuda0"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(parse_device(wrong), UsageError);
    }
}

TEST_CASE("a device is named as it is asked for", "[device]") {
    CHECK(DetectionDevice::cpu().name() == "cpu");
    CHECK_FALSE(DetectionDevice::cpu().is_cuda());
    CHECK(DetectionDevice{{0}, true}.name() == "cuda:0");
    CHECK(DetectionDevice{{3, 0, 12}, false}.name() == "cuda:3,0,12");
    CHECK(DetectionDevice{{3}, false}.is_cuda());
}

TEST_CASE("all GPUs are those that CUDA sees, and one that fails is an error", "[device]") {
    GpusPresent present{{0, 1, 2}, "", [](int) {}};
    CHECK(choose_detection_device("cuda:all", present) == DetectionDevice{{0, 1, 2}, false});
    present.open = [](int index) {
        if (index == 2) throw DeviceError("cuda:2: it is in prohibited mode");
    };
    CHECK_THROWS_WITH(choose_detection_device("cuda:all", present), Contains("prohibited"));
    CHECK_THROWS_AS(choose_detection_device("cuda:all", {{}, "no driver", {}}), UsageError);
}

TEST_CASE("the GPUs that were asked for are taken, or refused", "[device]") {
    std::vector<int> opened;
    GpusPresent present{{0, 1, 2}, "", [&](int index) {
                            opened.push_back(index);
                            if (index == 2) throw DeviceError("cuda:2: it is in prohibited mode");
                        }};
    CHECK(choose_detection_device("cpu", present) == DetectionDevice::cpu());
    CHECK(opened.empty());
    CHECK(choose_detection_device("cuda", present) == DetectionDevice{{0}, false});
    CHECK(choose_detection_device("cuda:1,0", present) == DetectionDevice{{1, 0}, false});
    CHECK(opened == std::vector<int>{0, 1, 0});
    CHECK_THROWS_AS(choose_detection_device("cuda:3", present), UsageError);
    CHECK_THROWS_WITH(choose_detection_device("cuda:0,3", present),
                      Contains("'cuda:0,3'") && Contains("no GPU 3"));
    CHECK_THROWS_WITH(choose_detection_device("cuda:2", present), Contains("prohibited mode"));
    CHECK_THROWS_AS(choose_detection_device("cuda:2", present), UsageError);

    const GpusPresent none{{}, "there is no driver", [](int) { FAIL("nothing to open"); }};
    CHECK(choose_detection_device("cpu", none) == DetectionDevice::cpu());
    CHECK_THROWS_AS(choose_detection_device("cuda", none), UsageError);
    CHECK_THROWS_WITH(choose_detection_device("cuda:0", none), Contains("there is no driver"));
}

TEST_CASE("auto takes the first GPU that works, else the CPU", "[device]") {
    const auto works = [](int) {};
    const auto fails = [](int) { throw DeviceError("it is broken"); };
    CHECK(choose_detection_device("auto", {{0, 1}, "", works}) == DetectionDevice{{0}, true});
    CHECK(choose_detection_device("auto", {{0, 1}, "", fails}) == DetectionDevice{{}, true});
    CHECK(choose_detection_device("auto", {{}, "there is no driver", works}) == DetectionDevice{{}, true});
}

TEST_CASE("a model asked for on a GPU never goes to the CPU unasked", "[device]") {
    const test::TempDir folder;
    const auto model = folder.write("edge.xml", test::edge_cascade());
    CHECK(load_detector(model, DetectionDevice::cpu())->device_name() == "cpu");
    CHECK_THROWS_AS(load_detector(model, {{99}, false}), DeviceError);
    // Chosen by the program, it may.
    const auto detector = load_detector(model, {{99}, true});
    CHECK(detector->device_name() == "cpu");
    CHECK(detector->counters().images == 0);
}

TEST_CASE("the device of this machine is one that it has", "[device]") {
    CHECK(open_detection_device("auto").is_cuda() == !cuda_devices().empty());
    CHECK_THROWS_AS(open_detection_device("cuda:99"), UsageError);
}
