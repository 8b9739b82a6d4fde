#include "lib/landmark/quantised_model.hpp"

#include <bit>
#include <limits>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/json.hpp"
#include "lib/landmark/landmark_file.hpp"
#include "tests/lib/landmark/landmark_models.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

constexpr std::size_t hash_bytes = 64;

// The same file with a hash that fits: as somebody would write it who knows the format.
std::string with_hash(std::string bytes) {
    bytes.resize(bytes.size() - hash_bytes);
    return bytes + sha256_of(bytes);
}

std::string with_number(std::string bytes, std::size_t offset, std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) bytes[offset + i] = static_cast<char>(value >> 8 * i & 0xFF);
    return with_hash(std::move(bytes));
}

// Another JSON part, and the lengths that belong to it.
std::string with_json(const std::string& bytes, const std::string& json) {
    const std::size_t old = static_cast<std::uint8_t>(bytes[12]) + 256 * static_cast<std::uint8_t>(bytes[13]);
    std::string changed = bytes.substr(0, 24) + json + bytes.substr(24 + old);
    changed = with_number(changed, 12, json.size(), 4);
    return with_number(changed, 16, changed.size(), 8);
}

std::string error_of(const std::string& bytes) {
    try {
        parse_quantised_model(bytes, "some.fvlm");
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

std::size_t json_length(const std::string& bytes) {
    return static_cast<std::uint8_t>(bytes[12]) + 256 * static_cast<std::uint8_t>(bytes[13]);
}

}  // namespace

TEST_CASE("a quantised landmark model is read as it was written", "[landmark][fvlm]") {
    const TrainedLandmarks written = tiny_landmarks();
    const std::string bytes = quantised_model_bytes(written);
    CHECK(is_quantised_model(bytes));
    const TrainedLandmarks read = parse_quantised_model(bytes, "some.fvlm");
    CHECK(read.name == "tiny");
    CHECK(read.training == written.training);
    CHECK(read.model.points == 3);
    CHECK(read.model.depth == 2);
    CHECK(read.model.subpixels == 16);
    CHECK(read.model.initial_shape == written.model.initial_shape);
    REQUIRE(read.model.cascades.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const LandmarkCascade& a = read.model.cascades[i];
        const LandmarkCascade& b = written.model.cascades[i];
        CHECK(a.pixels == b.pixels);
        CHECK(a.trees == b.trees);
        CHECK(a.splits == b.splits);
        CHECK(a.leaf_unit == b.leaf_unit);
        CHECK(a.quantised_leaves == b.quantised_leaves);
        CHECK(a.leaves.empty());
    }
    CHECK_NOTHROW(check_landmark_model(read.model));
}

TEST_CASE("a landmark model that fits boxes anew has a file of version 2", "[landmark][fvlm]") {
    TrainedLandmarks landmarks = tiny_landmarks();
    landmarks.model.refit_after = 1;
    const std::string bytes = quantised_model_bytes(landmarks);
    CHECK(bytes[8] == 2);
    CHECK(parse_quantised_model(bytes, "some.fvlm").model.refit_after == 1);
    CHECK(quantised_model_bytes(parse_quantised_model(bytes, "some.fvlm")) == bytes);
    // A program of before must not read it as one that fits none, nor this one a file of version 1 that says
    // so.
    CHECK_THAT(error_of(with_number(bytes, 8, 1, 4)), Contains("refit_after"));
    const std::string old = quantised_model_bytes(tiny_landmarks());
    CHECK(parse_quantised_model(old, "some.fvlm").model.refit_after == 0);
    CHECK_THAT(error_of(with_number(old, 8, 2, 4)), Contains("refit_after"));

    landmarks.model.initial_shape.assign(6, 0.5F);
    CHECK_THROWS_WITH(quantised_model_bytes(landmarks), Contains("whose points are one"));
}

TEST_CASE("a quantised landmark model has the bytes that its format says", "[landmark][fvlm]") {
    const TrainedLandmarks written = tiny_landmarks();
    const std::string bytes = quantised_model_bytes(written);
    CHECK(bytes.substr(0, 12) == std::string("FVLM\r\n\x1a\n\x01\0\0\0", 12));
    const std::size_t json = json_length(bytes);
    CHECK(bytes.substr(24, 15) == R"({"name":"tiny",)");
    // 3 points; 2 cascades of 4 pixels and 2 trees of 3 splits and 4 leaves, without the stride's padding.
    const std::size_t cascade = 12 + 4 * 10 + 2 * 3 * 6 + 2 * 4 * 6;
    REQUIRE(bytes.size() == 24 + json + 6 * 4 + 2 * cascade + hash_bytes);
    const std::size_t first = 24 + json + 6 * 4;
    // 0.25 is 0x3E800000.
    CHECK(bytes.substr(24 + json, 4) == std::string("\0\0\x80\x3E", 4));
    CHECK(bytes.substr(first, 8) == std::string("\x04\0\0\0\x02\0\0\0", 8));
    // A negative threshold in two's complement: the first split is (0, 1, -100).
    CHECK(bytes.substr(first + 12 + 4 * 10, 6) == std::string("\0\0\x01\0\x9C\xFF", 6));
    CHECK(sha256_of(bytes.substr(0, bytes.size() - hash_bytes)) == bytes.substr(bytes.size() - hash_bytes));
}

TEST_CASE("a quantised landmark model that was cut short is refused at every length", "[landmark][fvlm]") {
    const std::string bytes = quantised_model_bytes(tiny_landmarks());
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        CAPTURE(length);
        REQUIRE_THAT(error_of(bytes.substr(0, length)),
                     Contains("some.fvlm is not a landmark model that can be read: at offset"));
        // Its lengths and hash made to fit, what is missing must still be seen.
        if (length < 24 + hash_bytes) continue;
        std::string fitting = with_number(bytes.substr(0, length), 16, length, 8);
        REQUIRE_THAT(error_of(fitting), Contains("at offset"));
    }
    CHECK_THAT(error_of(bytes + "x"), Contains("at offset 16 the length of the file is stated as"));
    std::string longer = bytes.substr(0, bytes.size() - hash_bytes) + "more" + std::string(hash_bytes, '0');
    CHECK_THAT(error_of(with_number(longer, 16, longer.size(), 8)), Contains("but 4 bytes follow"));
}

