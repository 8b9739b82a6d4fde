#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include <catch2/catch.hpp>

#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "tests/support/dlib_resnets.hpp"
#include "tests/support/json_lines.hpp"
#include "tests/support/still_portraits.hpp"
#include "tests/support/video/y4m.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// A picture whose face edge_cascade() finds, with a texture of its own.
std::string face_of(std::uint32_t subject) {
    std::string picture = edge_pgm(80, 70);
    const GreyImage texture = smooth_noise(80, 70, 5, subject);
    const std::size_t header = picture.size() - texture.pixels.size();
    for (std::size_t i = 0; i < texture.pixels.size(); ++i)
        picture[header + i] =
            static_cast<char>(static_cast<unsigned char>(picture[header + i]) + texture.pixels[i] / 8);
    return picture;
}

/// A video in which the faces of some subjects stand side by side, 80 pixels apart.
std::string video_of(const std::vector<std::uint32_t>& subjects, int frames) {
    std::vector<std::string> pictures;
    for (const std::uint32_t subject : subjects) pictures.push_back(face_of(subject));
    std::string luma;
    for (std::size_t y = 0; y < 70; ++y) {
        for (const std::string& picture : pictures)
            luma += picture.substr(picture.size() - (70 - y) * 80, 80);
    }
    return y4m_video(80 * static_cast<int>(subjects.size()), 70, luma, frames);
}

/// An archive whose photographs of one person are the same picture, and a recogniser by invented numbers.
struct PeopleArchive : PhotoFolder {
    PeopleArchive()
        : PhotoFolder({{"a1.pgm", face_of(1)},
                       {"a2.pgm", face_of(1)},
                       {"a3.pgm", face_of(1)},
                       {"b1.pgm", face_of(2)},
                       {"b2.pgm", face_of(2)},
                       {"c1.pgm", face_of(3)},
                       {"d1.pgm", "P5\ncut off"}}) {
        landmarks = folder.write("still.dat", still_landmark_file(5)).string();
        folder.write("net.dat", joined_parts(dlib_resnet_parts()));
        recogniser = folder
                         .write("mine.json", R"({"format": "fovea-recogniser", "version": 1, "name": "mine",
            "face": {"width": 150, "height": 150, "left_eye": [47.5, 46.6], "right_eye": [100.5, 46.6],
                     "align": "eyes"},
            "network": {"file": "net.dat"}, "distance": "euclidean"})")
                         .string();
        folder.write("models/landmarks/boxes.json",
                     conventions_to_json({{"edge", {0, 0.25, 1, 0.75}, {}, 10}}).dump());
        options.environment["FOVEA_MODELS"] = path("models");
    }

    /// A command on the images with these models.
    std::vector<std::string> on_photos(const char* command, const std::string& with_recogniser) const {
        return {command,        photos,          "--model",  model, "--landmarks",      landmarks,
                "--recogniser", with_recogniser, "--device", "cpu", "--max-unreadable", "1"};
    }
    std::vector<std::string> words(const std::vector<std::string>& more, const std::string& out = "people",
                                   const std::string& other_recogniser = {}) const {
        std::vector<std::string> arguments =
            on_photos("people", other_recogniser.empty() ? recogniser : other_recogniser);
        for (const std::string& word : {std::string("--distance"), std::string("0.00001"),
                                        std::string("--out"), path(out), std::string("--json")})
            arguments.push_back(word);
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    ProgramResult run(const std::vector<std::string>& more = {}, const std::string& out = "people",
                      const std::string& other_recogniser = {}) const {
        return run_fovea(words(more, out, other_recogniser), options);
    }
    /// The outcome of a run, which must succeed.
    Json people(std::vector<std::string> more = {}) const {
        const ProgramResult result = run(std::move(more));
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
        return Json::parse(result.out);
    }
    Json file(const std::string& name) const { return Json::parse(read_bytes(path("people/" + name))); }

    /// "a1.pgm: 1 Ann": each image with its faces' people or why they stand apart.
    std::vector<std::string> faces() const {
        std::vector<std::string> faces;
        for (const Json& line : json_lines(read_bytes(path("people/results.jsonl")))) {
            std::string text = line["image"].get<std::string>() + ":";
            for (const Json& face : line["detections"]) {
                if (face.contains("person")) text += " " + std::to_string(face["person"].get<int>());
                if (face.contains("identity")) text += " " + face["identity"].get<std::string>();
                if (face.contains("apart")) text += " " + face["apart"].get<std::string>();
            }
            faces.push_back(text);
        }
        return faces;
    }
    std::string names(const std::string& list) const {
        return folder
            .write("names.json", R"({"format": "fovea-names", "version": 1, "people": ")" +
                                     file("people.json")["id"].get<std::string>() + R"(", "names": [)" +
                                     list + "]}")
            .string();
    }

    /// Runs `fovea detect` on the same images with the same models; it writes found.jsonl and found.npy.
    void detect(const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words = on_photos("detect", recogniser);
        for (const std::string& word : {std::string("--features"), path("found.npy"), std::string("--out"),
                                        path("found.jsonl"), std::string("--quality")})
            words.push_back(word);
        words.insert(words.end(), more.begin(), more.end());
        const ProgramResult result = run_fovea(words, options);
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
    }
    std::vector<std::string> found() const {
        return {"--results", path("found.jsonl"), "--features", path("found.npy")};
    }

    std::string landmarks;
    std::string recogniser;
    ProgramOptions options;
};

}  // namespace

