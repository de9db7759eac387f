#include "ridgerunner/plugin/plugin.h"

#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/policy/spec.h"

namespace ridgerunner {
namespace {

// Keeps what a plug-in adds until it has added everything without an error.
class Collector final : public PluginHost {
 public:
  void add_radius(std::string_view name, Parameters parameters, Radius radius) override {
    if (!radius) throw InvalidArgument(fmt::format("the bound {} has no radius", name));
    add_bound(name, std::move(parameters), [radius](const Parameters& given) {
      return radius_bound([radius, given](const Evidence& evidence) { return radius(given, evidence); });
    });
  }
  void add_bound(std::string_view name, Parameters parameters, MakeBound make) override {
    require_free(name, BoundSpec::types());
    work_.push_back([=, own = std::string(name)] { register_bound(own, parameters, make); });
  }
  void add_rule(std::string_view name, Parameters parameters, MakeRule make) override {
    require_free(name, RuleChoice::types());
    work_.push_back([=, own = std::string(name)] { register_rule(own, parameters, make); });
  }
  void add_dictionary(std::string_view name, Parameters parameters, MakeDictionary make) override {
    require_free(name, DictionaryChoice::types());
    work_.push_back([=, own = std::string(name)] { register_dictionary(own, parameters, make); });
  }

  void register_all() const {
    if (work_.empty()) throw InvalidArgument("it adds nothing");
    for (const auto& one : work_) one();
  }

 private:
  static void require_free(std::string_view name, const std::vector<std::string>& taken) {
    for (const std::string& known : taken) {
      if (known == name) throw InvalidArgument(fmt::format("there is a {} already", name));
    }
  }

  std::vector<std::function<void()>> work_;
};

template <class Function>
Function* symbol(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

void start(void* library) {
  auto* abi = symbol<const PluginAbi*()>(library, "ridgerunner_plugin_abi");
  auto* fill = symbol<void(PluginHost&)>(library, "ridgerunner_plugin");
  if (!abi || !fill) throw InvalidArgument("it has no RIDGERUNNER_PLUGIN");
  if (!(*abi() == PluginAbi::here()))
    throw InvalidArgument(fmt::format(
        "it was built for another version or compiler; build it again with the headers of ridgerunner {}",
        kVersion));
  Collector collector;
  fill(collector);
  collector.register_all();
}

}  // namespace

void load_plugin(const std::string& file) {
  // A name without a folder would be looked for in the system's.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    throw InvalidArgument(fmt::format("the plug-in {} cannot be loaded: {}", file, reason ? reason : ""));
  }
  // It stays loaded even if refused: what it may have handed out already lives in it.
  try {
    start(library);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("the plug-in {} is refused: {}", file, error.what()));
  }
}

}  // namespace ridgerunner
