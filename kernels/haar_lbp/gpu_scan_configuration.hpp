#pragma once

#include "kernels/engine/engine.hpp"
#include "kernels/haar_lbp/gpu_scan.hpp"

namespace fovea::cuda_backend {

/// How the scan of one cascade is laid out on one GPU.
struct ScanConfiguration {
    TileTable table = TileTable::haar;
    TileCascade packed[2];  ///< by step - 1
    ScanTables tables;      ///< pointers are null
    ScanMemory memory;
    ScanNodeBank bank;
    int blocks_per_multiprocessor = 0;
};

/// Chooses the table that fits the cascade best, and the largest tiles that let several blocks share a
/// multiprocessor. \throws std::invalid_argument if no block fits on the GPU; DeviceError.
ScanConfiguration configure_scan(const Cascade& cascade, int device, const EngineOptions& variant);

}  // namespace fovea::cuda_backend
