#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <opencv2/imgcodecs.hpp>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <turbojpeg.h>
#include <unistd.h>

#include "lib/json/json.hpp"
#include "lib/results/results.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/json_lines.hpp"
#include "tests/support/landmark_models.hpp"
#include "tests/support/photo_encoders.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/video/video_maker.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// Three images, one of them broken, and a cascade.
struct Photos : PhotoFolder {
    Photos()
        : PhotoFolder({{"a.pgm", edge_pgm(40, 30)},
                       {"b.pgm", "P5\n40 30\n255\ncut off"},
                       {"c.pgm", noise_pgm(90, 70, 3)}}) {}
};

}  // namespace

TEST_CASE("detect counts what a folder holds besides images", "[cli][detect]") {
    const Photos f;
    for (const char* name : {"d.PSD", "e.psd", "f.txt", "sub/g.xmp", "sub/h.exr"})
        f.folder.write("more/" + std::string(name), "x");
    f.folder.write("more/i.jfif", edge_pgm(40, 30));
    const ProgramResult result = run_fovea({"detect", (f.folder.path() / "more").string(), "--model", f.model,
                                            "--out", f.path("out/results.jsonl")});
    CAPTURE(result.err);
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, Contains("warning: 2 files are no images and were passed over: 1 txt, 1 xmp"));
    CHECK_THAT(result.err,
               Contains("3 inputs left out: *.exr (1 file in a format that is not read); *.psd (2 files"));
    CHECK_THAT(result.out, Contains("1 image, "));
    // A folder without anything else says what is in it.
    f.folder.write("raw/a.psd", "x");
    const ProgramResult raw = run_fovea({"detect", (f.folder.path() / "raw").string(), "--model", f.model});
    CHECK(raw.exit_code == 2);
    CHECK_THAT(raw.err, Contains("holds no images") &&
                            Contains("1 file is a picture in a format that is not read, and was left out: "
                                     "1 psd."));
    const Json manifest = Json::parse(read_bytes(f.path("out/run.json")));
    CHECK(manifest["skipped"][1] ==
          Json({{"name", "*.psd"}, {"reason", "2 files in a format that is not read"}, {"files", 2}}));
    CHECK(manifest["counts"]["skipped"] == 3);
    CHECK(manifest["passed_over"] == Json({{"txt", 1}, {"xmp", 1}}));
    const ProgramResult named = run_fovea(
        {"detect", (f.folder.path() / "more").string(), "--model", f.model, "--log-level", "debug"});
    CHECK_THAT(named.err, Contains("passed over: sub/g.xmp"));
    // --max-unreadable counts files, not extensions.
    const auto allowing = [&](const std::string& most) {
        return run_fovea(
            {"detect", (f.folder.path() / "more").string(), "--model", f.model, "--max-unreadable", most});
    };
    CHECK(allowing("3").exit_code == 0);
    CHECK(allowing("2").exit_code == 3);
}

TEST_CASE("detect says how many pages were left out", "[cli][detect]") {
    const Photos f;
    f.folder.write("scans/a.pgm", edge_pgm(40, 30));
    REQUIRE(
        cv::imwrite(f.path("scans/b.tif"),
                    std::vector<cv::Mat>{grey_picture(40, 30), grey_picture(50, 20), grey_picture(9, 9)}));
    const auto detect = [&](const std::vector<std::string>& more) {
        std::vector<std::string> command{"detect", f.path("scans"), "--model",
                                         f.model,  "--out",         f.path("out/results.jsonl")};
        command.insert(command.end(), more.begin(), more.end());
        return run_fovea(command);
    };
    const ProgramResult result = detect({});
    CAPTURE(result.err);
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, Contains("warning: 2 pages were left out: the first page of a file is the image"));
    const std::vector<Json> lines = json_lines(read_bytes(f.path("out/results.jsonl")));
    REQUIRE(lines.size() == 2);
    CHECK_FALSE(lines[0].contains("pages"));
    CHECK(lines[1]["pages"] == 3);
    CHECK(lines[1]["width"] == 40);
    CHECK(Json::parse(read_bytes(f.path("out/run.json")))["counts"]["pages_left_out"] == 2);
    CHECK(detect({"--overwrite", "--max-unreadable", "2"}).exit_code == 0);
    CHECK(detect({"--overwrite", "--max-unreadable", "1"}).exit_code == 3);
    // Two pages of four.
    CHECK(detect({"--overwrite", "--max-unreadable", "all"}).exit_code == 0);
    CHECK(detect({"--overwrite", "--max-unreadable", "50%"}).exit_code == 0);
    const ProgramResult less = detect({"--overwrite", "--max-unreadable", "49.9%"});
    CHECK(less.exit_code == 3);
    CHECK_THAT(less.err, Contains("2 images were unreadable or left out; --max-unreadable allows 49.9%"));
    for (const std::string bad : {"some", "1.5", "101%", "-1", "-1%", "nan%", "%", ""}) {
        CAPTURE(bad);
        const ProgramResult refused = detect({"--overwrite", "--max-unreadable", bad});
        CHECK(refused.exit_code == 2);
        CHECK_THAT(refused.err, Contains("--max-unreadable"));
    }
}

