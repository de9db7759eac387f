#pragma once

#include <functional>
#include <limits>
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
  double slack;   // T(a)
  Index further;  // its place among the model's further ridges; -1: its own ridge
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
};

// What a mixture's bounds are worth to candidates, and the band at them: the best of a grid of ridges, or of
// all ridges. The race that brings it candidates is run at one ridge, the screen.
class MixtureJudge : public Judge {
 public:
  // screen: a guess where the race is best run; 0: none.
  MixtureJudge(const MixtureModel& model, const MatrixIn& candidates, double screen);

  const MixtureRung& screen() const { return model_.rungs[screen_]; }
  ExactView view() { return model_.view(screen_, weights_); }  // from the screen
  double suggested() const { return suggested_; }              // where to run the next race

  virtual Interval interval(Index candidate) = 0;

  // The same, if judging has found it.
  virtual std::optional<Interval> known(Index candidate) const = 0;

  // L^-1 k of a candidate by rung, so far as it was computed.
  virtual const std::vector<Vector>& solves(Index candidate) const = 0;

 protected:
  static constexpr Index kLeaders = 4, kWave = 16;  // judged together: at first, and later

  // Takes the most promising from `contenders`, which are sorted: those that may be worth `highest`.
  static std::vector<Contender> wave(std::vector<Contender>& contenders, double highest, Index most);
  static void sort(std::vector<Contender>& contenders);  // the most promising last

  const MixtureModel& model_;
  MatrixIn candidates_;
  Vector prior_;
  Vector weights_;      // L^-T L^-1 ȳ at the screen, once it was looked from there
  std::size_t start_;   // the rung of a race without a guess
  std::size_t screen_;  // the rung of this race
  double suggested_;
};

std::unique_ptr<MixtureJudge> grid_judge(const MixtureModel& model, const MatrixIn& candidates,
                                         double screen);
std::unique_ptr<MixtureJudge> all_ridges_judge(const MixtureModel& model, const MatrixIn& candidates,
                                               double screen);

}  // namespace ridgerunner
