#include "lib/files/model_file.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

std::string text_of(const ByteVector& bytes) {
    return {bytes.begin(), bytes.end()};
}

const std::string model = "{\"format\": \"a model\"}" + std::string(3000, ' ');

std::string refusal(const std::filesystem::path& file) {
    try {
        read_model_file(file, "cascade");
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("a packed model is read as it was before", "[files][models]") {
    const TempDir folder;
    const std::string half = model.substr(0, 1500), rest = model.substr(1500);
    const std::vector<std::string> files{
        model,
        text_of(gzip(bytes_of(model))),
        text_of(bzip2(bytes_of(model))),
        text_of(gzip(bytes_of(half))) + text_of(gzip(bytes_of(rest))),
        text_of(bzip2(bytes_of(half))) + text_of(bzip2(bytes_of(rest))),
    };
    for (const std::string& bytes : files) {
        // Its contents tell, not its name.
        const auto file = folder.write("model.json", bytes);
        CHECK(read_model_file(file, "model") == model);
        CHECK(beginning_of_model(file) == model.substr(0, 512));
    }
    CHECK(beginning_of_model(folder.path() / "none").empty());
    // More than a step of the unpacking.
    const std::string large(3'000'001, 'x');
    CHECK(read_model_file(folder.write("large", text_of(bzip2(bytes_of(large)))), "model") == large);
}

TEST_CASE("a packed model that is broken, or far too large, is refused", "[files][models]") {
    const TempDir folder;
    for (const ByteVector& packed : {gzip(bytes_of(model)), bzip2(bytes_of(model))}) {
        const auto file = folder.write("cut.gz", text_of(packed).substr(0, packed.size() - 9));
        CHECK_THAT(refusal(file),
                   Contains(file.string()) && Contains("truncated") && Contains("fetch it again"));
        CHECK_NOTHROW(beginning_of_model(file));
    }
    std::string damaged = text_of(bzip2(bytes_of(model)));
    damaged[damaged.size() / 2] ^= 1;
    CHECK_THAT(refusal(folder.write("damaged.bz2", damaged)), Contains("corrupt bzip2"));
    CHECK_THAT(refusal(folder.write("none.gz", "\x1f\x8b")), Contains("truncated gzip"));
    const ByteVector zeros(2'000'000);
    const auto bomb = folder.write("bomb.gz", text_of(gzip(zeros)));
    CHECK_THROWS_WITH(read_model_file(bomb, "model", 1'000'000),
                      Contains("holds more than 1000000 bytes") && Contains("bomb.gz"));
    CHECK(read_model_file(bomb, "model", 2'000'000).size() == 2'000'000);
}

TEST_CASE("what often lies in a model's place is named", "[files][models]") {
    const TempDir folder;
    const std::string pointer =
        "version https://git-lfs.github.com/spec/v1\n"
        "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 99693937\n";
    std::string tar(1024, '\0');
    tar.replace(0, 9, "model.dat");
    tar.replace(257, 5, "ustar");
    const std::vector<std::pair<std::string, std::string>> substitutes{
        {pointer, "is a Git LFS pointer, not the model itself; run 'git lfs pull'"},
        {"/annex/objects/SHA256E-s99--12.dat\n", "is a git-annex pointer"},
        {"<!DOCTYPE html>\n<html lang=\"en\"><head>", "is an HTML page"},
        {"\xEF\xBB\xBF\r\n <HTML><title>404</title>", "is an HTML page"},
        {"<!-- saved page --><html>", "is an HTML page"},
        {"PK\x03\x04\x14", "is a zip archive"},
        {tar, "is a tar archive"},
        {"7z\xBC\xAF\x27\x1C", "is a 7z archive"},
        {std::string("\xFD") + "7zXZ" + '\0' + '\0' + '\4', "is packed by xz; unpack it with 'xz -d'"},
        {"\x28\xB5\x2F\xFD\x04", "is packed by zstd"},
    };
    for (const auto& [bytes, said] : substitutes) {
        CAPTURE(said);
        for (const std::string& stored : {bytes, text_of(gzip(bytes_of(bytes)))}) {
            const auto file = folder.write("model.dat", stored);
            CHECK_THAT(refusal(file), Contains(file.string() + " " + said));
        }
    }
    for (const std::string& other :
         {std::string("<?xml version=\"1.0\"?><opencv_storage></opencv_storage>"), std::string("{}"),
          std::string("\x01\x01\x81\x88", 4), std::string(), std::string("<"), tar.substr(0, 257)}) {
        CHECK(read_model_file(folder.write("model.dat", other), "model") == other);
    }
}

TEST_CASE("a model's name knows no packing", "[files][models]") {
    CHECK(model_name("a/haarcascade_eye.xml") == "haarcascade_eye");
    CHECK(model_name("a/haarcascade_eye.xml.bz2") == "haarcascade_eye");
    CHECK(model_name("wild.json.gz") == "wild");
    CHECK(model_name("wild.v2.json") == "wild.v2");
    CHECK(model_name("mct") == "mct");
}

TEST_CASE("libraries that open files themselves get an unpacked copy, which goes", "[files][models]") {
    const TempDir folder;
    const auto plain = folder.write("net.onnx", model);
    CHECK(PlainModelFile(plain, "model").path() == plain);
    const auto packed = folder.write("net.onnx.gz", text_of(gzip(bytes_of(model))));
    std::filesystem::path copy;
    {
        const PlainModelFile file(packed, "model");
        copy = file.path();
        CHECK(copy.filename() == "net.onnx");
        CHECK(read_model_file(copy, "model") == model);
    }
    CHECK_FALSE(std::filesystem::exists(copy.parent_path()));
}
