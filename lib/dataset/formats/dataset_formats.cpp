#include "lib/dataset/formats/dataset_formats.hpp"

#include "lib/dataset/face_names.hpp"
#include "lib/dataset/readers/video/video_readers.hpp"
#include "lib/dataset/readers/xmp/xmp_reader.hpp"
#include "lib/dataset/wider_attributes.hpp"
#include "lib/dataset/xmp/xmp_packet.hpp"

namespace fovea {

// Each stands in the file of its format, below lib/dataset/readers and lib/dataset/writers.
DatasetRecogniser recognise_folder, recognise_list, recognise_image, recognise_archive, recognise_list_file,
    recognise_mit_cmu, recognise_uiuc, recognise_dlib, recognise_feret, recognise_pts, recognise_fddb,
    recognise_wider, recognise_opencv, recognise_voc, recognise_coco, recognise_yolo, recognise_face_eval,
    recognise_fovea;
DatasetReader read_folder_dataset, read_list_dataset, read_image_dataset, read_archive_dataset,
    read_pipe_dataset, read_list_file_dataset, read_mit_cmu_dataset, read_mit_cmu_boxes_dataset,
    read_uiuc_dataset, read_uiuc_scale_dataset, read_dlib_dataset, read_feret_dataset, read_pts_dataset,
    read_fddb_dataset, read_wider_dataset, read_opencv_dataset, read_voc_dataset, read_coco_dataset,
    read_yolo_dataset, read_face_eval_dataset, read_lfw_dataset, read_fovea_dataset;
DatasetWriter write_mit_cmu_boxes, write_dlib, write_feret, write_pts, write_fddb, write_wider, write_voc,
    write_coco, write_yolo, write_lfw, write_mot, write_xmp, write_fovea;

namespace {

std::vector<FormatAttribute> attributes_of_wider() {
    std::vector<FormatAttribute> held{{"event"}};
    for (const WiderAttribute& known : wider_attributes)
        held.push_back({known.name, {known.values.begin(), known.values.end()}});
    return held;
}

const std::vector<std::string_view> truths{"yes", "true", "1"};

std::vector<DatasetFormat> make_formats() {
    return {
        {.name = "folder",
         .content = "images below a folder",
         .gives = "no faces; sub-folder = subject where all images lie in sub-folders",
         .example = "folder:photos/",
         .recognise = recognise_folder,
         .recognised_by = "a folder in which nothing else is recognised",
         .read = read_folder_dataset,
         .why_not_written = "it is images without a file about them",
         .holds = {.images_alone = true}},

        {.name = "list",
         .content = "one path per line, or standard input (`-`)",
         .gives = "no faces",
         .example = "list:photos.txt",
         .recognise = recognise_list,
         .recognised_by = "a text in which nothing else is recognised",
         .read = read_list_dataset,
         .why_not_written = "it holds no annotation",
         .holds = {.images_alone = true}},

        {.name = "image",
         .content = "one image",
         .gives = "no faces",
         .example = "image:photo.jpg",
         .recognise = recognise_image,
         .recognised_by = "a file that is named as images are",
         .read = read_image_dataset,
         .why_not_written = "it is an image without a file about it",
         .holds = {.images_alone = true}},

        {.name = "video",
         .content = "the frames of videos",
         .gives = "no faces; boxes of one video in a text file",
         .example = "video:david.mpg,boxes=gt.txt",
         .section = "videos",
         .recognise = recognise_video,
         .recognised_by = "a file that is named as videos are",
         .read = read_video_dataset,
         .why_not_written = "it is a video; mot holds boxes of frames",
         .holds = {.images_alone = true}},

        {.name = "archive",
         .content = "the images in a `.tar` or `.zip` archive, read in place",
         .gives = "no faces",
         .example = "archive:photos.tar",
         .recognise = recognise_archive,
         .recognised_by = "a file with the mark of one",
         .read = read_archive_dataset,
         .why_not_written = "it is images without a file about them",
         .holds = {.images_alone = true}},

        {.name = "pipe",
         .content = "the images in the archive that a command gives",
         .gives = "no faces",
         .example = "pipe:ssh nas cat photos.tar",
         .read = read_pipe_dataset,
         .why_not_written = "it is images without a file about them",
         .holds = {.images_alone = true}},

        {.name = "list-file",
         .content = "the images of a list that `fovea list` has made",
         .gives = "no faces",
         .example = "list-file:photos.fvl",
         .recognise = recognise_list_file,
         .recognised_by = "a file that begins with `FVLIST`",
         .read = read_list_file_dataset,
         .why_not_written = "`fovea list` makes it",
         .holds = {.images_alone = true}},

        {.name = "mit-cmu",
         .content = "MIT+CMU, six points per face",
         .gives = "boxes (by a rule), eyes, six landmarks",
         .example = "mit-cmu:DIR",
         .recognise = recognise_mit_cmu,
         .recognised_by =
             "a folder with `groundtruth.txt` or `facegroundtruth.txt`, or with such folders; lines "
             "of a name and 12 numbers, or of an image file and 4",
         .read = read_mit_cmu_dataset,
         .why_not_written = "its six points are those of MIT+CMU alone; mit-cmu-boxes holds boxes"},

        {.name = "mit-cmu-boxes",
         .content = "MIT+CMU, boxes",
         .gives = "boxes",
         .example = "mit-cmu-boxes:DIR/facegroundtruth.txt",
         .section = "mit-cmu",
         .read = read_mit_cmu_boxes_dataset,
         .write = write_mit_cmu_boxes,
         .written = "facegroundtruth.txt",
         .rules = "images without faces are left out",
         .holds = {.left_out = boxes_without_area, .is_for_annotation = true}},

        {.name = "uiuc",
         .content = "UIUC's cars: test set of one scale, training tiles",
         .gives = "boxes",
         .example = "uiuc:CarData",
         .recognise = recognise_uiuc,
         .recognised_by = "a folder with `trueLocations.txt` or `trueLocations_Scale.txt`, itself or in "
                          "`CarData/`; such a list",
         .read = read_uiuc_dataset,
         .why_not_written = "its images have numbers for names and its boxes one shape"},

        {.name = "uiuc-scale",
         .content = "UIUC's cars: test set of all scales",
         .gives = "boxes",
         .example = "uiuc-scale:CarData",
         .section = "uiuc",
         .read = read_uiuc_scale_dataset,
         .why_not_written = "its images have numbers for names and its boxes one shape"},

        {.name = "dlib",
         .content = "dlib imglab XML",
         .gives = "boxes, ignore marks, landmarks, subjects",
         .example = "dlib:testing_with_face_landmarks.xml",
         .recognise = recognise_dlib,
         .recognised_by = "XML `<dataset>`, or a folder with one such file",
         .read = read_dlib_dataset,
         .write = write_dlib,
         .written = "imglab XML",
         .rules = "rounded; the subject as label of the one box",
         .holds = {.ignored = true,
                   .subjects = true,
                   .landmarks = true,
                   .left_out = boxes_without_pixels,
                   .is_for_annotation = true}},

        {.name = "feret",
         .content = "CSU lists and coordinates; XML signature sets",
         .gives = "subject and eyes, no boxes",
         .example = "feret:lists/fafb.srt,coords=lists/coords.3368,images=/data/feret",
         .recognise = recognise_feret,
         .recognised_by = "a name with `.srt`, XML `<biometric-signature-set>`, a folder with lists and "
                          "`coords*`; lines of a name and 4 or 8 numbers",
         .read = read_feret_dataset,
         .write = write_feret,
         .written = "eye coordinates",
         .rules = "the eyes of the image or of its one face; the name tells the subject",
         .holds = {.faces = false, .unannotated = true, .subjects = true, .image_eyes = true}},

        {.name = "pts",
         .content = "images with a `.pts` file each (300-W, HELEN)",
         .gives = "landmarks, their box, eyes of 68 points",
         .example = "pts:helen/testset",
         .recognise = recognise_pts,
         .recognised_by = "a folder with `.pts` files, half of whose images have one",
         .read = read_pts_dataset,
         .write = write_pts,
         .is_folder = true,
         .rules = "`a.pts` for the face of `a.jpg`, `a_1.pts`, `a_2.pts`, ... for several; coordinates as "
                  "they are; "
                  "the box is that of the points, and eyes follow from 68",
         .holds = {.ignored_unmarked = true,
                   .image_eyes = true,
                   .face_eyes = true,
                   .landmarks = true,
                   .left_out = faces_without_landmarks,
                   .is_for_annotation = true}},

        {.name = "fddb",
         .content = "FDDB's ellipse lists",
         .gives = "ellipses and the boxes around them, folds",
         .example = "fddb:FDDB-folds,images=originalPics",
         .recognise = recognise_fddb,
         .recognised_by = "a folder with `*ellipseList.txt`; such a list",
         .read = read_fddb_dataset,
         .write = write_fddb,
         .rules = "one ellipse list; a box becomes the ellipse inscribed in it, whose own box is that box",
         .holds = {.ellipses = true, .left_out = ellipses_without_area, .is_for_annotation = true}},

        {.name = "wider",
         .content = "WIDER FACE, text or `.mat`",
         .gives = "boxes, attributes, easy / medium / hard",
         .example = "wider:widerface",
         .recognise = recognise_wider,
         .recognised_by = "a list as `wider_face_val_bbx_gt.txt`; a `.mat` file that is not `face-eval:`",
         .read = read_wider_dataset,
         .write = write_wider,
         .rules = "one text list; rounded; ignore is `invalid`; attributes by name, 0 where a face has none",
         .holds = {.ignored = true, .attributes = attributes_of_wider(), .is_for_annotation = true}},

        {.name = "opencv",
         .content = "`info.dat` of opencv_createsamples",
         .gives = "boxes",
         .example = "opencv:cars/info.dat",
         .recognise = recognise_opencv,
         .recognised_by = "lines of a path, a number n and n boxes",
         .read = read_opencv_dataset,
         .why_not_written = "opencv_annotation writes it"},

        {.name = "voc",
         .content = "PASCAL VOC XML",
         .gives = "boxes, difficult ones ignored, attributes, image sizes",
         .example = "voc:VOC2007,set=test,class=person",
         .recognise = recognise_voc,
         .recognised_by = "XML `<annotation>`, or a folder with such files, itself or in `Annotations/`",
         .read = read_voc_dataset,
         .write = write_voc,
         .is_folder = true,
         .written = "XML",
         .rules = "one XML for each image; inclusive pixels from 1, rounded: `xmin` = x + 1, `xmax` = x + w; "
                  "`difficult` is ignore; `class` where all faces have the same",
         .holds = {.ignored = true,
                   .sizes = true,
                   .attributes = {{"class"},
                                  {"pose"},
                                  {"truncated", truths},
                                  {"occluded", truths},
                                  {"difficult", truths}},
                   .left_out = boxes_without_pixels,
                   .is_for_annotation = true,
                   .needs_sizes = true}},

        {.name = "coco",
         .content = "COCO object-detection JSON",
         .gives = "boxes, crowds, areas, ignore marks, keypoints, image sizes",
         .example = "coco:annotations/instances_val2017.json,category=person,images=val2017",
         .recognise = recognise_coco,
         .recognised_by = "JSON with one of COCO's keys",
         .read = read_coco_dataset,
         .write = write_coco,
         .rules = "ids from the attribute `id` (as COCO files give it) where all images have one, else from "
                  "1; crowds "
                  "are `iscrowd` 1, other ignored faces `\"ignore\": 1`, which pycocotools overwrites with "
                  "`iscrowd` "
                  "= 0 and counts; `attributes` as CVAT has them",
         .holds = {.unannotated = true,
                   .ignored = true,
                   .crowds = true,
                   .landmarks = true,
                   .keypoints = true,
                   .areas = true,
                   .sizes = true,
                   .all_attributes = true,
                   .left_out = boxes_of_negative_size,
                   .needs_sizes = true}},

        {.name = "yolo",
         .content = "YOLO text labels",
         .gives = "boxes, keypoints",
         .example = "yolo:widerface-yolo/val",
         .recognise = recognise_yolo,
         .recognised_by = "a folder with `images/` and `labels/`",
         .read = read_yolo_dataset,
         .write = write_yolo,
         .is_folder = true,
         .written = "labels",
         .rules = "`labels/NAME.txt` and `classes.txt`; boxes are clipped to the image; readers measure the "
                  "images",
         .holds = {.unannotated = true, .sizes = true, .is_for_annotation = true, .needs_sizes = true}},

        {.name = "face-eval",
         .content = "AFW and PASCAL faces, `.mat`",
         .gives = "boxes, ignore marks",
         .example = "face-eval:new_annotations_AFW.mat,images=afw/testimages",
         .recognise = recognise_face_eval,
         .recognised_by = "a `.mat` file with `Annotations` or `anno`",
         .read = read_face_eval_dataset,
         .why_not_written = "it is a file of MATLAB's"},

        {.name = "lfw",
         .content = "LFW's `pairs.txt`",
         .gives = "subjects, pairs in folds",
         .example = "lfw:lfw-deepfunneled,pairs=pairs.txt",
         .read = read_lfw_dataset,
         .write = write_lfw,
         .written = "pairs.txt",
         .rules =
             "for sets with pairs, in folds of as many same as different ones; the name tells the subject",
         .holds = {.faces = false, .unannotated = true, .subjects = true, .pairs = true}},

        {.name = "mot",
         .content = "tracks of MOTChallenge and LTFT, on images or a video",
         .gives = "boxes, tracks, ignore marks, image sizes",
         .example = "mot:MOT17/train",
         .recognise = recognise_mot,
         .recognised_by = "a folder with `gt/gt.txt`, or with such folders",
         .read = read_mot_dataset,
         .write = write_mot,
         .is_folder = true,
         .written = "SEQUENCE/gt/gt.txt",
         .rules = "`gt/gt.txt` and `seqinfo.ini` for each sequence; ignored faces have the class of "
                  "distractors (8)",
         .holds = {.ignored = true,
                   .sizes = true,
                   .attributes = {{"track"}, {"confidence"}, {"video"}, {"time in the video"}},
                   .is_for_annotation = true}},

        {.name = "300vw",
         .content = "300-VW, videos with a `.pts` file for each frame",
         .gives = "landmarks, their box, eyes, categories",
         .example = "300vw:300VW_Dataset_2015_12_14",
         .recognise = recognise_300vw,
         .recognised_by = "a folder with a video and `annot/*.pts`, or with such folders",
         .read = read_300vw_dataset,
         .why_not_written = "it is points of videos; pts holds those of images"},

        {.name = "xmp",
         .content = "face regions of photo managers, in sidecars or JPEG files",
         .gives = "boxes, names of people, subjects, image sizes",
         .example = "xmp:photos/",
         .read = read_xmp_dataset,
         .write = write_xmp,
         .is_folder = true,
         .keep_other_contents = xmp::keep_contents_of_sidecars,
         .written = "a sidecar NAME.jpg.xmp for each image with faces",
         .rules =
             "`NAME.jpg.xmp` for each image with faces; the attribute `name`, or the subject of the one "
             "face; "
             "boxes are clipped to the image and turned as its stored pixels; `--overwrite` keeps what a "
             "sidecar holds beside faces",
         .holds = {.subjects = true,
                   .sizes = true,
                   .attributes = {{name_attribute}},
                   .left_out = boxes_without_area,
                   .is_for_annotation = true,
                   .needs_sizes = true}},

        {.name = "fovea",
         .content = "the project's own dataset JSON",
         .gives = "everything",
         .example = "fovea:faces.json",
         .recognise = recognise_fovea,
         .recognised_by = "other JSON",
         .read = read_fovea_dataset,
         .write = write_fovea,
         .written = "holds everything",
         .rules = "numbers are kept exactly",
         .holds = {.unannotated = true,
                   .ignored = true,
                   .crowds = true,
                   .subjects = true,
                   .image_eyes = true,
                   .face_eyes = true,
                   .landmarks = true,
                   .keypoints = true,
                   .ellipses = true,
                   .areas = true,
                   .sizes = true,
                   .pairs = true,
                   .all_attributes = true}},
    };
}

}  // namespace

const FormatTable<DatasetKind>& dataset_formats() {
    static const FormatTable<DatasetKind> table(make_formats());
    return table;
}

}  // namespace fovea
