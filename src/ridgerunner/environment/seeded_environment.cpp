#include "ridgerunner/environment/seeded_environment.h"

#include <utility>

#include "ridgerunner/random/stream.h"

namespace ridgerunner {

SeededEnvironment::SeededEnvironment(Facts facts, std::uint64_t seed)
    : facts_(std::move(facts)), seed_(seed) {}

double SeededEnvironment::noise(std::uint64_t round) const {
  return facts_.noise_sd * Stream(seed_, Purpose::noise, round).normal();
}

}  // namespace ridgerunner
