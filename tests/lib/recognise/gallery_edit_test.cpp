#include "lib/recognise/gallery_edit.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/lib/recognise/gallery_cases.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

struct Files {
    Files() {
        write_gallery(path("a"), {gallery_face("Ann", "1.jpg"), gallery_face("Bob", "2.jpg"),
                                  gallery_face("Ann", "3.jpg")});
        write_gallery(path("b"), {gallery_face("Cid", "4.jpg", 300), gallery_face("Ann", "5.jpg")});
    }
    fs::path path(const std::string& name) const { return folder.path() / name; }
    TempDir folder;
};

std::vector<std::string> images_of(const fs::path& file) {
    std::vector<std::string> images;
    for (const GalleryFace& face : read_gallery(file).faces) images.push_back(face.image);
    return images;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("faces are removed by subject, image and number", "[gallery]") {
    const Files f;
    GalleryRemoval removal = remove_faces(f.path("a"), {"Ann", {}});
    CHECK(removal.faces == 2);
    CHECK(removal.subjects == 1);
    CHECK(removal.left == 1);
    CHECK(images_of(f.path("a")) == Names{"2.jpg"});
    const GalleryInfo info = gallery_info(f.path("a"));
    CHECK(info.faces == 1);
    CHECK(info.removed == 2);
    CHECK(info.subjects == 1);
    CHECK(info.faces_of_subject == std::map<std::string, std::size_t>{{"Bob", 1}});
    CHECK(info.finished);

    CHECK_THROWS_WITH(remove_faces(f.path("a"), {"Ann", {}}), Contains("has no face of subject 'Ann'"));
    CHECK_THROWS_WITH(remove_faces(f.path("a"), {"Bob", "1.jpg"}),
                      Contains("has no face of subject 'Bob' of image '1.jpg'"));
    CHECK_THROWS_WITH(remove_faces(f.path("a"), {{}, {}, 1}), Contains("has no face of number 1"));
    CHECK_THROWS_AS(remove_faces(f.path("a"), {}), UsageError);
    CHECK(remove_faces(f.path("a"), {{}, {}, 2}).left == 0);
    removal = remove_faces(f.path("b"), {{}, "4.jpg"});
    CHECK(removal.faces == 1);
    CHECK(images_of(f.path("b")) == Names{"5.jpg"});
}

TEST_CASE("galleries are merged without what was removed", "[gallery]") {
    const Files f;
    remove_faces(f.path("a"), {"Bob", {}});
    const GalleryMerge merge = merge_galleries({f.path("a"), f.path("b")}, f.path("c"), false);
    CHECK(merge.faces == 4);
    CHECK(merge.subjects == 2);
    CHECK(merge.removed == 1);
    CHECK(merge.duplicates == 0);
    CHECK_FALSE(merge.recognisers_differ);
    CHECK(images_of(f.path("c")) == Names{"1.jpg", "3.jpg", "4.jpg", "5.jpg"});
    std::vector<GalleryFace> faces = read_gallery(f.path("a")).faces;
    for (const GalleryFace& face : read_gallery(f.path("b")).faces) faces.push_back(face);
    const Gallery merged = read_gallery(f.path("c"));
    CHECK(same_faces(merged.faces, faces));
    CHECK(merged.numbers == std::vector<std::size_t>{1, 2, 3, 4});
    CHECK(merged.info.finished);
    CHECK(merged.info.removed == 0);

    // The merge of one is the same gallery without the bytes of what was removed, in the same place if so
    // wanted.
    const auto before = fs::file_size(f.path("a"));
    merge_galleries({f.path("a")}, f.path("a"), false);
    CHECK(fs::file_size(f.path("a")) < before);
    CHECK(images_of(f.path("a")) == Names{"1.jpg", "3.jpg"});
    CHECK(std::distance(fs::directory_iterator(f.folder.path()), {}) == 3);
}

TEST_CASE("what stands twice is merged only if that is allowed", "[gallery]") {
    const Files f;
    GalleryWriter(f.path("b")).append(gallery_face("Ann", "1.jpg"));
    CHECK_THROWS_WITH(
        merge_galleries({f.path("a"), f.path("b")}, f.path("c"), false),
        Contains("1 face is there twice: '1.jpg' of 'folder:photos', box [10, 20.5, 0.1, 40] (in ") &&
            Contains("--allow-duplicates"));
    CHECK_FALSE(fs::exists(f.path("c")));
    CHECK_THROWS_WITH(merge_galleries({f.path("a"), f.path("b"), f.path("b")}, f.path("c"), false),
                      Contains("4 faces are there twice") && Contains("; and 1 more"));
    const GalleryMerge merge = merge_galleries({f.path("a"), f.path("b")}, f.path("c"), true);
    CHECK(merge.faces == 6);
    CHECK(merge.duplicates == 1);
    // Both are found, and both can go.
    CHECK(remove_faces(f.path("c"), {{}, "1.jpg"}).faces == 2);
}

TEST_CASE("only comparable galleries are merged, and nothing is overwritten", "[gallery]") {
    const Files f;
    const RecogniserConfig other = small_recogniser(19);
    write_gallery(f.path("other"), {}, other);
    CHECK_THROWS_WITH(
        merge_galleries({f.path("a"), f.path("other")}, f.path("c"), true),
        Contains(feature_fingerprint(small_recogniser())) && Contains(feature_fingerprint(other)));
    RecogniserConfig weighted = small_recogniser();
    weighted.weights = {0.5};
    write_gallery(f.path("weighted"), {gallery_face("Dan", "6.jpg")}, weighted);
    CHECK(merge_galleries({f.path("weighted"), f.path("a")}, f.path("c"), false).recognisers_differ);
    CHECK(gallery_info(f.path("c")).recogniser.weights == std::vector<double>{0.5});

    const std::string before = read_bytes(f.path("b"));
    CHECK_THROWS_AS(merge_galleries({f.path("a")}, f.path("b"), false), UsageError);
    CHECK(read_bytes(f.path("b")) == before);
    CHECK_THROWS_AS(merge_galleries({}, f.path("d"), false), UsageError);
    CHECK_THROWS_AS(merge_galleries({f.path("a"), f.path("none")}, f.path("d"), false), UsageError);
    GalleryWriter writer(f.path("a"));
    CHECK_THROWS_WITH(merge_galleries({f.path("a")}, f.path("a"), false), Contains("is being written"));
    CHECK(merge_galleries({f.path("a")}, f.path("d"), false).faces == 3);
}

TEST_CASE("a damaged gallery is not merged", "[gallery]") {
    const Files f;
    std::string bytes = read_bytes(f.path("b"));
    bytes[bytes.size() - 60] ^= 1;
    f.folder.write("b", bytes);
    CHECK_THROWS_WITH(merge_galleries({f.path("a"), f.path("b")}, f.path("c"), false),
                      Contains("is damaged"));
    CHECK_FALSE(fs::exists(f.path("c")));
    CHECK(std::distance(fs::directory_iterator(f.folder.path()), {}) == 2);
}
