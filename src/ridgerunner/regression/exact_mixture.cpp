#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>

#include "ridgerunner/error.h"
#include "ridgerunner/linalg/lane_sums.h"
#include "ridgerunner/regression/exact.h"
#include "ridgerunner/regression/mixture_span.h"

// Mixtures on the exact model (mixture.h). A grid takes a solve at each of its ridges. All ridges: the bound
// is enclosed in a small span (mixture_span.h), whose vectors are solves with the factors at hand. Choosing
// is a race at one ridge, which bounds everybody's worth from above, so that few need to be judged.

namespace ridgerunner {
namespace {

constexpr double kScreen = 3;         // multiple of the model's ridge where the race is run at first
constexpr int kLeaders = 4;           // of the race: looked at from every ridge
constexpr double kPrecise = 1e-9;     // of a bound, relative to the largest it can be
constexpr double kPrecisest = 1e-13;  // where two candidates are closer than that
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double sqrt_or_zero(double x) {
  return std::sqrt(std::max(x, 0.0));
}

}  // namespace

class ExactRegression::MixtureJudge final : public Judge {
 public:
  MixtureJudge(const ExactRegression& model, const MatrixIn& states, const Mixture& mixture,
               Workspace& workspace)
      : model_(model), states_(states), mixture_(mixture), root_(model.counts_.view().cwiseSqrt()) {
    data_ = {root_.cwiseProduct(model.rewards_.view()), model.row_within_, mixture.radius_squared,
             mixture.norm_bound};
    add_rung(model.view(workspace), model.forward_.view());
    for (const Rung& rung : model.further_) add_rung(model.view(rung), rung.forward.view());
    if (rungs_.empty()) throw InvalidArgument("none of the model's ridges is on the mixture's grid");
    screen_ = nearest(kScreen * model.ridge_);
  }

  // The race's ridge, and radius there.
  const ExactView& screen() const { return rungs_[screen_].view; }
  double screen_radius() const { return sqrt_or_zero(rungs_[screen_].slack); }
  void change_screen() {
    screen_ = preferred();
    settled_ = true;
  }

  std::optional<Index> decided(const MatrixIn& cross, const VectorIn& prior) override {
    if (!all_ridges()) return std::nullopt;
    const double highest = prior.maxCoeff();
    for (Index i = 0; i < cross.cols(); ++i) {
      if (prior[i] == highest && at_limit(root_.cwiseProduct(cross.col(i)), prior[i], 1)) return i;
    }
    return std::nullopt;
  }

  double worth(Index candidate, double upper, double highest) override {
    for (const Judged& known : judged_) {
      if (known.candidate == candidate) return known.worth;
    }
    Point point = look_at(candidate);
    double least = upper;
    const bool leads = !settled_ && std::ssize(leaders_) < kLeaders;
    if (leads || !all_ridges()) {
      Vector uppers(std::ssize(rungs_));
      for (std::size_t j = 0; j < rungs_.size(); ++j) {
        const double at = j == screen_ ? upper : interval_at(rungs_[j], point).upper;
        uppers[static_cast<Index>(j)] = at;
        least = std::min(least, at);
        if (!leads && least < highest) return least;
      }
      if (leads) leaders_.push_back({candidate, uppers});
    }
    double worth = least;
    if (all_ridges() && !(least < highest)) worth = search_worth(candidate, std::move(point), highest);
    if (!(worth < highest)) judged_.push_back({candidate, worth});
    return worth;
  }

  bool stops() const override {
    return !settled_ && std::ssize(leaders_) == kLeaders && preferred() != screen_;
  }

  Interval interval(Index candidate) {
    Point point = look_at(candidate);
    if (all_ridges()) {
      if (!best_ || best_->candidate != candidate) best_.emplace(*this, candidate, std::move(point));
      const double upper = best_->least_upper(1, -kInfinity, kPrecise);
      return {-best_->least_upper(-1, -kInfinity, kPrecise), upper};
    }
    Interval all{-kInfinity, kInfinity};
    for (const Step& rung : rungs_) {
      const Interval at = interval_at(rung, point);
      all = {std::max(all.lower, at.lower), std::min(all.upper, at.upper)};
    }
    return all;
  }

