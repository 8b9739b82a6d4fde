#include "lib/results/formats/results_formats.hpp"

#include "lib/dataset/xmp/xmp_packet.hpp"

namespace fovea {

// Each stands in the file of its format; the writers are together in results_writers.cpp.
namespace results_detail {
ResultsRecogniser recognise_jsonl, recognise_coco, recognise_text, recognise_csv, recognise_fddb,
    recognise_wider, recognise_yolo, recognise_mot;
ResultsFileReader read_coco, read_text, read_csv, read_fddb, read_wider, read_voc, read_yolo, read_face_eval,
    read_mot;
}  // namespace results_detail
ResultsFileWriter write_jsonl_results, write_coco_results, write_text_results, write_fddb_results,
    write_wider_results, write_voc_results, write_yolo_results, write_mot_results, write_xmp_results;

namespace {

std::vector<ResultsFormat> make_formats() {
    using namespace results_detail;
    return {
        {.name = "jsonl",
         .content = "Fovea's own JSON Lines",
         .example = "jsonl:results.jsonl",
         .section = "lib/job/README.md#results",
         .recognise = recognise_jsonl,
         .recognised_by = "JSON objects",
         .read = read_jsonl,
         .write = write_jsonl_results,
         .rules = "holds everything",
         .holds = {.everything = true}},

        {.name = "coco",
         .content = "a list of `{\"image_id\", \"category_id\", \"bbox\", \"score\"}`, or with `file_name`",
         .example = "coco:results.json,images=instances_val2017.json",
         .recognise = recognise_coco,
         .recognised_by = "a JSON list",
         .read = read_coco,
         .write = write_coco_results,
         .written = "image ids of DATASET, else from 1 on",
         .rules = "the dataset's image ids, without one from 1 on",
         .holds = {.takes_images = true}},

        {.name = "text",
         .content = "lines `name x y w h score`",
         .example = "text:found.txt",
         .recognise = recognise_text,
         .recognised_by = "a text of no other format",
         .read = read_text,
         .write = write_text_results,
         .written = "name x y w h score",
         .rules = "`name x y w h score`"},

        {.name = "csv",
         .content = "a table with a heading, columns in any order, cells between commas, semicolons or tabs",
         .example = "csv:faces.csv",
         .recognise = recognise_csv,
         .recognised_by = "a heading, or cells",
         .read = read_csv,
         .written = "a row per face; images without one, and unreadable ones, have a row, too",
         .rules = "a table, see below; holds everything",
         .holds = {.everything = true,
                   .make_table = [](const std::filesystem::path& file,
                                    const RunFacts&) { return make_csv_table(file); }}},

        {.name = "fddb",
         .content = "a block for each image, as FDDB's program takes it: boxes or ellipses",
         .example = "fddb:fold-01-out.txt",
         .recognise = recognise_fddb,
         .recognised_by = "a name, a number n and n lines",
         .read = read_fddb,
         .write = write_fddb_results,
         .written = "needs DATASET: its images in its order",
         .rules = "a block for each image of the dataset, in its order",
         .holds = {.ellipses = true, .needs_dataset = true}},

        {.name = "wider",
         .content = "a folder with `EVENT/NAME.txt` of each image, as WIDER FACE's program takes it",
         .example = "wider:pred/",
         .recognise = recognise_wider,
         .recognised_by = "a folder of folders",
         .read = read_wider,
         .write = write_wider_results,
         .is_folder = true,
         .written = "EVENT/NAME.txt",
         .rules = "`EVENT/NAME.txt` by falling score"},

        {.name = "voc",
         .content = "lines `name score xmin ymin xmax ymax`, as VOC's program takes them",
         .example = "voc:comp3_det_test_face.txt",
         .read = read_voc,
         .write = write_voc_results,
         .rules = "`name score xmin ymin xmax ymax`, inclusive pixels from 1"},

        {.name = "yolo",
         .content = "a folder with `NAME.txt` of each image: lines `class cx cy w h score`, or with the "
                    "track behind "
                    "it, in shares of the image; needs the dataset. Whole numbers from 1 in the place of "
                    "scores, none "
                    "twice in a file, are tracks",
         .example = "yolo:runs/detect/predict/labels",
         .recognise = recognise_yolo,
         .recognised_by = "a folder of text files",
         .read = read_yolo,
         .write = write_yolo_results,
         .is_folder = true,
         .written = "NAME.txt: class cx cy w h score [track], in shares of the image",
         .rules = "`NAME.txt` for each image: `0 cx cy w h score`, and the track behind it, in shares of the "
                  "image, "
                  "whose size the results, or else the dataset's images, tell",
         .holds = {.tracks = true}},

        {.name = "face-eval",
         .content = "lines `name score x1 y1 x2 y2` and the other files of the toolbox face-eval",
         .example = "face-eval:AFW_DPM.txt",
         .read = read_face_eval,
         .why_not_written = "voc has the same lines, in pixels from 1"},

        {.name = "mot",
         .content = "`SEQUENCE.txt` of each sequence, as MOTChallenge's program takes it",
         .example = "mot:tracks/",
         .recognise = recognise_mot,
         .recognised_by = "seven numbers or more between commas",
         .read = read_mot,
         .write = write_mot_results,
         .is_folder = true,
         .written = "SEQUENCE.txt; needs DATASET and tracks",
         .rules = "`SEQUENCE.txt` for each sequence of the dataset; all detections need tracks",
         .holds = {.tracks = true, .needs_dataset = true}},

        {.name = "xmp",
         .content = "sidecars with face regions, for photo managers",
         .example = "xmp:sidecars/",
         .write = write_xmp_results,
         .is_folder = true,
         .keep_other_contents = xmp::keep_contents_of_sidecars,
         .written = "a sidecar NAME.jpg.xmp for each image with faces; needs DATASET",
         .rules =
             "`NAME.jpg.xmp` for each image of the dataset with faces, and the identity as the name; as for "
             "datasets",
         .holds = {.identities = true, .sizes = true, .needs_dataset = true}},

        {.name = "sqlite",
         .content = "a database",
         .example = "sqlite:faces.sqlite",
         .written = "tables images, faces, landmarks, candidates and run",
         .rules = "a database, see below; holds everything",
         .holds = {.everything = true, .make_table = make_sqlite_table, .is_database = true}},
    };
}

}  // namespace

const FormatTable<ResultsKind>& results_formats() {
    static const FormatTable<ResultsKind> table(make_formats());
    return table;
}

}  // namespace fovea
