#include "lib/dataset/annotated_frames.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/dataset/video_sequences.hpp"
#include "tests/lib/dataset/readers/video/small_videos.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using Names = std::vector<std::string>;

namespace {

const std::string info =
    "[Sequence]\nname=A\nimDir=img1\nframeRate=30\nseqLength=4\nimWidth=1920\n"
    "imHeight=1080\nimExt=.jpg\n";

std::string mot(const std::filesystem::path& path, const std::string& options = "") {
    return "mot:" + path.string() + options;
}

std::string track_of(const Face& face) {
    const std::string* const track = find_attribute(face.attributes, "track");
    return track == nullptr ? "none" : *track;
}

/// The message for a file of tracks of a video that is not there.
std::string error_of_tracks(const std::string& text, const std::string& options = "") {
    const TempDir dir;
    const std::string error = error_of(mot(dir.write("t.txt", text), ",video=a.mp4" + options));
    const std::string folder = dir.path().string() + "/";
    const std::size_t at = error.find(folder);
    return at == std::string::npos ? error : error.substr(0, at) + error.substr(at + folder.size());
}

}  // namespace

TEST_CASE("mot: a sequence's folder, its boxes by frames and tracks", "[dataset][mot]") {
    const TempDir dir;
    dir.write("A/seqinfo.ini", info);
    dir.write("A/gt/gt.txt",
              "3,7,-10.5,20,30,40.25,1,1,0.5\r\n1,2,794.2,47.5,71.2,174.8,1,1,1\n"
              "1,7,1,1,10,20,0,1,0\n");
    const Dataset dataset = read_dataset(mot(dir.path() / "A"));
    CHECK(dataset.format == "mot");
    CHECK(images_of(dataset) ==
          Names{"img1/000001.jpg", "img1/000002.jpg", "img1/000003.jpg", "img1/000004.jpg"});
    CHECK(dataset.warnings.empty());
    CHECK(dataset.sources.size() == 2);
    for (const Sample& sample : dataset.samples) {
        CHECK(sample.annotated);
        CHECK(sample.size == ImageSize{1920, 1080});
        CHECK(sample.path == dir.path() / "A" / sample.image);
    }
    // Numbers stay as they are, even if the set counts pixels from 1.
    REQUIRE(dataset.samples[0].faces.size() == 2);
    const Face& first = dataset.samples[0].faces[0];
    CHECK(first.box == Box{794.2, 47.5, 71.2, 174.8});
    CHECK(track_of(first) == "2");
    CHECK_FALSE(first.ignore);
    CHECK(track_of(dataset.samples[0].faces[1]) == "7");
    CHECK(dataset.samples[0].faces[1].ignore);  // conf 0
    CHECK(dataset.samples[1].faces.empty());
    REQUIRE(dataset.samples[2].faces.size() == 1);
    CHECK(dataset.samples[2].faces[0].box == Box{-10.5, 20, 30, 40.25});
    CHECK(dataset.samples[3].faces.empty());
    // The folder alone, and the file at its place, say the same.
    CHECK(read_dataset((dir.path() / "A").string()).format == "mot");
    CHECK(images_of(read_dataset(mot(dir.path() / "A/gt/gt.txt"))) == images_of(dataset));
}

TEST_CASE("mot: a folder of sequences", "[dataset][mot]") {
    const TempDir dir;
    dir.write("MOT17-10/gt/gt.txt", "1,1,1,1,1,1,1,1,1\n");
    dir.write("MOT17-02/gt/gt.txt", "2,1,1,1,1,1,1,1,1\n");
    dir.write("MOT17-02/img1/000001.png", "x");
    dir.write("test/det/det.txt", "1,-1,1,1,1,1,1\n");
    const Dataset dataset = read_dataset(dir.path().string());
    CHECK(dataset.format == "mot");
    // Without seqinfo.ini up to the last line's frame, and with the extension of the images.
    CHECK(images_of(dataset) ==
          Names{"MOT17-02/img1/000001.png", "MOT17-02/img1/000002.png", "MOT17-10/img1/000001.jpg"});
    const std::string with_video = mot(dir.path(), ",video=a.mp4");
    CHECK(is_usage_error(with_video));
    CHECK_THAT(error_of(with_video),
               EndsWith("has several sequences, but video= names the video of one; name that sequence."));
}