 private:
  struct Step {
    ExactView view;
    double slack;             // T at its ridge
    ImagedVectors data_span;  // of (M + aI)^-1 y, (M + aI)^-2 y, ...: as many as were asked for
  };
  struct Point {
    Vector kernel;  // k(rows, s)
    double prior;
  };
  struct Judged {
    Index candidate;
    double worth;
  };
  struct Leader {
    Index candidate;
    Vector uppers;  // by rung
  };

  // The search for a candidate's bound over all ridges, as far as it has got.
  class Search {
   public:
    Search(MixtureJudge& judge, Index who, Point point)
        : candidate(who),
          judge_(&judge),
          span_(judge.data_, judge.root_.cwiseProduct(point.kernel), point.prior),
          limit_(judge.mixture_.norm_bound * std::sqrt(point.prior)),
          data_vectors_(judge.rungs_.size(), 0),
          last_vector_(judge.rungs_.size(), -1) {}

    Index candidate;
    double limit() const { return limit_; }

    // The bound of sign f, to a part `precise` of the limit, or any number below `highest` if it is less.
    double least_upper(double sign, double highest, double precise) {
      if (judge_->at_limit(span_.state(), span_.prior(), sign)) return limit_;
      double guess = guess_ > 0 ? guess_ : judge_->screen().ridge, before = kInfinity;
      for (;;) {
        if (span_.size() > 0) {
          const MixtureLine::Value above = span_.from_above().least_upper(guess, sign);
          if (std::isfinite(above.ridge)) guess = guess_ = above.ridge;
          if (above.bound < highest || exhausted_) return above.bound;
          // The next step gains less than this one did.
          if (before - above.bound < kWorthEnclosing * limit_ || span_.full()) {
            const double below = span_.from_below().least_upper(guess, sign).bound;
            if (above.bound - below <= precise * limit_) return above.bound;
          }
          before = above.bound;
          if (span_.full()) break;
        }
        exhausted_ = !extend(judge_->nearest(guess));
      }
      return judge_->least_upper_by_eigenvectors(span_.state(), span_.prior(), sign);
    }

   private:
    static constexpr double kWorthEnclosing = 1e-3;

    // Further vectors by the factor of a rung: one of the data's, one of the state's. False if there are
    // none.
    bool extend(std::size_t rung) {
      bool added = judge_->add_data_vector(rung, data_vectors_[rung]++, span_);
      if (span_.full()) return added;
      const Index last = last_vector_[rung];
      const Vector from = last < 0 ? span_.state() : Vector(span_.vector(last));
      Vector next = judge_->solve(rung, from);
      Vector image = from - judge_->rungs_[rung].view.ridge * next;
      if (!span_.add(std::move(next), std::move(image))) return added;
      last_vector_[rung] = span_.size() - 1;
      return true;
    }

    MixtureJudge* judge_;
    MixtureSpan span_;
    double limit_;
    double guess_ = 0;
    bool exhausted_ = false;  // the span holds all there is to know
    std::vector<Index> data_vectors_, last_vector_;
  };

  bool all_ridges() const { return mixture_.grid.empty(); }

  void add_rung(const ExactView& view, const VectorIn& forward) {
    const auto is_it = [&](double ridge) { return std::abs(ridge - view.ridge) <= 1e-12 * view.ridge; };
    if (!all_ridges() && std::none_of(mixture_.grid.begin(), mixture_.grid.end(), is_it)) return;
    const double form = forward.squaredNorm() + model_.row_within_ / view.ridge;  // q
    const double norm = mixture_.norm_bound;
    rungs_.push_back({view, mixture_.radius_squared + view.ridge * (norm * norm - form),
                      ImagedVectors(root_.size(), std::min(MixtureSpan::kMost, root_.size()))});
  }

