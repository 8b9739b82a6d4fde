#include "lib/recognise/gallery_edit.hpp"

#include <algorithm>
#include <list>
#include <unordered_map>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/folder.hpp"
#include "lib/recognise/gallery_contents.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

bool is_meant(const GallerySelection& selection, std::size_t number, const GalleryFace& face) {
    return (!selection.subject || valid_utf8(*selection.subject) == face.subject) &&
           (!selection.image || valid_utf8(*selection.image) == face.image) &&
           (!selection.number || *selection.number == number);
}

std::string describe(const GallerySelection& selection) {
    std::string text;
    if (selection.subject) text += " of subject '" + excerpt(*selection.subject) + "'";
    if (selection.image) text += " of image '" + excerpt(*selection.image) + "'";
    if (selection.number) text += " of number " + std::to_string(*selection.number);
    return text;
}

// A gallery that is read twice: first what it holds, then its records.
struct MergeInput {
    explicit MergeInput(const fs::path& path)
        : file(path), reader(file), header(reader.header()), contents(file, header) {
        contents.read(reader, [](const GalleryRecord&, std::size_t) {});
    }

    fs::path file;
    GalleryRecordReader reader;
    std::string header;
    GalleryContents contents;
};

void check_comparable(const std::list<MergeInput>& inputs) {
    const GalleryInfo& first = inputs.front().contents.info();
    for (const MergeInput& input : inputs) {
        const GalleryInfo& info = input.contents.info();
        if (info.fingerprint == first.fingerprint) continue;
        throw Error("The galleries '" + first.file.string() + "' and '" + info.file.string() +
                    "' are of recognisers whose features cannot be compared: '" + first.recogniser.name +
                    "', fingerprint " + first.fingerprint + ", and '" + info.recogniser.name +
                    "', fingerprint " + info.fingerprint +
                    ". Enrol the images of one of them again with the other's recogniser.");
    }
}

std::size_t count_duplicates(const std::list<MergeInput>& inputs, bool allowed) {
    constexpr std::size_t shown = 3;
    std::unordered_map<std::string, const MergeInput*> input_of_key;
    std::size_t duplicates = 0;
    std::string names;
    for (const MergeInput& input : inputs) {
        for (const auto& [number, face] : input.contents.faces()) {
            const auto [first, is_new] = input_of_key.emplace(gallery_face_key(face), &input);
            if (is_new || ++duplicates > shown) continue;
            names += (duplicates > 1 ? "; " : "") + describe_face(face) + " (in " + input.file.string() +
                     " and " + first->second->file.string() + ")";
        }
    }
    if (duplicates == 0 || allowed) return duplicates;
    if (duplicates > shown) names += "; and " + std::to_string(duplicates - shown) + " more";
    throw Error(counted(duplicates, "face is", "faces are") + " there twice: " + names +
                ". Remove them from one gallery with 'fovea gallery remove', or keep both with "
                "--allow-duplicates.");
}

void copy_faces(MergeInput& input, GalleryAppender& output) {
    input.reader.rewind();
    GalleryRecord record;
    std::size_t number = 0;
    while (input.reader.next(record)) {
        if (record.kind != GalleryRecordKind::face || !input.contents.faces().contains(++number)) continue;
        output.append(record.kind, record.metadata, record.data);
    }
}

// Removes the file, if it is still there under that name.
class TemporaryFile {
  public:
    explicit TemporaryFile(fs::path file) : file_(std::move(file)) {}
    ~TemporaryFile() {
        std::error_code ignored;
        fs::remove(file_, ignored);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

  private:
    fs::path file_;
};

}  // namespace

GalleryRemoval remove_faces(const fs::path& file, const GallerySelection& selection) {
    if (!selection.subject && !selection.image && !selection.number) {
        throw UsageError("no face was named: give --subject, --image or --number");
    }
    GalleryWriter gallery(file);
    std::vector<std::size_t> numbers;
    for (const auto& [number, face] : gallery.faces()) {
        if (is_meant(selection, number, face)) numbers.push_back(number);
    }
    if (numbers.empty()) {
        throw Error("The gallery '" + file.string() + "' has no face" + describe(selection) +
                    "; 'fovea gallery info --subjects' and '--faces' show what it holds.");
    }
    GalleryRemoval removal;
    const std::size_t subjects = gallery.info().subjects;
    for (const std::size_t number : numbers) gallery.remove(number);
    gallery.finish();
    removal.faces = numbers.size();
    removal.subjects = subjects - gallery.info().subjects;
    removal.left = gallery.info().faces;
    return removal;
}

GalleryMerge merge_galleries(const std::vector<fs::path>& files, const fs::path& output,
                             bool allow_duplicates) {
    if (files.empty()) throw UsageError("no gallery was named");
    std::error_code error;
    const bool replaces = is_there(output);
    const auto is_output = [&](const fs::path& file) { return fs::equivalent(file, output, error); };
    if (replaces && std::none_of(files.begin(), files.end(), is_output)) {
        throw UsageError("There is a file '" + output.string() +
                         "' already, which is not one of the galleries; name another with --out.");
    }
    const fs::path target = replaces ? fs::canonical(output) : output;
    // Nobody may add to a gallery that is about to be replaced.
    std::optional<GalleryAppender> lock;
    if (replaces) lock.emplace(target, [](GalleryRecordReader&) {});
    std::list<MergeInput> inputs;
    for (const fs::path& file : files) inputs.emplace_back(file);
    check_comparable(inputs);
    GalleryMerge merge;
    merge.duplicates = count_duplicates(inputs, allow_duplicates);

    fs::path part = target;
    part += ".merge";
    remove_unfinished_gallery(part, target);
    if (!create_gallery_file(part, inputs.front().header)) {
        throw Error("The gallery '" + target.string() + "' is being merged by another program.");
    }
    const TemporaryFile temporary(part);
    {
        GalleryAppender appender(part, [](GalleryRecordReader&) {});
        for (MergeInput& input : inputs) copy_faces(input, appender);
        appender.finish();
    }
    // Read again before anything is replaced by it.
    const GalleryInfo info = gallery_info(part);
    merge.faces = info.faces;
    merge.subjects = info.subjects;
    for (const MergeInput& input : inputs) {
        merge.removed += input.contents.info().removed;
        merge.recognisers_differ |= input.header != inputs.front().header;
    }
    rename_gallery_file(part, target);
    return merge;
}

}  // namespace fovea
