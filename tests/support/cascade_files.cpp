#include "tests/support/cascade_files.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace fovea::test {
namespace {

std::string number(double value) {
    std::ostringstream text;
    text << std::setprecision(17) << value;
    return text.str();
}

}  // namespace

std::vector<std::filesystem::path> debian_cascades() {
    std::vector<std::filesystem::path> files;
    for (const char* folder : {"/usr/share/opencv4/haarcascades", "/usr/share/opencv4/lbpcascades"}) {
        std::error_code missing;
        for (const auto& entry : std::filesystem::directory_iterator(folder, missing))
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string haar_cascade_xml(Size window, const std::vector<Stage>& stages) {
    std::ostringstream xml;
    std::ostringstream features;
    int feature = 0;
    xml << "<?xml version=\"1.0\"?>\n<opencv_storage>\n<cascade type_id=\"opencv-cascade-classifier\">"
        << "<stageType>BOOST</stageType><featureType>HAAR</featureType><height>" << window.height
        << "</height><width>" << window.width
        << "</width><stageParams><maxWeakCount>100</maxWeakCount></stageParams>"
        << "<featureParams><maxCatCount>0</maxCatCount></featureParams><stageNum>" << stages.size()
        << "</stageNum>\n<stages>\n";
    for (const Stage& stage : stages) {
        xml << "<_><maxWeakCount>" << stage.stumps.size() << "</maxWeakCount><stageThreshold>"
            << number(stage.threshold) << "</stageThreshold><weakClassifiers>\n";
        for (const Stump& stump : stage.stumps) {
            xml << "<_><internalNodes> 0 -1 " << feature++ << ' ' << number(stump.threshold)
                << "</internalNodes><leafValues>" << number(stump.left) << ' ' << number(stump.right)
                << "</leafValues></_>\n";
            features << "<_><rects>" << stump.rects << "</rects><tilted>0</tilted></_>\n";
        }
        xml << "</weakClassifiers></_>\n";
    }
    xml << "</stages>\n<features>\n" << features.str() << "</features></cascade>\n</opencv_storage>\n";
    return xml.str();
}

std::string old_haar_cascade_xml(Size window, const std::vector<Stage>& stages) {
    std::ostringstream xml;
    xml << "<?xml version=\"1.0\"?>\n<opencv_storage>\n<made_for_test "
           "type_id=\"opencv-haar-classifier\"><size>"
        << window.width << ' ' << window.height << "</size>\n<stages>\n";
    for (std::size_t i = 0; i < stages.size(); ++i) {
        xml << "<_><trees>\n";
        for (const Stump& stump : stages[i].stumps) {
            xml << "<_><_><feature><rects>" << stump.rects
                << "</rects><tilted>0</tilted></feature><threshold>" << number(stump.threshold)
                << "</threshold><left_val>" << number(stump.left) << "</left_val><right_val>"
                << number(stump.right) << "</right_val></_></_>\n";
        }
        xml << "</trees><stage_threshold>" << number(stages[i].threshold) << "</stage_threshold><parent>"
            << static_cast<int>(i) - 1 << "</parent><next>-1</next></_>\n";
    }
    xml << "</stages></made_for_test>\n</opencv_storage>\n";
    return xml.str();
}

}  // namespace fovea::test
