#include "lib/job/merge/merge_shards.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <utility>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/shard_parts.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;

namespace {

std::set<std::string> names_in(const std::filesystem::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        names.insert(entry.path().filename().string());
    }
    return names;
}

MergeRequest request_of(const MadeParts& parts, bool with_features = true) {
    return {parts.files, parts.path("all.jsonl"), with_features ? parts.path("all.npy") : "", false};
}

// Refused with these words, and no file was made or changed.
void check_refused(const MadeParts& parts, const MergeRequest& request,
                   const std::vector<std::string>& words) {
    const std::set<std::string> before = names_in(parts.folder.path());
    std::string message;
    try {
        merge_shards(request);
    } catch (const Error& error) {
        message = error.what();
    }
    CHECK(names_in(parts.folder.path()) == before);
    for (const std::string& word : words) CHECK_THAT(message, Contains(word));
}

using Edit = std::function<void(std::size_t index, Json& manifest)>;

// Two parts, whose manifests are edited.
void check_edit_refused(const Edit& edit, const std::vector<std::string>& words) {
    const MadeParts parts(12, 2, edit);
    check_refused(parts, request_of(parts), words);
}

}  // namespace

TEST_CASE("Merged shards are the bytes of a single run", "[merge]") {
    for (const std::size_t count : {1, 2, 3, 8}) {
        for (const std::size_t images : {0, 1, 40}) {
            CAPTURE(count, images);
            const MadeParts parts(images, count);
            MergeRequest request = request_of(parts);
            // In any order.
            std::rotate(request.parts.begin(), request.parts.begin() + static_cast<std::ptrdiff_t>(count / 2),
                        request.parts.end());
            const MergeResult outcome = merge_shards(request);
            parts.job.write_features(parts.path("single.npy"), parts.job.all());
            CHECK(read_file(request.out) == parts.job.results(parts.job.all()));
            CHECK(read_file(request.features) == read_file(parts.path("single.npy")));
            CHECK(outcome.parts == count);
            CHECK(outcome.images == images);
            CHECK(outcome.unreadable.size() == images / 5);
            CHECK(outcome.detections == (images == 40 ? 48 : 0));
            CHECK(outcome.feature_rows == outcome.detections);
            CHECK(outcome.warnings.empty());
            CHECK_FALSE(std::filesystem::exists(request.out.string() + ".part"));
            CHECK_FALSE(std::filesystem::exists(request.features.string() + ".part"));
        }
    }
}

TEST_CASE("The manifest of merged results says what they are made of", "[merge]") {
    const MadeParts parts(12, 2);
    const MergeResult outcome = merge_shards(request_of(parts));
    CHECK(outcome.manifest == parts.path("all.run.json"));
    const Json json = Json::parse(read_file(outcome.manifest));
    CHECK(json["command"] == "merge");
    CHECK(json["complete"] == true);
    CHECK(json["configuration"]["threads"] == 1);
    CHECK(json["work"]["images"] == 12);
    CHECK_FALSE(json["work"].contains("shard"));
    CHECK(json["dataset"] == Json{{"name", "folder:photos"}, {"images", 12}});
    CHECK(json["decoding"] == Json{{"name", "nvjpeg"},
                                   {"images", {{"cpu", 2}, {"nvjpeg", 10}, {"reduced", 3}}},
                                   {"refused_by_nvjpeg", 30}});
    CHECK_FALSE(json.contains("shard"));
    CHECK_FALSE(json.contains("device"));
    CHECK_FALSE(json.contains("timings"));
    CHECK(json["detectors"].size() == 1);
    // Images 0 to 11 have 0, 1, 2, 3, (0,) 1, 2, 3, 0, (0,) 2 and 3 faces.
    CHECK(json["detectors"][0] == Json{{"name", "mct"},
                                       {"detections", 17},
                                       {"results", "all.jsonl"},
                                       {"results_sha256", sha256_of_file(parts.path("all.jsonl"))}});
    CHECK(json["features"] == Json{{"file", "all.npy"},
                                   {"recogniser", "lbp"},
                                   {"fingerprint", "f"},
                                   {"rows", 17},
                                   {"bins", 3},
                                   {"sha256", sha256_of_file(parts.path("all.npy"))}});
    CHECK(json["counts"] == Json{{"images", 12},
                                 {"ok", 10},
                                 {"unreadable", 2},
                                 {"damaged", 0},
                                 {"pages_left_out", 0},
                                 {"skipped", 1},
                                 {"detections", 17}});
    // Images 4 and 9, of different shards.
    CHECK(json["unreadable"] == Json::parse(R"([{"image":"photo-4.jpg","reason":"no JPEG"},
                                                {"image":"photo-9.jpg","reason":"no JPEG"}])"));
    CHECK(json["skipped"] == Json::parse(R"([{"name":"notes.doc","reason":"no image"}])"));
    CHECK(json["parts"].size() == 2);
    CHECK(json["parts"][1] == Json{{"file", "part-2.jsonl"},
                                   {"sha256", sha256_of_file(parts.files[1])},
                                   {"shard", {{"index", 2}, {"count", 2}}},
                                   {"device", "cuda:2"},
                                   {"timings", {{"total_seconds", 2}}}});
}

