#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/face_names.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/xmp/face_regions.hpp"
#include "lib/dataset/readers/xmp/xmp_reader.hpp"
#include "lib/dataset/specification.hpp"
#include "lib/dataset/stored_pixels.hpp"
#include "lib/files/folder.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/image_size.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view sidecar_extension = ".xmp";

/// A picture and what its XMP says.
struct TaggedPicture {
    std::string image;                 ///< relative to the dataset's root
    std::vector<fs::path> sidecars{};  ///< those that may be its own, the first that holds regions counts
    bool is_there = true;
    fs::path source{};  ///< the sidecar that counted; empty: the picture itself
    xmp::FaceRegions regions{};
    std::optional<StoredSize> stored{};  ///< nothing if neither the picture nor the XMP tells the size
    std::exception_ptr error{};
};

/// The path of an image without its extension.
std::string stem_of(const std::string& image) {
    const fs::path path(image);
    return (path.parent_path() / image_stem(path.filename().native())).generic_string();
}

/// For each stem the image that NAME.xmp belongs to if several share it. Lightroom writes such sidecars only
/// for pictures that it does not write into, which are camera raw files as a rule.
std::map<std::string, std::string> owners_of_stems(const std::vector<std::string>& images) {
    constexpr std::array<std::string_view, 10> written_into{".jpg",  ".jpeg", ".jpe",  ".jfif", ".tif",
                                                            ".tiff", ".png",  ".webp", ".dng",  ".gif"};
    const auto is_written_into = [&](const std::string& image) {
        return extension_length(image, written_into) > 0;
    };
    std::map<std::string, std::string> owners;
    for (const std::string& image : images) {
        const auto [owner, is_new] = owners.emplace(stem_of(image), image);
        if (!is_new && is_written_into(owner->second) && !is_written_into(image)) owner->second = image;
    }
    return owners;
}

/// The size and orientation of a picture. Formats whose orientation is part of the picture, as camera raw
/// files have it, are read as displayed, and the XMP tells how they are stored.
std::optional<StoredSize> stored_size_of(const fs::path& file, const xmp::FaceRegions& regions,
                                         bool is_as_displayed) {
    if (is_there(file)) {
        if (std::optional<StoredSize> stored = read_stored_size(file)) {
            if (!is_as_displayed) stored->orientation = 1;
            return stored;
        }
        try {
            ImageSize size = read_image_size(file);
            if (regions.orientation >= 5) std::swap(size.width, size.height);
            return StoredSize{size, regions.orientation};
        } catch (const ImageError&) {
            // The command that reads the picture says what is wrong.
        }
    }
    if (!regions.drawn_in) return std::nullopt;
    return StoredSize{*regions.drawn_in, is_as_displayed ? regions.orientation : 1};
}

void read_tags(TaggedPicture& picture, const fs::path& root, bool is_as_displayed) {
    for (const fs::path& sidecar : picture.sidecars) {
        xmp::FaceRegions regions = xmp::read_face_regions(XmlFile(sidecar));
        if (!regions.are_there) continue;
        picture.regions = std::move(regions);
        picture.source = sidecar;
        break;
    }
    const fs::path file = root / picture.image;
    if (picture.source.empty() && picture.is_there && is_file(file)) {
        std::optional<std::string> packet;
        try {
            packet = xmp::xmp_in_jpeg(file);
        } catch (const ImageError&) {
            // It cannot be opened: as above.
        }
        if (packet && xmp::may_hold_regions(*packet))
            picture.regions =
                xmp::read_face_regions(XmlFile(TextFile(file.string() + " (its XMP)", *std::move(packet))));
    }
    if (!picture.regions.faces.empty())
        picture.stored = stored_size_of(file, picture.regions, is_as_displayed);
}