TEST_CASE("mot: seqinfo.ini names folder and files", "[dataset][mot]") {
    const TempDir dir;
    dir.write("A/seqinfo.ini", "; by hand\n[Sequence]\nSEQLENGTH = 1\nimDir = frames\nimExt=.png\n");
    dir.write("A/gt/gt.txt", "");
    const Dataset dataset = read_dataset(mot(dir.path() / "A"));
    CHECK(images_of(dataset) == Names{"frames/000001.png"});
    CHECK_FALSE(dataset.samples[0].size);
    CHECK(dataset.samples[0].annotated);
    CHECK(dataset.warnings == Names{"no frame has a box of class 1; class=NUMBER names another one"});

    const auto error = [&](const std::string& text) {
        dir.write("A/seqinfo.ini", text);
        return error_of(mot(dir.path() / "A"));
    };
    const std::string place = (dir.path() / "A/seqinfo.ini").string();
    CHECK(error("[Sequence]\nseqLength=0\n") ==
          place + ":2: cannot read 'seqLength=0': expected a whole number from 1 to 2000000");
    CHECK_THAT(error("imWidth=1920.5\n"), !Contains("seqinfo.ini"));
    CHECK(error("seqLength 5\n") ==
          place + ":1: cannot read 'seqLength 5': expected a key and its value, e.g. \"seqLength=600\"");
    dir.write("A/gt/gt.txt", "5,1,1,1,1,1,1\n");
    CHECK(error(info) ==
          (dir.path() / "A/gt/gt.txt").string() +
              ":1: cannot read '5,1,1,1,1,1,1': expected a frame from 1 to 4 first; the sequence "
              "has no others");
}

TEST_CASE("mot: a comment says which frames are annotated", "[dataset][mot]") {
    const TempDir dir;
    const auto annotated = [&](const std::string& text) {
        const auto tracks = dir.write("t.txt", text);
        std::string frames;
        for (const Sample& sample : read_dataset(mot(tracks, ",video=a.mp4")).samples)
            frames += sample.annotated ? '1' : '0';
        return frames;
    };
    const std::string face = "3,1,1,1,2,2,1\n";
    CHECK(annotated(face) == "111");
    CHECK(annotated("# by hand\n" + face) == "111");
    // Frame 5 has no face, but is annotated; so the video has five frames or more.
    CHECK(annotated("# annotated frames: 1-6 every 2\n" + face) == "10101");
    CHECK(annotated("#annotated frames : 3 \n" + face) == "001");
    CHECK(annotated("# annotated frames 2-3\n" + face) == "011");
    CHECK(annotated(face + "# annotated frames: 2-3, 5, 7 - 9 every 2\r\n") == "011010101");
    CHECK(annotated("# annotated frames: 1-1\n") == "1");
    // seqinfo.ini knows the length.
    dir.write("A/seqinfo.ini", info);
    dir.write("A/gt/gt.txt", "# annotated frames: 1, 3\n" + face);
    const Dataset sequence = read_dataset(mot(dir.path() / "A"));
    REQUIRE(sequence.samples.size() == 4);
    CHECK(sequence.samples[2].annotated);
    CHECK_FALSE(sequence.samples[1].annotated);
    CHECK_FALSE(sequence.samples[3].annotated);
}

TEST_CASE("mot: a broken comment on annotated frames is refused", "[dataset][mot]") {
    const std::string expected =
        ": expected rising numbers of frames from 1 to 2000000, e.g. \"# annotated frames: 1-171 every 5, "
        "300-320, 400\"";
    for (const char* list : {": ", "", ": 0", ": 3, 3", ": 5-4", ": 1-9 every 0", ": 1-9 every",
                             ": 1-2000001", ": 1-", ": -3", ": 1,", ": one", ": 1 every 2"}) {
        const std::string line = "# annotated frames" + std::string(list);
        CAPTURE(line);
        CHECK_THAT(error_of_tracks("1,1,1,1,1,1,1\n" + line + "\n"),
                   StartsWith("t.txt:2: cannot read '") && EndsWith(expected));
    }
    CHECK(error_of_tracks("# annotated frames: 1\n# annotated frames: 2\n") ==
          "t.txt:2: cannot read '# annotated frames: 2': expected one line with the annotated frames; an "
          "earlier one has them already");
    CHECK(error_of_tracks("# annotated frames: 1-9 every 5\n2,1,1,1,1,1,1\n") ==
          "t.txt:2: cannot read '2,1,1,1,1,1,1': expected one of the annotated frames first, which a comment "
          "lists; add frame 2 there");
    const TempDir dir;
    dir.write("A/seqinfo.ini", info);
    dir.write("A/gt/gt.txt", "# annotated frames: 1-5\n");
    CHECK_THAT(error_of(mot(dir.path() / "A")), Contains("rising numbers of frames from 1 to 4"));
}

