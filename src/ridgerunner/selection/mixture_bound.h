#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "ridgerunner/selection/elimination.h"

namespace ridgerunner {

// A mixture's upper bounds at candidates, and its band at them: the best of a grid of ridges, or of all
// ridges. Candidates are eliminated by their bounds at one ridge.
class MixtureBound : public UpperBounds {
 public:
  // guess: of the ridge at which to eliminate; 0: none.
  MixtureBound(const FactoredModel& model, const MatrixIn& candidates, double guess);

  const RidgeFactor& elimination_ridge() const { return model_.ridges[at_]; }
  ExactView view() { return model_.view(at_, weights_); }  // at the elimination's ridge
  double next_elimination_ridge() const { return next_; }  // the guess for the next choice

  virtual Interval interval(Index candidate) = 0;

  // The same, if it is known already.
  virtual std::optional<Interval> known(Index candidate) const = 0;

  // L^-1 k of a candidate by ridge, so far as it was computed.
  virtual const std::vector<Vector>& solves(Index candidate) const = 0;

 protected:
  static constexpr Index kLeaders = 4, kTogether = 16;  // looked at together: at first, and later

  // Takes the most promising from `candidates`, which are sorted: those whose bound may reach `highest`.
  static std::vector<Candidate> next_batch(std::vector<Candidate>& candidates, double highest, Index most);
  static void sort(std::vector<Candidate>& candidates);  // the most promising last

  const FactoredModel& model_;
  MatrixIn candidates_;
  Vector prior_;
  Vector weights_;     // L^-T L^-1 ȳ at the elimination's ridge, once it was needed
  std::size_t start_;  // the ridge without a guess, by its place
  std::size_t at_;     // the elimination's ridge, by its place
  double next_;
};

std::unique_ptr<MixtureBound> grid_bound(const FactoredModel& model, const MatrixIn& candidates,
                                         double guess);
std::unique_ptr<MixtureBound> all_ridges_bound(const FactoredModel& model, const MatrixIn& candidates,
                                               double guess);

}  // namespace ridgerunner
