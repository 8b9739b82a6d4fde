#pragma once

// The part of NVML's binary interface that is used, as in nvml.h of CUDA 11 to 13; published parts never
// change. It is declared here because small toolkits lack that header. If the header is there, nvml.cpp
// compares it with this one.
namespace fovea::nvml_abi {

using Return = int;
using Device = struct nvmlDevice_st*;
constexpr Return success = 0;

constexpr unsigned driver_version_bytes = 80;
constexpr int gpu_temperature = 0;
constexpr int sm_clock = 1;
constexpr int memory_clock = 2;
constexpr int feature_enabled = 1;

struct Memory {
    unsigned long long total, free, used;
};

using Init = Return (*)();                                            // nvmlInit_v2
using Shutdown = Return (*)();                                        // nvmlShutdown
using ErrorString = const char* (*)(Return);                          // nvmlErrorString
using DriverVersion = Return (*)(char* version, unsigned length);     // nvmlSystemGetDriverVersion
using DeviceByPciBusId = Return (*)(const char* id, Device* device);  // nvmlDeviceGetHandleByPciBusId_v2
using DeviceNumber = Return (*)(Device, unsigned* value);             // ...PowerUsage, ...EnforcedPowerLimit
using DeviceKindNumber = Return (*)(Device, int kind, unsigned* value);  // ...Temperature, ...(Max)ClockInfo
using DeviceLongNumber = Return (*)(Device, unsigned long long* value);  // ...TotalEnergyConsumption
using DeviceMemory = Return (*)(Device, Memory*);                        // nvmlDeviceGetMemoryInfo
using DeviceEccMode = Return (*)(Device, int* current, int* pending);    // nvmlDeviceGetEccMode

}  // namespace fovea::nvml_abi
