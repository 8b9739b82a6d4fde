// Files of dlib's face recognition network: written by hand, dlib's own, and of those who mean harm.

#include "lib/recognise/networks/dlib_resnet.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernels/face_embedding/face_resnet.hpp"
#include "lib/core/error.hpp"
#include "lib/core/splitmix.hpp"
#include "lib/files/file.hpp"
#include "tests/support/dlib_models.hpp"
#include "tests/support/dlib_resnets.hpp"
#include "tests/support/face_resnets.hpp"
#include "tests/support/sources.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

const std::vector<DlibPart>& good_parts() {
    static const std::vector<DlibPart> parts = dlib_resnet_parts();
    return parts;
}

const std::string& good_bytes() {
    static const std::string bytes = joined_parts(good_parts());
    return bytes;
}

/// The error of a file, or "none".
std::string problem(std::string_view bytes) {
    try {
        check_face_resnet(parse_dlib_resnet(bytes, "face.dat"));
        return "none";
    } catch (const Error& error) {
        REQUIRE_THAT(error.what(), Contains("face.dat is not dlib's face recognition network: at offset ") &&
                                       Contains("; fetch dlib_face_recognition_resnet_model_v1.dat again."));
        return error.what();
    }
}

/// The error if a part, the `skipped`-th further one of its label, has other bytes.
std::string replaced(const std::string& label, const std::string& bytes, std::size_t skipped = 0) {
    std::string file;
    bool is_replaced = false;
    for (const DlibPart& part : good_parts()) {
        const bool is_it = !is_replaced && part.label == label && skipped-- == 0;
        file += is_it ? bytes : part.bytes;
        is_replaced = is_replaced || is_it;
    }
    REQUIRE(is_replaced);
    return problem(file);
}

std::string dlib_name(const std::string& text) {
    return dlib_integer(static_cast<std::int64_t>(text.size())) + text;
}

}  // namespace

TEST_CASE("dlib's resnet: a file by hand, with its normalisation and colours folded", "[dlib_resnet]") {
    const FaceResnetWeights expected = folded_dlib_resnet();
    check_face_resnet(expected);
    const FaceResnetWeights weights = parse_dlib_resnet(good_bytes(), "face.dat");
    CHECK(weights.stem.bias == expected.stem.bias);
    CHECK((weights.stem.weights == expected.stem.weights));
    CHECK((weights.blocks[10][1] == expected.blocks[10][1]));
    CHECK((weights == expected));

    DlibResnetSettings settings;
    settings.other_names = true;
    CHECK((parse_dlib_resnet(joined_parts(dlib_resnet_parts(settings)), "face.dat") == expected));
    settings.has_training_state = true;
    CHECK((parse_dlib_resnet(joined_parts(dlib_resnet_parts(settings)), "face.dat") == expected));

    const TempDir folder;
    CHECK((read_dlib_resnet(folder.write("face.dat", good_bytes())) == expected));
}

TEST_CASE("dlib's resnet: files that are not there, or no models", "[dlib_resnet]") {
    const TempDir folder;
    CHECK_THROWS_AS(read_dlib_resnet(folder.path() / "none.dat"), UsageError);
    CHECK_THROWS_AS(read_dlib_resnet(folder.path()), UsageError);
    CHECK_THROWS_WITH(read_dlib_resnet(folder.write("empty.dat", "")), Contains("empty.dat"));
    CHECK_THROWS_WITH(read_dlib_resnet(folder.write("page.dat", "<!DOCTYPE html><html></html>")),
                      Contains("page.dat"));
    for (const std::string& text : {std::string("hello, world: this is no model"), std::string(1000, '\0'),
                                    std::string(1000, '\x01'), std::string(1000, '\xff')}) {
        CHECK(problem(text) != "none");
    }
    // A landmark model of dlib.
    CHECK(problem(dlib_bytes(random_dlib_model({}, 1))) != "none");
}

