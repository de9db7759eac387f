#include "ridgerunner/regression/mixture_judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <Eigen/Eigenvalues>

#include "ridgerunner/error.h"
#include "ridgerunner/linalg/lane_sums.h"

namespace ridgerunner {
namespace {

constexpr double kScreen = 3;         // multiple of the model's ridge where to begin
constexpr double kPrecise = 1e-7;     // of a bound, relative to the largest it can be
constexpr double kPrecisest = 1e-13;  // where two candidates are closer than that
constexpr double kGuess = 30;         // times from the ridges at hand: farther out the bound may be flat
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double sqrt_or_zero(double x) {
  return std::sqrt(std::max(x, 0.0));
}

Interval interval_at(const MixtureRung& rung, const VectorIn& solved, double prior) {
  double explained = 0;
  column_squares(solved, Eigen::Map<Vector>(&explained, 1));
  check_variance(prior, explained);
  const double mean = solved.dot(rung.forward);
  const double width = sqrt_or_zero(rung.slack) * scaled_sd(prior, explained, rung.ridge);
  return {mean - width, mean + width};
}

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

Matrix MixtureModel::cross(const MatrixIn& points) const {
  return gram(kernel, states, points);
}

void MixtureModel::solve(std::size_t rung, Matrix& x) const {
  x.array().colwise() /= root.array();
  rungs[rung].factor.solve(x);
  rungs[rung].factor.solve_transposed(x);
  x.array().colwise() /= root.array();
}

MixtureJudge::MixtureJudge(const MixtureModel& model, const MatrixIn& candidates, double screen)
    : model_(model),
      candidates_(candidates),
      prior_(diagonal(model.kernel, candidates)),
      start_(model.nearest(kScreen * model.own_ridge)),
      screen_(screen > 0 ? model.nearest(screen) : start_),
      suggested_(screen_) {
  const auto distance = [&](std::size_t j) {
    return std::abs(std::log(model.rungs[j].ridge / model.rungs[start_].ridge));
  };
  for (std::size_t j = 0; j < model.rungs.size(); ++j) order_.push_back(j);
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
}

// Ridge by ridge, those next to the race's first; who falls below `highest` is left out of what follows.
void MixtureJudge::look(const std::vector<Index>& who, double highest) {
  Matrix uppers = Matrix::Constant(std::ssize(model_.rungs), std::ssize(who), -kInfinity);
  const Matrix cross = model_.cross(candidates_(Eigen::all, who));
  std::vector<Index> alive(who.size());
  for (std::size_t i = 0; i < who.size(); ++i) alive[i] = static_cast<Index>(i);
  for (const std::size_t j : order_) {
    if (alive.empty()) return;
    const MixtureRung& rung = model_.rungs[j];
    Matrix solved = cross(Eigen::all, alive);
    rung.factor.solve(solved);
    std::vector<Index> left;
    for (std::size_t c = 0; c < alive.size(); ++c) {
      const Index i = alive[c], candidate = who[static_cast<std::size_t>(i)];
      const Interval at = interval_at(rung, solved.col(static_cast<Index>(c)), prior_[candidate]);
      uppers(static_cast<Index>(j), i) = at.upper;
      Interval& all = seen_[candidate].at;
      all = {std::max(all.lower, at.lower), std::min(all.upper, at.upper)};
      if (!(all.upper < highest)) left.push_back(i);
    }
    alive = std::move(left);
  }
  for (const Index i : alive) seen_[who[static_cast<std::size_t>(i)]].from_all = true;
  if (highest == -kInfinity && who.size() > 1) suggest_screen(std::move(uppers));
}

// uppers: rungs x candidates. Who is not the best of them should be low in a race.
void MixtureJudge::suggest_screen(Matrix uppers) {
  Index best = 0, lowest = 0;
  uppers.colwise().minCoeff().maxCoeff(&best);
  uppers.col(best).setConstant(-kInfinity);
  uppers.rowwise().maxCoeff().minCoeff(&lowest);
  suggested_ = static_cast<std::size_t>(lowest);
}

void MixtureJudge::look(std::vector<Contender>& contenders, double highest) {
  std::vector<Index> who;
  for (const Contender& contender : contenders) who.push_back(contender.candidate);
  look(who, highest);
  for (Contender& contender : contenders)
    contender.upper = std::min(contender.upper, seen_[contender.candidate].at.upper);
}

namespace {

// A grid: its ridges are those that are looked from.
class GridJudge final : public MixtureJudge {
 public:
  using MixtureJudge::MixtureJudge;

  std::optional<Index> decided(const MatrixIn&, const VectorIn&) override { return std::nullopt; }

  void meet(std::vector<Contender>& contenders, double highest) override { look(contenders, highest); }

  double worth(Index candidate, double upper, double highest) override {
    return upper < highest ? upper : interval(candidate).upper;
  }

