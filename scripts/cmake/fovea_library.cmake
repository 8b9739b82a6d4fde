# fovea_library([LINKS FOLDER...] [PACKAGES TARGET...])
#
# Makes the library of the current folder from its .cpp files, .cu files (with CUDA) and *_stub.cpp files (without).
#   LINKS     the folders, from the top of the tree, whose headers this folder includes; the check tests/house/links_test.cpp
#             holds them against the includes
#   PACKAGES  libraries of others
#
# With FOVEA_UNITY the sources of a folder of lib/ and apps/ are compiled several at once, which is faster: their
# names in unnamed namespaces must differ. Sources of kernels/ are compiled for several instruction sets, each alone.
function(fovea_library)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "" "LINKS;PACKAGES")
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  fovea_target_of(target "${folder}")

  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(FOVEA_HAVE_CUDA)
    file(GLOB cuda_sources CONFIGURE_DEPENDS *.cu)
    list(FILTER sources EXCLUDE REGEX "_stub\\.cpp$")
    list(APPEND sources ${cuda_sources})
  endif()

  set(links)
  foreach(link IN LISTS ARG_LINKS)
    fovea_target_of(link_target "${link}")
    list(APPEND links "${link_target}")
  endforeach()

  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC $<BUILD_INTERFACE:fovea_options> ${links} ${ARG_PACKAGES})
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE $<BUILD_INTERFACE:fovea_options> ${links} ${ARG_PACKAGES})
  endif()

  # Flags, pages and configurations are made once for each run: optimising them takes longer than running them.
  if(sources AND folder MATCHES "^(apps|lib/(config|report|run|bench|verify))(/|$)")
    target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
  endif()

  if(sources AND FOVEA_UNITY AND NOT folder MATCHES "^kernels/")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  endif()

  set_property(GLOBAL APPEND PROPERTY FOVEA_FOLDERS "${folder}")
  set_property(GLOBAL PROPERTY "FOVEA_LINKS_${folder}" "${ARG_LINKS}")
endfunction()

# The target of a folder's library: fovea_lib_core for lib/core.
function(fovea_target_of result folder)
  string(REPLACE "/" "_" name "fovea_${folder}")
  set(${result} "${name}" PARENT_SCOPE)
endfunction()

# Writes what fovea_library() was told to a file: a line for each folder, the folder first, then those that it links.
function(fovea_write_links file)
  get_property(folders GLOBAL PROPERTY FOVEA_FOLDERS)
  list(SORT folders)
  set(lines)
  foreach(folder IN LISTS folders)
    get_property(links GLOBAL PROPERTY "FOVEA_LINKS_${folder}")
    string(REPLACE ";" " " line "${folder};${links}")
    string(STRIP "${line}" line)
    string(APPEND lines "${line}\n")
  endforeach()
  file(CONFIGURE OUTPUT "${file}" CONTENT "${lines}" @ONLY)
endfunction()

# Links a program or library of the tests with folders.
function(fovea_link target)
  foreach(folder IN LISTS ARGN)
    fovea_target_of(folder_target "${folder}")
    target_link_libraries(${target} PUBLIC "${folder_target}")
  endforeach()
endfunction()