TEST_CASE("dlib's resnet: other networks are refused with what is different", "[dlib_resnet]") {
    CHECK_THAT(replaced("network: version", dlib_integer(2)),
               Contains("at offset 0 is the version of the network, 2, where 1 is expected"));
    CHECK_THAT(replaced("network: name", dlib_name("loss_mmod_")),
               Contains("at offset 2 the layer 'loss_mmod_' begins, where 'loss_metric_2' is expected"));
    CHECK_THAT(replaced("network: name", dlib_name("lo\nss\xff")), Contains("the layer 'lo?ss?' begins"));
    CHECK_THAT(replaced("network: name", dlib_name(std::string(65, 'a'))),
               Contains("a name of 65 characters"));
    CHECK_THAT(replaced("layer 5: version", dlib_integer(3)), Contains("the version of a layer, 3"));
    CHECK_THAT(replaced("layer 0: version", dlib_integer(1)), Contains("the version of a layer, 1"));
    CHECK_THAT(replaced("layer 4: version", dlib_integer(2)), Contains("the version of a tag, 2"));
    CHECK_THAT(replaced("input: name", dlib_name("input_rgb_image")), Contains("'input_rgb_image' begins"));
    CHECK_THAT(replaced("input: mean", dlib_real(std::nanf(""))), Contains("a colour's mean"));
    CHECK_THAT(replaced("input: height", dlib_integer(160)),
               Contains("is the picture's height, 160, where 150 is expected"));
    CHECK_THAT(replaced("layer 0: name", dlib_name("con_3")), Contains("'con_3' begins, where 'con_4'"));
    CHECK_THAT(replaced("layer 0: name", dlib_name("bn_con2")), Contains("'bn_con2' begins"));
    CHECK_THAT(replaced("layer 0: outputs", dlib_integer(16)), Contains("outputs, 16, where 32"));
    CHECK_THAT(replaced("layer 0: stride", dlib_integer(1), 1), Contains("horizontal stride, 1, where 2"));
    CHECK_THAT(replaced("layer 5: border", dlib_integer(0)), Contains("vertical border, 0, where 1"));
    CHECK_THAT(replaced("layer 5: height", dlib_integer(5)), Contains("height, 5, where 3"));
    CHECK_THAT(replaced("layer 5: part's dimension", dlib_integer(16), 1), Contains("16, where 32"));
    CHECK_THAT(replaced("layer 6: mode", dlib_integer(1)), Contains("the mode of an affine layer, 1"));
    CHECK_THAT(replaced("layer 3: name", dlib_name("avg_pool_2")), Contains("where 'max_pool_2'"));
    CHECK_THAT(replaced("layer 2: name", dlib_name("prelu_")), Contains("'prelu_' begins, where 'relu_'"));
    CHECK_THAT(replaced("layer 128: name", dlib_name("")), Contains("at offset") && Contains("the layer ''"));
    CHECK_THAT(replaced("layer 129: outputs", dlib_integer(64)), Contains("the length of a vector, 64"));
    CHECK_THAT(replaced("layer 129: mode", dlib_integer(0)), Contains("the mode of the projection, 0"));
}

