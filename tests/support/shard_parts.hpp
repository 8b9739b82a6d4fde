#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lib/files/sha256.hpp"
#include "lib/job/journal/feature_file.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/job/manifest_parts.hpp"
#include "lib/json/json.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea::test {

/// The results of a job, made up: image i has i % 4 faces, every fifth cannot be read.
struct MadeJob {
    static constexpr std::size_t bins = 3;

    explicit MadeJob(std::size_t images) {
        for (std::size_t i = 0; i < images; ++i) {
            const std::string name = "photo-" + std::to_string(i) + ".jpg";
            const bool is_ok = i % 5 != 4;
            std::string line = R"({"image":")" + name + R"(","status":")" +
                               (is_ok ? "ok" : "unreadable: no JPEG") + R"(","detections":[)";
            faces.push_back(is_ok ? i % 4 : 0);
            for (std::size_t face = 0; face < faces.back(); ++face) {
                line += std::string(face > 0 ? "," : "") + R"({"box":[1,2,30,40],"score":)" +
                        std::to_string(100 * i + face) + R"(,"landmarks":[[1,2],[3,4.5]]})";
            }
            lines.push_back(line + "]}\n");
        }
    }

    /// Those of some images, as a run over them writes them.
    std::string results(const std::vector<std::size_t>& positions) const {
        std::string text;
        for (const std::size_t i : positions) text += lines[i];
        return text;
    }
    void write_features(const std::filesystem::path& file, const std::vector<std::size_t>& positions) const {
        FeatureFile features(file, bins);
        for (const std::size_t i : positions) {
            for (std::size_t face = 0; face < faces[i]; ++face) {
                const auto row = static_cast<std::uint16_t>(100 * i + face);
                features.append(std::vector<std::uint16_t>{row, 7, static_cast<std::uint16_t>(~row)});
            }
        }
        features.close();
    }
    std::vector<std::size_t> all() const { return of_shard(1, 1); }
    /// Image i is in shard 1 + i * i % count: without any pattern, and some shards may be empty.
    std::vector<std::size_t> of_shard(std::size_t index, std::size_t count) const {
        std::vector<std::size_t> positions;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (i * i % count + 1 == index) positions.push_back(i);
        }
        return positions;
    }

    std::vector<std::string> lines;
    std::vector<std::size_t> faces;
};

/// The parts of such a job in a folder: part-1.jsonl, part-1.npy, part-1.run.json, ...
struct MadeParts {
    /// \param edit changes a manifest before it is written.
    MadeParts(std::size_t images, std::size_t count,
              const std::function<void(std::size_t index, Json& manifest)>& edit = {})
        : job(images) {
        for (std::size_t index = 1; index <= count; ++index) {
            files.push_back(path("part-" + std::to_string(index) + ".jsonl"));
            Json manifest = write_part(index, count);
            if (edit) edit(index, manifest);
            write_json_file(manifest_path(files.back()), manifest);
        }
    }

    std::filesystem::path path(const std::string& name) const { return folder.path() / name; }

    Json write_part(std::size_t index, std::size_t count) const {
        const std::vector<std::size_t> positions = job.of_shard(index, count);
        const std::string stem = "part-" + std::to_string(index);
        const auto results = folder.write(stem + ".jsonl", job.results(positions));
        job.write_features(path(stem + ".npy"), positions);
        std::string steps;
        std::size_t last = 0;
        std::size_t detections = 0;
        Json unreadable = Json::array();
        for (const std::size_t i : positions) {
            steps += (steps.empty() ? "" : " ") + std::to_string(i - last);
            last = i;
            detections += job.faces[i];
            if (i % 5 == 4) {
                unreadable.push_back(
                    {{"image", "photo-" + std::to_string(i) + ".jpg"}, {"reason", "no JPEG"}});
            }
        }
        const std::size_t ok = positions.size() - unreadable.size();
        Json json;
        json["command"] = "detect";
        json["interrupted"] = false;
        json["complete"] = true;
        json["configuration"] = {{"threads", index}};
        json["versions"] = {{"fovea", "0.1.0"}};
        json["decoder"] = "cpu";
        json["device"] = "cuda:" + std::to_string(index);
        json["work"] = {{"sha256", std::string(64, 'a')},
                        {"images", job.lines.size()},
                        {"images_sha256", std::string(64, 'b')},
                        {"description", {{"detectors", {{{"step", 1}}}}}}};
        if (count > 1) {
            json["work"]["shard"] = std::to_string(index) + "/" + std::to_string(count);
            json["shard"] = {{"index", index}, {"count", count}, {"positions", steps}};
        }
        json["dataset"] = {{"name", "folder:photos"}, {"images", positions.size()}};
        json["decoding"] = {{"name", "nvjpeg"},
                            {"images", {{"cpu", 1}, {"nvjpeg", ok}, {"reduced", index}}},
                            {"refused_by_nvjpeg", 10 * index}};
        json["detectors"] = Json::array();
        json["detectors"].push_back({{"name", "mct"},
                                     {"detections", detections},
                                     {"engine", {{"images", ok}}},
                                     {"results", stem + ".jsonl"},
                                     {"results_sha256", sha256_of_file(results)}});
        json["features"] = {{"file", stem + ".npy"}, {"recogniser", "lbp"},
                            {"fingerprint", "f"},    {"rows", detections},
                            {"bins", MadeJob::bins}, {"sha256", sha256_of_file(path(stem + ".npy"))}};
        json["counts"] = {{"images", positions.size()},
                          {"ok", ok},
                          {"unreadable", unreadable.size()},
                          {"detections", detections},
                          {"skipped", 1}};
        json["unreadable"] = unreadable;
        json["skipped"] = {{{"name", "notes.doc"}, {"reason", "no image"}}};
        json["timings"] = {{"total_seconds", index}};
        return json;
    }

    TempDir folder;
    MadeJob job;
    std::vector<std::filesystem::path> files;
};

}  // namespace fovea::test