TEST_CASE("A merge says how many images of resumed parts its counts of decoders are of", "[merge]") {
    const MadeParts parts(12, 2, [](std::size_t index, Json& json) {
        if (index == 2) json["decoding"]["of_images"] = 4;
    });
    const MergeResult outcome = merge_shards(request_of(parts));
    // Six of the first part: 0, 2, 4, 6, 8 and 10.
    CHECK(Json::parse(read_file(outcome.manifest))["decoding"]["of_images"] == 10);
}

TEST_CASE("A folder in the place of merged results is refused before the work", "[merge]") {
    const MadeParts parts(12, 2);
    MergeRequest request = request_of(parts);
    merge_shards(request);
    request.overwrite = true;
    JobHooks hooks;
    // A folder in the place of the results: nothing is begun, and nothing is lost.
    hooks.stage = [&](const std::string& stage) {
        if (stage != "merging") return;
        std::filesystem::remove(request.out);
        std::filesystem::create_directory(request.out);
    };
    CHECK_THROWS_WITH(merge_shards(request, hooks),
                      Contains("all.jsonl' is a device, a pipe or a folder") && Contains("name a file"));
    CHECK(std::filesystem::exists(parts.path("all.run.json")));
    CHECK_FALSE(std::filesystem::exists(parts.path("all.jsonl.part")));
}

TEST_CASE("Merged results take the place of the file that a link leads to", "[merge]") {
    const MadeParts parts(12, 2);
    MergeRequest request = request_of(parts);
    merge_shards(request);
    const std::string bytes = read_file(request.out);
    const std::filesystem::path file = request.out, link = parts.path("link.jsonl");
    for (const char* content : {"older", ""}) {
        std::ofstream(file, std::ios::trunc) << content;
        if (*content == '\0') std::filesystem::remove(file);  // the link leads to nothing
        std::filesystem::remove(link);
        std::filesystem::create_symlink(file, link);
        request.out = link;
        request.overwrite = true;
        merge_shards(request);
        CHECK(std::filesystem::is_symlink(link));
        CHECK(read_file(file) == bytes);
        CHECK_FALSE(std::filesystem::exists(parts.path("link.jsonl.part")));
    }
}

TEST_CASE("Merged results are a whole, which can be merged again", "[merge]") {
    const MadeParts parts(12, 3);
    merge_shards(request_of(parts));
    const MergeResult outcome =
        merge_shards({{parts.path("all.jsonl")}, parts.path("again.jsonl"), parts.path("again.npy"), false});
    CHECK(outcome.images == 12);
    CHECK(read_file(parts.path("again.jsonl")) == read_file(parts.path("all.jsonl")));
    CHECK(read_file(parts.path("again.npy")) == read_file(parts.path("all.npy")));
}

TEST_CASE("Results of annotated boxes are merged as well", "[merge]") {
    const MadeParts parts(12, 2, [](std::size_t, Json& json) {
        json["truth_boxes"] = {{"name", "truth"},
                               {"faces", json["detectors"][0]["detections"]},
                               {"results_sha256", json["detectors"][0]["results_sha256"]}};
        json["detectors"] = Json::array();
        json["counts"]["detections"] = 0;
    });
    const MergeResult outcome = merge_shards(request_of(parts));
    CHECK(outcome.detections == 17);
    const Json json = Json::parse(read_file(outcome.manifest));
    CHECK(json["truth_boxes"]["faces"] == 17);
    CHECK(json["truth_boxes"]["results_sha256"] == sha256_of_file(parts.path("all.jsonl")));
    CHECK(json["counts"]["detections"] == 0);
    CHECK(json["detectors"].empty());
}

