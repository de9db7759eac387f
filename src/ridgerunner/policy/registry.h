#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ridgerunner/bounds/bound.h"
#include "ridgerunner/kernel/kernel.h"
#include "ridgerunner/policy/choice.h"
#include "ridgerunner/regression/dictionary/dictionary.h"

namespace ridgerunner {

class Rule;
using RulePtr = std::shared_ptr<const Rule>;

// A user's own bound, rule and dictionary. Once registered under a name, a spec may name it as its type, in
// C++, JSON and TOML alike, with the parameters it was registered with; absent ones have the values given
// here. `make` is called whenever a policy is built or checked, on any thread, and throws InvalidArgument for
// parameters that make no sense. A name is a word of lower-case letters, digits and underscores.
//
// Names last as long as the program. One that is taken, by the house or by an earlier call, is refused
// (InvalidArgument). Any thread may register at any time. A policy that was saved, or logged, with a part
// that this program has not registered is refused, and the message lists what there is.
using MakeBound = std::function<BoundPtr(const Parameters&)>;
using MakeRule = std::function<RulePtr(const Parameters&)>;
using MakeDictionary = std::function<std::unique_ptr<Dictionary>(const Parameters&, const KernelPtr&)>;

void register_bound(std::string_view name, Parameters parameters, MakeBound make);
void register_rule(std::string_view name, Parameters parameters, MakeRule make);
void register_dictionary(std::string_view name, Parameters parameters, MakeDictionary make);

// A bound of the form mean ± radius sd, without parameters.
void register_bound(std::string_view name, std::function<double(const Evidence&)> radius);

// What was registered, made; `own` must be known.
BoundPtr make_own_bound(const Own& own);
RulePtr make_own_rule(const Own& own);
std::unique_ptr<Dictionary> make_own_dictionary(const Own& own, const KernelPtr& kernel);

}  // namespace ridgerunner
