# Writes OUTPUT, a source file that holds the files of every folder of SOURCE as raw strings.
file(GLOB specs ${SOURCE}/*/spec.json)
set(entries "")
foreach(spec IN LISTS specs)
  cmake_path(GET spec PARENT_PATH folder)
  cmake_path(GET folder FILENAME key)
  string(APPEND entries "      {\"${key}\"")
  foreach(name spec.json expected.json README.md)
    file(READ ${folder}/${name} content)
    string(APPEND entries ",\n       R\"file(${content})file\"")
  endforeach()
  string(APPEND entries "},\n")
endforeach()
file(WRITE ${OUTPUT}
"#include \"ridgerunner/reproduction/embedded.h\"

namespace ridgerunner {

const std::vector<EmbeddedReproduction>& embedded_reproductions() {
  static const std::vector<EmbeddedReproduction> all = {
${entries}  };
  return all;
}

}  // namespace ridgerunner
")