TEST_CASE("detect reads the media of camcorders, and names what only looks like other files",
          "[cli][detect]") {
    const Photos f;
    const ByteVector jpeg = encode_jpeg(colour_picture(96, 64), TJSAMP_420);
    const std::string picture(jpeg.begin(), jpeg.end());
    for (const char* name : {"a.jpg", "b.MPO", "c.jps", "d.insp", "e.thm", "f.xyz"})
        f.folder.write("card/" + std::string(name), picture);
    f.folder.write("card/notes.txt", "notes");
    VideoPlan plan;
    plan.width = 96;
    plan.height = 64;
    plan.frames = 4;
    const auto write_video = [&](const char* name, const char* encoder, const char* muxer) {
        plan.encoder = encoder;
        plan.pixel_format = plan.encoder == "mjpeg" ? "yuvj420p" : "yuv420p";
        ContainerPlan container;
        container.muxer = muxer;
        make_video(f.folder.path() / "card" / name, plan, container);
    };
    write_video("MOV001.MOD", "mpeg2video", "mpeg");
    write_video("x.m2t", "mpeg2video", "mpegts");
    write_video("y.mjpg", "mjpeg", "mjpeg");
    write_video("z.bin", "libx264", "mp4");
    const ProgramResult result = run_fovea({"detect", (f.folder.path() / "card").string(), "--model", f.model,
                                            "--out", f.path("out/results.jsonl")});
    CAPTURE(result.err);
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err,
               Contains("3 inputs left out: *.bin (1 picture or video by content, but not by name"));
    CHECK_THAT(result.err, Contains("1 file is no image and was passed over: 1 txt"));
    std::vector<std::string> names;
    for (const Json& line : json_lines(read_bytes(f.path("out/results.jsonl")))) {
        CAPTURE(line.dump());
        CHECK(line["status"] == "ok");
        CHECK(line["width"] == 96);
        names.push_back(line["image"]);
    }
    CHECK(names.size() == 4 + 3 * 4);
    CHECK(std::find(names.begin(), names.end(), "MOV001.MOD#000003") != names.end());
    const Json manifest = Json::parse(read_bytes(f.path("out/run.json")));
    CHECK(manifest["counts"]["skipped"] == 3);
    REQUIRE(manifest["skipped"].size() == 3);
    CHECK(manifest["skipped"][2]["name"] == "*.xyz");
    // Named as a video, any file is read.
    const ProgramResult named = run_fovea(
        {"detect", "video:" + f.path("card/z.bin"), "--model", f.model, "--out", f.path("named.jsonl")});
    CAPTURE(named.err);
    CHECK(named.exit_code == 0);
    const std::vector<Json> lines = json_lines(read_bytes(f.path("named.jsonl")));
    REQUIRE(lines.size() == 4);
    CHECK(lines[3]["image"] == "z.bin#000003");
    const ProgramResult text = run_fovea({"detect", "video:" + f.path("card/notes.txt"), "--model", f.model});
    CHECK(text.exit_code == 2);
    CHECK_THAT(text.err, Contains("cannot be read as a video: is no video that can be read"));
}

