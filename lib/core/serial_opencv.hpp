#pragma once

namespace fovea {

/// While it lives, OpenCV's loops on this thread run on it alone, and OpenCV tells this thread that there is
/// no other. OpenCV's networks divide their work by the number of threads, and some of its last digits with
/// it; within this scope they do not. Other threads see nothing of it.
class SerialOpenCv {
  public:
    SerialOpenCv();
    ~SerialOpenCv();
    SerialOpenCv(const SerialOpenCv&) = delete;
    SerialOpenCv& operator=(const SerialOpenCv&) = delete;

    /// Makes OpenCV ask this scope; to be called before the first one, while no loop of OpenCV runs. All
    /// other loops run as before, on TBB.
    static void prepare();

  private:
    bool before_;
};

}  // namespace fovea