TEST_CASE("dlib's resnet: impossible numbers and sizes are refused", "[dlib_resnet]") {
    constexpr std::int64_t huge = std::int64_t{1} << 40;
    CHECK_THAT(replaced("layer 0: dimension", dlib_integer(huge)),
               Contains("a tensor's dimension, 1099511627776, which is not between"));
    CHECK_THAT(replaced("layer 0: dimension", dlib_integer(-1)), Contains("a tensor's dimension, -1, which"));
    CHECK_THAT(replaced("layer 0: dimension", dlib_integer(5'000'000), 1),
               Contains("more values for the weights of a convolution than the rest"));
    CHECK_THAT(replaced("layer 0: dimension", dlib_integer(4735)),
               Contains("has 4735 values for the weights of a convolution, where 4736"));
    CHECK_THAT(replaced("layer 0: tensor's version", dlib_integer(1)),
               Contains("the version of a tensor, 1"));
    CHECK_THAT(replaced("layer 0: state", "2"), Contains("a layer's state is neither '0' nor '1'"));
    CHECK_THAT(replaced("layer 0: pictures of a picture", dlib_integer(2)), Contains("2, where 1"));
    CHECK_THAT(problem(good_bytes() + '\0'), Contains("continues for 1 byte"));

    const auto with_value = [](const std::string& label, std::size_t place, std::uint32_t word) {
        const auto part = std::find_if(good_parts().begin(), good_parts().end(),
                                       [&](const DlibPart& candidate) { return candidate.label == label; });
        std::string bytes = part->bytes;
        for (std::size_t i = 0; i < 4; ++i) bytes[4 * place + i] = static_cast<char>(word >> 8 * i & 255U);
        return replaced(label, bytes);
    };
    constexpr std::uint32_t infinity = 0x7f800000, largest = 0x7f7fffff, nan = 0x7fc00000;
    CHECK_THAT(with_value("layer 5: values", 3, infinity),
               Contains("a value of the weights of a convolution is not a finite number"));
    CHECK_THAT(with_value("layer 6: values", 40, nan), Contains("affine layer is not a finite number"));
    CHECK_THAT(with_value("layer 129: values", 7, nan), Contains("projection is not a finite number"));
    // The largest number is one, but not its products and sums.
    CHECK(with_value("layer 0: values", 0, largest) == "none");
    std::string all_largest;
    for (int i = 0; i < 64; ++i) all_largest += {'\xff', '\xff', '\x7f', '\x7f'};
    CHECK_THAT(replaced("layer 6: values", all_largest), Contains("are not finite"));
}

TEST_CASE("dlib's resnet: files that were cut off are refused", "[dlib_resnet]") {
    const std::string& bytes = good_bytes();
    for (std::size_t length = 0; length < 700; ++length) REQUIRE(problem({bytes.data(), length}) != "none");
    std::size_t end = 0;
    for (std::size_t i = 0; i < good_parts().size(); ++i) {
        end += good_parts()[i].bytes.size();
        if (i % 101 != 0 && end + 30 < bytes.size()) continue;
        CAPTURE(good_parts()[i].label);
        REQUIRE(problem({bytes.data(), end - 1}) != "none");
        if (end < bytes.size()) REQUIRE(problem({bytes.data(), end}) != "none");
    }
    REQUIRE(end == bytes.size());
    CHECK(problem(bytes) == "none");
}

TEST_CASE("dlib's resnet: files with other bytes are read or refused", "[dlib_resnet]") {
    std::string bytes = good_bytes();
    const auto survive = [&](std::size_t place, char byte) {
        std::swap(bytes[place], byte);
        problem(bytes);
        std::swap(bytes[place], byte);
    };
    // Every byte of the beginning, then some of what describes the layers.
    for (std::size_t place = 0; place < 420; ++place) {
        for (const char byte : {'\0', '\x7f', '\xff'}) survive(place, byte);
    }
    std::size_t start = 0;
    for (std::size_t i = 0; i < good_parts().size(); ++i) {
        if (i % 61 == 0 && !good_parts()[i].bytes.empty()) survive(start, static_cast<char>(mixed(i) % 256));
        start += good_parts()[i].bytes.size();
    }
    CHECK(problem(bytes) == "none");
}

TEST_CASE("dlib's resnet: the official file gives dlib's vectors", "[dlib_resnet]") {
    const char* const file = std::getenv("FOVEA_FACE_RESNET");
    if (file == nullptr) {
        WARN("not run: FOVEA_FACE_RESNET does not name dlib_face_recognition_resnet_model_v1.dat");
        return;
    }
    const FaceResnet net(Device::cpu(), read_dlib_resnet(file));
    const auto golden = nlohmann::json::parse(
        read_file(test::source_file("tests/data/face_resnet/dlib_vectors.json"), "test data"));
    const auto vectors = golden.at("vectors").get<std::vector<std::vector<double>>>();
    REQUIRE(vectors.size() == 6);
    for (std::size_t number = 0; number < vectors.size(); ++number) {
        std::vector<float> vector(face_resnet_length);
        net.describe(drawn_face(number).data(), 1, vector.data());
        REQUIRE(vectors[number].size() == vector.size());
        for (std::size_t i = 0; i < vector.size(); ++i) {
            CAPTURE(number, i);
            REQUIRE(std::abs(vector[i] - vectors[number][i]) < 1e-5);
        }
    }
}