TEST_CASE("detect reads a phone's archive", "[cli][detect]") {
    const Photos f;
    const cv::Mat picture = colour_picture(96, 64);
    const auto write = [&](const std::string& name, const ByteVector& bytes) {
        f.folder.write("phone/" + name, {bytes.begin(), bytes.end()});
    };
    for (const char* name : {"1.HEIC", "2.heic", "3.heif", "4.hif"})
        write(name, encode_heif(picture, HeifCodec::hevc));
    for (const char* name : {"5.avif", "6.AVIF"}) write(name, encode_heif(picture, HeifCodec::av1));
    for (const char* name : {"7.jxl", "8.jxl"}) write(name, encode_jpeg_xl(picture));
    for (const char* name : {"9.jp2", "10.j2k"}) write(name, encode_jpeg_2000(picture));
    for (const char* name : {"11.dng", "12.DNG"})
        write(name, encode_dng(cv::Mat(64, 96, CV_16UC1, cv::Scalar(9000)), {}));
    for (const char* name : {"13.jfif", "14.jpe", "16.JIF", "17.jfi", "18"})
        write(name, encode_jpeg(picture, TJSAMP_420));
    for (const char* name : {"15.txt", "README"}) write(name, bytes_of("notes"));
    const ProgramResult result = run_fovea({"detect", (f.folder.path() / "phone").string(), "--model",
                                            f.model, "--out", f.path("out/results.jsonl")});
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("17 images, "));
    CHECK_THAT(result.err,
               Contains("2 files are no images and were passed over: 1 txt, 1 without an extension"));
    for (const Json& line : json_lines(read_bytes(f.path("out/results.jsonl")))) {
        CAPTURE(line.dump());
        CHECK(line["status"] == "ok");
        CHECK(line["width"] == 96);
        CHECK(line["height"] == 64);
    }
}

TEST_CASE("detect writes results and manifest and counts unreadable images", "[cli][detect]") {
    const Photos f;
    const ProgramResult result = run_fovea({"detect", f.photos, "--model", f.model, "--min-neighbors", "0",
                                            "--out", f.path("out/results.jsonl")});
    CAPTURE(result.err);
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, Contains("warning: 1 of 3 images could not be read: b.pgm ("));
    CHECK_THAT(result.out, Contains("3 images") && Contains("1 unreadable"));

    const std::vector<Json> lines = json_lines(read_bytes(f.path("out/results.jsonl")));
    REQUIRE(lines.size() == 3);
    CHECK(lines[0]["image"] == "a.pgm");
    CHECK(lines[0]["status"] == "ok");
    CHECK(lines[0]["width"] == 40);
    CHECK_FALSE(lines[0]["detections"].empty());
    CHECK_THAT(lines[1]["status"].get<std::string>(), Catch::Matchers::StartsWith("unreadable: "));
    CHECK(lines[2]["image"] == "c.pgm");

    const Json manifest = Json::parse(read_bytes(f.path("out/run.json")));
    CHECK(manifest["command"] == "detect");
    CHECK(manifest["interrupted"] == false);
    CHECK(manifest["configuration"]["detectors"][0]["min_neighbors"] == 0);
    CHECK(manifest["counts"]["images"] == 3);
    CHECK(manifest["counts"]["ok"] == 2);
    CHECK(manifest["counts"]["unreadable"] == 1);
    CHECK(manifest["counts"]["detections"] == lines[0]["detections"].size() + lines[2]["detections"].size());
    CHECK(manifest["detectors"][0]["model_sha256"] == sha256_of_file(f.model));
    CHECK(manifest["detectors"][0]["results"] == "results.jsonl");
    CHECK(manifest["detectors"][0]["results_sha256"] == sha256_of_file(f.path("out/results.jsonl")));
    CHECK(manifest["device"] == "cpu");
    CHECK(manifest["timings"].contains("total_seconds"));
}

TEST_CASE("an output that is also an input is refused, and the input kept", "[cli][detect]") {
    const Photos f;
    f.folder.write("list.txt", "photos/a.pgm\n");
    for (const auto& [images, out] :
         {std::pair{f.photos, f.path("photos/a.pgm")}, std::pair{f.photos, f.model},
          std::pair{"list:" + f.path("list.txt"), f.path("list.txt")}}) {
        const std::string before = read_bytes(out);
        const ProgramResult result = run_fovea({"detect", images, "--model", f.model, "--out", out});
        CHECK(result.exit_code == 2);
        CHECK_THAT(result.err, Contains("is also an input"));
        CHECK(read_bytes(out) == before);
    }
    const ProgramResult convert =
        run_fovea({"convert", "list:" + f.path("list.txt"), "--out", f.path("list.txt")});
    CHECK(convert.exit_code == 2);
    CHECK(read_bytes(f.path("list.txt")) == "photos/a.pgm\n");
    // Results of an earlier run are no input.
    const std::vector<std::string> again{"detect", f.photos, "--model", f.model, "--out", f.path("r.jsonl")};
    CHECK(run_fovea(again).exit_code == 3);
    CHECK(run_fovea(again).exit_code == 3);
}