TEST_CASE("a quantised landmark model that was altered is refused", "[landmark][fvlm]") {
    const std::string bytes = quantised_model_bytes(tiny_landmarks());
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        CAPTURE(at);
        std::string altered = bytes;
        altered[at] = static_cast<char>(altered[at] ^ 0x10);
        REQUIRE_THAT(error_of(altered), Contains("at offset"));
    }
}

TEST_CASE("absurd numbers in a quantised landmark model are refused before memory is taken",
          "[landmark][fvlm]") {
    const std::string bytes = quantised_model_bytes(tiny_landmarks());
    const std::size_t first = 24 + json_length(bytes) + 6 * 4;
    CHECK_THAT(error_of(with_number(bytes, 8, 3, 4)), Contains("at offset 8 is version 3"));
    CHECK_THAT(error_of(with_number(bytes, 12, 0xFFFFFFFF, 4)), Contains("cannot hold the JSON part"));
    CHECK_THAT(error_of(with_number(bytes, first, 0, 4)), Contains("0 pixels, not 1 to 65536"));
    CHECK_THAT(error_of(with_number(bytes, first, 65536, 4)), Contains("cannot hold 65536 pixels"));
    CHECK_THAT(error_of(with_number(bytes, first, 0xFFFFFFFF, 4)), Contains("not 1 to 65536"));
    CHECK_THAT(error_of(with_number(bytes, first + 4, 0, 4)), Contains("has no tree"));
    CHECK_THAT(error_of(with_number(bytes, first + 4, 0xFFFFFFFF, 4)),
               Contains("cannot hold 4294967295 trees of depth 2"));
    const auto infinity = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity());
    CHECK_THAT(error_of(with_number(bytes, first + 8, infinity, 4)),
               Contains("the unit of leaves is not a finite number"));
    CHECK_THAT(error_of(with_number(bytes, 24 + json_length(bytes), infinity, 4)),
               Contains("the initial shape is not a finite number"));
    CHECK_THAT(error_of(with_number(bytes, first + 12, 3, 2)), Contains("at landmark 3 of 3"));
    CHECK_THAT(error_of(with_number(bytes, first + 14, infinity, 4)), Contains("a pixel's offset is not"));
    const std::size_t split = first + 12 + 4 * 10;
    CHECK_THAT(error_of(with_number(bytes, split + 2, 4, 2)), Contains("the pixels 0 and 4 of 4"));
    CHECK_THAT(error_of(with_number(bytes, split + 4, 256, 2)), Contains("the threshold 256"));

    const auto described = [&](const std::string& key, const Json& value) {
        Json json = Json::parse(bytes.substr(24, json_length(bytes)));
        json[key] = value;
        return error_of(with_json(bytes, json.dump()));
    };
    CHECK_THAT(described("points", 0), Contains("'points' must be 1 to 4096, but is 0"));
    CHECK_THAT(described("points", 4096), Contains("cannot hold the initial shape"));
    CHECK_THAT(described("points", "3"), Contains("not that of a landmark model"));
    CHECK_THAT(described("depth", 17), Contains("'depth' must be 0 to 16, but is 17"));
    CHECK_THAT(described("depth", 16), Contains("cannot hold 2 trees of depth 16"));
    CHECK_THAT(described("subpixels", 0), Contains("'subpixels' must be 1 to 256, but is 0"));
    CHECK_THAT(described("cascades", -1), Contains("'cascades' must be an integer of at least 0, but is -1"));
    CHECK_THAT(described("cascades", 65536), Contains("cannot hold 65536 cascades"));
    CHECK_THAT(described("cascades", 1), Contains("bytes follow"));
    CHECK_THAT(error_of(with_json(bytes, "[1, 2]")), Contains("not that of a landmark model"));
    CHECK_THAT(error_of(with_json(bytes, "{")), Contains("not that of a landmark model"));
}

TEST_CASE("landmark model files are told apart by how they begin", "[landmark][fvlm]") {
    const TempDir folder;
    const auto file = folder.path() / "tiny.fvlm";
    write_quantised_model(tiny_landmarks(), file);
    CHECK(read_landmark_model(file).cascades.size() == 2);
    CHECK(read_quantised_model(file).name == "tiny");
    CHECK_THROWS_WITH(read_landmark_model(folder.write("short.fvlm", "FVLM")), Contains("short.fvlm"));
    CHECK_THROWS_AS(read_quantised_model(folder.path() / "none.fvlm"), UsageError);
}

TEST_CASE("what is no quantised landmark model is not written", "[landmark][fvlm]") {
    TrainedLandmarks landmarks = tiny_landmarks();
    LandmarkCascade& cascade = landmarks.model.cascades[1];
    cascade.leaves.assign(cascade.quantised_leaves.size(), 0.5F);
    cascade.quantised_leaves.clear();
    CHECK_THROWS_AS(quantised_model_bytes(landmarks), std::invalid_argument);
    landmarks = tiny_landmarks();
    landmarks.model.initial_shape.pop_back();
    CHECK_THROWS_AS(quantised_model_bytes(landmarks), std::invalid_argument);
}
