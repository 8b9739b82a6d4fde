#include "lib/detect/detector_kinds.hpp"

#include <catch2/catch.hpp>

#include "lib/detect/detector.hpp"
#include "lib/files/file.hpp"
#include "lib/files/find_model.hpp"
#include "tests/support/sources.hpp"

using namespace fovea;

TEST_CASE("detector kinds: files tell their kind", "[detect][kinds]") {
    const auto name_of = [](const char* model) { return detector_kind_of(find_model(model)).name; };
    CHECK(name_of("wild") == "face network, e.g. `wild`");
    CHECK(name_of("mct") == "MCT cascade, e.g. `mct`");
    CHECK(name_of("lbpcascade_frontalface") == "Haar or LBP cascade of OpenCV");
    CHECK(name_of("haarcascade_frontalface_alt") == "Haar or LBP cascade of OpenCV");
}

TEST_CASE("detector kinds: a row says what its detectors say", "[detect][kinds]") {
    for (const char* model : {"wild", "mct", "lbpcascade_frontalface"}) {
        INFO(model);
        const std::filesystem::path file = find_model(model);
        const DetectorKind& kind = detector_kind_of(file);
        const auto detector = load_detector(file, DetectionDevice::cpu());
        CHECK(kind.traits.is_cascade == detector->traits().is_cascade);
        CHECK(kind.traits.is_cascade == (detector->as_cascade() != nullptr));
        CHECK(kind.traits.has_confidence == detector->traits().has_confidence);
        CHECK(kind.traits.min_score == detector->traits().min_score);
    }
}

TEST_CASE("detector kinds: lib/detect/README.md has the table of today", "[detect][kinds][documents]") {
    const std::string table = detector_kinds_table();
    const std::string readme = read_file(test::source_file("lib/detect/README.md"), "document");
    INFO("the table is\n" << table);
    CHECK(readme.find(table) != std::string::npos);
}
