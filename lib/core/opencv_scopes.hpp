#pragma once

#include <string>

namespace cv {
class Exception;
}

namespace fovea {

/// While it lives, OpenCV's loops that this thread starts run on this thread alone. OpenCV's networks divide
/// their work by the number of threads, on which the last digits of some results depend; within this scope
/// they do not. Other threads are not affected.
class SerialOpenCv {
  public:
    SerialOpenCv();
    ~SerialOpenCv();
    SerialOpenCv(const SerialOpenCv&) = delete;
    SerialOpenCv& operator=(const SerialOpenCv&) = delete;

    /// Makes OpenCV respect these scopes. Call it before the first scope, while no loop of OpenCV runs. All
    /// other loops run as before, on TBB.
    static void prepare();

  private:
    bool before_;
};

/// While one lives, OpenCV writes nothing to standard error, where it writes in many lines what it throws as
/// well. This holds for the whole process; any thread may make one.
class QuietOpenCv {
  public:
    QuietOpenCv();
    ~QuietOpenCv();
    QuietOpenCv(const QuietOpenCv&) = delete;
    QuietOpenCv& operator=(const QuietOpenCv&) = delete;
};

/// The reason that OpenCV gives for a failure, in one line of at most about 300 characters.
std::string message_of(const cv::Exception& error);

}  // namespace fovea
