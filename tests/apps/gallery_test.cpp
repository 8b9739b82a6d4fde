#include <algorithm>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>
#include <opencv2/imgcodecs.hpp>

#include "lib/json/json.hpp"
#include "lib/recognise/gallery_file.hpp"
#include "lib/recognise/recogniser_config.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/results.hpp"
#include "tests/apps/gallery_people.hpp"
#include "tests/lib/recognise/gallery_cases.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/json_lines.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> faces_of(const std::string& gallery) {
    std::vector<std::string> faces;
    for (const GalleryFace& face : read_gallery(gallery).faces)
        faces.push_back(face.subject + " " + face.image);
    return faces;
}

}  // namespace

TEST_CASE("enroll and identify: files, numbers, evaluation", "[cli][gallery]") {
    const People f;
    const std::string gallery = f.path("out/people.fvg");
    const ProgramResult enrolled = f.enroll(gallery);
    CAPTURE(enrolled.err);
    REQUIRE(enrolled.exit_code == 0);
    const Json outcome = Json::parse(enrolled.out);
    CHECK(outcome["images"] == 6);
    CHECK(outcome["faces"] == 6);
    CHECK(outcome["already_there"] == 0);
    CHECK(outcome["subjects"] == 3);
    CHECK(outcome["failures"] == 0);
    CHECK(faces_of(gallery) == std::vector<std::string>{"Ann Ann/1.pgm", "Ann Ann/2.pgm", "Bob Bob/1.pgm",
                                                        "Bob Bob/2.pgm", "Cid Cid/1.pgm", "Cid Cid/2.pgm"});
    const GalleryFace first = read_gallery(gallery).faces[0];
    CHECK(first.dataset == std::filesystem::canonical(f.path("people")).string());
    CHECK_FALSE(first.box.has_value());
    REQUIRE(first.eyes.has_value());
    // The largest part of the image that has the crop's shape.
    const CropGeometry geometry = gallery_info(gallery).recogniser.geometry;
    const double scale = std::min(65.0 / geometry.size.width, 75.0 / geometry.size.height);
    const double top = (75 - scale * geometry.size.height) / 2;
    CHECK(first.eyes->right.y == Approx((geometry.eyes.right.y + 0.5) * scale + top - 0.5));
    CHECK(first.quality["eye_distance"].get<double>() ==
          Approx(scale * (geometry.eyes.right.x - geometry.eyes.left.x)));
    const Json manifest = Json::parse(read_bytes(f.path("out/people.run.json")));
    CHECK(manifest["command"] == "enroll");
    CHECK(manifest["counts"]["faces"] == 6);
    CHECK(manifest["configuration"]["faces"] == "image");

    const ProgramResult identified = f.identify(
        gallery, {"--out", f.path("out/results.jsonl"), "--scores", f.path("out/scores.csv"), "--json"});
    CAPTURE(identified.err);
    REQUIRE(identified.exit_code == 0);
    const Json found = Json::parse(identified.out);
    CHECK(found["images"] == 6);
    CHECK(found["identified"] == 6);
    CHECK(found["mated"] == 6);
    CHECK(found["rank1"] == 1.0);
    const std::vector<ImageResult> results = read_results(f.path("out/results.jsonl")).images;
    REQUIRE(results.size() == 6);
    for (std::size_t i = 0; i < results.size(); ++i) {
        CAPTURE(results[i].image);
        const std::string& subject = subjects[i / 2];
        CHECK(results[i].image == subject + (i % 2 == 0 ? "/3.pgm" : "/4.pgm"));
        CHECK(results[i].width == 65);
        CHECK(results[i].height == 75);
        REQUIRE(results[i].detections.size() == 1);
        const Detection& face = results[i].detections[0];
        CHECK(face.details->identity == subject);
        CHECK(face.box.w == Approx(scale * geometry.size.width));
        CHECK(face.box.h == Approx(scale * geometry.size.height));
        // The nearest image of every subject, by rising distance.
        REQUIRE(face.details->candidates.size() == 3);
        CHECK(face.details->candidates[0].identity == subject);
        CHECK(face.details->candidates[0].distance == face.details->distance);
        CHECK(face.details->candidates[0].distance < face.details->candidates[1].distance);
        CHECK(face.details->candidates[1].distance <= face.details->candidates[2].distance);
        CHECK(face.details->candidates[1].identity != face.details->candidates[2].identity);
    }
    std::string who;
    for (const std::string& subject : subjects) {
        who += subject + "/1.pgm " + subject + " gallery\n" + subject + "/2.pgm " + subject + " gallery\n";
        who += subject + "/3.pgm " + subject + " probe\n" + subject + "/4.pgm " + subject + " probe\n";
    }
    const ProgramResult evaluated =
        run_fovea({"evaluate", "identification", "--subjects", f.folder.write("who.txt", who).string(),
                   "--scores", f.path("out/scores.csv"), "--distance", "--json"});
    CAPTURE(evaluated.err);
    REQUIRE(evaluated.exit_code == 0);
    CHECK(Json::parse(evaluated.out)["identification"]["probes"] == 6);
    CHECK(Json::parse(evaluated.out)["identification"]["rank1"] == 1.0);
}

