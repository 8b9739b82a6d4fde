#include "lib/dataset/readers/feret_files.hpp"

#include <algorithm>
#include <cmath>

#include "lib/core/error.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/readers/xml_file.hpp"
#include "lib/dataset/text_file.hpp"

namespace fovea {
namespace {

bool is_coordinates_line(const std::vector<std::string_view>& fields) {
    return (fields.size() == 5 || fields.size() == 9) &&
           std::all_of(fields.begin() + 1, fields.end(),
                       [](std::string_view field) { return parse_pixels(field).has_value(); });
}

/// Collects the images of a list, each once, and remembers who is on which.
class ListBuilder {
  public:
    /// \return the subject of an earlier entry of the same image if that is another one, else empty.
    std::string add(const std::string& name, const std::string& subject) {
        const auto [earlier, is_new] = subject_of_.emplace(image_stem(name), subject);
        if (!is_new) {
            if (earlier->second != subject) return earlier->second;
            if (repeated_++ == 0) first_repeated_ = name;
            return {};
        }
        list_.entries.push_back({name, subject});
        return {};
    }

    FeretList finish(const std::string& file) {
        if (list_.entries.empty()) throw Error(file + ": the list names no image.");
        if (repeated_ > 0) {
            list_.warnings.push_back(file + " names " + counted(repeated_, "image") +
                                     " more than once; each is read once, first: " + first_repeated_);
        }
        return std::move(list_);
    }

  private:
    FeretList list_;
    std::map<std::string, std::string> subject_of_;
    std::size_t repeated_ = 0;
    std::string first_repeated_;
};

}  // namespace

FeretFile feret_file_kind(const std::filesystem::path& path) {
    if (!xml_root_name(head_of(path)).empty()) return FeretFile::signature_set;
    const TextFile file = TextFile::read(path);
    const auto lines = file.content_lines();
    if (!lines.empty() && is_coordinates_line(split_fields(lines.front().text)))
        return FeretFile::coordinates;
    return FeretFile::list;
}

std::string feret_subject(std::string_view name) {
    const std::size_t slash = name.rfind('/');
    if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    return digits > 0 ? std::string(name.substr(0, digits)) : image_stem(name);
}

FeretList read_feret_srt(const std::filesystem::path& path) {
    const TextFile file = TextFile::read(path);
    ListBuilder builder;
    std::map<std::string, int> line_of;
    std::size_t split_subjects = 0;
    std::string first_split;
    for (const TextLine& line : file.content_lines()) {
        const auto fields = split_fields(line.text);
        if (is_coordinates_line(fields) ||
            line.text.find_first_of(std::string_view("\0<>{}", 5)) != std::string::npos) {
            file.fail(line, "the names of one subject's images, separated by blanks");
        }
        const std::string subject = feret_subject(fields.front());
        if (const auto [other, is_new] = line_of.emplace(subject, line.number);
            !is_new && split_subjects++ == 0) {
            first_split = "'" + subject + "' in lines " + std::to_string(other->second) + " and " +
                          std::to_string(line.number);
        }
        for (const std::string_view field : fields) {
            const std::string name = is_image_name(field) ? std::string(field) : image_stem(field);
            // Only names without leading digits may differ within a line: they say nothing of the subject.
            const std::string own = feret_subject(name);
            if (own != subject && own != image_stem(name)) {
                file.fail(line,
                          "images of one subject, but '" + excerpt(field) + "' is of subject '" + own + "'");
            }
            const std::string other = builder.add(name, subject);
            if (!other.empty()) {
                file.fail(line, "images not listed before, but '" + excerpt(field) +
                                    "' is listed for subject '" + other + "' too");
            }
        }
    }
    FeretList list = builder.finish(file.name());
    if (split_subjects > 0) {
        list.warnings.push_back(file.name() +
                                " has several lines for one subject, read as one, first: " + first_split);
    }
    return list;
}

FeretList read_feret_signature_set(const std::filesystem::path& path) {
    const XmlFile file(path);
    if (std::string_view(file.root().name()) != "biometric-signature-set") {
        file.fail(file.root(), "a signature set: <biometric-signature-set>");
    }
    ListBuilder builder;
    for (const pugi::xml_node signature : file.root().children("biometric-signature")) {
        const std::string subject = file.text(signature, "name");
        if (!signature.child("presentation")) file.fail(signature, "a <presentation file-name='...'/> in it");
        for (const pugi::xml_node presentation : signature.children("presentation")) {
            const std::string other = builder.add(file.text(presentation, "file-name"), subject);
            if (!other.empty()) {
                file.fail(presentation,
                          "an image not listed before, but it is listed for subject '" + other + "' too");
            }
        }
    }
    return builder.finish(file.name());
}

FeretCoordinates read_feret_coordinates(const std::filesystem::path& path) {
    const TextFile file = TextFile::read(path);
    FeretCoordinates result;
    std::size_t repeated = 0;
    std::string first_repeated;
    for (const TextLine& line : file.content_lines()) {
        const auto fields = split_fields(line.text);
        if (!is_coordinates_line(fields)) {
            file.fail(
                line,
                "an image's name and 4 or 8 coordinates: x y of left eye, right eye and, if known, nose "
                "and mouth");
        }
        const auto number = [&](std::size_t i) { return *parse_pixels(fields[i]); };
        FeretEyes entry;
        entry.eyes = {{number(1), number(2)}, {number(3), number(4)}};
        entry.place = file.name() + ":" + std::to_string(line.number);
        const double dx = entry.eyes.right.x - entry.eyes.left.x;
        entry.plausible = dx > 0 && std::abs(entry.eyes.right.y - entry.eyes.left.y) <= dx;
        const std::string name = image_stem(fields.front());
        const auto [earlier, is_new] = result.eyes.emplace(name, entry);
        if (is_new) {
            result.names.push_back(name);
        } else if (earlier->second.eyes != entry.eyes) {
            file.fail(line, "one pair of eyes per image, but " + earlier->second.place + " gives other ones");
        } else if (repeated++ == 0) {
            first_repeated = name;
        }
    }
    if (result.names.empty()) {
        throw Error(file.name() +
                    ": the file names no image: expected a name and 4 or 8 coordinates per line.");
    }
    if (repeated > 0) {
        result.warnings.push_back(file.name() + " repeats " + counted(repeated, "line") +
                                  ", first: " + first_repeated);
    }
    return result;
}

}  // namespace fovea