TEST_CASE("an input is not replaced under another name, nor by a journal or a part", "[cli][detect]") {
    const Photos f;
    namespace fs = std::filesystem;
    const std::string config = f.folder.write("config.json", "{}").string();
    const std::string list = f.folder.write("list.jsonl.journal", "photos/a.pgm\n").string();
    fs::copy_file(f.path("photos/a.pgm"), f.path("r.jsonl.journal.part"));
    fs::create_symlink(f.path("photos/a.pgm"), f.path("soft.jsonl"));
    fs::create_hard_link(f.path("photos/a.pgm"), f.path("hard.jsonl"));
    struct Case {
        std::string images, out, input;
    };
    const std::vector<Case> cases{
        {f.photos, f.path("soft.jsonl"), f.path("photos/a.pgm")},
        {f.photos, f.path("hard.jsonl"), f.path("photos/a.pgm")},
        {f.photos, config, config},
        {"list:" + list, f.path("list.jsonl"), list},
        {f.path("r.jsonl.journal.part"), f.path("r.jsonl"), f.path("r.jsonl.journal.part")}};
    for (const Case& one : cases) {
        CAPTURE(one.images, one.out);
        const std::string before = read_bytes(one.input);
        const ProgramResult result = run_fovea(
            {"detect", one.images, "--config", config, "--model", f.model, "--overwrite", "--out", one.out});
        CHECK(result.exit_code == 2);
        CHECK_THAT(result.err, Contains("is also an input"));
        CHECK(read_bytes(one.input) == before);
        CHECK(fs::exists(one.input));
    }
    CHECK(fs::is_symlink(f.path("soft.jsonl")));
    // Nothing was begun.
    CHECK_FALSE(fs::exists(f.path("r.jsonl")));
    CHECK_FALSE(fs::exists(f.path("list.run.json")));
}

TEST_CASE("an output that cannot be opened costs no other output", "[cli][detect]") {
    const Photos f;
    const std::string landmarks = f.folder.write("still.dat", still_landmark_file()).string();
    const std::string results = f.folder.write("r.jsonl", "older results").string();
    std::filesystem::create_directory(f.path("features.npy"));
    const ProgramResult result =
        run_fovea({"detect", f.photos, "--model", f.model, "--landmarks", landmarks, "--box-convention",
                   "none", "--out", results, "--features", f.path("features.npy"), "--overwrite"});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains("--features: " + f.path("features.npy") + " is a folder; name a file"));
    CHECK(read_bytes(results) == "older results");
}

TEST_CASE("an empty configuration changes nothing", "[cli][detect]") {
    const TempDir folder;
    const std::string config = folder.write("config.json", "{}").string();
    for (const char* command : {"detect", "run"}) {
        const std::vector<std::string> plain{command, "--dataset", "photos", "--print-config"};
        const std::vector<std::string> arguments =
            std::string(command) == "run" ? plain
                                          : std::vector<std::string>{command, "photos", "--print-config"};
        std::vector<std::string> with_config = arguments;
        with_config.insert(with_config.end(), {"--config", config});
        const ProgramResult without = run_fovea(arguments);
        CHECK(without.exit_code == 0);
        CHECK(run_fovea(with_config).out == without.out);
        CHECK(Json::parse(without.out)["image"]["decoder"] == "auto");
    }
}

TEST_CASE("names of files reach the terminal without their control characters", "[cli][detect]") {
    const TempDir folder;
    folder.write("photos/e\033[31mred.pgm", "");
    const std::string model = folder.write("edge.xml", edge_cascade()).string();
    const ProgramResult result =
        run_fovea({"detect", (folder.path() / "photos").string(), "--model", model, "--out", "-"});
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, Contains("red.pgm"));
    CHECK(result.err.find('\033') == std::string::npos);
}