TEST_CASE("identify tells the rank-1 rate, and how scores are evaluated", "[cli][gallery]") {
    const People f;
    const std::string gallery = f.path("g");
    REQUIRE(f.enroll(gallery).exit_code == 0);
    CHECK_THAT(f.identify(gallery, {"--out", f.path("r.jsonl")}).out,
               Contains("rank 1: 6 of 6 images of subjects in the gallery (100.00 %)") &&
                   Contains("write --scores FILE"));
    CHECK_THAT(f.identify(gallery, {"--out", f.path("r2.jsonl"), "--scores", f.path("s.csv")}).out,
               Contains("fovea evaluate identification --subjects FILE --scores " + f.path("s.csv") +
                        " --distance"));
    // The command works on whole datasets as it stands.
    const std::string probes = "folder:" + f.path("probes");
    f.folder.write("probes/Ann/9.pgm", portrait(0, 9));
    f.folder.write("probes/Bob/9.pgm", portrait(1, 9));
    const std::string all = f.path("all.fvg");
    REQUIRE(run_fovea({"enroll", f.people, "--gallery", all, "--faces", "image"}).exit_code == 0);
    const ProgramResult told = run_fovea({"identify", probes, "--gallery", all, "--faces", "image", "--out",
                                          f.path("r.jsonl"), "--scores", f.path("s.csv"), "--overwrite"});
    const std::size_t at = told.out.find("fovea evaluate");
    REQUIRE(at != std::string::npos);
    std::vector<std::string> command;
    std::istringstream words(told.out.substr(at, told.out.find('\n', at) - at));
    for (std::string word; words >> word;) command.push_back(word);
    command[0] = fovea_program();
    command.push_back("--json");
    const ProgramResult evaluated = run_program(command);
    CAPTURE(evaluated.err);
    REQUIRE(evaluated.exit_code == 0);
    CHECK(Json::parse(evaluated.out)["identification"]["rank1"] == 1.0);
}

TEST_CASE("a matrix of scores holds the distances of the results", "[cli][gallery]") {
    const People f;
    const std::string gallery = f.path("g");
    REQUIRE(f.enroll(gallery).exit_code == 0);
    REQUIRE(f.identify(gallery, {"--out", f.path("r.jsonl"), "--scores", f.path("s.csv")}).exit_code == 0);
    std::ifstream lines(f.path("s.csv"));
    std::string line;
    std::getline(lines, line);
    CHECK(line == ",Ann/1.pgm,Ann/2.pgm,Bob/1.pgm,Bob/2.pgm,Cid/1.pgm,Cid/2.pgm");
    for (const ImageResult& result : read_results(f.path("r.jsonl")).images) {
        REQUIRE(std::getline(lines, line));
        std::vector<std::string> fields;
        std::istringstream stream(line);
        for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
        REQUIRE(fields.size() == 7);
        CHECK(fields[0] == result.image);
        for (const IdentityCandidate& candidate : result.detections.at(0).details->candidates) {
            const std::size_t subject = static_cast<std::size_t>(
                std::find(subjects.begin(), subjects.end(), candidate.identity) - subjects.begin());
            const double one = std::stod(fields[1 + 2 * subject]), two = std::stod(fields[2 + 2 * subject]);
            CHECK(candidate.distance == std::min(one, two));
            CHECK(candidate.image == candidate.identity + (one <= two ? "/1.pgm" : "/2.pgm"));
        }
    }
    CHECK_FALSE(std::getline(lines, line));
    CHECK_FALSE(fs::exists(f.path("s.csv.part")));
}

