#include "lib/run/people/people_job.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "kernels/core/stopwatch.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/sha256.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/compare_manifests.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/job/manifest_parts.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/recognise/groups/group_faces.hpp"
#include "lib/results/result_line.hpp"
#include "lib/results/results_lines.hpp"
#include "lib/run/people/archive_faces.hpp"
#include "lib/run/people/number_people.hpp"
#include "lib/run/people/people_numbers.hpp"
#include "lib/run/people/people_parts.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr const char* alone = "alone";

class PeopleRun {
  public:
    PeopleRun(const PeopleJob& job, const JobHooks& hooks)
        : job_(job),
          hooks_(hooks),
          images_(job.images.images),
          folder_{job.folder.path()},
          metric_(job.recogniser.kind->metric(job.recogniser)),
          work_(work_on_faces(
              result_fingerprint(job, {}, {{"recogniser", feature_fingerprint(job.recogniser)}}))) {
        if (!metric_.vector_distance) {
            throw UsageError("faces are grouped by vectors of a network, and the recogniser '" +
                             job.recogniser.name +
                             "' makes none; scripts/fetch-recogniser.sh brings one for dlib-resnet-mirror");
        }
        if (!job.options.distance) group_distance(job.recogniser, 1);
        earlier_ = read_earlier();
        result_.people.id = earlier_ ? earlier_->id : id_of_archive();
        result_.people.work = work_;
        result_.people.grouping = grouping();
        if (!job.names.empty()) take_names();
        parts_.emplace(job, hooks, work_);
    }

    PeopleResult run() {
        const Stopwatch watch;
        parts_->describe(result_);
        if (is_as_before()) {
            take_earlier();
        } else if (!result_.interrupted) {
            const Stopwatch grouping;
            group();
            result_.group_seconds = grouping.seconds();
            result_.seconds = watch.seconds();
            write();
        }
        result_.seconds = watch.seconds();
        return std::move(result_);
    }

  private:
    /// The people of the last run, unless they are to be made anew. \throws UsageError if the folder holds
    /// something else
    std::optional<PeopleFile> read_earlier() const {
        if (job_.existing == ExistingResults::overwrite) return std::nullopt;
        std::optional<PeopleFile> earlier = read_people(folder_.people());
        if (!earlier && (is_there(folder_.results()) || is_there(folder_.manifest()))) {
            throw UsageError("'" + folder_.path.string() +
                             "' holds results of another command; name another folder with --out, or replace "
                             "them with --overwrite");
        }
        const std::string difference = earlier ? first_difference_in_work(work_, earlier->work) : "";
        if (!difference.empty()) {
            throw UsageError("'" + folder_.path.string() + "' holds people of other work (" + difference +
                             "); name another folder with --out, or begin anew with --overwrite");
        }
        return earlier;
    }

    std::string id_of_archive() const {
        std::error_code error;
        const std::string specification = images_.specification();
        const fs::path place = fs::weakly_canonical(specification, error);
        return sha256_of((error ? specification : place.string()) + "\n" +
                         feature_fingerprint(job_.recogniser))
            .substr(0, 16);
    }

    Json grouping() const {
        const PeopleOptions& options = job_.options;
        return {{"images_sha256", images_.names_sha256()},
                {"distance", options.distance ? Json(*options.distance) : Json(nullptr)},
                {"neighbours", options.neighbours},
                {"min_side", options.limits.min_side},
                {"min_sharpness", options.limits.min_sharpness},
                {"max_yaw", options.limits.max_yaw_deg},
                {"min_faces", options.min_faces},
                {"gallery", job_.gallery != nullptr}};
    }

    /// True if the files of the last run hold what this one would write.
    bool is_as_before() const {
        return earlier_ && earlier_->parts == parts_->size() &&
               earlier_->grouping == result_.people.grouping && job_.gallery == nullptr &&
               job_.names.empty() && is_file(folder_.results()) && is_file(folder_.manifest());
    }

    void take_earlier() {
        result_.people = *earlier_;
        static_cast<ImageCounts&>(result_) =
            tally_results(folder_.results(), size_of_file(folder_.results()));
    }

    void take_names() {
        if (!earlier_) {
            throw UsageError("--names gives names to people who are there already, and '" +
                             folder_.path.string() + "' holds none");
        }
        for (const auto& [number, name] : read_names(job_.names, earlier_->id)) {
            const auto person = std::find_if(earlier_->people.begin(), earlier_->people.end(),
                                             [n = number](const Person& one) { return one.number == n; });
            if (person == earlier_->people.end()) {
                throw UsageError("'" + job_.names.string() + "' names person " + std::to_string(number) +
                                 ", who is not in '" + folder_.people().string() + "'");
            }
            person->name = name;
            person->named_by = name.empty() ? NamedBy::nobody : NamedBy::user;
        }
    }