  Interval interval(Index candidate) override {
    if (!seen_[candidate].from_all) look(std::vector<Index>{candidate}, -kInfinity);
    return seen_[candidate].at;
  }
};

// All ridges: the bound is enclosed in a small span, whose vectors are solves with the factors at hand.
class AllRidgesJudge final : public MixtureJudge {
 public:
  AllRidgesJudge(const MixtureModel& model, const MatrixIn& candidates, double screen)
      : MixtureJudge(model, candidates, screen) {
    const Index rows = model.root.size(), most = std::min(MixtureSpan::kMost, rows);
    data_spans_.assign(model.rungs.size(), ImagedVectors(rows, most));
    for (const MixtureRung& rung : model.rungs) {
      least_guess_ = std::min(least_guess_, rung.ridge / kGuess);
      most_guess_ = std::max(most_guess_, rung.ridge * kGuess);
    }
  }

  std::optional<Index> decided(const MatrixIn& cross, const VectorIn& prior) override {
    const double highest = prior.maxCoeff();
    for (Index i = 0; i < cross.cols(); ++i) {
      if (prior[i] == highest && at_limit(model_.root.cwiseProduct(cross.col(i)), prior[i], 1)) return i;
    }
    return std::nullopt;
  }

  void meet(std::vector<Contender>& contenders, double highest) override {
    // Forward solves sort out most of those that come later; leaders are looked at now and then, to find a
    // better ridge for the next race.
    const bool leaders = highest == -kInfinity;
    if (!leaders || model_.root.size() % kLookEvery == 0) look(contenders, highest);
    std::vector<Index> who;
    for (const Contender& contender : contenders)
      if (!(contender.upper < highest)) who.push_back(contender.candidate);
    begin(who);
    for (Contender& contender : contenders) {
      if (contender.upper < highest) continue;
      const MixtureLine line = searches_.at(contender.candidate).span.from_above();
      const double bound = line.least_upper(model_.rungs[start_].ridge, 1).bound;
      contender.upper = std::min(contender.upper, bound);
    }
  }

  double worth(Index candidate, double upper, double highest) override {
    if (upper < highest) return upper;
    Search& search = search_for(candidate);
    double worth = least_upper(search, 1, highest, kPrecise);
    if (worth < highest) return worth;
    if (best_ >= 0 && worth - highest <= 2 * kPrecise * limit(search)) {
      Search mine = search, other = search_for(best_);  // copies: what is reported hangs on nobody else
      worth = highest +
              (least_upper(mine, 1, -kInfinity, kPrecisest) - least_upper(other, 1, -kInfinity, kPrecisest));
      if (worth < highest || (worth == highest && candidate > best_)) return worth;
    }
    best_ = candidate;
    return worth;
  }

  Interval interval(Index candidate) override {
    Search& search = search_for(candidate);
    const double upper = least_upper(search, 1, -kInfinity, kPrecise);
    return {-least_upper(search, -1, -kInfinity, kPrecise), upper};
  }

 private:
  struct Search {
    MixtureSpan span;
    double guess;  // of the best ridge
    std::optional<MixtureModel::Observed> observed;
    std::vector<Index> data_vectors, last;  // by rung: how many of the data's, the place of the last own one
  };

  double limit(const Search& search) const { return model_.data.norm_bound * std::sqrt(search.span.prior()); }

  // Whether sign B φ(s)/|φ(s)|, the function with |f| <= B that is highest or lowest at s, is in the set.
  bool at_limit(const VectorIn& scaled, double prior, double sign) const {
    if (!(prior > 0)) return true;
    const double factor = sign * model_.data.norm_bound / std::sqrt(prior);
    return (factor * scaled - model_.data.rewards).squaredNorm() + model_.data.within <=
           model_.data.radius_squared;
  }

  Search& search_for(Index candidate) {
    if (!searches_.contains(candidate)) begin({candidate});
    return searches_.at(candidate);
  }

  // Searches with their first vectors, all in one pass over the factor.
  void begin(std::vector<Index> who) {
    std::erase_if(who, [&](Index candidate) { return searches_.contains(candidate); });
    if (who.empty()) return;
    const Matrix cross = model_.root.asDiagonal() * model_.cross(candidates_(Eigen::all, who));
    ImagedVectors& data = data_spans_[start_];
    const bool first = data.size() == 0;
    Matrix x(cross.rows(), cross.cols() + (first ? 1 : 0));
    x.leftCols(cross.cols()) = cross;
    if (first) x.rightCols(1) = model_.data.rewards;
    model_.solve(start_, x);
    const double ridge = model_.rungs[start_].ridge;
    if (first) data.add(x.rightCols(1), model_.data.rewards - ridge * x.rightCols(1));
    for (std::size_t i = 0; i < who.size(); ++i) {
      const auto column = static_cast<Index>(i);
      Search search{MixtureSpan(model_.data, cross.col(column), prior_[who[i]]), ridge,
                    model_.observed(candidates_.col(who[i])), std::vector<Index>(model_.rungs.size(), 0),
                    std::vector<Index>(model_.rungs.size(), -1)};
      if (data.size() > 0) search.span.add(data.h().col(0), data.image().col(0));
      search.data_vectors[start_] = 1;
      add_own(search, start_, cross.col(column), x.col(column));
      searches_.emplace(who[i], std::move(search));
    }
  }