TEST_CASE("mot: the comment on annotated frames is written as it is read", "[dataset][mot]") {
    CHECK(annotated_frames_comment({7}) == "# annotated frames: 7");
    CHECK(annotated_frames_comment({1, 6, 11, 16}) == "# annotated frames: 1-16 every 5");
    CHECK(annotated_frames_comment({1, 2, 5, 9, 13, 14}) == "# annotated frames: 1-2, 5-13 every 4, 14");
    CHECK(annotated_frames_comment({1, 4, 9}) == "# annotated frames: 1, 4, 9");
    // Every set of ten frames or less.
    for (unsigned set = 1; set < 1U << 10U; ++set) {
        FrameNumbers frames;
        for (std::size_t i = 0; i < 10; ++i) {
            if ((set >> i & 1U) != 0) frames.push_back(i + 1);
        }
        const std::string comment = annotated_frames_comment(frames);
        CAPTURE(comment);
        CHECK(read_annotated_frames(TextFile("t.txt", comment), 10) == frames);
    }
}

TEST_CASE("mot: classes as MOTChallenge's evaluation treats them", "[dataset][mot]") {
    // A line for each class, 1 to 13, as tracks 1 to 13.
    std::string text;
    for (int i = 1; i <= 13; ++i) {
        const std::string number = std::to_string(i);
        text += "1," + number + ",5,6,7,8,1," + number + ",1\n";
    }
    const TempDir dir;
    const auto tracks = dir.write("t.txt", text);
    std::string counted_tracks, ignored_tracks;
    const Dataset pedestrians = read_dataset(mot(tracks, ",video=a.mp4"));
    for (const Face& face : pedestrians.samples[0].faces)
        (face.ignore ? ignored_tracks : counted_tracks) += track_of(face) + " ";
    CHECK(counted_tracks == "1 ");
    CHECK(ignored_tracks == "2 7 8 12 ");
    // Classes of other sets have other meanings: there are no distractors.
    const Dataset sevens = read_dataset(mot(tracks, ",video=a.mp4,class=7"));
    REQUIRE(sevens.samples[0].faces.size() == 1);
    CHECK(track_of(sevens.samples[0].faces[0]) == "7");
    CHECK_FALSE(sevens.samples[0].faces[0].ignore);
    CHECK(warns(read_dataset(mot(tracks, ",video=a.mp4,class=0")), "no frame has a box of class 0"));
}

TEST_CASE("mot: lines with conf, with a class, with three coordinates", "[dataset][mot]") {
    const TempDir dir;
    for (const char* line : {"1,3,5,6,7,8,1", "1,3,5,6,7,8,1,1", "1,3,5,6,7,8,1,1,0.25",
                             "1,3,5,6,7,8,1,-1,-1,-1", "1 3 5 6 7 8 1", "1, 3, 5, 6, 7, 8, 1.0"}) {
        CAPTURE(line);
        const Dataset dataset = read_dataset(mot(dir.write("t.txt", line), ",video=a.mp4"));
        REQUIRE(dataset.samples.size() == 1);
        REQUIRE(dataset.samples[0].faces.size() == 1);
        CHECK(dataset.samples[0].faces[0].box == Box{5, 6, 7, 8});
        CHECK(track_of(dataset.samples[0].faces[0]) == "3");
        CHECK_FALSE(dataset.samples[0].faces[0].ignore);
    }
    // 2D MOT15 has a place in space where others have a class.
    CHECK(read_dataset(mot(dir.write("t.txt", "1,3,5,6,7,8,0,4,4,4\n"), ",video=a.mp4"))
              .samples[0]
              .faces[0]
              .ignore);
    CHECK(read_dataset(mot(dir.write("t.txt", "1,3,5,6,7,8,1,4,4,4\n"), ",video=a.mp4")).face_count() == 1);
}