TEST_CASE("bench and run refuse sizes and outputs that cannot be", "[cli]") {
    const Photos f;
    CHECK(
        run_fovea({"bench", "detect", f.path("photos/a.pgm"), "--model", f.model, "--size", "100000x100000"})
            .exit_code == 2);
    CHECK(run_fovea({"run", "--dataset", f.photos, "--model", f.model, "--out", "-"}).exit_code == 2);
}

TEST_CASE("a limit must be a count", "[cli][detect]") {
    const Photos f;
    for (const char* limit : {"-1", "99999999999999999999", "two", ""}) {
        INFO(limit);
        CHECK(run_fovea({"detect", f.photos, "--model", f.model, "--limit", limit}).exit_code == 2);
    }
}

TEST_CASE("results are the same bytes for 1 and 4 threads", "[cli][detect]") {
    const TempDir folder;
    for (int i = 0; i < 12; ++i) {
        folder.write("photos/" + std::to_string(i) + ".pgm",
                     noise_pgm(120 + 7 * i, 90 + 3 * i, static_cast<std::uint32_t>(i)));
    }
    const auto model = folder.write("edge.xml", edge_cascade()).string();
    const std::string mode = GENERATE("--raw", "--quiet");
    std::vector<std::string> bytes;
    for (const std::string threads : {"1", "4"}) {
        const auto out = folder.path() / (threads + ".jsonl");
        const ProgramResult result =
            run_fovea({"detect", (folder.path() / "photos").string(), "--model", model, "--scale-factor",
                       "1.2", "--threads", threads, mode, "--out", out.string()});
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
        bytes.push_back(read_bytes(out));
    }
    CHECK(bytes[0] == bytes[1]);
    std::size_t detections = 0;
    for (const Json& line : json_lines(bytes[0])) detections += line["detections"].size();
    CHECK(detections > 50);
}

TEST_CASE("standard output holds results only", "[cli][detect]") {
    const Photos f;
    const ProgramResult result =
        run_fovea({"detect", f.photos, "--model", f.model, "--out", "-"}, {{}, {}, f.folder.path()});
    CHECK(result.exit_code == 3);
    CHECK(json_lines(result.out).size() == 3);
    CHECK_THAT(result.err, Contains("3 images"));  // the summary
    CHECK_FALSE(std::filesystem::exists(f.path("run.json")));
    // The default is standard output too; --quiet leaves errors only.
    const ProgramResult quiet = run_fovea({"detect", f.photos, "--model", f.model, "-q"});
    CHECK(quiet.out == result.out);
    CHECK(quiet.err.empty());
}

TEST_CASE("--json prints one object with the outcome", "[cli][detect]") {
    const Photos f;
    const ProgramResult result =
        run_fovea({"detect", f.photos, "--model", f.model, "--json", "--out", f.path("faces.jsonl")});
    CHECK(result.exit_code == 3);
    const Json json = Json::parse(result.out);
    CHECK(json["exit_code"] == 3);
    CHECK(json["images"] == 3);
    CHECK(json["unreadable"] == 1);
    CHECK(json["unreadable_images"][0]["image"] == "b.pgm");
    CHECK(json["results"] == f.path("faces.jsonl"));
    CHECK(json["manifest"] == f.path("faces.run.json"));
    CHECK(std::filesystem::exists(f.path("faces.run.json")));
}

TEST_CASE("images can be named one by one and in a list on standard input", "[cli][detect]") {
    const Photos f;
    ProgramOptions options;
    options.folder = f.folder.path();
    const ProgramResult named =
        run_fovea({"detect", "photos/c.pgm", "photos/a.pgm", "photos/c.pgm", "--model", f.model}, options);
    CAPTURE(named.err);
    CHECK(named.exit_code == 0);
    const std::vector<Json> lines = json_lines(named.out);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0]["image"] == "photos/c.pgm");
    CHECK(lines[1]["image"] == "photos/a.pgm");

    options.input = "photos/c.pgm\nphotos/a.pgm\n";
    const ProgramResult listed = run_fovea({"detect", "-", "--model", f.model}, options);
    CAPTURE(listed.err);
    CHECK(listed.exit_code == 0);
    const std::vector<Json> from_list = json_lines(listed.out);
    REQUIRE(from_list.size() == 2);
    CHECK(from_list[0]["detections"] == lines[0]["detections"]);

    CHECK(run_fovea({"detect", "photos/a.pgm", "missing.pgm", "--model", f.model}, options).exit_code == 2);
    CHECK(run_fovea({"detect", "photos/a.pgm", "photos", "--model", f.model}, options).exit_code == 2);
    CHECK(run_fovea({"detect", "photos", "--pattern", "*.jpg", "--model", f.model}, options).exit_code == 2);
    CHECK(json_lines(run_fovea({"detect", "photos", "--pattern", "c*", "--model", f.model}, options).out)
              .size() == 1);
    CHECK(
        json_lines(run_fovea({"detect", "photos", "--limit", "2", "--model", f.model}, options).out).size() ==
        2);
}

