// fovea track: whole runs of the program.

#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include <catch2/catch.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <signal.h>

#include "lib/image/read_grey.hpp"
#include "lib/json/json.hpp"
#include "tests/apps/panned_clip.hpp"
#include "tests/apps/refusal.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/json_lines.hpp"
#include "tests/support/peak_memory.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/video/mp4_boxes.hpp"
#include "tests/support/video/reference_frames.hpp"
#include "tests/support/video/video_maker.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

/// A clip of three faces in a folder of its own.
struct Pan : PannedClip {
    Pan() { write_panned_clip(folder, "clip", frames); }

    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    ProgramResult track(const std::string& out, const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words{"track",   path("clip"), "--model", "mct",        "--out",
                                       path(out), "--device",   "cpu",     "--redetect", "5"};
        words.insert(words.end(), more.begin(), more.end());
        return run_fovea(words);
    }
    std::vector<Json> lines(const std::string& name) const { return json_lines(read_bytes(path(name))); }
    std::vector<std::string> text_lines(const std::string& name) const {
        std::istringstream stream(read_bytes(path(name)));
        std::vector<std::string> all;
        for (std::string line; std::getline(stream, line);) all.push_back(line);
        return all;
    }

    TempDir folder;
};

}  // namespace

TEST_CASE("faces keep their numbers through numbered pictures", "[cli][track]") {
    if (!has_photograph()) return;
    const Pan f;
    const ProgramResult result = f.track("out", {"--json"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    const Json outcome = Json::parse(result.out);
    CHECK(outcome["images"] == Pan::frames);
    CHECK(outcome["tracks"] == 3);

    const std::vector<Json> lines = f.lines("out/results.jsonl");
    REQUIRE(lines.size() == Pan::frames);
    std::map<int, std::pair<double, double>> origins;  // of each face, in the photograph
    std::size_t boxes = 0, followed = 0;
    for (int i = 0; i < Pan::frames; ++i) {
        const Json& line = lines[static_cast<std::size_t>(i)];
        CHECK(line["image"] == std::to_string(i) + ".pgm");
        for (const Json& face : line["detections"]) {
            ++boxes;
            CHECK(face["landmarks"].size() == 68);
            // The third face is followed back from where it is detected.
            if (i % 5 != 0) CHECK(face["followed"] > 0);
            if (i % 5 == 0 && face["track"] != 3) CHECK_FALSE(face.contains("followed"));
            followed += face.contains("followed");
            const double x = face["box"][0].get<double>() + face["box"][2].get<double>() / 2 + 2 * i;
            const double y = face["box"][1].get<double>() + face["box"][3].get<double>() / 2 + i;
            const auto [origin, is_new] = origins.try_emplace(face["track"].get<int>(), x, y);
            CAPTURE(i, face["track"].get<int>());
            CHECK(std::abs(x - origin->second.first) < 8);
            CHECK(std::abs(y - origin->second.second) < 8);
        }
    }
    CHECK(origins.size() == 3);
    CHECK(lines.front()["detections"].size() == 2);
    CHECK(lines.back()["detections"].size() == 3);
    CHECK(outcome["boxes"] == boxes);
    CHECK(outcome["boxes"].get<std::size_t>() - outcome["detected"].get<std::size_t>() == followed);
    CHECK(followed > 60);

    const std::vector<Json> tracks = f.lines("out/tracks.jsonl");
    REQUIRE(tracks.size() == 3);
    std::size_t frames = 0;
    for (const Json& track : tracks) {
        frames += track["frames"].get<std::size_t>();
        CHECK(track["last_image"] == "35.pgm");
        CHECK(track["mean_score"] > 0.5);
        CHECK(track["best"]["size"] > 50);
        CHECK(track["best"]["frontal"] > 0.5);
        const GreyImage crop = read_grey_image(f.path("out/" + track["best"]["crop"].get<std::string>()));
        CHECK((crop.width == 130 && crop.height == 150));
    }
    CHECK(frames == boxes);
    CHECK(tracks[0]["first_image"] == "0.pgm");
    const int third = std::stoi(tracks[2]["first_image"].get<std::string>());
    CHECK((third >= 6 && third <= 20));

    CHECK(f.text_lines("out/tracks.csv").size() == boxes + 1);
    CHECK(f.text_lines("out/tracks.csv")[0] == "image,frame,time,track,x,y,w,h,score,followed");
    const std::vector<std::string> mot = f.text_lines("out/mot/frames.txt");
    CHECK(mot.size() == boxes);
    CHECK_THAT(mot[0], Catch::StartsWith("1,1,") && Catch::EndsWith(",-1,-1,-1"));
    const Json manifest = Json::parse(read_bytes(f.path("out/run.json")));
    CHECK(manifest["complete"] == true);
    CHECK(manifest["counts"]["tracks"] == 3);
    CHECK(manifest["configuration"]["tracking"]["redetect"] == 5);
    CHECK(manifest["sequences"][0]["frames"] == Pan::frames);

    SECTION("decisions tell of each detection") {
        REQUIRE(f.track("out", {"--explain", "--overwrite"}).exit_code == 0);
        std::map<std::pair<std::string, int>, Json> decisions;
        for (const Json& line : f.lines("out/decisions.jsonl")) {
            if (line.contains("track")) decisions[{line["image"], line["track"]}] = line;
        }
        std::size_t detected = 0;
        for (const Json& line : lines) {
            for (const Json& face : line["detections"]) {
                const auto decision = decisions.find({line["image"], face["track"]});
                if (face.contains("followed")) continue;
                ++detected;
                REQUIRE(decision != decisions.end());
                CHECK(decision->second["detection"]["score"] == face["score"]);
                CHECK(decision->second["state"] == "followed");
            }
        }
        CHECK(detected == boxes - followed);
        const Json joined = decisions.at({"10.pgm", 1});
        CHECK(joined["detection"]["by"] == "overlap");
        CHECK(joined["detection"]["iou"] > 0.7);
        CHECK(joined["detector"] == "turn");
        CHECK(joined["flow"]["agreement"] > 0.7);
        CHECK(joined["expected"].size() == 4);
        CHECK(joined["flow"]["box"].size() == 4);
        CHECK(decisions.at({"0.pgm", 1})["detection"]["by"] == "new");
        REQUIRE(f.track("out", {"--overwrite"}).exit_code == 0);
        CHECK_FALSE(fs::exists(f.path("out/decisions.jsonl")));
    }
    SECTION("the same bytes with any number of threads") {
        REQUIRE(f.track("one", {"--threads", "1"}).exit_code == 0);
        REQUIRE(f.track("four", {"--threads", "4"}).exit_code == 0);
        for (const char* file : {"results.jsonl", "tracks.jsonl", "tracks.csv", "mot/frames.txt"}) {
            CHECK(read_bytes(f.path(std::string("one/") + file)) ==
                  read_bytes(f.path(std::string("out/") + file)));
            CHECK(read_bytes(f.path(std::string("four/") + file)) ==
                  read_bytes(f.path(std::string("out/") + file)));
        }
    }
    SECTION("no part files stay") {
        CHECK_FALSE(fs::exists(f.path("out/.track-parts")));
        for (const auto& entry : fs::recursive_directory_iterator(f.path("out")))
            CHECK(entry.path().extension() != ".part");
    }
    SECTION("finished results are not replaced unasked") {
        CHECK_THAT(refusal_of({"track", f.path("clip"), "--out", f.path("out")}),
                   Contains("is there already") && Contains("--overwrite"));
        CHECK(f.track("out", {"--overwrite", "--landmarks", "none"}).exit_code == 0);
        CHECK_FALSE(f.lines("out/results.jsonl")[0]["detections"][0].contains("landmarks"));
    }
}

namespace {

using FolderBytes = std::map<std::string, std::string>;

/// The files of a folder that are no parts.
FolderBytes files_in_folder(const std::string& folder) {
    FolderBytes files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const std::string name = entry.path().lexically_relative(folder).generic_string();
        if (entry.is_regular_file() && !name.starts_with(".track-parts/") &&
            !name.starts_with(".track-journal/"))
            files[name] = read_bytes(entry.path());
    }
    return files;
}

/// Tracks again, by other rules, and ends the program when its files have begun to grow.
ProgramResult track_until(const Pan& f, int signal) {
    const std::string parts = f.path("out/.track-journal/0/mot.txt");
    StartedProgram program({fovea_program(), "track", f.path("clip"), "--out", f.path("out"), "--device",
                            "cpu", "--redetect", "1", "--overwrite", "--threads", "1"});
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!fs::exists(parts) && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    program.send_signal(signal);
    return program.wait();
}

}  // namespace

TEST_CASE("earlier tracks stand until the new ones are complete", "[cli][track]") {
    if (!has_photograph()) return;
    const Pan f;
    REQUIRE(f.track("out").exit_code == 0);
    const FolderBytes before = files_in_folder(f.path("out"));
    REQUIRE(before.contains("faces/frames-3.png"));
    SECTION("a kill leaves them whole, and the next run removes its parts") {
        if (track_until(f, SIGKILL).exit_code != 128 + SIGKILL) {
            WARN("not run: the job was done before it was killed");
            return;
        }
        CHECK((files_in_folder(f.path("out")) == before));
        CHECK(fs::exists(f.path("out/.track-parts")));
        CHECK(fs::exists(f.path("out/.track-journal/job")));
        f.folder.write("out/.track-parts/results.jsonl", "{");
        REQUIRE(f.track("out", {"--overwrite", "--limit", "4"}).exit_code == 0);
        CHECK_FALSE(fs::exists(f.path("out/.track-parts")));
        CHECK_FALSE(fs::exists(f.path("out/.track-journal")));
        CHECK(f.lines("out/results.jsonl").size() == 4);
        // The third face comes later: its picture has no successor.
        CHECK_FALSE(fs::exists(f.path("out/faces/frames-3.png")));
    }
    SECTION("an interruption leaves them whole, and says so") {
        const ProgramResult result = track_until(f, SIGINT);
        CAPTURE(result.err, result.out);
        if (result.exit_code != 130) {
            WARN("not run: the job was done before it was interrupted");
            return;
        }
        CHECK_THAT(result.out, Contains("interrupted; the earlier results stay as they were"));
        CHECK((files_in_folder(f.path("out")) == before));
        CHECK_FALSE(fs::exists(f.path("out/.track-parts")));
    }
    SECTION("a full disk leaves them whole") {
        ProgramResult result;
        {
            const FileSizeLimit limit(before.at("results.jsonl").size() / 2);
            result = f.track("out", {"--overwrite"});
        }
        CAPTURE(result.err);
        CHECK(result.exit_code == 1);
        CHECK_THAT(result.err, Contains("results.jsonl") && Contains("cannot be written"));
        CHECK_THAT(result.err, Contains("go on with --resume"));
        CHECK((files_in_folder(f.path("out")) == before));
        CHECK_FALSE(fs::exists(f.path("out/.track-parts")));
        CHECK(f.track("out", {"--resume"}).exit_code == 0);
        CHECK_FALSE(fs::exists(f.path("out/.track-journal")));
    }
    SECTION("an interruption without earlier results keeps what is done") {
        fs::remove_all(f.path("out"));
        const ProgramResult result = track_until(f, SIGINT);
        CAPTURE(result.err, result.out);
        if (result.exit_code != 130) {
            WARN("not run: the job was done before it was interrupted");
            return;
        }
        CHECK(Json::parse(read_bytes(f.path("out/run.json")))["complete"] == false);
        CHECK(fs::exists(f.path("out/results.jsonl")));
        CHECK_FALSE(fs::exists(f.path("out/.track-parts")));
        CHECK_THAT(result.out, Contains("to go on: the same command with --resume"));
    }
}

TEST_CASE("frames that are too large to be followed within the limit are told", "[cli][track]") {
    const TempDir dir;
    VideoPlan plan;
    plan.width = 1920;
    plan.height = 1080;
    plan.frames = 40;
    plan.options = {{"preset", "ultrafast"}};
    make_video(dir.path() / "hd.mp4", plan);
    plan.width = 1280;
    plan.height = 720;
    plan.frames = 120;
    make_video(dir.path() / "small.mp4", plan);
    const auto track = [&](const char* video) {
        return run_measured({"track", (dir.path() / video).string(), "--landmarks", "none", "--device", "cpu",
                             "--memory-limit", "256M", "--threads", "2", "--overwrite", "--out",
                             (dir.path() / "out").string()});
    };
    const MeasuredRun hd = track("hd.mp4");
    CAPTURE(hd.err, hd.peak_mebibytes);
    CHECK(hd.exit_code == 3);
    CHECK_THAT(hd.err, Contains("more than the memory limit allows; raise --memory-limit"));
    CHECK(hd.peak_mebibytes <= max_peak_mebibytes_at_256);
    const MeasuredRun small = track("small.mp4");
    CAPTURE(small.err, small.peak_mebibytes);
    CHECK(small.exit_code == 0);
    CHECK(small.peak_mebibytes <= max_peak_mebibytes_at_256);
}

TEST_CASE("a picture that cannot be read interrupts no track", "[cli][track]") {
    if (!has_photograph()) return;
    const Pan f;
    f.folder.write("clip/7.pgm", "P5\n420 300\n255\ncut off");
    const ProgramResult result = f.track("out");
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, Contains("7.pgm"));
    const std::vector<Json> lines = f.lines("out/results.jsonl");
    REQUIRE(lines.size() == Pan::frames);
    CHECK_THAT(lines[7]["status"].get<std::string>(), Catch::StartsWith("unreadable: "));
    CHECK(lines[8]["detections"].size() >= 2);
    CHECK(f.lines("out/tracks.jsonl").size() == 3);
    const std::vector<std::string> rows = f.text_lines("out/tracks.csv");
    CHECK(std::count(rows.begin(), rows.end(), "7.pgm,,,,,,,,,") == 1);
}

