#include <nlohmann/json.hpp>

#include "fuzz/promise.h"
#include "fuzz/targets.h"
#include "ridgerunner/error.h"
#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/policy/spec_toml.h"

namespace ridgerunner::fuzz {

bool specs(std::string_view input) {
  if (input.empty()) return false;
  const std::string_view text = input.substr(1);
  try {
    const Spec spec = spec_from_json(input[0] % 2 == 0 ? parse_json(text) : toml_to_json(text));
    promise(spec_from_json(spec_to_json(spec)) == spec, "a spec reads back from JSON as it was");
    promise(spec_from_json(toml_to_json(spec_to_toml(spec))) == spec,
            "a spec reads back from TOML as it was");
    return true;
  } catch (const InvalidArgument&) {
  }
  return false;
}

}  // namespace ridgerunner::fuzz
