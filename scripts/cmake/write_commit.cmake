# cmake -DSOURCE=FOLDER -DFILE=HEADER -P write_commit.cmake: writes the commit that is built into a header, where it
# has changed. Without git, or outside of a clone, the commit is empty.
execute_process(COMMAND git -C "${SOURCE}" log -1 --format=%h\ %cs OUTPUT_VARIABLE commit ERROR_QUIET
  OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND git -C "${SOURCE}" status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
separate_arguments(commit)
list(LENGTH commit parts)
set(hash)
set(date)
if(parts EQUAL 2)
  list(GET commit 0 hash)
  list(GET commit 1 date)
  if(changes)
    string(APPEND hash "+changes")
  endif()
endif()
file(CONFIGURE OUTPUT "${FILE}" CONTENT "#define FOVEA_COMMIT \"${hash}\"\n#define FOVEA_COMMIT_DATE \"${date}\"\n" @ONLY)
