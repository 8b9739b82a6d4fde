// Random datasets are written in every format, read again, and written in every other: whatever does not come
// back is named among the losses, with its count.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>

#include "lib/dataset/formats/dataset_formats.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/dataset/formats/write_dataset.hpp"
#include "lib/files/publish.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

constexpr int image_width = 300;
constexpr int image_height = 200;

/// Images of one size in a folder that all datasets here are of.
class Workshop {
  public:
    Workshop() {
        const std::string picture = "P5\n" + std::to_string(image_width) + " " +
                                    std::to_string(image_height) + "\n255\n" +
                                    std::string(std::size_t{image_width} * image_height, 'x');
        for (const std::string& name : names_) folder_.write("data/images/" + name, picture);
    }

    Dataset random_dataset(std::mt19937& generator) const;
    /// Written in a format and read again.
    Dataset again(const Dataset& dataset, const std::string& format, std::vector<std::string>& losses);

  private:
    std::string path(const std::string& file) const { return (folder_.path() / file).string(); }

    TempDir folder_;
    std::vector<std::string> names_{"ann/00001.jpg", "ann/00002.jpg", "bob/00003.jpg", "zoe/00004.pgm"};
    int written_ = 0;
};

/// One of the four cells of an image, so that what comes back is told from its neighbours.
Face random_face(std::mt19937& generator, int cell) {
    const auto below = [&](int bound) {
        return static_cast<int>(generator() % static_cast<unsigned>(bound));
    };
    const auto one_in = [&](int n) { return below(n) == 0; };
    Face face;
    const double x = 10 + 75 * (cell % 4) + below(5);
    const double y = 40 + below(40);
    face.box = {x, y, 20.0 + below(20), 20.0 + below(20)};
    if (one_in(4)) face.box.x += 0.25 * (1 + below(3));
    if (one_in(8)) face.box.h += 1.0 / 3;
    if (one_in(12)) face.box.y = -3;
    if (one_in(15)) face.box.w = 0;
    if (one_in(20)) face.box.h = -face.box.h;
    if (one_in(6)) {
        face.ellipse = Ellipse{{x + 15, y + 15}, 15.5, 11.25, 0.1 * below(30)};
        const Ellipse& e = *face.ellipse;
        const double w =
            std::hypot(e.major_radius * std::cos(e.angle_rad), e.minor_radius * std::sin(e.angle_rad));
        const double h =
            std::hypot(e.major_radius * std::sin(e.angle_rad), e.minor_radius * std::cos(e.angle_rad));
        face.box = {e.centre.x - w, e.centre.y - h, 2 * w, 2 * h};
    }
    face.ignore = one_in(6);
    if (one_in(10)) face.crowd = face.ignore = true;
    if (one_in(8)) face.area = 99.5;
    if (one_in(8)) face.eyes = Eyes{{x + 5, y + 5}, {x + 15, y + 5.5}};
    if (one_in(3)) {
        const int points = one_in(5) ? 5 : 3;
        for (int i = 0; i < points; ++i) face.landmarks.push_back({x + 3 * i + 0.5, y + 4.0 * (i % 2)});
        if (one_in(3)) {
            const int labelled = one_in(2) ? points : 1;
            for (int i = 0; i < points; ++i) {
                const auto visibility =
                    i < labelled ? Keypoint::Visibility::hidden : Keypoint::Visibility::unlabelled;
                face.keypoints.edit().push_back({face.landmarks[static_cast<std::size_t>(i)], visibility});
            }
            if (labelled < points) face.landmarks.clear();
        }
    }
    const std::vector<Attribute> possible{{"blur", "heavy"},
                                          {"blur", "odd"},
                                          {"expression", "typical"},
                                          {"illumination", "extreme"},
                                          {"occlusion", "partial"},
                                          {"pose", "atypical"},
                                          {"pose", "Left"},
                                          {"invalid", "yes"},
                                          {"invalid", "no"},
                                          {"truncated", "yes"},
                                          {"truncated", "no"},
                                          {"occluded", "yes"},
                                          {"difficult", "yes"},
                                          {"class", "person"},
                                          {"class", "face"},
                                          {"ignore", "1"},
                                          {"a name", "a \"value\" & <more>"},
                                          {"easy", "yes"},
                                          {"id", "0"}};
    for (const Attribute& attribute : possible) {
        if (!one_in(8) || find_attribute(face.attributes, attribute.name) != nullptr) continue;
        face.attributes.push_back(attribute);
    }
    return face;
}