TEST_CASE("mot: frames of a video are counted from 1 in the file", "[dataset][mot]") {
    const TempDir dir;
    dir.write("clip.y4m", small_video(4));
    const auto tracks = dir.write("t.txt", "1,1,1,1,2,2,1\n3,1,4,4,2,2,1\n");
    const Dataset dataset = read_dataset(mot(tracks, ",video=clip.y4m"));
    CHECK(images_of(dataset) == Names{"clip.y4m#000000", "clip.y4m#000001", "clip.y4m#000002"});
    REQUIRE(dataset.samples[2].frame);
    CHECK(dataset.samples[2].frame->number == 2);
    CHECK(dataset.samples[2].faces[0].box == Box{4, 4, 2, 2});
    CHECK(dataset.samples[1].annotated);
    CHECK(dataset.samples[1].faces.empty());
    CHECK(*find_attribute(dataset.samples[2].attributes, "video") == "clip.y4m");
    CHECK(warns(dataset, "(4 frames, 3 annotated) has no annotation and is left out"));

    // Evaluations need names, not images.
    const Dataset absent = read_dataset(mot(tracks, ",video=gone.mp4"));
    CHECK(images_of(absent) == Names{"gone.mp4#000000", "gone.mp4#000001", "gone.mp4#000002"});
    CHECK(absent.warnings ==
          Names{"the video 'gone.mp4' is not there; its frames have names and annotation, but no images"});
    CHECK_FALSE(absent.samples[0].frame);
}

TEST_CASE("mot: tracks of LTFT count frames from 0", "[dataset][mot]") {
    const TempDir dir;
    const auto tracks = dir.write("t.txt",
                                  "4\n0 2 1 1463.76 363.048 68.4 83.25 1 0.99 2 5 6 7 8 0 0.98\n"
                                  "1 0\n2 1 1 -3 4 5 6 1 0.5 \n3 0\n");
    const Dataset dataset = read_dataset(mot(tracks, ",video=street.mp4"));
    REQUIRE(dataset.samples.size() == 4);
    CHECK(dataset.samples[3].image == "street.mp4#000003");
    REQUIRE(dataset.samples[0].faces.size() == 2);
    CHECK(dataset.samples[0].faces[0].box == Box{1463.76, 363.048, 68.4, 83.25});
    CHECK_FALSE(dataset.samples[0].faces[0].ignore);
    CHECK(track_of(dataset.samples[0].faces[1]) == "2");
    CHECK(dataset.samples[0].faces[1].ignore);  // face 0
    CHECK(dataset.samples[1].faces.empty());
    CHECK(dataset.samples[2].faces[0].box == Box{-3, 4, 5, 6});
    CHECK(track_of(dataset.samples[2].faces[0]) == "1");
}