TEST_CASE("people: the faces of photographs are grouped, and stay so while the archive changes",
          "[cli][people]") {
    const PeopleArchive f;
    const Json first = f.people();
    CHECK(first["images"] == 7);
    CHECK(first["described"] == 7);
    CHECK(first["faces"] == 6);
    CHECK(first["people"] == 2);
    CHECK(first["unreadable"] == 1);
    CHECK(first["apart"] == Json{{"alone", 1}});
    CHECK(f.faces() == std::vector<std::string>{"a1.pgm: 1", "a2.pgm: 1", "a3.pgm: 1", "b1.pgm: 2",
                                                "b2.pgm: 2", "c1.pgm: alone", "d1.pgm:"});
    const Json people = f.file("people.json");
    CHECK(people["people"][0]["faces"] == 3);
    CHECK(people["people"][0]["images"] == 3);
    CHECK(people["people"][0]["image"] == "a1.pgm");
    CHECK(people["distance"] == 0.00001);
    const Json manifest = f.file("run.json");
    CHECK(manifest["command"] == "people");
    CHECK(manifest["counts"]["people"] == 2);
    CHECK(manifest["unreadable"][0]["image"] == "d1.pgm");

    // Nothing is described twice, and nothing changes.
    const std::string results = read_bytes(f.path("people/results.jsonl"));
    CHECK(f.people()["described"] == 0);
    CHECK(read_bytes(f.path("people/results.jsonl")) == results);
    CHECK(f.file("people.json") == people);

    // Names of a user, and photographs that come and go; the pair of Cid gets the next number.
    const std::string names = f.names(R"({"person": 2, "name": "Bob \"<b>\"\nü"})");
    f.folder.write("photos/c2.pgm", face_of(3));
    f.folder.write("photos/a0.pgm", face_of(1));
    fs::remove(f.path("photos/a1.pgm"));
    const Json second = f.people({"--names", names});
    CHECK(second["described"] == 2);
    CHECK(second["gone"] == 1);
    CHECK(f.faces() == std::vector<std::string>{"a0.pgm: 1", "a2.pgm: 1", "a3.pgm: 1",
                                                "b1.pgm: 2 Bob \"<b>\"\nü", "b2.pgm: 2 Bob \"<b>\"\nü",
                                                "c1.pgm: 3", "c2.pgm: 3", "d1.pgm:"});
    // They stay without the file.
    CHECK(f.people()["described"] == 0);
    CHECK(f.file("people.json")["people"][1]["name"] == "Bob \"<b>\"\nü");
    CHECK(f.file("people.json")["people"][1]["named_by"] == "user");

    // A photograph that has changed is described again; a named person is one with a single face, too.
    f.folder.write("photos/b2.pgm", face_of(4));
    CHECK(f.people()["described"] == 1);
    CHECK(f.faces()[3] == "b1.pgm: 2 Bob \"<b>\"\nü");
    CHECK(f.faces()[4] == "b2.pgm: alone");
}

