#include <nlohmann/json.hpp>

#include "ridgerunner/policy/choice_impl.h"
#include "ridgerunner/policy/spec.h"

namespace ridgerunner {

template class Choice<PartKind::bound, bounds::Fixed, bounds::SelfNormalized, bounds::WangDeFreitas,
                      bounds::Igp, bounds::Bkb, bounds::EkUcb, bounds::Amm, bounds::Dmm, bounds::Cmm,
                      bounds::EmpiricalBernstein>;
template class Choice<PartKind::dictionary, dictionaries::Exact, dictionaries::Kors, dictionaries::Bkb,
                      dictionaries::Bbkb, dictionaries::ResidualBudget>;
template class Choice<PartKind::rule, rules::Ucb, rules::Thompson, rules::SupKernelUcb, rules::Greedy,
                      rules::Uniform>;

}  // namespace ridgerunner