TEST_CASE("mot: broken tracks are refused with file and line", "[dataset][mot]") {
    const std::string good = "1,1,1,1,1,1,1\n";
    const std::string columns =
        ": expected 7 to 10 numbers, \"frame,id,left,top,w,h,conf[,class,visibility]\" "
        "or with x,y,z behind conf";
    CHECK(error_of_tracks(good + "1,2,1,1,1,1\n") == "t.txt:2: cannot read '1,2,1,1,1,1'" + columns);
    CHECK(error_of_tracks("1,2,1,1,1,1,1,1,1,1,1\n") ==
          "t.txt:1: cannot read '1,2,1,1,1,1,1,1,1,1,1'" + columns);
    CHECK(error_of_tracks("1,2,x,1,1,1,1\n") == "t.txt:1: cannot read '1,2,x,1,1,1,1'" + columns);
    CHECK(error_of_tracks("1,2,,1,1,1,1\n") == "t.txt:1: cannot read '1,2,,1,1,1,1'" + columns);
    CHECK(error_of_tracks("1,2,nan,1,1,1,1\n") == "t.txt:1: cannot read '1,2,nan,1,1,1,1'" + columns);
    const std::string frames = ": expected a frame from 1 to 2000000 first";
    CHECK(error_of_tracks("0,1,1,1,1,1,1\n") == "t.txt:1: cannot read '0,1,1,1,1,1,1'" + frames);
    CHECK(error_of_tracks("1.5,1,1,1,1,1,1\n") == "t.txt:1: cannot read '1.5,1,1,1,1,1,1'" + frames);
    CHECK(error_of_tracks("2000001,1,1,1,1,1,1\n") == "t.txt:1: cannot read '2000001,1,1,1,1,1,1'" + frames);
    CHECK(error_of_tracks("1,-1,1,1,1,1,1\n") ==
          "t.txt:1: cannot read '1,-1,1,1,1,1,1': expected a track's number, 0 or more; detections without "
          "tracks are no ground truth");
    CHECK(error_of_tracks("1,1,1,1,-1,1,1\n") ==
          "t.txt:1: cannot read '1,1,1,1,-1,1,1': expected a box whose width and height are 0 or more");
    CHECK(error_of_tracks(good + "2,1,1,1,1,1,1\n" + good) ==
          "t.txt:3: cannot read '1,1,1,1,1,1,1': expected one box for each track in a frame, but line 1 has "
          "track 1 in this frame already");
    CHECK(error_of_tracks("1,1,1,1,1,1,1,1.5,1\n") ==
          "t.txt:1: cannot read '1,1,1,1,1,1,1,1.5,1': expected the number of a class in the eighth column");
    CHECK(error_of_tracks(good, ",class=1") ==
          "t.txt:1: cannot read '1,1,1,1,1,1,1': expected nine columns, with the class in the eighth, as "
          "class= "
          "asks for one");
    CHECK(error_of_tracks("") ==
          "t.txt: the file holds no line, so nothing tells how many frames there are.");
}

TEST_CASE("mot: broken tracks of LTFT are refused with file and line", "[dataset][mot]") {
    const std::string expected =
        ": expected \"frame n\" and n times \"id x y w h face confidence\", as LTFT has them";
    CHECK(error_of_tracks("2\n0 1 1 2 3 4 5 1\n") == "t.txt:2: cannot read '0 1 1 2 3 4 5 1'" + expected);
    CHECK(error_of_tracks("2\n0 2 1 2 3 4 5 1 1\n") == "t.txt:2: cannot read '0 2 1 2 3 4 5 1 1'" + expected);
    CHECK(error_of_tracks("2\n0\n") == "t.txt:2: cannot read '0'" + expected);
    CHECK(error_of_tracks("2\n0 -1\n") == "t.txt:2: cannot read '0 -1'" + expected);
    CHECK(error_of_tracks("2\n2 0\n") ==
          "t.txt:2: cannot read '2 0': expected a frame from 0 to 1 first; the sequence has no others");
    CHECK(error_of_tracks("0\n") ==
          "t.txt:1: cannot read '0': expected the number of frames, from 1 to 2000000");
    CHECK(error_of_tracks("9999999\n") ==
          "t.txt:1: cannot read '9999999': expected the number of frames, from 1 to 2000000");
    CHECK(
        error_of_tracks("1\n0 2 1 2 3 4 5 1 1 1 2 3 4 5 1 1\n") ==
        "t.txt:2: cannot read '0 2 1 2 3 4 5 1 1 1 2 3 4 5 1 1': expected one box for each track in a frame, "
        "but line 2 has track 1 in this frame already");
    CHECK(error_of_tracks("2\n0 0\n", ",class=2") ==
          "t.txt:1: cannot read '2': expected no file of LTFT, which has no classes, with class=");
}