  std::size_t nearest(double ridge) const {
    const auto distance = [&](const Step& rung) { return std::abs(std::log(rung.view.ridge / ridge)); };
    const auto found = std::min_element(rungs_.begin(), rungs_.end(), [&](const Step& a, const Step& b) {
      return distance(a) < distance(b);
    });
    return static_cast<std::size_t>(found - rungs_.begin());
  }

  // The ridge at which the leaders that do not win are lowest.
  std::size_t preferred() const {
    if (leaders_.size() < 2) return screen_;
    const auto winner = std::max_element(
        leaders_.begin(), leaders_.end(),
        [](const Leader& a, const Leader& b) { return a.uppers.minCoeff() < b.uppers.minCoeff(); });
    Vector highest = Vector::Constant(std::ssize(rungs_), -kInfinity);
    for (const Leader& leader : leaders_)
      if (leader.candidate != winner->candidate) highest = highest.cwiseMax(leader.uppers);
    Index best = 0;
    highest.minCoeff(&best);
    return static_cast<std::size_t>(best);
  }

  Point look_at(Index candidate) const {
    Point point{Vector(model_.states_.size()), 0};
    model_.kernel_->gram(model_.states_.view(), states_.col(candidate), point.kernel);
    model_.kernel_->diagonal(states_.col(candidate), Eigen::Map<Vector>(&point.prior, 1));
    return point;
  }

  static Interval interval_at(const Step& rung, const Point& point) {
    double mean = 0, explained = 0;
    column_dots(point.kernel, rung.view.weights, Eigen::Map<Vector>(&mean, 1));
    Vector solved = point.kernel;
    rung.view.factor.solve(solved);
    column_squares(solved, Eigen::Map<Vector>(&explained, 1));
    check_variance(point.prior, explained);
    const double width = sqrt_or_zero(rung.slack) * scaled_sd(point.prior, explained, rung.view.ridge);
    return {mean - width, mean + width};
  }

  // What the candidate is worth beside the best one so far, who is worth `highest`.
  double search_worth(Index candidate, Point point, double highest) {
    Search search(*this, candidate, std::move(point));
    double worth = search.least_upper(1, highest, kPrecise);
    if (worth < highest) return worth;
    if (best_ && worth - highest <= 2 * kPrecise * search.limit()) {
      const double mine = search.least_upper(1, -kInfinity, kPrecisest);
      worth = highest + (mine - best_->least_upper(1, -kInfinity, kPrecisest));
      if (worth < highest || (worth == highest && candidate > best_->candidate)) return worth;
    }
    best_.emplace(std::move(search));
    return worth;
  }

  // Whether sign B φ(s)/|φ(s)|, the function with |f| <= B that is highest or lowest at s, is in the set.
  bool at_limit(const VectorIn& scaled, double prior, double sign) const {
    if (!(prior > 0)) return true;
    const double factor = sign * mixture_.norm_bound / std::sqrt(prior);
    return (factor * scaled - data_.rewards).squaredNorm() + data_.within <= data_.radius_squared;
  }

  // (M + aI)^-1 x = N^-1/2 (K + aN^-1)^-1 N^-1/2 x
  Vector solve(std::size_t rung, const VectorIn& x) const {
    Vector solution = x.cwiseQuotient(root_);
    rungs_[rung].view.factor.solve(solution);
    rungs_[rung].view.factor.solve_transposed(solution);
    return solution.cwiseQuotient(root_);
  }

  // The n-th vector of a rung's span of data joins another span. False if that adds nothing.
  bool add_data_vector(std::size_t rung, Index n, MixtureSpan& span) {
    ImagedVectors& known = rungs_[rung].data_span;
    if (n > known.size() || (n == known.size() && n == known.most())) return false;
    if (n == known.size()) {
      const double ridge = rungs_[rung].view.ridge;
      const Vector from = n == 0 ? data_.rewards : Vector(known.h().col(n - 1));
      Vector next = n == 0 ? Vector(rungs_[rung].view.weights.cwiseQuotient(root_)) : solve(rung, from);
      Vector image = from - ridge * next;
      if (!known.add(std::move(next), std::move(image))) return false;
    }
    return span.add(known.h().col(n), known.image().col(n));
  }

