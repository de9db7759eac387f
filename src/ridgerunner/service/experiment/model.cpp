#include "ridgerunner/service/experiment/model.h"

#include <nlohmann/json.hpp>

#include "ridgerunner/archive/policy_archive.h"
#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/policy/spec_json.h"

namespace ridgerunner::service {

Policy policy_of(const Created& created) {
  return Policy(spec_from_json(parse_json(created.spec)));
}

bool choices_matter(const Spec& spec) {
  return spec.regression.dictionary.is<dictionaries::Bbkb>() || spec.rule.type.is<rules::SupKernelUcb>();
}

bool keeps_every_state(const Spec& spec) {
  return spec.regression.dictionary.is<dictionaries::Exact>() && !spec.arms;
}

std::uint32_t model_checksum(const Policy& policy) {
  // Without the archive's own checksum at its end: with it, every archive would have the same one.
  const std::string bytes = save_policy(policy);
  return crc32c(std::string_view(bytes).substr(0, bytes.size() - sizeof(std::uint32_t)));
}

}  // namespace ridgerunner::service
