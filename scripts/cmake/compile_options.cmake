# fovea_options: how all of Fovea is compiled.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # With precompiled headers ccache looks at what they hold, not at when they were made.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${CCACHE_PROGRAM}")
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Xclang> $<$<COMPILE_LANGUAGE:CXX>:-fno-pch-timestamp>)
  else()
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()

add_library(fovea_options INTERFACE)
target_include_directories(fovea_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_include_directories(fovea_options SYSTEM INTERFACE ${OpenCV_INCLUDE_DIRS})
# Profilers show the lines of GPU code. Releases go without: with them, and less compressed, it is several times as large.
set(gpu_options -lineinfo)
if(FOVEA_ALL_GPUS)
  set(gpu_options --compress-mode=size)
endif()
# Results are compared bit for bit between backends and with OpenCV: no contraction of a*b+c into
# one rounding anywhere, and never fast-math.
target_compile_options(fovea_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor>
  # nvcc compresses only large kernels by itself; together the small ones are a third of the program.
  $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false ${gpu_options} -Xfatbinary=-compress-all -Xcompiler=-ffp-contract=off,-Wall,-Wextra>
  # GCC 12 reports overlapping copies inside std::string's operator+ (GCC bug 105651) and values of std::optional that nobody set
  # (80635), where neither is, and with FOVEA_UNITY it takes sources for headers that hold unnamed namespaces.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict;-Wno-maybe-uninitialized;-Wno-subobject-linkage>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<CXX_COMPILER_ID:GNU>>:-Xcompiler=-Wno-restrict>)
if(FOVEA_WERROR)
  target_compile_options(fovea_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()

if(FOVEA_SANITIZE)
  target_compile_options(fovea_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${FOVEA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all>)
  target_link_options(fovea_options INTERFACE -fsanitize=${FOVEA_SANITIZE})
endif()
if(FOVEA_FUZZ)
  # Tests compile in half the time so, and check as much.
  target_compile_options(fovea_options INTERFACE $<IF:$<BOOL:$<TARGET_PROPERTY:FOVEA_UNOPTIMISED>>,-O0,-O1>
    -gline-tables-only -fno-omit-frame-pointer)
  # libstdc++'s assertions see accesses out of range that stay within a buffer.
  target_compile_definitions(fovea_options INTERFACE _GLIBCXX_ASSERTIONS)
endif()
if(FOVEA_FUZZ AND NOT FOVEA_SANITIZE)
  # Conversions that overflow are no part of "undefined".
  target_compile_options(fovea_options INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow -fno-sanitize-recover=all)
  target_link_options(fovea_options INTERFACE -fsanitize=address,undefined)
endif()