  // The textbook way, O(rows^3): the last resort.
  double least_upper_by_eigenvectors(const VectorIn& scaled, double prior, double sign) {
    if (!eigen_) {
      const Matrix kernel = gram(*model_.kernel_, model_.states_.view(), model_.states_.view());
      eigen_.emplace(root_.asDiagonal() * kernel * root_.asDiagonal());
    }
    MixtureLine line;
    line.eigenvalues = eigen_->eigenvalues().cwiseMax(0.0);
    line.state = eigen_->eigenvectors().transpose() * scaled;
    line.data = eigen_->eigenvectors().transpose() * data_.rewards;
    line.rest = prior;
    line.offset = data_.radius_squared - data_.within;
    line.norm_bound = data_.norm_bound;
    line.limit = data_.norm_bound * std::sqrt(prior);
    return line.least_upper(screen().ridge, sign).bound;
  }

  const ExactRegression& model_;
  MatrixIn states_;
  const Mixture& mixture_;
  Vector root_;  // N^1/2
  MixtureData data_;
  std::vector<Step> rungs_;
  std::size_t screen_ = 0;
  bool settled_ = false;  // the race's ridge is chosen
  std::vector<Leader> leaders_;
  std::vector<Judged> judged_;
  std::optional<Search> best_;  // all ridges: of the one worth most so far
  std::optional<Eigen::SelfAdjointEigenSolver<Matrix>> eigen_;
};

Band ExactRegression::band(const MatrixIn& states, const Mixture& mixture, Workspace& workspace) const {
  check_shape(states);
  Band band{Vector(states.cols()), Vector(states.cols())};
  if (factor_.size() == 0) {
    band.upper = mixture.norm_bound * diagonal(*kernel_, states).cwiseSqrt();
    band.lower = -band.upper;
    return band;
  }
  MixtureJudge judge(*this, states, mixture, workspace);
  for (Index i = 0; i < states.cols(); ++i) {
    const Interval at = judge.interval(i);
    band.lower[i] = at.lower;
    band.upper[i] = at.upper;
  }
  return band;
}

MixturePick ExactRegression::best(const MatrixIn& states, const Mixture& mixture,
                                  Workspace& workspace) const {
  check_shape(states);
  MixturePick pick;
  if (factor_.size() == 0) {
    const Band all = band(states, mixture, workspace);
    all.upper.maxCoeff(&pick.best.index);
    pick.at = {all.lower[pick.best.index], all.upper[pick.best.index]};
  } else {
    MixtureJudge judge(*this, states, mixture, workspace);
    auto found = most_worth_by_elimination(judge.screen(), states, judge.screen_radius(), judge, workspace);
    if (!found) {
      judge.change_screen();
      found = most_worth_by_elimination(judge.screen(), states, judge.screen_radius(), judge, workspace);
    }
    pick.best = *found;
    pick.at = judge.interval(found->index);
  }
  Prediction& own = workspace.prediction;
  predict(states.col(pick.best.index), own, workspace);
  pick.best.mean = own.mean[0];
  pick.best.sd = own.sd[0];
  pick.best.clamped = own.clamped;
  return pick;
}

double ExactRegression::least_slack(const Mixture& mixture) const {
  double least = kInfinity;
  const auto consider = [&](double ridge, const VectorIn& forward) {
    const double form = forward.squaredNorm() + row_within_ / ridge;
    const double norm = mixture.norm_bound;
    least = std::min(least, mixture.radius_squared + ridge * (norm * norm - form));
  };
  consider(ridge_, forward_.view());
  for (const Rung& rung : further_) consider(rung.ridge, rung.forward.view());
  return least;
}

}  // namespace ridgerunner