TEST_CASE("a results file that cannot be written is an error", "[cli][detect]") {
    const Photos f;
    const ProgramResult result =
        run_fovea({"detect", f.photos, "--model", f.model, "--out", f.model + "/results.jsonl"});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains("fovea: error: the folder " + f.model + " cannot be made"));
    const auto broken = f.folder.write("broken.xml", "<opencv_storage><cascade>").string();
    const ProgramResult model = run_fovea({"detect", f.photos, "--model", broken});
    CHECK(model.exit_code == 1);
    CHECK_THAT(model.err, Contains("broken.xml"));
}

namespace {

// The results go into a pipe that nobody empties for a while: the program cannot be done before the signal
// comes.
struct SlowReader {
    SlowReader() {
        constexpr int images = 700;
        for (int i = 0; i < images; ++i) {
            folder.write("photos/" + std::string(180, 'x') + std::to_string(10000 + i) + ".pgm",
                         "P5\n4 4\n255\n0123456789abcdef");
        }
        model = folder.write("edge.xml", edge_cascade()).string();
        pipe = (folder.path() / "results.jsonl").string();
        REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    }
    ~SlowReader() {
        if (reader_ >= 0) ::close(reader_);
    }
    // Never blocks for good, also if the program ends before it opens the pipe.
    void open_reader() { reader_ = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK); }
    std::string read_first_bytes() {
        std::string text;
        for (int tries = 0; tries < 6000 && text.empty(); ++tries) {
            read_some(text);
            if (text.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return text;
    }
    std::string read_to_end() {
        std::string text;
        while (read_some(text)) std::this_thread::yield();
        return text;
    }
    std::vector<std::string> command() const {
        return {fovea_program(), "detect", (folder.path() / "photos").string(), "--model", model,
                "--out",         pipe};
    }

    TempDir folder;
    std::string model;
    std::string pipe;

  private:
    // False at the end: no writer any more.
    bool read_some(std::string& text) const {
        std::array<char, 4096> buffer;
        pollfd waiting{reader_, POLLIN, 0};
        ::poll(&waiting, 1, 1000);
        const ssize_t count = ::read(reader_, buffer.data(), buffer.size());
        if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
        return count > 0 || (count < 0 && errno == EAGAIN);
    }

    int reader_ = -1;
};

}  // namespace

TEST_CASE("Ctrl-C finishes the images in flight and leaves usable files", "[cli][detect]") {
    const int signal = GENERATE(SIGINT, SIGTERM);
    SlowReader f;
    f.open_reader();
    StartedProgram program(f.command());
    std::string text = f.read_first_bytes();
    REQUIRE_FALSE(text.empty());
    program.send_signal(signal);
    REQUIRE(program.wait_for_error_text("interrupted"));
    text += f.read_to_end();
    const ProgramResult result = program.wait();
    CHECK(result.exit_code == 130);
    const std::size_t lines = json_lines(text).size();
    CHECK(lines < 700);
    const Json manifest = Json::parse(read_bytes(f.folder.path() / "run.json"));
    CHECK(manifest["interrupted"] == true);
    CHECK(manifest["counts"]["images"] == lines);
}

TEST_CASE("a second Ctrl-C ends the program at once", "[cli][detect]") {
    SlowReader f;
    f.open_reader();
    StartedProgram program(f.command());
    REQUIRE_FALSE(f.read_first_bytes().empty());
    program.send_signal(SIGINT);
    REQUIRE(program.wait_for_error_text("interrupted"));
    program.send_signal(SIGINT);
    CHECK(program.wait().exit_code == 128 + SIGINT);
    CHECK_FALSE(std::filesystem::exists(f.folder.path() / "run.json"));
}