Dataset Workshop::random_dataset(std::mt19937& generator) const {
    const auto one_in = [&](unsigned n) { return generator() % n == 0; };
    Dataset dataset;
    dataset.name = "random";
    dataset.root = folder_.path() / "data/images";
    const bool has_ids = one_in(4);
    for (const std::string& name : names_) {
        if (one_in(8)) continue;
        Sample sample;
        sample.image = name;
        sample.path = dataset.root / name;
        sample.annotated = !one_in(8);
        if (one_in(2)) sample.size = ImageSize{image_width, image_height};
        if (one_in(4)) sample.subject = one_in(2) ? name.substr(0, 3) : "bob & co";
        if (one_in(4)) sample.eyes = Eyes{{50, 60}, {70.5, 61}};
        if (has_ids) sample.attributes.push_back({"id", std::to_string(7 + dataset.samples.size())});
        if (one_in(4)) sample.attributes.push_back({"event", one_in(2) ? name.substr(0, 3) : "another"});
        if (one_in(6)) sample.attributes.push_back({"fold", "3"});
        if (one_in(6)) sample.attributes.push_back({"weather", "rain"});
        for (int cell = 0; cell < 4 && sample.annotated; ++cell) {
            if (one_in(2)) sample.faces.push_back(random_face(generator, cell));
        }
        dataset.samples.push_back(std::move(sample));
    }
    if (one_in(6) && dataset.samples.size() > 1) dataset.pairs = {{0, 1, false, 0}};
    return dataset;
}

Dataset Workshop::again(const Dataset& dataset, const std::string& format, std::vector<std::string>& losses) {
    const ImageSizeLookup size_of = [](const Sample&) { return ImageSize{image_width, image_height}; };
    const WrittenDataset files = render_dataset(dataset, format, size_of, losses);
    // YOLO's labels stand beside the folder of images, .pts files beside the images.
    const std::string base = "w" + std::to_string(written_++);
    const std::string place = format == "yolo" ? "data" : format == "pts" ? "data/images" : base;
    DatasetOptions options;
    options.root = folder_.path() / "data/images";
    publish(files, path(place), true);
    std::string list;
    for (const OutputFile& file : files.files) {
        if (format == "voc") list += (list.empty() ? "" : ",") + path(place + "/" + file.name);
    }
    const Dataset read = read_dataset(format + ":" + (list.empty() ? path(place) : list), options);
    // No face is counted that was left out.
    CAPTURE(format);
    std::size_t faces = 0;
    for (const Sample& sample : read.samples) faces += sample.faces.size();
    CHECK(faces == files.faces);
    for (const OutputFile& file : files.files) {
        std::filesystem::remove(files.is_folder ? path(place + "/" + file.name) : path(place));
    }
    if (format != "yolo" && format != "pts") std::filesystem::remove_all(path(place));
    return read;
}

/// Kinds of things that may be lost, and how many are.
using Counts = std::map<std::string, std::size_t>;

/// The attributes' values by name, without their order.
std::map<std::string, std::string> values_of(const std::vector<Attribute>& attributes) {
    std::map<std::string, std::string> values;
    for (const Attribute& attribute : attributes) values[attribute.name] = attribute.value;
    return values;
}

void count_attributes(const std::vector<Attribute>& a, const std::vector<Attribute>& b, const std::string& of,
                      bool is_ignored, Counts& lost) {
    const auto before = values_of(a);
    const auto after = values_of(b);
    for (const auto& [name, value] : before) {
        const auto found = after.find(name);
        if (found == after.end() || found->second != value) ++lost[of + " attribute: " + name];
    }
    for (const auto& [name, value] : after) {
        // Formats have them for every face or image; XMP names a lone face by the subject.
        const bool is_implied =
            name == "class" || name == "event" || name == "fold" || name == "id" || name == "name";
        // VOC's and COCO's marks of ignored faces are attributes, too.
        const bool is_mark = is_ignored && (name == "difficult" || name == "ignore");
        if (!before.contains(name) && !is_implied && !is_mark) ++lost[of + " attribute made up: " + name];
    }
}

