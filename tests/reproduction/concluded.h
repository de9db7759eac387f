#pragma once

#include "reproduction/memory_store.h"
#include "ridgerunner/reproduction/reproduction.h"

namespace ridgerunner::test {

// A definition that no paper has.
inline Definition defined(const char* spec, const char* expected = R"({"checks":[]})") {
  return parse_definition({"key", spec, expected, "# A page"});
}

inline Outcome concluded(const Definition& definition, Store& store, Size size = Size::full,
                         int threads = 1) {
  const auto reproduction = make_reproduction(definition, size);
  return reproduction->conclude(*perform(reproduction->jobs(), store, {threads, "build", {}}));
}

inline Outcome concluded(const char* spec) {
  MemoryStore store;
  return concluded(defined(spec), store);
}

}  // namespace ridgerunner::test
