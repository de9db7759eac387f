#pragma once

#include <memory>

#include "ridgerunner/linalg/growing_columns.h"
#include "ridgerunner/policy/spec.h"
#include "ridgerunner/tuning/tune.h"

namespace ridgerunner {

// What a policy that tunes itself keeps beside its model: the raw observations, as long as there is another
// time to tune, and what was tuned last. A fold over the observations: they alone decide when and what.
class SelfTuning {
 public:
  // kernel: a user's own, or null.
  SelfTuning(const Spec& spec, KernelPtr kernel) : spec_(spec), kernel_(std::move(kernel)) {}

  const std::shared_ptr<const Tuned>& tuned() const { return tuned_; }  // null: not yet
  const GrowingColumns& states() const { return states_; }
  const GrowingColumns& rewards() const { return rewards_; }

  // One more observation, which must be valid. Whether it is time to retune().
  bool append(const VectorIn& state, double reward);
  void retune();
  void release();  // the observations, if they are needed no more

  // To take back what failed. Copies share the observations, so keeping them costs nothing.
  struct Kept {
    GrowingColumns states, rewards;
    std::shared_ptr<const Tuned> tuned;
  };
  Kept keep() const { return {states_, rewards_, tuned_}; }
  void restore(const Kept& kept);

  // The spec in use: the user's with what was tuned, or the user's own before there is anything to tune by.
  Spec spec_in_use() const;

  // For archives.
  void restore(std::shared_ptr<const Tuned> tuned, const MatrixIn& states, const VectorIn& rewards);

 private:
  bool is_over() const { return tuned_ && tuned_->next == 0; }
  TuneOptions options() const;

  Spec spec_;
  KernelPtr kernel_;
  GrowingColumns states_, rewards_;  // d x n, 1 x n
  std::shared_ptr<const Tuned> tuned_;
};

// An ordinary spec in raw units that decides as the tuned policy does.
Spec tuned_spec(const Spec& spec, const Tuned& tuned);

}  // namespace ridgerunner