    // --- people ---

    void group() {
        hooks_.begin_stage("grouping faces");
        archive_.emplace(parts_->faces(metric_.length, job_.options.limits));
        result_.gone = parts_->gone();
        result_.lost_tracks = parts_->lost_tracks();
        const std::vector<ArchiveFace>& faces = archive_->faces();
        result_.people.faces = faces.size();
        result_.people.parts = parts_->size();
        std::vector<std::size_t> grouped;
        apart_.resize(faces.size());
        for (std::size_t face = 0; face < faces.size(); ++face) {
            apart_[face] = faces[face].apart;
            if (apart_[face].empty()) grouped.push_back(face);
        }
        result_.people.distance =
            job_.options.distance ? *job_.options.distance
                                  : group_distance(job_.recogniser, std::max<std::size_t>(1, grouped.size()));
        number(groups_of(grouped));
        name_by_gallery();
        make_people();
    }

    /// The groups of some faces, by the numbers of all faces.
    std::vector<std::uint32_t> groups_of(const std::vector<std::size_t>& grouped) {
        std::vector<std::int16_t> vectors(grouped.size() * metric_.length);
        for (std::size_t i = 0; i < grouped.size(); ++i) {
            const std::uint16_t* const words = archive_->features().of(grouped[i]);
            std::transform(words, words + metric_.length,
                           vectors.begin() + static_cast<std::ptrdiff_t>(i * metric_.length),
                           [](std::uint16_t word) { return std::bit_cast<std::int16_t>(word); });
        }
        const Device device = job_.device.is_cuda() ? Device::cuda(job_.device.gpus.front()) : Device::cpu();
        std::vector<std::uint32_t> found;
        ThreadLimit threads(job_.config.threads);
        threads.run([&] {
            found = group_faces(device, vectors, metric_.length, *metric_.vector_distance,
                                {result_.people.distance, job_.options.neighbours});
        });
        std::vector<std::uint32_t> groups(archive_->faces().size(), no_group);
        for (std::size_t i = 0; i < grouped.size(); ++i) groups[grouped[i]] = found[i];
        return groups;
    }

    /// The people that the faces were before.
    std::vector<int> earlier_people() const {
        if (!earlier_) return std::vector<int>(archive_->faces().size(), 0);
        const auto numbers = read_numbers(folder_.numbers(), folder_.people());
        std::vector<int> earlier = numbers ? people_by_numbers(*numbers) : people_by_results();
        // People whom a user gave one name are one.
        std::map<std::string, int> first_of_name;
        std::map<int, int> same;
        for (const Person& person : earlier_->people) {
            if (person.named_by != NamedBy::user) continue;
            int& first = first_of_name.try_emplace(person.name, person.number).first->second;
            first = std::min(first, person.number);
        }
        for (const Person& person : earlier_->people) {
            const bool is_user = person.named_by == NamedBy::user;
            same[person.number] = is_user ? first_of_name[person.name] : person.number;
        }
        for (int& person : earlier) {
            const auto now = same.find(person);
            person = now == same.end() ? 0 : now->second;
        }
        return earlier;
    }

    std::vector<int> people_by_numbers(const std::vector<PersonOfFace>& numbers) const {
        std::map<std::pair<std::size_t, std::size_t>, int> by_row;
        for (const PersonOfFace& face : numbers) by_row[{face.part, face.row}] = face.person;
        std::vector<int> people;
        for (const ArchiveFace& face : archive_->faces()) {
            const auto before = by_row.find({archive_->part_of(face.image), face.row});
            people.push_back(before == by_row.end() ? 0 : before->second);
        }
        return people;
    }

    /// Reads the results of the last run: an older version has left no numbers.
    std::vector<int> people_by_results() const {
        std::vector<int> people(archive_->faces().size(), 0);
        if (!is_file(folder_.results())) return people;
        std::map<std::string, std::vector<std::pair<Box, int>>> before;
        ResultsLines lines(folder_.results());
        while (const auto result = lines.next()) {
            for (const Detection& detection : result->detections) {
                if (const auto person = detection.details->person)
                    before[result->image].emplace_back(detection.box, *person);
            }
        }
        for (std::size_t face = 0; face < people.size(); ++face) {
            const ArchiveFace& now = archive_->faces()[face];
            // The image has changed since.
            if (archive_->part_of(now.image) >= earlier_->parts) continue;
            const auto of_image = before.find(std::string(images_.name(now.image)));
            if (of_image == before.end()) continue;
            for (const auto& [box, person] : of_image->second) {
                if (box == now.box) people[face] = person;
            }
        }
        return people;
    }