TEST_CASE("people: a folder without numbers, as older versions left it, goes on by its results",
          "[cli][people]") {
    const PeopleArchive f;
    f.people();
    f.people({"--names", f.names(R"({"person": 2, "name": "Bob"})")});
    fs::copy(f.path("people"), f.path("kept"), fs::copy_options::recursive);
    f.folder.write("photos/b0.pgm", face_of(2));
    f.folder.write("photos/a0.pgm", face_of(1));
    f.people();
    const std::vector<std::string> expected{"a0.pgm: 1",     "a1.pgm: 1",     "a2.pgm: 1",
                                            "a3.pgm: 1",     "b0.pgm: 2 Bob", "b1.pgm: 2 Bob",
                                            "b2.pgm: 2 Bob", "c1.pgm: alone", "d1.pgm:"};
    CHECK(f.faces() == expected);
    const std::string results = read_bytes(f.path("people/results.jsonl"));
    for (const bool is_wrong : {false, true}) {
        fs::remove_all(f.path("people"));
        fs::copy(f.path("kept"), f.path("people"), fs::copy_options::recursive);
        REQUIRE(fs::exists(f.path("people/parts/people.numbers")));
        if (is_wrong)
            f.folder.write("people/parts/people.numbers", "????");
        else
            fs::remove(f.path("people/parts/people.numbers"));
        f.people();
        CHECK(read_bytes(f.path("people/results.jsonl")) == results);
    }
}

TEST_CASE("people: people of one name are one person", "[cli][people]") {
    const PeopleArchive f;
    f.people();
    f.people({"--names", f.names(R"({"person": 1, "name": "Ann"}, {"person": 2, "name": "Ann"})")});
    CHECK(f.faces() == std::vector<std::string>{"a1.pgm: 1 Ann", "a2.pgm: 1 Ann", "a3.pgm: 1 Ann",
                                                "b1.pgm: 1 Ann", "b2.pgm: 1 Ann", "c1.pgm: alone",
                                                "d1.pgm:"});
}

TEST_CASE("people: a gallery names them", "[cli][people]") {
    const PeopleArchive f;
    f.folder.write("known/b.pgm", face_of(2));
    const std::string gallery = f.path("known.fvg");
    const ProgramResult enrolled =
        run_fovea({"enroll", f.path("known"), "--model", f.model, "--landmarks", f.landmarks, "--recogniser",
                   f.recogniser, "--gallery", gallery, "--subject", "Bob", "--device", "cpu"},
                  f.options);
    CAPTURE(enrolled.err);
    REQUIRE(enrolled.exit_code == 0);
    f.people({"--gallery", gallery, "--threshold", "0.00001"});
    CHECK(f.faces()[0] == "a1.pgm: 1");
    CHECK(f.faces()[3] == "b1.pgm: 2 Bob");
    CHECK(f.file("people.json")["people"][1]["named_by"] == "gallery");
    // A user's word counts more.
    f.people({"--gallery", gallery, "--threshold", "0.00001", "--names",
              f.names(R"({"person": 2, "name": "Rob"})")});
    CHECK(f.faces()[3] == "b1.pgm: 2 Rob");
}

TEST_CASE("people: small faces stand apart", "[cli][people]") {
    const PeopleArchive f;
    CHECK(f.people({"--min-face", "1000"})["apart"] == Json{{"small", 6}});
    // How faces are grouped may change; they are not described anew.
    const Json again = f.people({"--min-faces", "3"});
    CHECK(again["described"] == 0);
    CHECK(again["people"] == 1);
    CHECK(again["apart"] == Json{{"alone", 3}});
}

TEST_CASE("people: blurred faces stand apart, and every face is measured", "[cli][people][quality]") {
    const PeopleArchive f;
    CHECK(f.people({"--min-sharpness", "100000"})["apart"] == Json{{"blurred", 6}});
    for (const Json& line : json_lines(read_bytes(f.path("people/results.jsonl"))))
        for (const Json& face : line["detections"]) CHECK(face["sharpness"].get<double>() > 0);
    CHECK_FALSE(f.people({"--min-sharpness", "0"})["apart"].contains("blurred"));
}