TEST_CASE("A line may be longer than what is read at once", "[merge]") {
    MadeParts parts(6, 2);
    std::string faces = R"({"box":[1,2,3,4],"score":1})";
    for (int i = 1; i < 60000; ++i) faces += R"(,{"box":[1,2,3,4],"score":1})";
    parts.job.lines[3] = R"({"image":"photo-3.jpg","status":"ok","detections":[)" + faces + "]}\n";
    parts.job.faces[3] = 60000;
    REQUIRE(parts.job.lines[3].size() > (std::size_t{1} << 20));
    for (const std::size_t index : {1, 2}) {
        write_json_file(manifest_path(parts.files[index - 1]), parts.write_part(index, 2));
    }
    merge_shards(request_of(parts));
    CHECK(read_file(parts.path("all.jsonl")) == parts.job.results(parts.job.all()));
    CHECK(read_feature_file_shape(parts.path("all.npy")).rows == 60004);
}

TEST_CASE("Parts that are not complete, not whole or not there are refused", "[merge]") {
    const MadeParts parts(12, 2);
    const MergeRequest request = request_of(parts);
    check_refused(parts, {{}, request.out, {}, false}, {"nothing to merge"});
    check_refused(parts, {{parts.files[0], parts.path("none.jsonl")}, request.out, {}, false},
                  {"no results file", "none.jsonl"});
    parts.folder.write("part-2.jsonl.journal", "");
    check_refused(parts, request, {"part-2.jsonl' is not complete", "part-2.jsonl.journal", "--resume"});
    std::filesystem::remove(parts.path("part-2.jsonl.journal"));
    std::filesystem::rename(parts.path("part-2.run.json"), parts.path("aside"));
    check_refused(parts, request, {"part-2.jsonl' has no manifest", "part-2.run.json"});
    parts.folder.write("part-2.run.json", "{\"complete\": true");
    check_refused(parts, request, {"part-2.run.json' is not JSON"});
    const std::pair<const char*, const char*> broken[] = {
        {"[]", " must be an object with \"complete\", but is an empty list"},
        {"{}", ": there is no \"complete\""},
        {"3", " must be an object with \"complete\", but is 3"},
        {R"({"complete": 1})", ": 'complete' must be true or false, but is 1"},
        {R"({"complete": true})", ": there is no \"work\""}};
    for (const auto& [json, fault] : broken) {
        parts.folder.write("part-2.run.json", json);
        check_refused(parts, request, {"part-2.run.json" + std::string(fault)});
    }
    std::filesystem::rename(parts.path("aside"), parts.path("part-2.run.json"));
    const std::string results = read_file(parts.files[1]);
    parts.folder.write("part-2.jsonl", results + "\n");
    check_refused(parts, request, {"part-2.jsonl' was changed since its manifest", "part-2.run.json"});
    parts.folder.write("part-2.jsonl", results);
    parts.folder.write("part-1.npy", read_file(parts.path("part-1.npy")) + "  ");
    check_refused(parts, request, {"part-1.npy' was changed since"});
    CHECK_NOTHROW(merge_shards(request_of(parts, false)));
}