    void number(std::vector<std::uint32_t> groups) {
        const std::vector<int> earlier = earlier_people();
        std::set<int> trusted;
        if (earlier_) {
            result_.people.last_person = earlier_->last_person;
            for (const Person& person : earlier_->people) {
                if (person.named_by != NamedBy::user) continue;
                trusted.insert(person.number);
                names_[person.number] = {person.name, NamedBy::user};
            }
        }
        std::map<std::uint32_t, std::size_t> sizes;
        for (const std::uint32_t group : groups) ++sizes[group];
        for (std::size_t face = 0; face < groups.size(); ++face) {
            if (groups[face] == no_group || sizes[groups[face]] >= job_.options.min_faces) continue;
            if (trusted.contains(earlier[face])) continue;
            groups[face] = no_group;
            apart_[face] = alone;
        }
        people_ = number_people(groups, earlier, trusted, result_.people.last_person);
    }

    /// Every face votes for the subject of the gallery's nearest face. A person gets the name that has more
    /// than half of the votes.
    void name_by_gallery() {
        if (job_.gallery == nullptr) return;
        std::map<int, std::map<std::string, std::size_t>> votes;
        constexpr std::size_t at_once = 4096;
        std::vector<std::size_t> asked;
        std::vector<std::uint16_t> queries;
        const auto ask = [&] {
            const auto found = job_.gallery->search(queries.data(), asked.size(), 1);
            for (std::size_t i = 0; i < asked.size(); ++i) {
                if (found[i].empty()) continue;
                const Neighbour& nearest = found[i].front();
                if (job_.max_gallery_distance && nearest.distance > *job_.max_gallery_distance) continue;
                const std::string& subject = job_.gallery->faces()[nearest.index].subject;
                if (!subject.empty()) ++votes[people_[asked[i]]][subject];
            }
            asked.clear();
            queries.clear();
        };
        for (std::size_t face = 0; face < people_.size(); ++face) {
            if (people_[face] == 0 || names_.contains(people_[face])) continue;
            asked.push_back(face);
            const std::uint16_t* const words = archive_->features().of(face);
            queries.insert(queries.end(), words, words + metric_.length);
            if (asked.size() == at_once) ask();
        }
        if (!asked.empty()) ask();
        for (const auto& [person, subjects] : votes) {
            std::size_t all = 0;
            auto best = subjects.begin();
            for (auto subject = subjects.begin(); subject != subjects.end(); ++subject) {
                all += subject->second;
                if (subject->second > best->second) best = subject;
            }
            if (2 * best->second > all) names_[person] = {best->first, NamedBy::gallery};
        }
    }

    void make_people() {
        std::map<int, Person> people;
        std::map<int, double> best;
        std::map<int, std::uint32_t> last_image;
        for (std::size_t face = 0; face < people_.size(); ++face) {
            if (people_[face] == 0) {
                ++result_.people.apart[apart_[face]];
                continue;
            }
            const ArchiveFace& now = archive_->faces()[face];
            Person& person = people[people_[face]];
            person.number = people_[face];
            ++person.faces;
            if (person.faces == 1 || last_image[person.number] != now.image) ++person.images;
            last_image[person.number] = now.image;
            const double value = now.score * std::min(now.box.w, now.box.h);
            if (person.faces > 1 && value <= best[person.number]) continue;
            best[person.number] = value;
            person.image = images_.name(now.image);
            person.box = now.box;
        }
        for (auto& [number, person] : people) {
            if (const auto name = names_.find(number); name != names_.end())
                std::tie(person.name, person.named_by) = name->second;
            result_.people.people.push_back(std::move(person));
        }
        std::stable_sort(result_.people.people.begin(), result_.people.people.end(),
                         [](const Person& a, const Person& b) { return a.faces > b.faces; });
    }

    // --- files ---

