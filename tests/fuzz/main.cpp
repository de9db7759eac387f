// The entry of one fuzzer; RIDGERUNNER_FUZZ_TARGET says which.
#include <cstddef>
#include <cstdint>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ridgerunner::fuzz::RIDGERUNNER_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