TEST_CASE("Manifests that do not fit their results are refused", "[merge]") {
    const auto second = [](const std::function<void(Json&)>& edit) {
        return [edit](std::size_t index, Json& json) {
            if (index == 2) edit(json);
        };
    };
    check_edit_refused(second([](Json& json) { json["complete"] = false; }),
                       {"part-2.jsonl' is not complete"});
    check_edit_refused(second([](Json& json) { json["detectors"].push_back(json["detectors"][0]); }),
                       {"part-2.run.json: 'detectors'", "one detector"});
    check_edit_refused(second([](Json& json) { json["counts"]["images"] = 7; }),
                       {"part-2.run.json' counts 7 images and has 6 positions"});
    check_edit_refused(second([](Json& json) {
                           json["counts"]["images"] = 5;
                           json["shard"]["positions"] = "1 2 2 2 2";
                       }),
                       {"None of the parts has image 12 of the 12"});
    check_edit_refused(second([](Json& json) {
                           json["counts"]["images"] = 7;
                           json["shard"]["positions"] = "1 2 2 2 2 1 1";
                       }),
                       {"both have image 11 of the list"});
    check_edit_refused(second([](Json& json) { json["counts"]["unreadable"] = 0; }),
                       {"part-2.jsonl' (shard 2/2) has more or fewer unreadable images than its manifest"});
    check_edit_refused(second([](Json& json) { json["detectors"][0]["detections"] = 0; }),
                       {"has more or fewer detections than its manifest"});
    // Whatever is added up or copied is looked at before anything is written.
    for (const char* count : {"damaged", "skipped", "detections"}) {
        for (const Json& broken :
             {Json::object(), Json("1"), Json(-1), Json(1.5), Json(nullptr), Json(1e300)}) {
            CAPTURE(count, broken.dump());
            check_edit_refused(second([&](Json& json) { json["counts"][count] = broken; }),
                               {"part-2.run.json: 'counts." + std::string(count) + "' must be"});
        }
    }
    for (const Json& videos : {Json("clip.mp4"), Json::array({1}), Json::array({{{"video", "clip.mp4"}}})}) {
        CAPTURE(videos.dump());
        check_edit_refused(second([&](Json& json) { json["videos"] = videos; }),
                           {"part-2.run.json: 'videos"});
    }
    check_edit_refused(second([](Json& json) {
                           json["videos"] = Json::array(
                               {{{"video", "clip.mp4"}, {"frames", {{"listed", 1}, {"decoded", "all"}}}}});
                       }),
                       {"part-2.run.json: 'videos[0].frames.decoded'"});
    check_edit_refused(second([](Json& json) { json["features"]["rows"] = 1; }),
                       {"part-2.npy' are 11 x 3", "1 x 3"});
    check_edit_refused(second([](Json& json) { json["features"]["bins"] = 4; }),
                       {"have 3 bins", "(shard 2/2) 4"});
    check_edit_refused(second([](Json& json) { json.erase("features"); }),
                       {"part-2.jsonl", "has no features"});
    for (const char* positions : {"1 2 2 2 2 3", "1 0 2 2 2 2", "x 2 2 2 2 2", "1 2  2 2 2", "1 2 2 2 2 ",
                                  "1 -2 2 2 2 2", "1 18446744073709551615 2 2 2 2",
                                  "1 99999999999999999999 2 2 2 2", "12 2 2 2 2 2", "1\t2 2 2 2 2 2"}) {
        CAPTURE(positions);
        check_edit_refused(second([&](Json& json) { json["shard"]["positions"] = positions; }),
                           {"part-2.run.json: 'shard.positions'", "positions below 12"});
    }
    for (const Json& index : {Json(0), Json(3), Json(-1), Json("1"), Json(1.5)}) {
        check_edit_refused(second([&](Json& json) { json["shard"]["index"] = index; }),
                           {"part-2.run.json: 'shard.index'"});
    }
}

TEST_CASE("Results that are none are refused though their checksum is right", "[merge]") {
    const auto with_results = [](const std::string& bytes) {
        const MadeParts parts(3, 2);
        parts.folder.write("part-2.jsonl", bytes);
        Json json = Json::parse(read_file(parts.path("part-2.run.json")));
        json["detectors"][0]["results_sha256"] = sha256_of(bytes);
        write_json_file(parts.path("part-2.run.json"), json);
        check_refused(parts, request_of(parts, false), {"part-2.jsonl"});
        return 0;
    };
    const std::string line = MadeJob(3).lines[1];
    with_results("");
    with_results(line + line);
    with_results(line.substr(0, line.size() - 1));
    with_results("{}\n");
    with_results("\n");
    with_results(line + "\n");
}

