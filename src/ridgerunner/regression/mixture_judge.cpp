#include "ridgerunner/regression/mixture_judge.h"

#include <algorithm>
#include <cmath>

#include "ridgerunner/linalg/lane_sums.h"

namespace ridgerunner {
namespace {

constexpr double kScreen = 3;  // multiple of the model's ridge where to begin
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

std::size_t MixtureModel::nearest(double ridge) const {
  const auto distance = [&](const MixtureRung& rung) { return std::abs(std::log(rung.ridge / ridge)); };
  std::size_t best = 0;
  for (std::size_t j = 1; j < rungs.size(); ++j)
    if (distance(rungs[j]) < distance(rungs[best])) best = j;
  return best;
}

ExactView MixtureModel::view(std::size_t rung, Vector& weights) const {
  const MixtureRung& at = rungs[rung];
  weights = at.forward;
  at.factor.solve_transposed(weights);
  return {kernel, states, at.noise, at.factor, weights, at.largest_diagonal, at.ridge};
}

MixtureJudge::MixtureJudge(const MixtureModel& model, const MatrixIn& candidates, double screen)
    : model_(model),
      candidates_(candidates),
      prior_(diagonal(model.kernel, candidates)),
      start_(model.nearest(kScreen * model.own_ridge)),
      screen_(screen > 0 ? model.nearest(screen) : start_),
      suggested_(screen > 0 ? screen : model.rungs[screen_].ridge) {
  require_priors(prior_);
}

void MixtureJudge::sort(std::vector<Contender>& contenders) {
  std::sort(contenders.begin(), contenders.end(), [](const Contender& a, const Contender& b) {
    return a.upper < b.upper || (a.upper == b.upper && a.candidate > b.candidate);
  });
}

std::vector<Judge::Contender> MixtureJudge::wave(std::vector<Contender>& contenders, double highest,
                                                 Index most) {
  std::vector<Contender> next;
  while (!contenders.empty() && std::ssize(next) < most && !(contenders.back().upper < highest)) {
    next.push_back(contenders.back());
    contenders.pop_back();
  }
  return next;
}

namespace {

// A grid: its ridges are those that are looked from.
class GridJudge final : public MixtureJudge {
 public:
  GridJudge(const MixtureModel& model, const MatrixIn& candidates, double screen)
      : MixtureJudge(model, candidates, screen), best_solves_(model.rungs.size()) {
    const auto distance = [&](std::size_t j) {
      return std::abs(std::log(model.rungs[j].ridge / model.rungs[start_].ridge));
    };
    for (std::size_t j = 0; j < model.rungs.size(); ++j) order_.push_back(j);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
  }

  std::optional<Index> decided(const MatrixIn&, const VectorIn&) override { return std::nullopt; }

  double meet(std::vector<Contender> contenders, const MatrixIn& solved) override {
    sort(contenders);
    for (;;) {
      const auto next = wave(contenders, highest_, best_ < 0 ? kLeaders : kWave);
      if (next.empty()) return highest_;
      look(next, &solved);
    }
  }

  Index best() override { return best_; }

  Interval interval(Index candidate) override {
    if (candidate != best_) {  // its own ridges, whatever others are worth
      highest_ = -kInfinity;
      best_ = -1;
      look({{kInfinity, candidate, 0}}, nullptr);
    }
    return at_best_;
  }

  std::optional<Interval> known(Index candidate) const override {
    return candidate == best_ ? std::optional(at_best_) : std::nullopt;
  }

  const std::vector<Vector>& solves(Index) const override { return best_solves_; }

 private:
  // Ridge by ridge, those next to the screen first; who falls below the best is left out of what follows.
  // solved: L^-1 k at the screen, if it is known.
  void look(const std::vector<Contender>& who, const MatrixIn* solved) {
    const bool first = best_ < 0;
    const Index count = std::ssize(who);
    std::vector<Index> candidates, alive;
    for (Index i = 0; i < count; ++i) {
      candidates.push_back(who[static_cast<std::size_t>(i)].candidate);
      alive.push_back(i);
    }
    Matrix uppers = Matrix::Constant(std::ssize(model_.rungs), count, -kInfinity);
    std::vector<Interval> at(who.size(), Interval{-kInfinity, kInfinity});
    std::vector<Matrix> solves(model_.rungs.size());
    const Matrix cross = gram(model_.kernel, model_.states, candidates_(Eigen::all, candidates));
    for (const std::size_t j : order_) {
      if (alive.empty()) return;
      const MixtureRung& rung = model_.rungs[j];
      const bool known = solved && j == screen_;
      Matrix x(cross.rows(), std::ssize(alive));
      for (Index c = 0; c < x.cols(); ++c) {
        const Index i = alive[static_cast<std::size_t>(c)];
        if (known) {
          x.col(c) = solved->col(who[static_cast<std::size_t>(i)].column);
        } else {
          x.col(c) = cross.col(i);
        }
      }
      if (!known) rung.factor.solve(x);
      std::vector<Index> left;
      solves[j].resize(cross.rows(), count);
      for (Index c = 0; c < x.cols(); ++c) {
        const Index i = alive[static_cast<std::size_t>(c)];
        Interval& all = at[static_cast<std::size_t>(i)];
        const Interval here = interval_at(rung, x.col(c), prior_[candidates[static_cast<std::size_t>(i)]]);
        uppers(static_cast<Index>(j), i) = here.upper;
        all = {std::max(all.lower, here.lower), std::min(all.upper, here.upper)};
        solves[j].col(i) = x.col(c);
        if (!(all.upper < highest_)) left.push_back(i);
      }
      alive = std::move(left);
    }
    for (const Index i : alive) {
      const Interval& all = at[static_cast<std::size_t>(i)];
      const Index candidate = candidates[static_cast<std::size_t>(i)];
      if (all.upper < highest_ || (all.upper == highest_ && best_ >= 0 && candidate > best_)) continue;
      best_ = candidate;
      highest_ = all.upper;
      at_best_ = all;
      for (std::size_t j = 0; j < solves.size(); ++j) best_solves_[j] = solves[j].col(i);
    }
    if (first && count > 1) suggest_screen(std::move(uppers));
  }

  static Interval interval_at(const MixtureRung& rung, const VectorIn& solved, double prior) {
    double explained = 0;
    column_squares(solved, Eigen::Map<Vector>(&explained, 1));
    check_variance(prior, explained);
    const double mean = solved.dot(rung.forward);
    const double width = std::sqrt(std::max(rung.slack, 0.0)) * scaled_sd(prior, explained, rung.ridge);
    return {mean - width, mean + width};
  }

  // uppers: rungs x candidates. Who is not the best of them should be low in a race.
  void suggest_screen(Matrix uppers) {
    Index best = 0, lowest = 0;
    uppers.colwise().minCoeff().maxCoeff(&best);
    uppers.col(best).setConstant(-kInfinity);
    uppers.rowwise().maxCoeff().minCoeff(&lowest);
    suggested_ = model_.rungs[static_cast<std::size_t>(lowest)].ridge;
  }

  std::vector<std::size_t> order_;  // of rungs: those that matter most first
  Index best_ = -1;
  double highest_ = -kInfinity;
  Interval at_best_;
  std::vector<Vector> best_solves_;
};

}  // namespace

std::unique_ptr<MixtureJudge> grid_judge(const MixtureModel& model, const MatrixIn& candidates,
                                         double screen) {
  return std::make_unique<GridJudge>(model, candidates, screen);
}

}  // namespace ridgerunner
