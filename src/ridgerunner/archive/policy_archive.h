#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "ridgerunner/codec/json.h"
#include "ridgerunner/policy/policy.h"

namespace ridgerunner {

// A policy as sealed bytes: its spec and all it remembers, factors included, so that a loaded policy
// continues bit for bit as if it had never stopped (on the same build).
std::string save_policy(const Policy& policy);

// The policy again. `spec` must be the one it was saved with; `kernel` as in Policy's constructor.
// Throws InvalidArgument for bytes that are not such an archive, damaged, or of another spec (naming what
// differs).
Policy load_policy(std::string_view bytes, const Spec& spec, KernelPtr kernel = nullptr);

// The same to and from a stream; several policies may follow each other in one. Reading stops behind the
// policy. A stream that cannot be written is an std::ios_base::failure.
void save_policy(const Policy& policy, std::ostream& out);
Policy load_policy(std::istream& in, const Spec& spec, KernelPtr kernel = nullptr);

// The spec that a policy was saved with, as spec_to_json() had it. Throws as load_policy() does.
Json archived_spec(std::string_view bytes);

}  // namespace ridgerunner