TEST_CASE("galleries and results are the same bytes for 1 and 4 threads", "[cli][gallery]") {
    const People f;
    for (const std::string threads : {"1", "4"}) {
        REQUIRE(f.enroll(f.path("g" + threads), {"--threads", threads}).exit_code == 0);
        REQUIRE(f.identify(f.path("g" + threads), {"--threads", threads, "--out", f.path(threads + ".jsonl")})
                    .exit_code == 0);
    }
    CHECK(read_bytes(f.path("g1")) == read_bytes(f.path("g4")));
    CHECK(read_bytes(f.path("1.jsonl")) == read_bytes(f.path("4.jsonl")));
    CHECK(read_bytes(f.path("1.jsonl")).size() > 100);
}

TEST_CASE("what is enrolled again is counted, not kept twice", "[cli][gallery]") {
    const People f;
    const std::string gallery = f.path("g");
    REQUIRE(f.enroll(gallery).exit_code == 0);
    const std::string before = read_bytes(gallery);
    Json outcome = Json::parse(f.enroll(gallery).out);
    CHECK(outcome["images"] == 6);
    CHECK(outcome["faces"] == 0);
    CHECK(outcome["already_there"] == 6);
    CHECK(outcome["faces_in_all"] == 6);
    CHECK(read_bytes(gallery) == before);
    // Found in another way they are looked at again, and known by image and box.
    outcome = Json::parse(f.enroll(gallery, {"--fallback-eyes", "0.3,0.3,0.7,0.3"}).out);
    CHECK(outcome["faces"] == 0);
    CHECK(outcome["already_there"] == 6);
    // More images of the same set are new.
    const ProgramResult more =
        run_fovea({"enroll", f.people, "--gallery", gallery, "--faces", "image", "--json"});
    outcome = Json::parse(more.out);
    CHECK(outcome["faces"] == 6);
    CHECK(outcome["already_there"] == 6);
    CHECK(read_gallery(gallery).faces.size() == 12);
    // A removed subject can come back.
    REQUIRE(run_fovea({"gallery", "remove", gallery, "--image", "Bob/1.pgm"}).exit_code == 0);
    outcome = Json::parse(f.enroll(gallery).out);
    CHECK(outcome["faces"] == 1);
    CHECK(faces_of(gallery).back() == "Bob Bob/1.pgm");
}