TEST_CASE("Parts of different work or divisions are refused", "[merge]") {
    const auto second = [](const char* pointer, const Json& value) {
        return [pointer, value](std::size_t index, Json& json) {
            if (index == 2) json[Json::json_pointer(pointer)] = value;
        };
    };
    check_edit_refused(second("/work/images", 13), {"the whole lists have 12 and 13 images"});
    check_edit_refused(second("/work/images_sha256", "c"),
                       {"other images, or the same ones in another order"});
    check_edit_refused(second("/work/sha256", "c"), {"checksums"});
    check_edit_refused(
        [](std::size_t index, Json& json) {
            if (index == 1) return;
            json["work"]["sha256"] = "c";
            json["work"]["description"]["detectors"][0] = {{"step", 2}, {"model_sha256", "d"}};
        },
        {"part-1.jsonl' (shard 1/2)", "part-2.jsonl' (shard 2/2)", "'/detectors/0/step' is 1 and 2",
         "'/detectors/0/model_sha256' is absent and \"d\""});
    check_edit_refused(second("/shard/count", 3), {"different numbers of shards"});
    check_edit_refused(second("/shard/index", 1), {"are the same shard"});
    const MadeParts parts(12, 8);
    check_refused(parts,
                  {{parts.files[0], parts.files[3], parts.files[3]}, parts.path("all.jsonl"), {}, false},
                  {"are the same shard"});
    check_refused(parts,
                  {{parts.files[0], parts.files[3], parts.files[7]}, parts.path("all.jsonl"), {}, false},
                  {"5 of the 8 shards are missing: 2,3,5-7; run them, or name their files, too. As indices "
                   "of a job array from 0: --array=1,2,4-6."});
    const MadeParts many(1, 1, [](std::size_t, Json& json) {
        json["shard"] = {{"index", 2}, {"count", 2000000000}, {"positions", "0"}};
    });
    check_refused(many, request_of(many),
                  {"1999999999 of the 2000000000 shards are missing: 1,3-2000000000;"});
}

TEST_CASE("Merging never replaces an input, and another file only when asked to", "[merge]") {
    const MadeParts parts(12, 2);
    MergeRequest request = request_of(parts);
    request.overwrite = true;
    for (const char* input : {"part-1.jsonl", "part-2.npy", "part-2.json", "part-1.run.json"}) {
        CAPTURE(input);
        request.out = parts.path(input);
        // The manifest of part-2.json would be that of part-2.jsonl.
        check_refused(parts, request, {"is also an input"});
    }
    request.out = parts.path("all.jsonl");
    request.features = parts.path("part-1.npy");
    check_refused(parts, request, {"part-1.npy is also an input"});
    for (const char* output : {"all.jsonl", "all.run.json", "./all.jsonl"}) {
        request.features = parts.path(output);
        check_refused(parts, request, {"and features would both be written to"});
    }
    request = request_of(parts);
    request.out = "-";
    check_refused(parts, request, {"written to a file"});
    request.out = parts.folder.path();
    check_refused(parts, request, {"is no regular file"});
    for (const char* output : {"all.jsonl", "all.run.json", "all.npy"}) {
        parts.folder.write(output, "older");
        check_refused(parts, request_of(parts), {output, "is there already", "--overwrite"});
        CHECK(read_file(parts.path(output)) == "older");
        std::filesystem::remove(parts.path(output));
    }
    parts.folder.write("all.jsonl", "older");
    parts.folder.write("all.jsonl.journal", "");
    request = request_of(parts);
    request.overwrite = true;
    check_refused(parts, request, {"all.jsonl' is of a job that was interrupted", "all.jsonl.journal"});
    std::filesystem::remove(parts.path("all.jsonl.journal"));
    merge_shards(request);
    CHECK(read_file(request.out) == parts.job.results(parts.job.all()));
}

TEST_CASE("A full disk leaves nothing of a merge behind", "[merge]") {
    const MadeParts parts(40, 2);
    const FileSizeLimit limit(1000);
    check_refused(parts, request_of(parts), {"all.jsonl.part", "File too large"});
}

TEST_CASE("A merge that is interrupted writes nothing", "[merge]") {
    const MadeParts parts(40, 2);
    const std::set<std::string> before = names_in(parts.folder.path());
    std::atomic<bool> cancel{false};
    JobHooks hooks;
    hooks.cancel = &cancel;
    hooks.stage = [&](const std::string& stage) { cancel = stage == "merging"; };
    CHECK(merge_shards(request_of(parts), hooks).interrupted);
    CHECK(names_in(parts.folder.path()) == before);
    hooks.stage = nullptr;
    CHECK(merge_shards(request_of(parts), hooks).interrupted);
    CHECK(names_in(parts.folder.path()) == before);
}

TEST_CASE("Merging warns of what does not come along", "[merge]") {
    const MadeParts parts(12, 2, [](std::size_t index, Json& json) {
        if (index == 2) json["skipped"] = Json::array();
    });
    const MergeResult outcome = merge_shards(request_of(parts, false));
    REQUIRE(outcome.warnings.size() == 2);
    CHECK_THAT(outcome.warnings[0], Contains("--features"));
    CHECK_THAT(outcome.warnings[1], Contains("skipped different inputs"));
    CHECK(outcome.skipped == 1);
    CHECK_FALSE(Json::parse(read_file(outcome.manifest)).contains("features"));
}
