#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "ridgerunner/policy/decision.h"
#include "ridgerunner/policy/noise.h"
#include "ridgerunner/policy/open_decisions.h"
#include "ridgerunner/policy/rule.h"
#include "ridgerunner/policy/self_tuning.h"
#include "ridgerunner/policy/spec.h"

namespace ridgerunner {

struct Statistics {
  Evidence evidence;
  std::optional<double> radius;
  std::uint64_t decisions = 0;
  Index open = 0;                    // decisions whose reward is still to come
  std::uint64_t clamped = 0;         // variances of choices that rounding had made negative
  std::optional<NoiseBounds> noise;  // for a bound that learns it

  // The round since which no function meets the assumptions of dmm or cmm: the norm or noise bound is too
  // small, or the kernel is wrong.
  std::optional<Index> empty_since;
  std::optional<double>
      norm_at_least;  // of dmm and cmm: the true norm is at least this, if the kernel is right

  std::shared_ptr<const Tuned> tuned;  // for a policy that tunes itself; null: not yet
  std::vector<std::string> warnings;   // for who asks: policy_warnings.h
};

// A kernel bandit. Choosing is a pure function of what was recorded; each record_* is one event, so a policy
// is a fold over a log of events and the same log gives the same decisions, bit for bit on the same build.
// Rewards come back to the number of their decision.
// Bad input throws InvalidArgument and failing arithmetic NumericalError; both leave the policy as it was.
// Copyable; a copy goes its own way. Distinct policies may be used on distinct threads, and the const
// functions of one on several threads at once, each with a workspace of its own, while nobody changes it.
class Policy {
 public:
  // `kernel`, if given, takes the place of the spec's: a user's own function.
  explicit Policy(Spec spec, KernelPtr kernel = nullptr);
  explicit Policy(std::string_view preset_name) : Policy(preset(preset_name)) {}

  Policy(const Policy& other);
  Policy& operator=(const Policy& other);
  Policy(Policy&&) = default;
  Policy& operator=(Policy&&) = default;

  // Pure. `random` is randomness() for the next decision; the workspace is memory to reuse. Several threads
  // may choose and predict at once, each with a workspace of its own, while nobody records.
  Decision choose(const MatrixIn& states, Stream random, Workspace& workspace,
                  Report report = Report::with_band) const;
  Decision choose_arm(Stream random, Workspace& workspace, Report report = Report::with_band) const;
  Stream randomness() const { return Stream(spec_.seed, Purpose::choice, memory_.decisions); }
  Forecast predict(const MatrixIn& states) const;
  Statistics statistics() const;

  // For a program that asks and tells. A decision is open until its reward comes or it is withdrawn
  // (expired, never shown); numbers that are not open throw InvalidArgument and change nothing.
  Decision decide(const MatrixIn& states, Report report = Report::with_band);  // d x n candidates
  Decision decide(Report report = Report::with_band);                          // among the fixed arms
  void observe(const Decision& decision, double reward) { record_reward(decision.number, reward); }
  void observe(std::uint64_t number, double reward) { record_reward(number, reward); }
  void withdraw(const Decision& decision) { record_withdrawal(decision.number); }
  void withdraw(std::uint64_t number) { record_withdrawal(number); }

  // Data by their states: each closes the oldest open decision of its state, if there is one.
  void observe(const VectorIn& state, double reward);
  void observe(const MatrixIn& states, const VectorIn& rewards) { record_reward(states, rewards); }

  // The events themselves, for a fold over a log.
  std::uint64_t record_choice(const VectorIn& state, const Decision& decision);  // the number it gets
  void record_reward(std::uint64_t number, double reward);
  void record_withdrawal(std::uint64_t number);
  void record_reward(const MatrixIn& states, const VectorIn& rewards);  // data by their states

  // The same for a caller who keeps the open decisions himself: he says the state, and the level as the
  // decision had it.
  void record_untracked_choice(const VectorIn& state, const Decision& decision);
  void record_reward(const VectorIn& state, int level, double reward);
  void record_withdrawal(const VectorIn& state, int level);

  const Spec& spec() const { return spec_; }
  // What it decides by at present: an ordinary spec, in raw units, that a policy can be frozen with.
  const Spec& tuned_spec() const { return tuning_ ? in_use_ : spec_; }
  const Regression& regression() const { return *regression_; }
  bool has_own_kernel() const { return kernel_ != nullptr; }
  const std::optional<NoiseBounds>& noise() const { return memory_.noise; }

  // For archives: what is remembered beside the regression.
  const OpenDecisions& open_decisions() const { return open_; }
  struct Memory {
    std::uint64_t decisions = 0, clamped = 0;
    std::optional<NoiseBounds> noise;
    std::optional<Index> empty_since;
  };
  const Memory& memory() const { return memory_; }
  const std::optional<SelfTuning>& tuning() const { return tuning_; }
  void restore(std::unique_ptr<Regression> regression, OpenDecisions open, const Memory& memory,
               std::optional<SelfTuning> tuning = std::nullopt);

 private:
  using Entry = OpenDecisions::Entry;

  Pick choose(const Candidates& candidates, Stream random, Workspace& workspace, Report report) const;
  Decision decide(const Candidates& candidates, Report report);
  const Entry& entry(std::uint64_t number) const;
  void learn(const VectorIn& state, double reward, std::optional<int> level);
  void learn(const MatrixIn& states, const VectorIn& rewards, const std::vector<std::optional<int>>& levels);
  void learn_with_moving_ridge(const MatrixIn& states, const VectorIn& rewards);
  void learn_and_tune(const MatrixIn& states, const VectorIn& rewards);
  void use(Spec in_use, std::unique_ptr<Regression> regression);
  double as_learnt(double reward) const;
  bool is_untuned() const { return tuning_ && !tuning_->tuned(); }
  void look_for_emptiness();

  Spec spec_;
  KernelPtr kernel_;                  // a user's own, or null
  std::optional<SelfTuning> tuning_;  // for a spec that says so ...
  Spec in_use_;                       // ... and then what the parts below are made of
  std::unique_ptr<Regression> regression_;
  Memory memory_;  // bound_ rests on its noise
  BoundPtr bound_;
  RulePtr first_;  // while there are no data
  RulePtr rule_;
  OpenDecisions open_;
  Workspace workspace_;  // of decide() and record_reward()

  // workspace_ has what was solved for the last decision, of this state. It holds for the model as it is, so
  // whatever learns, or uses the workspace, clears it.
  bool solved_ = false;
  Vector solved_state_;
};

// A context joined with each action: states to choose among. context: c, actions: a x n, result: (c + a) x n.
Matrix join(const VectorIn& context, const MatrixIn& actions);

}  // namespace ridgerunner