  // h = (M + aI)^-1 from
  bool add_own(Search& search, std::size_t rung, const VectorIn& from, const VectorIn& h) {
    if (search.span.full() || !search.span.add(h, from - model_.rungs[rung].ridge * h)) return false;
    search.last[rung] = search.span.size() - 1;
    return true;
  }

  // By the factor nearest to the best ridge, or by any that has something to add.
  bool extend(Search& search) {
    if (search.span.full()) return false;
    const std::size_t nearest = model_.nearest(search.guess);
    if (extend(search, nearest)) return true;
    for (std::size_t rung = 0; rung < model_.rungs.size(); ++rung)
      if (rung != nearest && extend(search, rung)) return true;
    return false;
  }

  // One more vector of the data's and one of the state's own by the factor of a rung. False if there are
  // none.
  bool extend(Search& search, std::size_t rung) {
    ImagedVectors& data = data_spans_[rung];
    const Index n = search.data_vectors[rung]++, last = search.last[rung];
    const bool fresh = n == data.size() && n < data.most();  // nobody has asked for this one before
    const Vector own = last < 0 ? search.span.state() : Vector(search.span.vector(last));
    const Vector from = n == 0 || !fresh ? model_.data.rewards : Vector(data.h().col(n - 1));
    Matrix x(own.size(), fresh ? 2 : 1);
    x.col(0) = own;
    if (fresh) x.col(1) = from;
    model_.solve(rung, x);
    if (fresh) data.add(x.col(1), from - model_.rungs[rung].ridge * x.col(1));
    bool added = false;
    if (n < data.size() && !search.span.full()) added = search.span.add(data.h().col(n), data.image().col(n));
    return add_own(search, rung, own, x.col(0)) || added;
  }

  // The bound of sign f, to a part `precise` of the limit, or any number below `highest` if it is less.
  double least_upper(Search& search, double sign, double highest, double precise) {
    constexpr double kWorthEnclosing = 1e-3;
    const double most = limit(search);
    if (at_limit(search.span.state(), search.span.prior(), sign)) return most;
    for (double before = kInfinity;;) {
      MixtureLine::Value above = search.span.from_above().least_upper(search.guess, sign);
      search.guess = std::clamp(above.ridge, least_guess_, most_guess_);
      above.bound = std::min(above.bound, without_norm(search, sign));
      if (above.bound < highest) return above.bound;
      // Steps gain less and less.
      if (before - above.bound < kWorthEnclosing * most || search.span.full()) {
        const double below = search.span.from_below().least_upper(search.guess, sign).bound;
        if (above.bound - below <= precise * most) return above.bound;
      }
      before = above.bound;
      if (!extend(search)) return least_upper_by_eigenvectors(search, sign);
    }
  }

  // As the ridge goes to 0, the norm does not matter. At a state with n rewards all others can be met, so
  // that n (f(s) - ȳ)^2 <= R_t^2 - within is all that is left.
  double without_norm(const Search& search, double sign) const {
    if (!search.observed) return kInfinity;
    const double left = model_.data.radius_squared - search.observed->within;
    return sign * search.observed->average + sqrt_or_zero(left / search.observed->count);
  }

  // The textbook way, O(rows^3): the last resort.
  double least_upper_by_eigenvectors(const Search& search, double sign) {
    if (!eigen_)
      eigen_.emplace(model_.root.asDiagonal() * model_.cross(model_.states) * model_.root.asDiagonal());
    MixtureLine line = search.span.from_above();
    line.eigenvalues = eigen_->eigenvalues().cwiseMax(0.0);
    line.state = eigen_->eigenvectors().transpose() * search.span.state();
    line.data = eigen_->eigenvectors().transpose() * model_.data.rewards;
    return std::min(line.least_upper(search.guess, sign).bound, without_norm(search, sign));
  }

  std::vector<ImagedVectors> data_spans_;  // by rung: of (M + aI)^-1 y, (M + aI)^-2 y, ...
  std::map<Index, Search> searches_;       // of those that were met
  Index best_ = -1;                        // the one worth most so far
  double least_guess_ = kInfinity, most_guess_ = 0;
  std::optional<Eigen::SelfAdjointEigenSolver<Matrix>> eigen_;
};

}  // namespace

std::unique_ptr<MixtureJudge> mixture_judge(const MixtureModel& model, const Mixture& mixture,
                                            const MatrixIn& candidates, double screen) {
  if (mixture.grid.empty()) return std::make_unique<AllRidgesJudge>(model, candidates, screen);
  return std::make_unique<GridJudge>(model, candidates, screen);
}

}  // namespace ridgerunner
