# The module for Python (apps/python) is optional, and what was found is announced in one line. Sets FOVEA_HAVE_PYTHON,
# Python_EXECUTABLE and FOVEA_PYBIND11_INCLUDE_DIR.
set(FOVEA_HAVE_PYTHON FALSE)
# A sanitizer's library would have to be in Python itself.
if(FOVEA_PYTHON STREQUAL "OFF" OR FOVEA_FUZZ OR FOVEA_SANITIZE)
  return()
endif()

# The system's Python, whatever stands before it on PATH: it has the headers. Python_ROOT_DIR names another one.
if(NOT DEFINED Python_ROOT_DIR AND EXISTS /usr/bin/python3)
  set(Python_ROOT_DIR /usr)
endif()
set(Python_FIND_STRATEGY LOCATION)
set(Python_FIND_VIRTUALENV STANDARD)
set(Python_FIND_UNVERSIONED_NAMES FIRST)
find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
find_path(FOVEA_PYBIND11_INCLUDE_DIR pybind11/pybind11.h)
if(Python_FOUND AND FOVEA_PYBIND11_INCLUDE_DIR)
  set(FOVEA_HAVE_PYTHON TRUE)
  message(STATUS "fovea: Python ${Python_VERSION} found, building the module for it: ${Python_EXECUTABLE}")
elseif(FOVEA_PYTHON STREQUAL "ON")
  message(FATAL_ERROR "fovea: FOVEA_PYTHON=ON, but Python's headers or pybind11 were not found; Debian has them in python3-dev and pybind11-dev")
else()
  message(STATUS "fovea: Python's headers or pybind11 not found, building without the module for Python")
endif()