TEST_CASE("images that cannot be enrolled are named, and the exit code is 3", "[cli][gallery]") {
    const People f;
    f.folder.write("people/Bob/2.pgm", "P5\n65 75\n255\ncut off");
    const std::string gallery = f.path("g.fvg");
    const ProgramResult result = f.enroll(gallery);
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, Contains("warning: Bob/2.pgm: "));
    const Json outcome = Json::parse(result.out);
    CHECK(outcome["faces"] == 5);
    CHECK(outcome["failures"] == 1);
    CHECK(outcome["failed"][0]["image"] == "Bob/2.pgm");
    CHECK(outcome["failed"][0]["unreadable"] == true);
    const Json manifest = Json::parse(read_bytes(f.path("g.run.json")));
    CHECK(manifest["failures"] == outcome["failed"]);
    // No eyes are annotated: every image is a failure.
    const ProgramResult truth = f.enroll(f.path("truth"), {"--faces", "truth"});
    CHECK(truth.exit_code == 2);  // --faces was given twice
    const ProgramResult none = run_fovea({"enroll", f.people, "--gallery", f.path("t"), "--faces", "truth"});
    CHECK(none.exit_code == 3);
    CHECK_THAT(none.err, Contains("Ann/1.pgm: no eyes are annotated"));
    CHECK_THAT(none.err, !Contains("--model wild"));
    CHECK(gallery_info(f.path("t")).faces == 0);
    for (const char* model : {"mct", "wild"}) {
        const ProgramResult undetected = run_fovea(
            {"enroll", f.people, "--gallery", f.path(model), "--faces", "detector", "--model", model});
        CHECK(undetected.exit_code == 3);
        CHECK_THAT(undetected.err, Contains("Ann/1.pgm: no face was found"));
        const bool is_hinted =
            undetected.err.find("--model wild finds faces in all poses") != std::string::npos;
        CHECK(is_hinted == (model == std::string("mct")));
    }
    CHECK(run_fovea({"identify", f.people, "--gallery", f.path("t"), "--faces", "image"}).exit_code == 1);

    f.folder.write("people/Ann/3.pgm", "");
    const ProgramResult probes =
        f.identify(gallery, {"--out", f.path("r.jsonl"), "--scores", f.path("s.csv")});
    CHECK(probes.exit_code == 3);
    CHECK_THAT(probes.err, Contains("Ann/3.pgm: "));
    CHECK_THAT(probes.out, Contains("1 without a face") && Contains("rank 1: 5 of 6"));
    const std::vector<ImageResult> results = read_results(f.path("r.jsonl")).images;
    REQUIRE(results.size() == 6);
    CHECK_THAT(results[0].status, Catch::Matchers::StartsWith("unreadable: "));
    CHECK(results[0].width == 0);
    CHECK(read_bytes(f.path("s.csv")).find("Ann/3.pgm") == std::string::npos);

    // So is what the folder holds besides: pictures in formats that are not read are lost inputs.
    f.folder.write("people/Ann/4.psd", "x");
    f.folder.write("people/notes.txt", "x");
    const ProgramResult more_kinds = f.enroll(f.path("kinds.fvg"), {"--max-unreadable", "1"});
    CHECK(more_kinds.exit_code == 3);  // with a file that is broken
    CHECK_THAT(more_kinds.err, Contains("passed over: 1 txt") && Contains("left out: 1 psd"));
    CHECK(f.enroll(f.path("kinds.fvg"), {"--max-unreadable", "2"}).exit_code == 0);
    const Json kinds = Json::parse(read_bytes(f.path("kinds.run.json")));
    CHECK(kinds["passed_over"] == Json({{"txt", 1}}));
    CHECK(kinds["skipped"][0]["name"] == "*.psd");
    for (const char* name : {"people/Ann/4.psd", "people/notes.txt"}) std::filesystem::remove(f.path(name));
    // A file without an extension is looked into.
    f.folder.write("unnamed/portrait", read_bytes(f.path("people/Ann/1.pgm")));
    const ProgramResult unnamed = run_fovea({"enroll", "folder:" + f.path("unnamed"), "--gallery",
                                             f.path("unnamed.fvg"), "--faces", "image", "--json"});
    CHECK(unnamed.exit_code == 0);
    CHECK(Json::parse(unnamed.out)["faces"] == 1);

    // An image without a face is never allowed.
    CHECK(f.enroll(f.path("one.fvg"), {"--max-unreadable", "1"}).exit_code == 0);
    const ProgramResult more = f.enroll(f.path("none.fvg"), {"--max-unreadable", "0"});
    CHECK(more.exit_code == 3);
    CHECK_THAT(more.err, Contains("1 image was unreadable or left out; --max-unreadable allows 0"));
    CHECK(f.identify(gallery, {"--max-unreadable", "1"}).exit_code == 0);
    CHECK(f.identify(gallery, {"--max-unreadable", "0"}).exit_code == 3);
    CHECK(run_fovea(
              {"enroll", f.people, "--gallery", f.path("t2"), "--faces", "truth", "--max-unreadable", "100"})
              .exit_code == 3);
}

