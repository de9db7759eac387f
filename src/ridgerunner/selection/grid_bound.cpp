#include <algorithm>
#include <cmath>

#include "ridgerunner/linalg/lane_sums.h"
#include "ridgerunner/regression/checks.h"
#include "ridgerunner/selection/mixture_bound.h"

namespace ridgerunner {
namespace {

constexpr double kStart = 3;  // multiple of the model's ridge where to begin
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

MixtureBound::MixtureBound(const FactoredModel& model, const MatrixIn& candidates, double guess)
    : model_(model),
      candidates_(candidates),
      prior_(diagonal(model.kernel, candidates)),
      start_(model.nearest(kStart * model.own.ridge)),
      at_(guess > 0 ? model.nearest(guess) : start_),
      next_(guess > 0 ? guess : model.ridges[at_].ridge) {
  require_priors(prior_);
}

void MixtureBound::sort(std::vector<Candidate>& candidates) {
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.upper < b.upper || (a.upper == b.upper && a.index > b.index);
  });
}

std::vector<UpperBounds::Candidate> MixtureBound::next_batch(std::vector<Candidate>& candidates,
                                                             double highest, Index most) {
  std::vector<Candidate> next;
  while (!candidates.empty() && std::ssize(next) < most && !(candidates.back().upper < highest)) {
    next.push_back(candidates.back());
    candidates.pop_back();
  }
  return next;
}

namespace {

// A grid: its ridges are those that are looked from.
class GridBound final : public MixtureBound {
 public:
  GridBound(const FactoredModel& model, const MatrixIn& candidates, double guess)
      : MixtureBound(model, candidates, guess), best_solves_(model.ridges.size()) {
    const auto distance = [&](std::size_t j) {
      return std::abs(std::log(model.ridges[j].ridge / model.ridges[start_].ridge));
    };
    for (std::size_t j = 0; j < model.ridges.size(); ++j) order_.push_back(j);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
  }

  std::optional<Index> decided(const MatrixIn&, const VectorIn&) override { return std::nullopt; }

  double update(std::vector<Candidate> candidates, const MatrixIn& solved) override {
    sort(candidates);
    for (;;) {
      const auto next = next_batch(candidates, highest_, best_ < 0 ? kLeaders : kTogether);
      if (next.empty()) return highest_;
      look(next, &solved);
    }
  }

  Index best() override { return best_; }

  Interval interval(Index candidate) override {
    if (candidate != best_) {  // its own bounds, whatever those of others are
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
  // Ridge by ridge, those next to the elimination's first; who falls below the best is left out of what
  // follows. solved: L^-1 k at the elimination's ridge, if it is known.
  void look(const std::vector<Candidate>& who, const MatrixIn* solved) {
    const bool first = best_ < 0;
    const Index count = std::ssize(who);
    std::vector<Index> candidates, alive;
    for (Index i = 0; i < count; ++i) {
      candidates.push_back(who[static_cast<std::size_t>(i)].index);
      alive.push_back(i);
    }
    Matrix uppers = Matrix::Constant(std::ssize(model_.ridges), count, -kInfinity);
    std::vector<Interval> at(who.size(), Interval{-kInfinity, kInfinity});
    std::vector<Matrix> solves(model_.ridges.size());
    const Matrix cross = gram(model_.kernel, model_.states, candidates_(Eigen::all, candidates));
    for (const std::size_t j : order_) {
      if (alive.empty()) return;
      const RidgeFactor& at_ridge = model_.ridges[j];
      const bool known = solved && j == at_;
      Matrix x(cross.rows(), std::ssize(alive));
      for (Index c = 0; c < x.cols(); ++c) {
        const Index i = alive[static_cast<std::size_t>(c)];
        if (known) {
          x.col(c) = solved->col(who[static_cast<std::size_t>(i)].column);
        } else {
          x.col(c) = cross.col(i);
        }
      }
      if (!known) at_ridge.factor.solve(x);
      std::vector<Index> left;
      solves[j].resize(cross.rows(), count);
      for (Index c = 0; c < x.cols(); ++c) {
        const Index i = alive[static_cast<std::size_t>(c)];
        Interval& all = at[static_cast<std::size_t>(i)];
        const Interval here =
            interval_at(at_ridge, x.col(c), prior_[candidates[static_cast<std::size_t>(i)]]);
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
    if (first && count > 1) suggest_ridge(std::move(uppers));
  }

  static Interval interval_at(const RidgeFactor& at_ridge, const VectorIn& solved, double prior) {
    double explained = 0;
    column_squares(solved, Eigen::Map<Vector>(&explained, 1));
    check_variance(prior, explained);
    const double mean = solved.dot(at_ridge.forward);
    const double width =
        std::sqrt(std::max(at_ridge.slack, 0.0)) * scaled_sd(prior, explained, at_ridge.ridge);
    return {mean - width, mean + width};
  }

  // uppers: ridges x candidates. Those who are not best should be low where they are eliminated.
  void suggest_ridge(Matrix uppers) {
    Index best = 0, lowest = 0;
    uppers.colwise().minCoeff().maxCoeff(&best);
    uppers.col(best).setConstant(-kInfinity);
    uppers.rowwise().maxCoeff().minCoeff(&lowest);
    next_ = model_.ridges[static_cast<std::size_t>(lowest)].ridge;
  }

  std::vector<std::size_t> order_;  // of ridges: those that matter most first
  Index best_ = -1;
  double highest_ = -kInfinity;
  Interval at_best_;
  std::vector<Vector> best_solves_;
};

}  // namespace

std::unique_ptr<MixtureBound> grid_bound(const FactoredModel& model, const MatrixIn& candidates,
                                         double guess) {
  return std::make_unique<GridBound>(model, candidates, guess);
}

}  // namespace ridgerunner