TEST_CASE("mot: what cannot be tracks is refused in a sentence", "[dataset][mot]") {
    const TempDir dir;
    const auto tracks = dir.write("t.txt", "1,1,1,1,1,1,1\n");
    CHECK(is_usage_error(mot(tracks)));
    CHECK_THAT(error_of(mot(tracks)),
               EndsWith("is a file of tracks alone; name the video that it annotates with ,video=FILE."));
    CHECK_THAT(
        error_of(mot(tracks, ",video=a.png")),
        EndsWith("names the video 'a.png', which does not end as the names of videos do, e.g. in .mp4."));
    CHECK_THAT(error_of(mot(tracks, ",video=a.mp4,class=face")),
               EndsWith("has class=face, expected the number of a class."));
    CHECK_THAT(error_of(mot(tracks, "," + tracks.string())),
               EndsWith("names several paths; tracks are read from one folder or file."));
    CHECK(is_usage_error(mot(dir.path())));
    CHECK_THAT(error_of(mot(dir.path())),
               Contains("is a folder without gt/gt.txt, and no folder in it has one"));
}

TEST_CASE("mot: every truncation of tracks is read or refused", "[dataset][mot]") {
    const TempDir dir;
    for (const std::string text :
         {"1,1,5,6,7,8,1,1,0.5\n2,1,5,6,7,8,1,2,1\n", "# annotated frames: 1-9 every 2\n3,1,5,6,7,8,1\n",
          "2\n0 1 1 2 3 4 5 1 0.5\n1 0\n"}) {
        for (std::size_t length = 0; length < text.size(); ++length) {
            INFO("first " << length << " bytes of " << text);
            const std::string error = error_of_tracks(text.substr(0, length));
            CHECK((error == "read" || error.starts_with("t.txt")));
        }
    }
}

TEST_CASE("mot: all tracks of LTFT are read", "[dataset][mot][data]") {
    const std::string data = fovea_data();
    if (data.empty()) return;
    std::size_t frames = 0, faces = 0;
    for (const char* name : {"bengal", "choke1", "choke2", "shibuya", "sidewalk", "street", "terminal_1",
                             "terminal_2", "terminal_3", "terminal_4"}) {
        const Dataset dataset =
            read_dataset("mot:" + data + "/video/ltft-annotations/" + name + ".txt,video=" + name + ".mp4");
        frames += dataset.samples.size();
        for (const Sample& sample : dataset.samples) faces += sample.faces.size();
    }
    CHECK(frames == 15669);
    CHECK(faces == 81285);
}

TEST_CASE("mot: pictures are found however they are numbered", "[dataset][mot][spelling]") {
    const std::vector<Names> folders{{"000001.jpg", "000002.jpg", "000003.jpg", "000004.jpg"},
                                     {"1.jpg", "2.jpg", "3.jpg", "4.jpg"},
                                     {"0000001.jpg", "0000002.jpg", "0000003.jpg", "0000004.jpg"},
                                     {"0.jpg", "1.jpg", "2.jpg", "3.jpg"},
                                     {"8.jpg", "9.jpg", "10.jpg", "11.jpg"},
                                     {"frame_8.JPG", "frame_9.JPG", "frame_10.JPG", "frame_11.JPG"},
                                     {"img000001.png", "img000002.png", "img000003.png", "img000004.png"}};
    for (const Names& names : folders) {
        CAPTURE(names.front());
        const TempDir dir;
        dir.write("A/seqinfo.ini", info);
        dir.write("A/gt/gt.txt", "3,7,1,2,3,4,1,1,1\n");
        Names expected;
        for (const std::string& name : names) {
            dir.write("A/img1/" + name, "x");
            expected.push_back("img1/" + name);
        }
        const Dataset dataset = read_dataset(mot(dir.path() / "A"));
        CHECK(images_of(dataset) == expected);
        CHECK(dataset.samples[2].path == dir.path() / "A/img1" / names[2]);
        CHECK(dataset.samples[2].faces.size() == 1);
        CHECK(video_sequences(dataset).at(0).frames == std::vector<std::int64_t>{0, 1, 2, 3});
    }
    // A picture that is missing stays the picture of its frame.
    const TempDir dir;
    dir.write("A/seqinfo.ini", info);
    dir.write("A/gt/gt.txt", "3,7,1,2,3,4,1,1,1\n");
    for (const char* const name : {"f1.jpg", "f4.jpg", "notes.txt"})
        dir.write(std::string("A/img1/") + name, "x");
    CHECK(images_of(read_dataset(mot(dir.path() / "A"))) ==
          Names{"img1/f1.jpg", "img1/000002.jpg", "img1/000003.jpg", "img1/f4.jpg"});
}
