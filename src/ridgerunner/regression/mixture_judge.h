#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "ridgerunner/regression/elimination.h"
#include "ridgerunner/regression/mixture.h"
#include "ridgerunner/regression/mixture_span.h"

namespace ridgerunner {

// An exact model with factors at several ridges, as mixtures see it.
struct MixtureRung {
  double ridge;
  const GrowingCholesky& factor;  // L L^T = K + a N^-1
  VectorIn noise;                 // a/n of rows
  VectorIn forward;               // L^-1 ȳ
  double largest_diagonal;
  double slack;  // T(a)
};
struct MixtureModel {
  const Kernel& kernel;
  MatrixIn states;  // of rows
  Vector root;      // N^1/2
  MixtureData data;
  double own_ridge;
  std::vector<MixtureRung> rungs;  // a grid's ridges, or all there are

  // The rewards at a state: how many, their average; and the sum of squares around such averages, of all.
  struct Observed {
    double count, average, within;
  };
  std::function<std::optional<Observed>(const VectorIn& state)> observed;

  std::size_t nearest(double ridge) const;  // the rung at or next to it
  ExactView view(std::size_t rung, Vector& weights) const;
  Matrix cross(const MatrixIn& points) const;

  // (M + aI)^-1 x in place, M = N^1/2 K N^1/2. All columns in one pass over the factor.
  void solve(std::size_t rung, Matrix& x) const;
};

// What a mixture's bounds are worth to candidates, and the band at them: the best of a grid of ridges, or of
// all ridges.
class MixtureJudge : public Judge {
 public:
  // screen: a guess where the race is best run; 0: none.
  MixtureJudge(const MixtureModel& model, const MatrixIn& candidates, double screen);

  // Where to run the race, and where to run the next one.
  std::size_t screen() const { return screen_; }
  std::size_t suggested() const { return suggested_; }

  virtual Interval interval(Index candidate) = 0;

 protected:
  static constexpr Index kLookEvery = 16;  // rows

  // Candidates as they look from every ridge there is, all of them in one pass over each factor.
  void look(const std::vector<Index>& who, double highest);
  void look(std::vector<Contender>& contenders, double highest);

  struct Seen {
    Interval at{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    bool from_all = false;  // ridges
  };

  const MixtureModel& model_;
  MatrixIn candidates_;
  Vector prior_;
  std::size_t start_;               // the rung where searches begin
  std::size_t screen_, suggested_;  // the rung of this race, and of the next
  std::vector<std::size_t> order_;  // of rungs: those that matter most first
  std::map<Index, Seen> seen_;

 private:
  void suggest_screen(Matrix uppers);
};

std::unique_ptr<MixtureJudge> mixture_judge(const MixtureModel& model, const Mixture& mixture,
                                            const MatrixIn& candidates, double screen);

}  // namespace ridgerunner
