# cmake --install: the program with its models, configurations, documents, completions and manual pages (component
# "program"), and libraries with headers for other projects (component "development", fovea-config.cmake).
include(GNUInstallDirs)
set(FOVEA_SHARE "${CMAKE_INSTALL_DATADIR}/fovea")

install(TARGETS fovea RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
install(DIRECTORY configs/models DESTINATION "${FOVEA_SHARE}" COMPONENT program)
install(DIRECTORY configs/ DESTINATION "${FOVEA_SHARE}/configs" COMPONENT program PATTERN models EXCLUDE)
install(PROGRAMS scripts/fovea-demo.sh DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program RENAME fovea-demo)
install(CODE "
  set(source \"${PROJECT_SOURCE_DIR}\")
  set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
  include(\"${PROJECT_SOURCE_DIR}/scripts/cmake/install_documents.cmake\")
  " COMPONENT program)

# The program itself writes what follows from its command line.
install(CODE "
  set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  function(write_by_fovea file)
    execute_process(COMMAND \"\${prefix}/${CMAKE_INSTALL_BINDIR}/fovea\" \${ARGN}
      OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    message(STATUS \"Installing: \${prefix}/\${file}\")
    file(WRITE \"\${prefix}/\${file}\" \"\${text}\")
  endfunction()
  write_by_fovea(${CMAKE_INSTALL_DATADIR}/bash-completion/completions/fovea completion bash)
  write_by_fovea(${CMAKE_INSTALL_DATADIR}/zsh/site-functions/_fovea completion zsh)
  write_by_fovea(${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/fovea.fish completion fish)
  message(STATUS \"Installing: \${prefix}/${CMAKE_INSTALL_MANDIR}/man1/fovea*.1\")
  file(MAKE_DIRECTORY \"\${prefix}/${CMAKE_INSTALL_MANDIR}/man1\")
  execute_process(COMMAND \"\${prefix}/${CMAKE_INSTALL_BINDIR}/fovea\" help
    --manual-folder \"\${prefix}/${CMAKE_INSTALL_MANDIR}/man1\" COMMAND_ERROR_IS_FATAL ANY)
  " COMPONENT program)

# Libraries: fovea::detect, fovea::evaluate and fovea::track, with all that they link, and the headers of lib/api/fovea.
set(entries detect evaluate track)
list(TRANSFORM entries PREPEND lib/api/ OUTPUT_VARIABLE pending)
set(installed)
while(pending)
  list(POP_FRONT pending folder)
  if(NOT folder IN_LIST installed)
    list(APPEND installed "${folder}")
    get_property(links GLOBAL PROPERTY "FOVEA_LINKS_${folder}")
    list(APPEND pending ${links})
  endif()
endwhile()
list(SORT installed)
foreach(folder IN LISTS installed)
  fovea_target_of(target "${folder}")
  install(TARGETS ${target} EXPORT fovea ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}/fovea" COMPONENT development)
endforeach()
get_property(delayed GLOBAL PROPERTY FOVEA_DELAYED_TARGETS)
install(TARGETS ${delayed} EXPORT fovea ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}/fovea" COMPONENT development)
target_include_directories(fovea_lib_api_fovea INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(fovea_lib_api_fovea INTERFACE cxx_std_20)
foreach(entry IN LISTS entries)
  set_target_properties(fovea_lib_api_${entry} PROPERTIES EXPORT_NAME ${entry})
endforeach()
file(GLOB headers CONFIGURE_DEPENDS lib/api/fovea/*.hpp)
list(REMOVE_ITEM headers "${PROJECT_SOURCE_DIR}/lib/api/fovea/error.hpp")
install(FILES ${headers} lib/core/error.hpp DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/fovea" COMPONENT development)

include(CMakePackageConfigHelpers)
set(FOVEA_MODELS "${FOVEA_SHARE}/models")
set(FOVEA_CONFIG_FOLDER "${CMAKE_INSTALL_LIBDIR}/cmake/fovea")
install(EXPORT fovea FILE fovea-targets.cmake NAMESPACE fovea:: DESTINATION "${FOVEA_CONFIG_FOLDER}" COMPONENT development)
configure_package_config_file(scripts/cmake/fovea-config.cmake.in "${PROJECT_BINARY_DIR}/install/fovea-config.cmake"
  INSTALL_DESTINATION "${FOVEA_CONFIG_FOLDER}" PATH_VARS FOVEA_MODELS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/install/fovea-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/install/fovea-config.cmake" "${PROJECT_BINARY_DIR}/install/fovea-config-version.cmake"
  scripts/cmake/linked_packages.cmake DESTINATION "${FOVEA_CONFIG_FOLDER}" COMPONENT development)
