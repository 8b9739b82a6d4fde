# fovea_delayed_library(NAME FILE LIBRARY PURPOSE TEXT [LANGUAGE CXX] [INCLUDES FOLDER...])
#
# Makes the target NAME for a shared library that is loaded when one of its functions is called for the first time, and
# not when the program starts: FFmpeg, libheif and the like bring a hundred further libraries, which most runs do not need.
# Sources call the functions of the library's own headers as ever. NAME is a static library of stubs, one for each
# function that the shared library exports; lib/process/delayed_library.hpp loads what is behind them.
#
#   FILE      the shared library, or a link to it
#   PURPOSE   what cannot be done without it, as "Videos cannot be read" of the message where it is missing
#   LANGUAGE  CXX where it has functions of C++, which then are the ones that stubs are made for
#   INCLUDES  the folders of its headers
#
# The stubs are written for x86-64; for other processors NAME links the library as usual.
set_property(GLOBAL PROPERTY FOVEA_DELAYED_PACKAGES "")
function(fovea_delayed_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "FILE;PURPOSE;LANGUAGE" "INCLUDES")
  if(NOT ARG_FILE OR NOT EXISTS "${ARG_FILE}")
    message(FATAL_ERROR "fovea: the library of ${name} was not found: '${ARG_FILE}'")
  endif()
  file(REAL_PATH "${ARG_FILE}" library)
  fovea_debian_package(package "${library}")
  set_property(GLOBAL APPEND PROPERTY FOVEA_DELAYED_PACKAGES "${package}")

  string(MAKE_C_IDENTIFIER "${name}" id)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    add_library(${id} INTERFACE)
    add_library(${name} ALIAS ${id})
    target_link_libraries(${id} INTERFACE "${ARG_FILE}")
    set_property(GLOBAL APPEND PROPERTY FOVEA_DELAYED_TARGETS "${id}")
    target_include_directories(${id} SYSTEM INTERFACE ${ARG_INCLUDES})
    return()
  endif()

  execute_process(COMMAND "${CMAKE_OBJDUMP}" -p "${library}" OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
  if(NOT headers MATCHES "SONAME +([^\n]+)")
    message(FATAL_ERROR "fovea: ${library} does not give its name (SONAME)")
  endif()
  set(soname "${CMAKE_MATCH_1}")
  string(STRIP "${soname}" soname)
  # Functions alone: the letter T. Weak ones (W) are those of headers, which every program has itself.
  execute_process(COMMAND "${CMAKE_NM}" -D --defined-only "${library}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " T [^\n]+" symbols "${symbols}")
  list(TRANSFORM symbols REPLACE "^ T ([^@]+).*$" "\\1")
  # A library for C may show inner parts in C++.
  list(FILTER symbols EXCLUDE REGEX "^_(init|fini)$")
  if(ARG_LANGUAGE STREQUAL "CXX")
    list(FILTER symbols INCLUDE REGEX "^_Z")
  else()
    list(FILTER symbols EXCLUDE REGEX "^_Z")
  endif()
  list(REMOVE_DUPLICATES symbols)
  list(LENGTH symbols count)

  set(stubs)
  set(names)
  set(index 0)
  foreach(symbol IN LISTS symbols)
    string(APPEND stubs "    \"    fovea_stub ${symbol} ${index}\\n\"\n")
    string(APPEND names "    \"${symbol}\",\n")
    math(EXPR index "${index} + 1")
  endforeach()
  set(source "${PROJECT_BINARY_DIR}/delayed/${id}.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT [=[// Made by scripts/cmake/delayed_library.cmake: a stub for each function of @soname@.
#include "lib/process/delayed_library.hpp"

extern "C" {
void* fovea_slots_@id@[@count@];
extern const char* const fovea_names_@id@[@count@] = {
@names@};
fovea::DelayedLibrary fovea_library_@id@("@soname@", "@ARG_PURPOSE@", "@package@",
                                         fovea_names_@id@, fovea_slots_@id@);
}

asm(R"(
    .macro fovea_stub name, index
    .globl \name
    .hidden \name
    .type \name, @function
\name:
    movq fovea_slots_@id@+8*\index(%rip), %r11
    testq %r11, %r11
    je 1f
    jmp *%r11
1:  leaq fovea_library_@id@(%rip), %r10
    movl $\index, %r11d
    jmp fovea_first_call
    .size \name, .-\name
    .endm
    .text
)"
@stubs@    "    .purgem fovea_stub\n");
]=])
  add_library(${id} STATIC "${source}")
  add_library(${name} ALIAS ${id})
  target_link_libraries(${id} PUBLIC fovea_lib_process)
  set_property(GLOBAL APPEND PROPERTY FOVEA_DELAYED_TARGETS "${id}")
  target_include_directories(${id} SYSTEM INTERFACE ${ARG_INCLUDES})
endfunction()

# The Debian package that a file belongs to; empty where that cannot be told.
function(fovea_debian_package result file)
  set(${result} "" PARENT_SCOPE)
  find_program(DPKG_PROGRAM dpkg)
  if(NOT DPKG_PROGRAM)
    return()
  endif()
  # Packages name files below /lib or /usr/lib, which are one folder.
  string(REGEX REPLACE "^/usr" "" without_usr "${file}")
  foreach(candidate "${file}" "${without_usr}")
    execute_process(COMMAND "${DPKG_PROGRAM}" -S "${candidate}" OUTPUT_VARIABLE found RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed AND found MATCHES "^([^:]+):")
      set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