TEST_CASE("pages behind a picture's first one are told by track", "[cli][track]") {
    if (!has_photograph()) return;
    const Pan f;
    const cv::Mat first = cv::imread(f.path("clip/7.pgm"), cv::IMREAD_GRAYSCALE);
    std::filesystem::remove(f.path("clip/7.pgm"));
    REQUIRE(cv::imwrite(f.path("clip/7.tif"), std::vector<cv::Mat>{first, first, first}));
    const ProgramResult result = f.track("out", {"--json"});
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, Contains("warning: 2 pages were left out: the first page of a file is the image"));
    CHECK(Json::parse(result.out)["pages_left_out"] == 2);
    CHECK(f.lines("out/results.jsonl").at(7)["pages"] == 3);
    CHECK(Json::parse(read_bytes(f.path("out/run.json")))["counts"]["pages_left_out"] == 2);
    CHECK(f.track("out", {"--overwrite", "--max-unreadable", "2"}).exit_code == 0);
}

TEST_CASE("a video with the faces drawn in has all frames", "[cli][track]") {
    if (!has_photograph()) return;
    if (!has_encoder("libx264")) {
        WARN("not run: FFmpeg has no libx264 here");
        return;
    }
    const Pan f;
    const ProgramResult result = f.track("out", {"--annotate", f.path("faces.mp4"), "--smooth", "0.5"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("libx264"));
    const std::vector<ReferenceFrame> frames = reference_frames(f.path("faces.mp4"));
    CHECK(frames.size() == Pan::frames);
    CHECK((frames[0].width == Pan::width && frames[0].height == Pan::height));
    // Smoothing is for display alone.
    REQUIRE(f.track("plain").exit_code == 0);
    CHECK(read_bytes(f.path("plain/results.jsonl")) == read_bytes(f.path("out/results.jsonl")));
    fs::create_directories(f.path("clips/sub"));
    fs::copy_file(f.path("faces.mp4"), f.path("clips/a.mp4"));
    fs::copy_file(f.path("faces.mp4"), f.path("clips/sub/b.mp4"));
    REQUIRE(run_fovea({"track", f.path("clips"), "--out", f.path("both"), "--annotate", f.path("videos"),
                       "--device", "cpu"})
                .exit_code == 0);
    CHECK(reference_frames(f.path("videos/a.mp4")).size() == Pan::frames);
    CHECK(reference_frames(f.path("videos/sub/b.mp4")).size() == Pan::frames);
    CHECK(f.lines("both/results.jsonl").size() == 2 * Pan::frames);
    CHECK(fs::exists(f.path("both/mot/sub/b.txt")));
    // Files are named by their whole paths, and so are the outputs.
    fs::copy_file(f.path("faces.mp4"), f.path("clips/sub/c.mp4"));
    REQUIRE(run_fovea({"track", f.path("clips/a.mp4"), f.path("clips/sub/c.mp4"), "--out", f.path("files"),
                       "--annotate", f.path("annotated"), "--device", "cpu"})
                .exit_code == 0);
    const std::string place = f.path("clips/sub/c").substr(1);
    CHECK(fs::exists(f.path("files/mot/" + place + ".txt")));
    CHECK(fs::exists(f.path("annotated/" + place + ".mp4")));
    CHECK_THAT(refusal_of({"track", f.path("clips/a.mp4"), f.path("clips/sub/c.mp4"), "--out",
                           f.path("again"), "--annotate", f.path("annotated")}),
               Contains(".mp4' is there already"));
    CHECK_THAT(refusal_of({"track", f.path("clips"), "--out", f.path("none/none")}),
               Contains("there is no folder " + f.path("none")));
    f.folder.write("other/1.pgm", edge_pgm(40, 40));
    CHECK_THAT(refusal_of({"track", f.folder.path().string(), "--out", f.path("two"), "--annotate",
                           f.path("two.mp4")}),
               Contains("folder"));
}

TEST_CASE("a joined video, and one whose frames change size, are drawn in full", "[cli][track]") {
    if (!has_encoder("libx264")) {
        WARN("not run: FFmpeg has no libx264 here");
        return;
    }
    const TempDir dir;
    const auto path = [&](const std::string& name) { return (dir.path() / name).string(); };
    VideoPlan plan;
    plan.frames = 12;
    make_video(path("first.ts"), plan);
    VideoPlan other = plan;
    other.width = 120;
    other.height = 60;
    make_video(path("second.ts"), other);
    dir.write("joined.ts", read_file_bytes(path("first.ts")) + read_file_bytes(path("second.ts")));
    const ProgramResult result = run_fovea(
        {"track", path("joined.ts"), "--out", path("t"), "--annotate", path("faces.mp4"), "--device", "cpu"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.err, Contains("joined.ts' has a clock that goes back at frame 12"));
    const std::vector<Json> lines = json_lines(read_bytes(path("t/results.jsonl")));
    REQUIRE(lines.size() == 24);
    CHECK(lines[12]["width"] == 120);
    const double first = lines[0]["time"];
    for (std::size_t i = 0; i < 24; ++i)
        CHECK(lines[i]["time"].get<double>() - first == Approx(0.04 * static_cast<double>(i)).margin(2e-5));
    const std::vector<ReferenceFrame> frames = reference_frames(path("faces.mp4"));
    REQUIRE(frames.size() == 24);
    for (std::size_t i = 0; i < 24; ++i) {
        CHECK((frames[i].width == 64 && frames[i].height == 48));
        CHECK(frames[i].seconds - frames[0].seconds == Approx(0.04 * static_cast<double>(i)).margin(1e-3));
    }
    // 120x60 in 64x48: a bar above and below.
    CHECK(frames[20].pixels[3 * 64 + 32] < 5);
    CHECK(frames[20].pixels[44 * 64 + 32] < 5);
    const Json manifest = Json::parse(read_bytes(path("t/run.json")));
    const Json& video = manifest["videos"].at(0);
    CHECK(video["sample_aspect_ratio"] == "1:1");
    CHECK(video["clock"]["breaks"] == 1);
    CHECK(video["clock"]["first"].at(0)["frame"] == 12);
    CHECK(video["clock"]["first"].at(0)["added_seconds"].get<double>() == Approx(0.48).margin(2e-5));

    // The second half is half of what --fps takes.
    const ProgramResult some = run_fovea({"track", path("joined.ts"), "--out", path("s"), "--fps", "6.25",
                                          "--annotate", path("some.mp4"), "--device", "cpu"});
    REQUIRE(some.exit_code == 0);
    CHECK(json_lines(read_bytes(path("s/results.jsonl"))).size() == 6);
    CHECK(reference_frames(path("some.mp4")).size() == 6);
}

TEST_CASE("a gallery names the tracks", "[cli][track]") {
    if (!has_photograph()) return;
    const Pan f;
    REQUIRE(f.track("out").exit_code == 0);
    const Json first = f.lines("out/tracks.jsonl").at(0);
    const std::string picture = first["best"]["image"];
    fs::create_directories(f.path("people/Ann"));
    fs::copy_file(f.path("clip/" + picture), f.path("people/Ann/1.pgm"));
    REQUIRE(run_fovea({"enroll", "folder:" + f.path("people"), "--gallery", f.path("people.fvg"),
                       "--all-faces", "--model", "mct", "--device", "cpu"})
                .exit_code == 0);
    const ProgramResult result =
        f.track("named", {"--gallery", f.path("people.fvg"), "--threshold", "3300", "--json"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(Json::parse(result.out)["named"] > 0);
    const Json named = f.lines("named/tracks.jsonl").at(0);
    CHECK(named["identity"] == "Ann");
    CHECK(named["distance"] < 3300);
}

TEST_CASE("what cannot be followed is refused", "[cli][track]") {
    const TempDir folder;
    for (const char* name : {"a/1.pgm", "a/2.pgm", "b/1.pgm"}) folder.write(name, edge_pgm(40, 40));
    const std::string out = (folder.path() / "out").string();
    const std::string photos = folder.path().string();
    CHECK_THAT(refusal_of({"track", photos}), Contains("--out"));
    CHECK_THAT(refusal_of({"track", photos, "--out", out, "--model", "mct", "--model", "mct"}),
               Contains("one detector"));
    CHECK_THAT(refusal_of({"track", photos, "--out", out, "--raw"}), Contains("--raw"));
    const std::string config = folder.write("c.json", R"({"landmarks": {"boxes": ["truth"]}})").string();
    CHECK_THAT(refusal_of({"track", photos, "--out", out, "--config", config}), Contains("truth"));
    const std::string decoder = folder.write("d.json", R"({"image": {"decoder": "nvjpeg"}})").string();
    CHECK_THAT(refusal_of({"track", photos, "--out", out, "--config", decoder}), Contains("image.decoder"));
    CHECK_THAT(refusal_of({"track", photos, "--out", out, "--landmarks", "none", "--rejoin"}),
               Contains("--rejoin") && Contains("--landmarks"));
    CHECK_THAT(refusal_of({"track", photos, "--out", out, "--separate", "--rejoin"}), Contains("contradict"));
    CHECK_THAT(refusal_of({"track", photos, "--out", out, "--redetect", "0"}), Contains("redetect"));
    folder.write("list.txt", "a/1.pgm\nb/1.pgm\na/2.pgm\n");
    CHECK_THAT(refusal_of({"track", "list:" + (folder.path() / "list.txt").string(), "--out", out}),
               Contains("'a'") && Contains("apart"));
    CHECK_FALSE(fs::exists(out + "/results.jsonl"));
}

TEST_CASE("persons have their numbers again behind cuts", "[cli][track]") {
    if (!has_photograph()) return;
    // Two persons, one of another photograph, and the first two again.
    const TempDir folder;
    write_panned_clip(folder, "clip", 24);
    cv::Mat other = cv::imread("/usr/share/doc/libdlib19.1/examples/faces/Tom_Cruise_avp_2014_4.jpg",
                               cv::IMREAD_GRAYSCALE);
    cv::resize(other, other, {PannedClip::width, 538});
    const std::string clip = (folder.path() / "clip").string() + "/";
    for (int i = 0; i < 12; ++i) {
        fs::copy_file(clip + std::to_string(i) + ".pgm", clip + std::to_string(24 + i) + ".pgm");
        cv::imwrite(clip + std::to_string(12 + i) + ".pgm", other.rowRange(20, 20 + PannedClip::height));
    }
    const auto numbers_in_scenes = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words{"track", clip,    "--device",
                                       "cpu",   "--out", (folder.path() / "out").string()};
        words.insert(words.end(), more.begin(), more.end());
        CHECK(run_fovea(words).exit_code == 0);
        std::map<int, std::set<int>> numbers;
        for (const Json& line : json_lines(read_bytes(folder.path() / "out/results.jsonl"))) {
            const int scene = std::stoi(line["image"].get<std::string>()) / 12;
            for (const Json& face : line["detections"]) numbers[scene].insert(face["track"].get<int>());
        }
        return numbers;
    };
    using Numbers = std::map<int, std::set<int>>;
    CHECK(numbers_in_scenes({}) == Numbers{{0, {1, 2}}, {1, {3}}, {2, {1, 2}}});
    CHECK(numbers_in_scenes({"--separate", "--overwrite"}) == Numbers{{0, {1, 2}}, {1, {3}}, {2, {4, 5}}});
    // Nobody can be known without landmarks.
    CHECK(numbers_in_scenes({"--landmarks", "none", "--overwrite"}) ==
          Numbers{{0, {1, 2}}, {1, {3}}, {2, {4, 5}}});
}

TEST_CASE("tld-david is followed from its first frame to its last", "[cli][track]") {
    const char* data = std::getenv("FOVEA_DATA");
    const fs::path clip = data == nullptr ? fs::path() : fs::path(data) / "video/tld-david/david.mpg";
    if (data == nullptr || !fs::exists(clip)) {
        WARN("not run: FOVEA_DATA/video/tld-david is not there");
        return;
    }
    const TempDir folder;
    const ProgramResult result = run_fovea({"track", clip.string(), "--model", "mct", "--out",
                                            folder.path().string(), "--device", "cpu", "--json"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    const Json outcome = Json::parse(result.out);
    CHECK(outcome["tracks"] == 1);
    CHECK(outcome["images"] == 761);
    CHECK(outcome["boxes"] >= 745);
    std::ifstream stream(folder.path() / "tracks.jsonl");
    const Json track = Json::parse(stream);
    CHECK(track["seconds_on_screen"].get<double>() == Approx(30.4).margin(0.6));
}
