#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "ridgerunner/policy/decision.h"
#include "ridgerunner/policy/noise.h"
#include "ridgerunner/policy/open_decisions.h"
#include "ridgerunner/policy/rule.h"
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
};

// Who knows which reward belongs to which decision: the policy, by the state, or the caller, who then counts
// the open ones himself.
enum class Pairing { by_state, by_caller };

// A kernel bandit. Choosing is a pure function of what was recorded; each record_* is one event, so a policy
// is a fold over a log of events and the same log gives the same decisions, bit for bit on the same build.
// Bad input throws InvalidArgument and failing arithmetic NumericalError; both leave the policy as it was.
// Copyable; a copy goes its own way. Distinct policies may be used on distinct threads.
class Policy {
 public:
  // `kernel`, if given, takes the place of the spec's: a user's own function.
  explicit Policy(Spec spec, KernelPtr kernel = nullptr);
  explicit Policy(std::string_view preset_name) : Policy(preset(preset_name)) {}

  Policy(const Policy& other);
  Policy& operator=(const Policy& other);
  Policy(Policy&&) = default;
  Policy& operator=(Policy&&) = default;

  // Pure. `random` is randomness() for the next decision; the workspace is memory to reuse.
  Decision choose(const MatrixIn& states, Stream random, Workspace& workspace,
                  Report report = Report::all) const;
  Decision choose_arm(Stream random, Workspace& workspace, Report report = Report::all) const;
  Stream randomness() const { return Stream(spec_.seed, Purpose::choice, memory_.decisions); }
  Forecast predict(const MatrixIn& states) const;
  Statistics statistics() const;

  // Events.
  void record_choice(const VectorIn& state, const Decision& decision, Pairing pairing = Pairing::by_state);
  void record_reward(const MatrixIn& states,
                     const VectorIn& rewards);  // closes open decisions of these states

  // For a program that asks and tells: choose and record_choice in one; record_reward under a shorter name.
  Decision decide(const MatrixIn& states, Report report = Report::all);  // d x n candidates
  Decision decide(Report report = Report::all);                          // among the fixed arms
  void observe(const VectorIn& state, double reward);
  void observe(const MatrixIn& states, const VectorIn& rewards) { record_reward(states, rewards); }

  const Spec& spec() const { return spec_; }
  const Regression& regression() const { return *regression_; }
  const std::optional<NoiseBounds>& noise() const { return memory_.noise; }

  // For archives: what is remembered beside the regression.
  const OpenDecisions& open_decisions() const { return open_; }
  struct Memory {
    std::uint64_t decisions = 0, clamped = 0;
    std::optional<NoiseBounds> noise;
    std::optional<Index> empty_since;
  };
  const Memory& memory() const { return memory_; }
  void restore(std::unique_ptr<Regression> regression, OpenDecisions open, const Memory& memory);

 private:
  Decision choose(const Candidates& candidates, Stream random, Workspace& workspace, Report report) const;
  void learn_one_by_one(const MatrixIn& states, const VectorIn& rewards);
  void look_for_emptiness();

  Spec spec_;
  std::unique_ptr<Regression> regression_;
  Memory memory_;  // bound_ rests on its noise
  BoundPtr bound_;
  RulePtr first_;  // while there are no data
  RulePtr rule_;
  OpenDecisions open_;
  Workspace workspace_;  // of decide() and record_reward()
};

// A context joined with each action: states to choose among. context: c, actions: a x n, result: (c + a) x n.
Matrix join(const VectorIn& context, const MatrixIn& actions);

}  // namespace ridgerunner
