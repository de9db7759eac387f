#include "provenance.h"

#include <chrono>
#include <ctime>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <sys/utsname.h>

#include <ridgerunner/version.h>

namespace ridgerunner::cli {
namespace {

std::string machine() {
  std::string processor = "unknown processor", line;
  std::ifstream cpuinfo("/proc/cpuinfo");
  while (std::getline(cpuinfo, line)) {
    if (line.starts_with("model name")) {
      processor = line.substr(line.find(':') + 2);
      break;
    }
  }
  utsname system{};
  ::uname(&system);
  return fmt::format("{}, {} cores, {} {}", processor, std::thread::hardware_concurrency(), system.sysname,
                     system.machine);
}

}  // namespace

Provenance provenance() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc);
  return {kVersion, machine(), fmt::format("g++ {}", __VERSION__), text};
}

}  // namespace ridgerunner::cli
