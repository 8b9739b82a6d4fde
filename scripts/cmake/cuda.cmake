# CUDA is optional, and what was found is announced in one line. NVIDIA's other libraries are loaded when the program runs.
# Sets FOVEA_HAVE_CUDA, FOVEA_HAVE_NVJPEG with FOVEA_NVJPEG_INCLUDE_DIR and FOVEA_NVJPEG_DEFINITIONS, and FOVEA_NVML_INCLUDE_DIR.

# The architectures that GPU code is compiled for, unless CMAKE_CUDA_ARCHITECTURES names them: with FOVEA_ALL_GPUS all that
# releases are for, else those of the GPUs that are here, else one that every GPU since Turing runs after compiling it itself.
function(fovea_cuda_architectures result)
  if(FOVEA_ALL_GPUS)
    set(${result} 75-virtual 80 90 PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capabilities RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed OR NOT capabilities MATCHES "^[0-9]+\\.[0-9]+(\n[0-9]+\\.[0-9]+)*$")
    set(${result} 75-virtual PARENT_SCOPE)
    return()
  endif()
  string(REPLACE "." "" capabilities "${capabilities}")
  string(REPLACE "\n" ";" capabilities "${capabilities}")
  list(TRANSFORM capabilities APPEND "-real")
  list(REMOVE_DUPLICATES capabilities)
  set(${result} ${capabilities} PARENT_SCOPE)
endfunction()

set(FOVEA_HAVE_CUDA FALSE)
if(NOT FOVEA_CUDA STREQUAL "OFF")
  # Must be set before the language is enabled; "native" would fail on a machine without a GPU.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    fovea_cuda_architectures(CMAKE_CUDA_ARCHITECTURES)
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    # CMake 3.25 does not know the C++20 option of nvcc 13.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA_STANDARD 20)
    find_package(CUDAToolkit REQUIRED)
    set(FOVEA_HAVE_CUDA TRUE)
    message(STATUS "fovea: CUDA ${CMAKE_CUDA_COMPILER_VERSION} found, building the CUDA kernels for ${CMAKE_CUDA_ARCHITECTURES}")
  elseif(FOVEA_CUDA STREQUAL "ON")
    message(FATAL_ERROR "fovea: FOVEA_CUDA=ON but no nvcc was found; put it on PATH or set CUDACXX")
  else()
    message(STATUS "fovea: no nvcc found, building for the CPU only")
  endif()
endif()

# nvJPEG: a full CUDA Toolkit has it. Elsewhere FOVEA_NVJPEG_ROOT names a folder with include/nvjpeg.h and
# lib/libnvjpeg.so.N, or one to which the Python package nvidia-nvjpeg was unpacked.
set(FOVEA_NVJPEG_ROOT "" CACHE PATH "Where nvJPEG is, if it is not in the CUDA Toolkit")
set(FOVEA_HAVE_NVJPEG FALSE)
if(FOVEA_HAVE_CUDA)
  # The finds of an earlier run may be gone since.
  foreach(found FOVEA_NVJPEG_INCLUDE_DIR FOVEA_NVJPEG_LIBRARY)
    if(${found} AND NOT EXISTS "${${found}}")
      unset(${found} CACHE)
    endif()
  endforeach()
  file(GLOB FOVEA_NVJPEG_PREFIXES "${FOVEA_NVJPEG_ROOT}" "${FOVEA_NVJPEG_ROOT}/nvidia/*")
  find_path(FOVEA_NVJPEG_INCLUDE_DIR nvjpeg.h
    HINTS ${FOVEA_NVJPEG_PREFIXES} ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
  if(FOVEA_NVJPEG_INCLUDE_DIR)
    file(STRINGS "${FOVEA_NVJPEG_INCLUDE_DIR}/nvjpeg.h" FOVEA_NVJPEG_MAJOR REGEX "define +NVJPEG_VER_MAJOR")
    string(REGEX MATCH "[0-9]+" FOVEA_NVJPEG_MAJOR "${FOVEA_NVJPEG_MAJOR}")
    find_file(FOVEA_NVJPEG_LIBRARY NAMES libnvjpeg.so.${FOVEA_NVJPEG_MAJOR} libnvjpeg.so
      HINTS ${FOVEA_NVJPEG_PREFIXES} ${CUDAToolkit_LIBRARY_DIR} PATHS /usr
      PATH_SUFFIXES lib lib64 lib/${CMAKE_LIBRARY_ARCHITECTURE})
  endif()
  if(FOVEA_NVJPEG_INCLUDE_DIR AND FOVEA_NVJPEG_LIBRARY)
    set(FOVEA_HAVE_NVJPEG TRUE)
    set(FOVEA_NVJPEG_DEFINITIONS FOVEA_HAVE_NVJPEG=1 "FOVEA_NVJPEG_FILE=\"${FOVEA_NVJPEG_LIBRARY}\"")
    # A build folder that holds nvJPEG as well can be taken to another place or machine as a whole.
    cmake_path(IS_PREFIX CMAKE_BINARY_DIR "${FOVEA_NVJPEG_LIBRARY}" NORMALIZE FOVEA_NVJPEG_IN_BUILD)
    if(FOVEA_NVJPEG_IN_BUILD)
      file(RELATIVE_PATH FOVEA_NVJPEG_BESIDE_PROGRAM "${CMAKE_BINARY_DIR}" "${FOVEA_NVJPEG_LIBRARY}")
      list(APPEND FOVEA_NVJPEG_DEFINITIONS "FOVEA_NVJPEG_BESIDE_PROGRAM=\"${FOVEA_NVJPEG_BESIDE_PROGRAM}\"")
    endif()
    message(STATUS "fovea: nvJPEG ${FOVEA_NVJPEG_MAJOR} found: ${FOVEA_NVJPEG_LIBRARY}")
  else()
    message(STATUS "fovea: nvJPEG not found, JPEG is decoded on the CPU only; FOVEA_NVJPEG_ROOT can name its folder")
  endif()
  # NVML and NVDEC come with the driver. NVML's header only serves as a check.
  find_path(FOVEA_NVML_INCLUDE_DIR nvml.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
endif()
