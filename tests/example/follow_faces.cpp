// Follows the faces through pictures of one sequence, and prints each frame's: follow_faces FILE...

#include <cstdio>

#include <fovea/library.hpp>
#include <fovea/track.hpp>

namespace {

void print(const std::vector<fovea::api::TrackedFrame>& frames) {
    for (const fovea::api::TrackedFrame& frame : frames) {
        std::printf("%zu (%d x %d):", frame.number, frame.size.width, frame.size.height);
        for (const fovea::api::Detection& face : frame.faces)
            std::printf(" %d at %.17g,%.17g", *face.track, face.box.x, face.box.y);
        std::printf("\n");
    }
}

}  // namespace

int main(int argc, char** argv) {
    using namespace fovea::api;
    try {
        add_model_folder(MODELS);
        TrackerOptions options;
        options.detector.device = "cpu";
        Tracker tracker(options);
        for (int i = 1; i < argc; ++i) print(tracker.add(read_image(argv[i]).view()));
        print(tracker.finish());
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
