# scripts/package.sh: Debian packages fovea (the program) and fovea-dev (its libraries), by CPack.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fovea)
set(CPACK_PACKAGE_CONTACT "Fovea's developers <fovea@users.noreply.example>")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME fovea)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME fovea-dev)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "Evaluates face detectors and processes photo archives
 Detects faces on CPUs and GPUs, finds landmarks, recognises people, and evaluates
 the results of any program by the rules of FDDB, WIDER FACE, VOC, COCO and LFW.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Libraries and headers of fovea
 fovea::detect, fovea::evaluate and fovea::track for CMake projects.")

# What the program is linked with is found by dpkg-shlibdeps. What it loads later: formats of photographs, archives and
# datasets are needed by most, videos, reports' plots and OpenCV's own detectors by some.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
get_property(packages GLOBAL PROPERTY FOVEA_DELAYED_PACKAGES)
list(REMOVE_ITEM packages "")
list(REMOVE_DUPLICATES packages)
list(SORT packages)
set(optional ${packages})
list(FILTER optional INCLUDE REGEX "^lib(av|sw|opencv)")
set(needed ${packages})
list(FILTER needed EXCLUDE REGEX "^lib(av|sw|opencv)")
list(APPEND optional opencv-data gnuplot-nox)
list(JOIN needed ", " CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS)
list(JOIN optional ", " CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "fovea (= ${PROJECT_VERSION}), libopencv-dev, nlohmann-json3-dev, libspdlog-dev, libtbb-dev, libhwy-dev, libturbojpeg0-dev, libgif-dev, libpng-dev, libwebp-dev, zlib1g-dev, libbz2-dev, libssl-dev, libpugixml-dev, libsimdjson-dev")
include(CPack)