/// True if the regions were drawn in a picture of other proportions than the one that is there.
bool has_other_shape(const TaggedPicture& picture) {
    if (!picture.regions.drawn_in || !picture.stored) return false;
    // Sides of reduced pictures are rounded.
    constexpr double most = 0.02;
    const ImageSize drawn = *picture.regions.drawn_in, now = picture.stored->size;
    const double a = static_cast<double>(drawn.width) * now.height;
    const double b = static_cast<double>(drawn.height) * now.width;
    return std::abs(a - b) > most * std::max(a, b);
}

std::string in_words(const ImageSize& size) {
    return std::to_string(size.width) + "x" + std::to_string(size.height);
}

Sample sample_of(const TaggedPicture& picture, const fs::path& root) {
    Sample sample;
    sample.image = picture.image;
    sample.path = root / picture.image;
    if (!picture.stored) return sample;
    const auto& [stored, orientation] = *picture.stored;
    sample.annotated = true;
    sample.size = orientation >= 5 ? ImageSize{stored.height, stored.width} : stored;
    for (const xmp::FaceRegion& region : picture.regions.faces) {
        Face face;
        face.box = displayed_box(region.in_pixels(stored), orientation, stored.width, stored.height);
        if (!region.name.empty()) face.attributes.push_back({std::string(name_attribute), region.name});
        sample.faces.push_back(std::move(face));
    }
    if (sample.faces.size() == 1) sample.subject = picture.regions.faces.front().name;
    return sample;
}

/// Counts pictures, and keeps the first one for a sentence.
class CountedPictures {
  public:
    void add(const TaggedPicture& picture, std::string more = {}) {
        if (count_++ == 0) first_ = "'" + excerpt(picture.image) + "'" + more;
    }
    std::size_t count() const { return count_; }
    const std::string& first() const { return first_; }

  private:
    std::size_t count_ = 0;
    std::string first_;
};

/// The sidecars of a dataset, and the pictures in the folder of its images.
class XmpReader {
  public:
    XmpReader(fs::path path, fs::path root) : path_(std::move(path)), root_(std::move(root)) {}

    void find_pictures(Dataset& dataset) {
        const bool is_one = !is_folder(path_);
        if (is_one && !ends_with_any_case(path_.native(), sidecar_extension)) {
            throw UsageError("'" + path_.string() +
                             "' is neither a folder nor a sidecar; xmp: needs a folder of photographs or "
                             "sidecars, or a sidecar as photo.jpg.xmp.");
        }
        FolderScan scan = scan_images(root_, is_one ? 0 : std::numeric_limits<int>::max());
        dataset.warnings = std::move(scan.warnings);
        const std::map<std::string, std::string> owners = owners_of_stems(scan.images);
        const fs::path folder = is_one ? folder_of(path_) : path_;
        std::set<fs::path> claimed;
        for (std::string& image : scan.images) {
            TaggedPicture picture{.image = std::move(image)};
            const std::string stem = stem_of(picture.image);
            std::vector<std::string> names{picture.image};
            if (owners.at(stem) == picture.image && !is_image_name(stem)) names.push_back(stem);
            for (const std::string& name : names) {
                const auto sidecar = file_of_stem(folder / name, std::string(sidecar_extension));
                if (!sidecar || (is_one && !is_same_place(*sidecar, path_))) continue;
                claimed.insert(sidecar->lexically_normal());
                picture.sidecars.push_back(*sidecar);
            }
            if (is_one && picture.sidecars.empty()) continue;
            place_of_.emplace(picture.image, pictures_.size());
            pictures_.push_back(std::move(picture));
        }
        const std::vector<fs::path> sidecars =
            is_one ? std::vector{path_} : files_below_ending(path_, sidecar_extension);
        for (const fs::path& sidecar : sidecars)
            if (!claimed.contains(sidecar.lexically_normal())) add_missing(folder, sidecar);
    }

    void read(bool is_as_displayed) {
        tbb::parallel_for(std::size_t{0}, pictures_.size(), [&](std::size_t i) {
            try {
                read_tags(pictures_[i], root_, is_as_displayed);
            } catch (...) {
                pictures_[i].error = std::current_exception();
            }
        });
        for (const TaggedPicture& picture : pictures_)
            if (picture.error) std::rethrow_exception(picture.error);
    }