    void write() {
        hooks_.begin_stage("writing");
        const fs::path results = folder_.results();
        job_.folder.inputs().refuse(results);
        ResultsWriter writer(part_of(results));
        writer.file().begin();
        StagedFile staged(results);
        std::string tracks;
        archive_->for_each_result([&](ImageResult&& result, std::size_t face) {
            count(result);
            for (Detection& detection : result.detections) {
                DetectionDetails& details = detection.details.edit();
                if (people_[face] == 0) {
                    details.apart = apart_[face];
                } else {
                    details.person = people_[face];
                    if (const auto name = names_.find(people_[face]); name != names_.end())
                        details.identity = name->second.first;
                }
                if (details.track) tracks += track_line(result.image, face, details);
                ++face;
            }
            writer.write(result);
        });
        writer.file().sync();
        writer.close();
        staged.publish(Durability::at_once);
        if (tracks.empty())
            remove_file(folder_.tracks());
        else
            replace_file(folder_.tracks(), tracks);
        write_json_file(folder_.people(), json_of(result_.people));
        std::vector<PersonOfFace> numbers;
        for (std::size_t face = 0; face < people_.size(); ++face) {
            const ArchiveFace& now = archive_->faces()[face];
            if (people_[face] != 0) numbers.push_back({archive_->part_of(now.image), now.row, people_[face]});
        }
        write_numbers(folder_.numbers(), numbers, folder_.people());
        write_json_file(folder_.manifest(), manifest());
    }

    /// A line of tracks.jsonl: who is on screen, in which video and when.
    std::string track_line(const std::string& image, std::size_t face,
                           const DetectionDetails& details) const {
        const std::size_t part = archive_->part_of(archive_->faces()[face].image);
        const TrackFace& track = parts_->tracks(part).track(image, *details.track);
        Json line{{"image", image}, {"track", track.track}, {"sequence", track.sequence}};
        if (track.from) {
            line["first_time"] = *track.from;
            line["last_time"] = *track.to;
            line["seconds_on_screen"] = track.seconds_on_screen;
        }
        if (details.person) line["person"] = *details.person;
        if (!details.apart.empty()) line["apart"] = details.apart;
        if (!details.identity.empty()) line["identity"] = details.identity;
        return compact_text(line) + "\n";
    }

    void count(const ImageResult& result) {
        ++result_.images;
        result_.damaged += result.is_damaged ? 1 : 0;
        result_.pages_left_out += static_cast<std::size_t>(result.pages - 1);
        if (!result.ok())
            result_.unreadable.push_back({result.image, std::string(unreadable_reason(result.status))});
    }

    Json manifest() const {
        ManifestRecord record = job_record("people", job_, job_.device.name(), false);
        record.dataset = dataset_to_json(images_);
        record.own["recogniser"] = {{"name", job_.recogniser.name},
                                    {"feature_fingerprint", feature_fingerprint(job_.recogniser)}};
        record.own["grouping"] = result_.people.grouping;
        record.own["grouping"]["distance"] = result_.people.distance;
        record.set_images(result_, images_.skipped_files(),
                          {{"described", result_.described},
                           {"adopted", result_.adopted},
                           {"gone", result_.gone},
                           {"lost_tracks", result_.lost_tracks},
                           {"faces", result_.people.faces},
                           {"people", result_.people.people.size()},
                           {"named", named_people()},
                           {"apart", result_.people.apart}});
        record.add_left_out(images_.skipped(), images_.passed_over());
        record.timings = {{"total_seconds", result_.seconds}, {"group_seconds", result_.group_seconds}};
        return manifest_json(record);
    }

    std::size_t named_people() const {
        return static_cast<std::size_t>(
            std::count_if(result_.people.people.begin(), result_.people.people.end(),
                          [](const Person& person) { return person.named_by != NamedBy::nobody; }));
    }

    const PeopleJob& job_;
    const JobHooks& hooks_;
    const ImageList& images_;
    const PeopleFolder folder_;
    const FeatureMetric metric_;
    const Json work_;
    std::optional<PeopleFile> earlier_;
    std::optional<PeopleParts> parts_;
    std::optional<ArchiveFaces> archive_;
    std::vector<std::string> apart_;  // by face
    std::vector<int> people_;         // by face
    std::map<int, std::pair<std::string, NamedBy>> names_;
    PeopleResult result_;
};

}  // namespace

double group_distance(const RecogniserConfig& recogniser, std::size_t faces) {
    const FarThresholds thresholds = known_thresholds(recogniser);
    if (thresholds.empty()) {
        throw UsageError("the recogniser '" + recogniser.name +
                         "' has no thresholds, by which faces are joined; measure them with 'fovea train "
                         "thresholds', or give a distance with --distance");
    }
    constexpr double largest_far = 0.001;
    return distance_at_far(thresholds, std::min(largest_far, 0.5 / static_cast<double>(faces)));
}

PeopleResult run_people_job(const PeopleJob& job, const JobHooks& hooks) {
    return PeopleRun(job, hooks).run();
}

}  // namespace fovea
