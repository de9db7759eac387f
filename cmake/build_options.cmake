# How our own targets are compiled. The options are for this build only and are not exported,
# except the Eigen alignment, which a consumer must share.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# The installed programs and libraries keep working wherever they are moved together.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers need the sloppiness, or nothing is ever found in the cache. Paths below the base count as
  # relative, so that another clone finds what this one has compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
endif()

add_library(ridgerunner_build_options INTERFACE)
target_compile_options(ridgerunner_build_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wold-style-cast $<$<BOOL:${RIDGERUNNER_WERROR}>:-Werror>
  $<$<BOOL:${CCACHE_PROGRAM}>:-fpch-preprocess>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 at -O3 sees overflows inside std::string's own functions (its bug 105329). The debug builds keep them.
  target_compile_options(ridgerunner_build_options INTERFACE $<$<CONFIG:Release>:-Wno-restrict -Wno-stringop-overflow -Wno-array-bounds>)
endif()
if(RIDGERUNNER_ARCH)
  target_compile_options(ridgerunner_build_options INTERFACE -march=${RIDGERUNNER_ARCH})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 takes the deliberately undefined lanes of its own AVX-512 intrinsics for mistakes. The builds
    # without -march keep these warnings.
    target_compile_options(ridgerunner_build_options INTERFACE -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
endif()
if(RIDGERUNNER_SANITIZE)
  string(REPLACE "," ";" sanitizers ${RIDGERUNNER_SANITIZE})
  foreach(sanitizer ${sanitizers})
    # What the tests themselves do need not be watched for undefined behaviour: it would take them twice as long to
    # compile, and the library and the program, which they call, are watched. Bad pointers are the address
    # sanitizer's: to watch for them twice takes the numerical rooms a third longer to compile.
    if(sanitizer STREQUAL "undefined")
      set(sanitizer $<$<NOT:$<BOOL:$<TARGET_PROPERTY:RIDGERUNNER_IS_TEST>>>:-fsanitize=undefined>
                    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:RIDGERUNNER_IS_TEST>>>:-fno-sanitize=null,object-size,pointer-overflow>)
    else()
      set(sanitizer -fsanitize=${sanitizer})
    endif()
    target_compile_options(ridgerunner_build_options INTERFACE ${sanitizer})
  endforeach()
  target_compile_options(ridgerunner_build_options INTERFACE -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # What a sanitizer inserts keeps g++ from seeing that a value is set first. The other builds keep this warning.
    target_compile_options(ridgerunner_build_options INTERFACE -Wno-maybe-uninitialized)
  endif()
  target_link_options(ridgerunner_build_options INTERFACE -fsanitize=${RIDGERUNNER_SANITIZE})
endif()

# For code that is never hot. Under a sanitizer what it inserts would be optimised for longer than it runs.
set(RIDGERUNNER_COLD_OPTIONS $<$<CONFIG:Release>:-O1>)
if(RIDGERUNNER_SANITIZE)
  set(RIDGERUNNER_COLD_OPTIONS -O0)
endif()

# Marks sources, at most `most` at a time, to be compiled as one unit; their target has UNITY_BUILD_MODE GROUP.
function(compile_together group most)
  set(number 0)
  foreach(source ${ARGN})
    math(EXPR part "${number} / ${most}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${part})
    math(EXPR number "${number} + 1")
  endforeach()
endfunction()