    void fill(Dataset& dataset) const {
        CountedPictures untagged, unplaced, of_other_shape, without_box;
        std::vector<std::string> missing;
        std::size_t points = 0;
        for (const TaggedPicture& picture : pictures_) {
            points += picture.regions.without_box;
            if (picture.regions.without_box > 0) without_box.add(picture);
            if (picture.regions.faces.empty()) {
                if (picture.is_there) untagged.add(picture);
                continue;
            }
            if (!picture.stored) unplaced.add(picture);
            if (!picture.is_there) missing.push_back(picture.image);
            if (has_other_shape(picture)) {
                of_other_shape.add(picture, ", stored as " + in_words(picture.stored->size) + ", drawn in " +
                                                in_words(*picture.regions.drawn_in));
            }
            if (!picture.source.empty()) dataset.sources.push_back(picture.source);
            dataset.samples.push_back(sample_of(picture, root_));
        }
        if (dataset.samples.empty()) throw_no_regions();
        warn_of_missing_images(missing, dataset, "; name their folder with ,images=DIR");
        warn(dataset, unplaced, "photograph has", "photographs have",
             " face regions that cannot be placed: neither the file nor the XMP tells the size; mend or "
             "restore the file, first: ");
        warn(
            dataset, of_other_shape, "photograph has", "photographs have",
            " another shape than the picture that the face regions were drawn in, being turned or cut since; "
            "the regions count in the stored picture as it is now, as in exiftool and digiKam, first: ");
        if (points > 0) {
            dataset.warnings.push_back(counted(points, "face region is a point", "face regions are points") +
                                       " or without a place, and left out, first: " + without_box.first());
        }
        warn(dataset, untagged, "image has", "images have", " no face regions and are left out, first: ");
    }

  private:
    /// A sidecar whose picture is not there: its regions count if they tell the picture's size.
    void add_missing(const fs::path& folder, const fs::path& sidecar) {
        const std::string name = sidecar.lexically_relative(folder).generic_string();
        if (("/" + name).find("/.") != std::string::npos) return;
        std::string image = name.substr(0, name.size() - sidecar_extension.size());
        if (is_video_name(image)) return;
        if (!is_image_name(image)) image += ".jpg";
        TaggedPicture picture{.image = std::move(image), .sidecars = {sidecar}, .is_there = false};
        // Two sidecars of one picture: the longer name counts, as for pictures that are there.
        const auto [same, is_new] = place_of_.emplace(picture.image, pictures_.size());
        if (is_new) {
            pictures_.push_back(std::move(picture));
        } else {
            pictures_[same->second].sidecars.push_back(sidecar);
        }
    }

    static void warn(Dataset& dataset, const CountedPictures& pictures, const char* one, const char* more,
                     const std::string& sentence) {
        if (pictures.count() > 0)
            dataset.warnings.push_back(counted(pictures.count(), one, more) + sentence + pictures.first());
    }

    [[noreturn]] void throw_no_regions() const {
        throw UsageError(
            "'" + path_.string() +
            "' holds no face regions: neither in sidecars as photo.jpg.xmp or photo.xmp nor in the "
            "XMP of JPEG files stands a face of mwg-rs:Regions or MP:RegionInfo. Let the photo "
            "manager write its names to the files.");
    }

    fs::path path_, root_;
    std::vector<TaggedPicture> pictures_;
    std::map<std::string, std::size_t> place_of_;
};

}  // namespace

Dataset read_xmp_dataset(const std::string& path, const DatasetOptions& options) {
    const DatasetSpecification specification("xmp", path, {"PATH", "images=DIR"});
    Dataset dataset;
    dataset.format = "xmp";
    dataset.root = image_root(specification, options, specification.folder());
    XmpReader reader(specification.only_path(), dataset.root);
    reader.find_pictures(dataset);
    reader.read(options.is_as_displayed);
    reader.fill(dataset);
    return dataset;
}

}  // namespace fovea
