# Writes OUTPUT, a source file that holds every file below SOURCE, the built dashboard, as a raw string.
#   cmake -DSOURCE=web/dist -DOUTPUT=assets.cpp -P cmake/embed_web.cmake
cmake_minimum_required(VERSION 3.25)
foreach(name SOURCE OUTPUT)
  if(NOT DEFINED ${name})
    message(FATAL_ERROR "embed_web.cmake needs -D${name}=...")
  endif()
endforeach()

set(type_html "text/html; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_svg "image/svg+xml")

file(GLOB_RECURSE names LIST_DIRECTORIES false RELATIVE ${SOURCE} ${SOURCE}/*)
list(SORT names)
if(NOT "index.html" IN_LIST names)
  message(FATAL_ERROR "${SOURCE} must hold the built dashboard, but has no index.html")
endif()
set(entries "")
foreach(name IN LISTS names)
  cmake_path(GET name EXTENSION LAST_ONLY extension)
  string(REPLACE "." "" extension "${extension}")
  if(NOT DEFINED type_${extension})
    message(FATAL_ERROR "no content type is known for ${SOURCE}/${name}")
  endif()
  file(READ ${SOURCE}/${name} content)
  string(FIND "${content}" ")rr_asset\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${SOURCE}/${name} holds the end of the raw string it is put into")
  endif()
  string(APPEND entries "    {\"/${name}\", \"${type_${extension}}\",\n     R\"rr_asset(${content})rr_asset\"},\n")
endforeach()
file(WRITE ${OUTPUT}
"#include \"ridgerunner/service/http/assets.h\"

// Longer than every compiler has to support; g++ and clang do.
#pragma GCC diagnostic ignored \"-Woverlength-strings\"

namespace ridgerunner::service {
namespace {

constexpr Asset kAssets[] = {
${entries}};

}  // namespace

std::span<const Asset> assets() {
  return kAssets;
}

}  // namespace ridgerunner::service
")