TEST_CASE("pages behind a picture's first one are told by enroll and identify", "[cli][gallery]") {
    const People f;
    for (const std::string& name : {std::string("1"), std::string("3")}) {
        const std::string file = f.path("people/Bob/" + name);
        const cv::Mat first = cv::imread(file + ".pgm", cv::IMREAD_GRAYSCALE);
        fs::remove(file + ".pgm");
        REQUIRE(cv::imwrite(file + ".tif", std::vector<cv::Mat>{first, first, first}));
    }
    const auto is_told = [](const ProgramResult& result) {
        CAPTURE(result.err);
        CHECK(result.exit_code == 3);
        CHECK_THAT(result.err, Contains("warning: 2 pages were left out: the first page of a file is the"));
    };
    const std::string gallery = f.path("g.fvg");
    const ProgramResult enrolled = run_fovea(
        {"enroll", f.people, "--pattern", "*/[12].*", "--gallery", gallery, "--faces", "image", "--json"});
    is_told(enrolled);
    CHECK(Json::parse(enrolled.out)["pages_left_out"] == 2);
    CHECK(Json::parse(enrolled.out)["faces"] == 6);
    CHECK(Json::parse(read_bytes(f.path("g.run.json")))["counts"]["pages_left_out"] == 2);
    std::vector<std::string> identify{"identify", f.people,  "--pattern", "*/[34].*", "--gallery",
                                      gallery,    "--faces", "image",     "--out",    f.path("r.jsonl")};
    is_told(run_fovea(identify));
    const std::vector<Json> lines = json_lines(read_bytes(f.path("r.jsonl")));
    REQUIRE(lines.size() == 6);
    CHECK_FALSE(lines[1].contains("pages"));
    CHECK(lines[2]["pages"] == 3);
    identify.insert(identify.end(), {"--overwrite", "--max-unreadable", "2"});
    CHECK(run_fovea(identify).exit_code == 0);
}

TEST_CASE("faces of unknown subjects are warned of, and named with --subject", "[cli][gallery]") {
    const People f;
    const std::string ann = f.path("people/Ann"), gallery = f.path("g");
    ProgramResult result =
        run_fovea({"enroll", ann, "--gallery", gallery, "--faces", "image", "--limit", "2"});
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.err, Contains("2 faces were enrolled without a subject"));
    result = run_fovea({"enroll", f.path("people/Bob"), "--gallery", gallery, "--faces", "image", "--limit",
                        "2", "--subject", "Bob B."});
    CHECK(result.exit_code == 0);
    CHECK(result.err.find("without a subject") == std::string::npos);
    CHECK(faces_of(gallery) == std::vector<std::string>{" 1.pgm", " 2.pgm", "Bob B. 1.pgm", "Bob B. 2.pgm"});
    result = run_fovea({"identify", f.path("people/Ann/4.pgm"), "--gallery", gallery, "--faces", "image"});
    CHECK(result.exit_code == 0);
    const Json face = Json::parse(result.out)["detections"][0];
    // An unknown one is nearest: there is no identity, though the candidates go on.
    CHECK_FALSE(face.contains("identity"));
    CHECK(face["candidates"].size() == 3);
    CHECK_FALSE(face["candidates"][0].contains("identity"));
    CHECK(face["candidates"][2]["identity"] == "Bob B.");
    // Images of the two sets have the same names: no matrix of scores can tell them apart.
    result =
        run_fovea({"identify", ann, "--gallery", gallery, "--faces", "image", "--scores", f.path("s.csv")});
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, Contains("'1.pgm'") && Contains("have the same name"));
    CHECK_FALSE(fs::exists(f.path("s.csv")));
}