/// Equal but for what arithmetic does to the last bits.
bool is_close(const Box& a, const Box& b) {
    return std::abs(a.x - b.x) < 1e-9 && std::abs(a.y - b.y) < 1e-9 && std::abs(a.w - b.w) < 1e-9 &&
           std::abs(a.h - b.h) < 1e-9;
}

void count_face(const Face& a, const Face& b, Counts& lost) {
    if (!is_close(a.box, b.box)) ++lost["box"];
    if (a.ignore != b.ignore) ++lost["ignore"];
    if (a.crowd != b.crowd) ++lost["crowd"];
    if (a.eyes != b.eyes) ++lost["face eyes"];
    if (a.landmarks != b.landmarks) ++lost["landmarks"];
    if (*a.keypoints != *b.keypoints) ++lost["keypoints"];
    if (a.ellipse != b.ellipse) ++lost["ellipse"];
    if (a.area != b.area) ++lost["area"];
    count_attributes(a.attributes, b.attributes, "face", b.ignore, lost);
}

/// Counts what stands in `a` and not in `b`.
Counts lost_between(const Dataset& a, const Dataset& b) {
    Counts lost;
    std::map<std::string, const Sample*> read;
    for (const Sample& sample : b.samples) read[sample.image] = &sample;
    for (const Sample& sample : a.samples) {
        const auto found = read.find(sample.image);
        if (found == read.end()) {
            ++lost["image"];
            lost["face"] += sample.faces.size();
            continue;
        }
        const Sample& other = *found->second;
        if (sample.annotated != other.annotated) ++lost["annotated"];
        if (!sample.subject.empty() && sample.subject != other.subject) ++lost["subject"];
        if (sample.eyes && sample.eyes != other.eyes) ++lost["image eyes"];
        if (sample.size && sample.size != other.size) ++lost["size"];
        count_attributes(sample.attributes, other.attributes, "image", false, lost);
        // Faces are 75 pixels apart.
        std::vector<bool> taken(other.faces.size());
        for (const Face& face : sample.faces) {
            std::size_t nearest = other.faces.size();
            for (std::size_t i = 0; i < other.faces.size(); ++i) {
                if (!taken[i] && std::abs(other.faces[i].box.x - face.box.x) < 30) nearest = i;
            }
            if (nearest == other.faces.size()) {
                ++lost["face"];
                continue;
            }
            taken[nearest] = true;
            count_face(face, other.faces[nearest], lost);
        }
        lost["made up face"] += static_cast<std::size_t>(std::count(taken.begin(), taken.end(), false));
    }
    if (a.pairs.size() != b.pairs.size()) lost["pairs"] += a.pairs.size();
    std::erase_if(lost, [](const auto& entry) { return entry.second == 0; });
    return lost;
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Whether a sentence speaks of a kind of thing.
bool speaks_of(const std::string& sentence, const std::string& kind) {
    const bool leaves_faces_out = holds(sentence, "face") && holds(sentence, "left out");
    const bool leaves_images_out = holds(sentence, "image") && holds(sentence, "left out");
    const bool loses_images =
        leaves_images_out || holds(sentence, "not named") || holds(sentence, "the extension");
    if (kind == "image") return loses_images;
    if (kind == "face") return leaves_faces_out || loses_images || holds(sentence, "the faces,");
    if (kind == "annotated") {
        return holds(sentence, "not annotated") || holds(sentence, "the faces,") ||
               holds(sentence, "shows no face");
    }
    if (kind == "subject") return holds(sentence, "the subject");
    if (kind == "image eyes") return holds(sentence, "eyes given for the image");
    if (kind == "size") return holds(sentence, "the size") || holds(sentence, "no label file");
    if (kind == "box") {
        return holds(sentence, "rounded") || holds(sentence, "inscribed") || holds(sentence, "cut off") ||
               holds(sentence, "clipped") || holds(sentence, "the box, which") || holds(sentence, "units of");
    }
    if (kind == "ignore")
        return holds(sentence, "mark ignore") || holds(sentence, "invalid") ||
               holds(sentence, "lose the mark");
    if (kind == "crowd") return holds(sentence, "crowd");
    if (kind == "face eyes") return holds(sentence, "the eyes");
    if (kind == "landmarks") return holds(sentence, "landmarks") && !holds(sentence, "visibility");
    if (kind == "keypoints")
        return holds(sentence, "visibility of landmarks") || holds(sentence, "differ in number");
    if (kind == "ellipse") return holds(sentence, "ellipse");
    if (kind == "area") return holds(sentence, "the area");
    if (kind == "pairs") return holds(sentence, "pair");
    const std::string attribute = kind.substr(kind.find(": ") + 2);
    return holds(sentence, "attribute '" + attribute + "'") || holds(sentence, "'" + attribute + "'") ||
           (holds(sentence, "one or more of") && holds(sentence, attribute));
}

/// The kinds of which more was lost than the sentences say; empty is right.
std::vector<std::string> silent(const Counts& lost, const std::vector<std::string>& losses) {
    std::vector<std::string> kinds;
    for (const auto& [kind, count] : lost) {
        std::size_t said = 0;
        for (const std::string& sentence : losses) {
            if (!speaks_of(sentence, kind)) continue;
            // A face may be lost with its image.
            said += kind == "face" && holds(sentence, "image") ? count
                                                               : std::strtoul(sentence.c_str(), nullptr, 10);
        }
        if (said < count)
            kinds.push_back(kind + ": " + std::to_string(count) + ", said " + std::to_string(said));
    }
    return kinds;
}

/// All that are written, but for those that take sets of one kind alone: pairs, tracks.
std::vector<std::string> formats_of_faces() {
    std::vector<std::string> names = dataset_formats().names_written();
    std::erase_if(names, [](const std::string& name) { return name == "lfw" || name == "mot"; });
    return names;
}

struct PairFailure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Writes and reads, and checks. Nothing if the format holds nothing of the dataset.
std::optional<Dataset> checked_again(Workshop& workshop, const Dataset& dataset, const std::string& format,
                                     Counts& failures, const std::string& way) {
    std::vector<std::string> losses;
    std::optional<Dataset> read;
    try {
        read = workshop.again(dataset, format, losses);
    } catch (const Error& error) {
        const std::string what = error.what();
        if (!holds(what, "nothing can be written") && !holds(what, "has no ")) ++failures[way + ": " + what];
        return std::nullopt;
    }
    // Nothing is to be found of an image that is named as it is not.
    std::erase_if(read->samples, [](const Sample& sample) { return !std::filesystem::exists(sample.path); });
    for (const std::string& kind : silent(lost_between(dataset, *read), losses)) {
        ++failures[way + ": " + kind];
        INFO(kind);
    }
    return read;
}

}  // namespace

TEST_CASE("what is lost between any two formats is named", "[convert][property]") {
    // FOVEA_ROUND_TRIPS=1000 for as many datasets.
    const char* const given = std::getenv("FOVEA_ROUND_TRIPS");
    const int rounds = given == nullptr ? 12 : std::max(1, std::atoi(given));
    const std::vector<std::string> formats = formats_of_faces();
    REQUIRE(formats.size() >= 10);
    Workshop workshop;
    std::mt19937 generator(19);
    Counts failures;
    int written = 0;
    for (int round = 0; round < rounds; ++round) {
        const Dataset dataset = workshop.random_dataset(generator);
        for (const std::string& first : formats) {
            const std::optional<Dataset> read = checked_again(workshop, dataset, first, failures, first);
            if (!read) continue;
            ++written;
            for (const std::string& second : formats) {
                if (checked_again(workshop, *read, second, failures, first + " -> " + second)) ++written;
            }
        }
    }
    for (const auto& [what, count] : failures) FAIL_CHECK(what << " (" << count << " times)");
    CHECK(written > 20 * rounds);
}
