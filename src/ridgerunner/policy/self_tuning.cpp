#include "ridgerunner/policy/self_tuning.h"

#include <utility>

namespace ridgerunner {

bool SelfTuning::append(const VectorIn& state, double reward) {
  if (is_over()) return false;
  if (states_.size() == 0) {
    states_ = GrowingColumns(state.size());
    rewards_ = GrowingColumns(1);
  }
  states_.append(state);
  rewards_.append(Vector::Constant(1, reward));
  return tuned_ ? tuned_->forgotten + states_.size() >= tuned_->next : can_tune(rewards_.entries());
}

void SelfTuning::restore(const Kept& kept) {
  tuned_ = kept.tuned;
  states_ = kept.states;
  rewards_ = kept.rewards;
}

void SelfTuning::release() {
  if (!is_over()) return;
  states_ = GrowingColumns();
  rewards_ = GrowingColumns();
}

TuneOptions SelfTuning::options() const {
  TuneOptions options;
  options.spec = spec_.tune;
  options.seed = spec_.seed;
  options.kernel = kernel_ ? kernel_ : spec_.tune.kernel ? nullptr : make_kernel(spec_.kernel);
  if (spec_.features) {
    options.columns.group = spec_.features->groups();
    if (spec_.features->action_is_one_category())
      options.columns.arm_columns = spec_.features->action_columns();
  }
  if (!spec_.tune.ridge) options.ridge = spec_.regression.ridge;
  if (!spec_.tune.radius) options.radius = spec_.bound.number("radius");
  return options;
}

void SelfTuning::retune() {
  const std::optional<Tuned> before = tuned_ ? std::optional(*tuned_) : std::nullopt;
  auto tuned = std::make_shared<const Tuned>(tune(states_.view(), rewards_.entries(), before, options()));
  const Index drop = tuned->forgotten - (before ? before->forgotten : 0);
  if (drop > 0) {
    const Index kept = states_.size() - drop;
    states_ = GrowingColumns::of(states_.view().rightCols(kept));
    rewards_ = GrowingColumns::of(rewards_.view().rightCols(kept));
  }
  tuned_ = std::move(tuned);
}

Spec SelfTuning::spec_in_use() const {
  if (tuned_) return tuned_spec(spec_, *tuned_);
  Spec spec = spec_;
  spec.tune = {};
  // Up to here all rewards were equal: this one is what to expect.
  if (rewards_.size() > 0) spec.regression.offset = rewards_.entries()[0];
  return spec;
}

void SelfTuning::restore(std::shared_ptr<const Tuned> tuned, const MatrixIn& states,
                         const VectorIn& rewards) {
  tuned_ = std::move(tuned);
  states_ = GrowingColumns::of(states);
  rewards_ = GrowingColumns::of(rewards.transpose());
}

Spec tuned_spec(const Spec& spec, const Tuned& tuned) {
  Spec out = spec;
  out.tune = {};
  if (spec.policy == "auto") out.policy = tuned.projected ? "ek-ucb" : "k-ucb";
  if (!tuned.lengthscale.empty()) {
    out.kernel = {};
    out.kernel.type = KernelType::gaussian;
    out.kernel.lengthscale = tuned.lengthscale;
  }
  if (tuned.projected && out.regression.dictionary.is<dictionaries::Exact>())
    out.regression.dictionary = dictionaries::Kors{};
  out.regression.ridge = tuned.ridge;
  out.regression.offset = tuned.offset;
  out.regression.reward_low = tuned.reward_low;
  out.regression.reward_high = tuned.reward_high;
  out.bound.set("radius", tuned.radius);
  return out;
}

}  // namespace ridgerunner