TEST_CASE("a threshold, one candidate, and faces compared with others only", "[cli][gallery]") {
    const People f;
    const std::string gallery = f.path("g");
    REQUIRE(f.enroll(gallery).exit_code == 0);
    const ProgramResult one = f.identify(gallery, {"-k", "1", "--out", f.path("r.jsonl")});
    REQUIRE(one.exit_code == 0);
    double nearest = 1e300, farthest = 0;
    for (const ImageResult& result : read_results(f.path("r.jsonl")).images) {
        CHECK(result.detections.at(0).details->candidates.empty());
        nearest = std::min(nearest, *result.detections[0].details->distance);
        farthest = std::max(farthest, *result.detections[0].details->distance);
    }
    REQUIRE(nearest < farthest);
    const auto identified = [&](const std::string& threshold) {
        const ProgramResult result = f.identify(
            gallery, {"--threshold", threshold, "--json", "--overwrite", "--out", f.path("t.jsonl")});
        REQUIRE(result.exit_code == 0);
        for (const ImageResult& image : read_results(f.path("t.jsonl")).images) {
            const Detection& face = image.detections.at(0);
            CHECK(face.details->identity.empty() == (*face.details->distance > std::stod(threshold)));
            CHECK(face.details->candidates.size() == 3);
        }
        return Json::parse(result.out)["identified"].get<int>();
    };
    CHECK(identified(Json(farthest).dump()) == 6);
    CHECK(identified(Json(nearest).dump()) == 1);
    CHECK(identified("0") == 0);

    // Enrolled images find themselves, unless they may not.
    const auto itself = [&](bool leave_one_out) {
        std::vector<std::string> arguments{"identify",  f.people,          "--pattern",  "*/1.pgm",
                                           "--gallery", gallery,           "--faces",    "image",
                                           "--out",     f.path("i.jsonl"), "--overwrite"};
        if (leave_one_out) arguments.push_back("--leave-one-out");
        const ProgramResult result = run_fovea(arguments);
        REQUIRE(result.exit_code == 0);
        CHECK((result.err.find("3 images are in the gallery themselves") == std::string::npos) ==
              leave_one_out);
        for (const ImageResult& image : read_results(f.path("i.jsonl")).images) {
            const Detection& face = image.detections.at(0);
            CHECK((*face.details->distance == 0) == !leave_one_out);
            CHECK((face.details->candidates[0].image == image.image) == !leave_one_out);
            CHECK(image.image.rfind(face.details->identity, 0) == 0);
        }
    };
    itself(false);
    itself(true);
}

TEST_CASE("gallery info, merge and remove", "[cli][gallery]") {
    const People f;
    const std::string a = f.path("a.fvg"), b = f.path("b.fvg"), c = f.path("c.fvg");
    REQUIRE(f.enroll(a).exit_code == 0);
    REQUIRE(run_fovea({"enroll", f.people, "--pattern", "*/3.pgm", "--gallery", b, "--faces", "image"})
                .exit_code == 0);
    const ProgramResult info = run_fovea({"gallery", "info", a, "--subjects"});
    CHECK(info.exit_code == 0);
    CHECK_THAT(info.out, Contains("lbp: LBP(") && Contains("faces") && Contains("Cid"));
    const ProgramResult merged = run_fovea({"gallery", "merge", a, b, "--out", c, "--json"});
    CAPTURE(merged.err);
    REQUIRE(merged.exit_code == 0);
    CHECK(Json::parse(merged.out)["faces"] == 9);
    const ProgramResult removed = run_fovea({"gallery", "remove", c, "--subject", "Bob", "--json"});
    CHECK(removed.exit_code == 0);
    CHECK(Json::parse(removed.out)["removed"] == 3);
    CHECK(Json::parse(removed.out)["faces"] == 6);
    const Json json = Json::parse(run_fovea({"gallery", "info", c, "--subjects", "--faces", "--json"}).out);
    CHECK(json["faces"] == 6);
    CHECK(json["removed"] == 3);
    CHECK(json["subjects"] == 2);
    CHECK(json["torn_bytes"] == 0);
    CHECK(json["finished"] == true);
    CHECK(json["recogniser"]["name"] == "lbp");
    CHECK(json["feature_fingerprint"].get<std::string>().size() == 64);
    CHECK(json["faces_of_subjects"] == Json({{"Ann", 3}, {"Cid", 3}}));
    CHECK(json["face_list"].size() == 6);
    CHECK(json["face_list"][2]["number"] == 5);
    CHECK(json["face_list"][2]["image"] == "Cid/1.pgm");

    const ProgramResult nobody = run_fovea({"gallery", "remove", c, "--subject", "Bob"});
    CHECK(nobody.exit_code == 1);
    CHECK_THAT(nobody.err, Contains("has no face of subject 'Bob'"));
    CHECK(run_fovea({"gallery", "remove", c}).exit_code == 2);
    CHECK(run_fovea({"gallery", "remove", c, "--number", "0"}).exit_code == 2);
    CHECK(run_fovea({"gallery", "merge", a, a, "--out", f.path("d")}).exit_code == 1);
    CHECK(run_fovea({"gallery", "merge", a, a, "--out", f.path("d"), "--allow-duplicates"}).exit_code == 0);
    CHECK(run_fovea({"gallery", "merge", a, "--out", b}).exit_code == 2);
    CHECK(run_fovea({"gallery", "info", f.path("none")}).exit_code == 2);
    CHECK(run_fovea({"gallery", "info", f.path("people/Ann/1.pgm")}).exit_code == 1);
    // Identified among fewer: Bob is somebody else.
    const ProgramResult left = f.identify(c, {"--out", f.path("r.jsonl"), "--json"});
    CHECK(Json::parse(left.out)["mated"] == 4);
}

