#pragma once

#include <cstdio>
#include <cstdlib>

namespace ridgerunner::fuzz {

inline void promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

}  // namespace ridgerunner::fuzz
