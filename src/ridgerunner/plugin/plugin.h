#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ridgerunner/policy/registry.h"
#include "ridgerunner/policy/rule.h"
#include "ridgerunner/version.h"

namespace ridgerunner {

// A plug-in is a shared library with a user's own bounds, rules and dictionaries. The program loads it
// (`ridgerunner compare --plugin own.so`, `rr.load_plugin("own.so")`), and specs may name what is in it. It
// is one file, compiled with -shared -fPIC against the installed headers and linked with nothing of ours:
//
//   RIDGERUNNER_PLUGIN(house) {
//     house.add_radius("mine", {{"scale", 2.0}}, [](const Parameters& parameters, const Evidence& evidence) {
//       return number_in(parameters, "scale") * std::sqrt(evidence.ridge);
//     });
//   }
class PluginHost {
 public:
  virtual ~PluginHost() = default;

  // As in registry.h; add_radius() takes a bound mean ± radius sd.
  using Radius = std::function<double(const Parameters&, const Evidence&)>;
  virtual void add_radius(std::string_view name, Parameters parameters, Radius radius) = 0;
  virtual void add_bound(std::string_view name, Parameters parameters, MakeBound make) = 0;
  virtual void add_rule(std::string_view name, Parameters parameters, MakeRule make) = 0;
  virtual void add_dictionary(std::string_view name, Parameters parameters, MakeDictionary make) = 0;
};

// What both sides must agree on: values cross the boundary as they are in memory.
struct PluginAbi {
  char version[16];
  int compiler, standard_library, eigen, alignment;
  int evidence, parameters;  // sizes

  static constexpr PluginAbi here() {
    PluginAbi abi{{},
                  __GXX_ABI_VERSION,
                  0,
                  EIGEN_WORLD_VERSION * 10000 + EIGEN_MAJOR_VERSION * 100,
                  EIGEN_MAX_ALIGN_BYTES,
                  sizeof(Evidence),
                  sizeof(Parameters)};
    for (std::size_t i = 0; i + 1 < sizeof abi.version && kVersion[i] != '\0'; ++i)
      abi.version[i] = kVersion[i];
#ifdef _GLIBCXX_USE_CXX11_ABI
    abi.standard_library = _GLIBCXX_USE_CXX11_ABI;
#endif
    return abi;
  }
  bool operator==(const PluginAbi&) const = default;
};

#define RIDGERUNNER_PLUGIN(house)                                                 \
  extern "C" const ridgerunner::PluginAbi* ridgerunner_plugin_abi() {             \
    static constexpr ridgerunner::PluginAbi abi = ridgerunner::PluginAbi::here(); \
    return &abi;                                                                  \
  }                                                                               \
  extern "C" void ridgerunner_plugin(ridgerunner::PluginHost& house)

// Loads a plug-in for the rest of the program and registers what is in it, all or nothing. Throws
// InvalidArgument for a file that is none, was built for another version or compiler, or has a name that is
// taken.
void load_plugin(const std::string& file);

}  // namespace ridgerunner