TEST_CASE("wrong use of enroll and identify is told in a sentence", "[cli][gallery]") {
    const People f;
    const std::string gallery = f.path("g");
    REQUIRE(f.enroll(gallery).exit_code == 0);
    const std::string before = read_bytes(gallery);
    const auto error = [&](std::vector<std::string> arguments, int code) {
        const ProgramResult result = run_fovea(arguments);
        CHECK(result.exit_code == code);
        return result.err;
    };
    CHECK_THAT(error({"enroll", f.people}, 2), Contains("--gallery"));
    CHECK_THAT(error({"enroll", "--gallery", gallery}, 2), Contains("DATASET"));
    CHECK_THAT(error({"enroll", f.people, "--gallery", gallery, "--faces", "eyes"}, 2), Contains("--faces"));
    CHECK_THAT(error({"enroll", f.people, "--gallery", gallery, "--faces", "image", "--model", "mct"}, 2),
               Contains("--model is for faces that are detected"));
    CHECK_THAT(error({"enroll", f.people, "--gallery", f.path("people/Ann/1.pgm"), "--faces", "image"}, 2),
               Contains("is also an input"));
    CHECK_THAT(error({"enroll", f.people, "--gallery", gallery, "--recogniser", "nobody"}, 2),
               Contains("there is no recogniser 'nobody'"));
    CHECK_THAT(error({"enroll", f.people, "--gallery", gallery, "--subject", ""}, 2), Contains("--subject"));
    const std::string other =
        f.folder.write("other.json", recogniser_config_to_json(small_recogniser()).dump()).string();
    CHECK_THAT(
        error({"enroll", f.people, "--gallery", gallery, "--faces", "image", "--recogniser", other}, 2),
        Contains("'small', fingerprint " + feature_fingerprint(small_recogniser())));
    CHECK_THAT(error({"identify", f.people, "--gallery", gallery, "--json"}, 2), Contains("--json"));
    CHECK_THAT(error({"identify", f.people, "--gallery", gallery, "-k", "0"}, 2), Contains("-k"));
    CHECK_THAT(error({"identify", f.people, "--gallery", gallery, "--threshold", "nan"}, 2),
               Contains("finite"));
    CHECK_THAT(error({"identify", f.people, "--gallery", f.path("none")}, 2),
               Contains("there is no gallery"));
    CHECK_THAT(error({"identify", f.people, "--gallery", gallery, "--out", gallery}, 2),
               Contains("is also an input"));
    CHECK_THAT(error({"gallery"}, 2), Contains("subcommand"));
    {
        const GalleryWriter writer(gallery);
        CHECK_THAT(error({"enroll", f.people, "--gallery", gallery, "--faces", "image"}, 1),
                   Contains("is being written by another program"));
    }
    CHECK(read_bytes(gallery) == before);
    // A command that fails before the first face makes no gallery.
    CHECK_THAT(error({"enroll", f.path("nothing"), "--gallery", f.path("new")}, 2), Contains("nothing"));
    CHECK_THAT(error({"enroll", f.people, "--gallery", f.path("new"), "--recogniser", "nobody"}, 2),
               Contains("nobody"));
    CHECK_FALSE(fs::exists(f.path("new")));
}