TEST_CASE("people: wrong usage and other people's folders", "[cli][people]") {
    const PeopleArchive f;
    const auto refused = [&](std::vector<std::string> more, const std::string& out = "people",
                             const std::string& recogniser = {}) {
        const ProgramResult result = f.run(std::move(more), out, recogniser);
        CHECK(result.exit_code == 2);
        return result.err;
    };
    CHECK_THAT(refused({"--names", f.path("names.json")}), Contains("holds none"));
    CHECK_THAT(refused({}, "people", "lbp"), Contains("fetch-recogniser.sh"));
    CHECK_THAT(refused({}, "people", f.path("other.json")), Contains("other.json"));
    CHECK_THAT(refused({"--far", "0.1"}), Contains("--gallery"));
    CHECK_THAT(refused({"--threshold", "x"}), Contains("--threshold"));
    fs::create_directories(f.path("full"));
    write_file(f.path("full/results.jsonl"), "{}\n");
    CHECK_THAT(refused({}, "full"), Contains("another command") && Contains("--overwrite"));
    CHECK(read_bytes(f.path("full/results.jsonl")) == "{}\n");

    f.people();
    const std::string before = read_bytes(f.path("people/results.jsonl"));
    CHECK_THAT(refused({"--min-neighbors", "0"}),
               Contains("people of other work") && Contains("--overwrite"));
    CHECK_THAT(refused({"--names", f.folder
                                       .write("wrong.json", R"({"format": "fovea-names", "version": 1,
                                              "people": "other", "names": []})")
                                       .string()}),
               Contains("another archive"));
    CHECK_THAT(refused({"--names", f.names(R"({"person": 99, "name": "Ann"})")}),
               Contains("names person 99"));
    CHECK(read_bytes(f.path("people/results.jsonl")) == before);
    CHECK(f.people({"--min-neighbors", "0", "--overwrite"})["described"] == 7);
}

