# Writes OUTPUT, a source file with the function NAME of ridgerunner::service, declared in HEADER, that gives the text
# of the file SOURCE. In pieces: a string literal of any length is more than the standard promises.
file(READ ${SOURCE} content)
string(LENGTH "${content}" length)
set(pieces "")
set(from 0)
while(from LESS length)
  string(SUBSTRING "${content}" ${from} 8000 piece)
  string(APPEND pieces "\n      R\"file(${piece})file\"")
  math(EXPR from "${from} + 8000")
endwhile()
file(WRITE ${OUTPUT}
"#include \"${HEADER}\"

namespace ridgerunner::service {

std::string_view ${NAME}() {
  static constexpr std::string_view text =${pieces};
  return text;
}

}  // namespace ridgerunner::service
")
