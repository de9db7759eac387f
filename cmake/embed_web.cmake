# Writes OUTPUT, a source file that holds the files of the folder SOURCE, which may be empty.
set(types
  html "text/html; charset=utf-8" js "text/javascript; charset=utf-8" css "text/css; charset=utf-8"
  svg "image/svg+xml" png "image/png" ico "image/x-icon" json "application/json" txt "text/plain; charset=utf-8"
  woff2 "font/woff2" webmanifest "application/manifest+json")
file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/*)
set(contents "")
set(entries "")
set(count 0)
foreach(name IN LISTS files)
  cmake_path(GET name EXTENSION LAST_ONLY extension)
  string(REGEX REPLACE "^\\." "" extension "${extension}")
  list(FIND types "${extension}" position)
  set(type "application/octet-stream")
  if(NOT position EQUAL -1)
    math(EXPR position "${position} + 1")
    list(GET types ${position} type)
  endif()
  file(READ ${SOURCE}/${name} bytes HEX)
  string(LENGTH "${bytes}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  string(APPEND contents "constexpr char kFile${count}[] =\n    \"${bytes}\";\n")
  string(APPEND entries "      {\"/${name}\", \"${type}\", {kFile${count}, ${length}}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUTPUT}
"#include <vector>

#include \"ridgerunner/service/assets.h\"

namespace ridgerunner::service {
namespace {

${contents}
}  // namespace

std::span<const Asset> assets() {
  static const std::vector<Asset> all = {
${entries}  };
  return all;
}

}  // namespace ridgerunner::service
")