TEST_CASE("people: a track of a video is one face, however long it is", "[cli][people]") {
    const PeopleArchive f;
    f.folder.write("photos/v1.y4m", video_of({1, 2}, 12));
    f.folder.write("photos/v2.y4m", video_of({2, 1}, 25));
    f.folder.write("photos/v3.y4m", y4m_video(80, 70, std::string(80 * 70, 'x'), 3));  // nobody is in it
    const Json first = f.people();
    CHECK(first["described"] == 9);
    CHECK(first["images"] == 9);
    CHECK(first["faces"] == 6 + 4);
    CHECK(f.file("run.json")["counts"]["lost_tracks"] == 0);
    std::size_t frames = 0;
    for (const Json& line : json_lines(read_bytes(f.path("people/results.jsonl")))) {
        const std::string image = line["image"].get<std::string>();
        CHECK(line.contains("time") == image.starts_with("v"));
        if (!line.contains("frame")) continue;
        ++frames;
        std::set<int> tracks;
        for (const Json& face : line["detections"]) tracks.insert(face["track"].get<int>());
        CHECK(tracks == std::set<int>{1, 2});
    }
    CHECK(frames == 2);
    const std::vector<Json> tracks = json_lines(read_bytes(f.path("people/tracks.jsonl")));
    REQUIRE(tracks.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(tracks[i]["sequence"] == (i < 2 ? "v1.y4m" : "v2.y4m"));
        CHECK(tracks[i]["first_time"] == 0);
        CHECK(tracks[i]["last_time"] == (i < 2 ? 0.44 : 0.96));
        CHECK(tracks[i]["seconds_on_screen"] == (i < 2 ? 0.48 : 1));
        CHECK(tracks[i].contains("person") != tracks[i].contains("apart"));
    }
    // The files of the track job are of no use any more.
    CHECK_FALSE(fs::exists(f.path("people/parts/0001.tracks")));
    const std::string results = read_bytes(f.path("people/results.jsonl"));

    CHECK(f.people()["described"] == 0);
    CHECK(read_bytes(f.path("people/results.jsonl")) == results);

    SECTION("a video that is gone is gone with its faces") {
        fs::remove(f.path("photos/v1.y4m"));
        const Json second = f.people();
        CHECK(second["gone"] == 1);
        CHECK(second["described"] == 0);
        CHECK(second["faces"] == 6 + 2);
        CHECK(json_lines(read_bytes(f.path("people/tracks.jsonl"))).size() == 2);
        fs::remove(f.path("photos/v2.y4m"));
        CHECK(f.people()["gone"] == 2);
        CHECK_FALSE(fs::exists(f.path("people/tracks.jsonl")));
        CHECK(read_bytes(f.path("people/results.jsonl")).find("v1.y4m") == std::string::npos);
    }
    SECTION("a video that has changed is followed again, and no other one") {
        f.folder.write("photos/v1.y4m", video_of({1, 2, 3}, 12));
        const Json second = f.people();
        CHECK(second["described"] == 1);
        CHECK(second["faces"] == 6 + 5);
        CHECK(json_lines(read_bytes(f.path("people/parts/0002.tracks.jsonl"))).size() == 3);
    }
    SECTION("other frames of videos are other videos") {
        const Json second = f.people({"--every", "2", "--to", "0.5"});
        CHECK(second["described"] == 2);
        CHECK(second["faces"] == 6 + 4);
        CHECK(f.people()["described"] == 0);
        CHECK(read_bytes(f.path("people/results.jsonl")) == results);
    }
    SECTION("a track whose best face is not found again is left out, and told") {
        std::vector<Json> lines = json_lines(read_bytes(f.path("people/parts/0001.tracks.jsonl")));
        lines.at(0)["best"]["box"] = {0, 0, 1, 1};
        std::string text;
        for (const Json& line : lines) text += line.dump() + "\n";
        f.folder.write("people/parts/0001.tracks.jsonl", text);
        fs::remove(f.path("photos/a1.pgm"));
        const ProgramResult result = f.run();
        CHECK(result.exit_code == 0);
        CHECK_THAT(result.err, Contains("1 track of videos left out"));
        CHECK(Json::parse(result.out)["faces"] == 5 + 3);
        CHECK(f.file("run.json")["counts"]["lost_tracks"] == 1);
    }
    SECTION("the page has pictures of their faces") {
        const ProgramResult page =
            run_fovea({"browse", f.path("people"), "--out", f.path("page"), "--json"}, f.options);
        CHECK(page.exit_code == 3);  // d1.pgm
        CHECK(Json::parse(page.out)["faces"] == 10);
        CHECK(Json::parse(page.out)["unreadable"] == 1);
        const std::string faces = read_bytes(f.path("page/data/0000.js"));
        CHECK_THAT(faces, Contains(R"("from":[)") && Contains("0.96") && Contains("0.44"));
    }
}

TEST_CASE("people: a run that is killed among videos goes on to the same bytes", "[cli][people]") {
    const PeopleArchive f;
    for (const char* name : {"v1", "v2", "v3", "v4"})
        f.folder.write("photos/" + std::string(name) + ".y4m", video_of({1, 2}, 60));
    f.people();
    const auto bytes = [&](const std::string& folder) {
        std::vector<std::string> all;
        for (const char* name : {"results.jsonl", "people.json", "parts/0001.jsonl", "parts/0001.npy",
                                 "parts/0001.tracks.jsonl", "parts/0001.stamps.jsonl"})
            all.push_back(read_bytes(f.path(folder + "/" + name)));
        return all;
    };
    const std::vector<std::string> expected = bytes("people");
    // In the track job, and as soon as the detection job may have begun.
    for (const char* sign : {"parts/0001.tracks/.track-journal/0/record", "parts/0001.tracks.jsonl"}) {
        std::vector<std::string> words = f.words({}, "killed");
        words.insert(words.begin(), fovea_program());
        StartedProgram program(words, f.options);
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
        while (!fs::exists(f.path("killed/" + std::string(sign))) && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        program.send_signal(SIGKILL);
        if (program.wait().exit_code != 128 + SIGKILL) WARN("the run was done before it was killed");
    }
    REQUIRE(f.run({}, "killed").exit_code == 0);
    CHECK(bytes("killed") == expected);
    CHECK_FALSE(fs::exists(f.path("killed/parts/0001.tracks")));
}

TEST_CASE("people: finished results are taken over, and give the bytes of a run of its own",
          "[cli][people]") {
    const PeopleArchive f;
    f.detect();
    REQUIRE(f.run({}, "own").exit_code == 0);
    const std::string own = read_bytes(f.path("own/results.jsonl"));

    // A run that was killed before its part began may have left files.
    f.folder.write("people/parts/0001.jsonl", "{");
    f.folder.write("people/parts/0001.run.json", "{}");
    const Json outcome = f.people(f.found());
    CHECK(outcome["adopted"] == 7);
    CHECK(outcome["described"] == 0);
    CHECK(read_bytes(f.path("people/results.jsonl")) == own);
    // The flags may stay, or go.
    CHECK(f.people(f.found())["adopted"] == 0);
    CHECK(f.people()["described"] == 0);
    CHECK_FALSE(fs::exists(f.path("people/parts/0002.stamps.jsonl")));
    CHECK(read_bytes(f.path("people/results.jsonl")) == own);
}

TEST_CASE("people: images that finished results lack, or that have changed since, are described",
          "[cli][people]") {
    const PeopleArchive f;
    f.detect({"--pattern", "[ab]*"});
    f.folder.write("photos/b2.pgm", face_of(3));
    fs::last_write_time(f.path("photos/b2.pgm"),
                        fs::last_write_time(f.path("found.jsonl")) + std::chrono::seconds(1));
    const Json outcome = f.people(f.found());
    CHECK(outcome["adopted"] == 4);
    CHECK(outcome["described"] == 3);
    CHECK(f.faces() == std::vector<std::string>{"a1.pgm: 1", "a2.pgm: 1", "a3.pgm: 1", "b1.pgm: alone",
                                                "b2.pgm: 2", "c1.pgm: 2", "d1.pgm:"});
}

TEST_CASE("people: finished results for frames of videos are left out, and crops are not named",
          "[cli][people]") {
    const PeopleArchive f;
    f.folder.write("photos/v1.y4m", video_of({1, 2}, 12));
    REQUIRE(f.run({}, "own").exit_code == 0);
    f.detect({"--crops", f.path("crops")});
    const ProgramResult result = f.run(f.found());
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.err, Contains("12 results of videos") && Contains("left out"));
    CHECK(Json::parse(result.out)["adopted"] == 7);
    CHECK(Json::parse(result.out)["described"] == 1);
    CHECK(read_bytes(f.path("people/results.jsonl")) == read_bytes(f.path("own/results.jsonl")));
}

TEST_CASE("people: finished results that do not fit change nothing", "[cli][people]") {
    const PeopleArchive f;
    const auto refused = [&](const std::vector<std::string>& more) {
        const ProgramResult result = f.run(more);
        CHECK(result.exit_code == 2);
        CHECK_FALSE(fs::exists(f.path("people")));
        return result.err;
    };
    f.detect({"--min-neighbors", "0"});
    CHECK_THAT(refused(f.found()), Contains("other work") && Contains("min_neighbors is 3 and was 0"));
    f.detect({"--overwrite"});
    CHECK_THAT(refused({"--results", f.path("found.jsonl")}), Contains("name both"));
    CHECK_THAT(refused({"--results", f.path("found.jsonl"), "--features", f.path("none.npy")}),
               Contains("none.npy"));
    fs::copy_file(f.path("found.jsonl"), f.path("copy.jsonl"));
    CHECK_THAT(refused({"--results", f.path("copy.jsonl"), "--features", f.path("found.npy")}),
               Contains("no manifest"));
    // Pictures of other names.
    for (const char* name : {"a1", "a2", "a3", "b1", "b2", "c1", "d1"})
        fs::rename(f.path("photos/" + std::string(name) + ".pgm"),
                   f.path("photos/other-" + std::string(name) + ".pgm"));
    CHECK_THAT(refused(f.found()), Contains("no image of"));
}
