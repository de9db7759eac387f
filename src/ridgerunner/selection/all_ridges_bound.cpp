#include <algorithm>
#include <cmath>
#include <map>

#include <Eigen/Eigenvalues>

#include "ridgerunner/error.h"
#include "ridgerunner/selection/mixture_bound.h"
#include "ridgerunner/selection/mixture_span.h"

namespace ridgerunner {
namespace {

constexpr double kLoose = 1e-2;       // of a bound, relative to the largest it can be: while many are met
constexpr double kPrecise = 1e-7;     // what is reported
constexpr double kPrecisest = 1e-13;  // where two candidates are closer than that
constexpr double kGuess = 30;         // times from the ridges at hand: farther out the bound may be flat
constexpr double kLearn = 0.1;        // of ln ridge, by which the next elimination's follows those who lose
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void require_number(double bound) {
  if (std::isnan(bound)) throw NumericalError("a mixture's bound is not a number");
}

// All ridges: bounds are enclosed in small spans, whose vectors are solves with the factors at hand.
class AllRidgesBound final : public MixtureBound {
 public:
  AllRidgesBound(const FactoredModel& model, const MatrixIn& candidates, double guess)
      : MixtureBound(model, candidates, guess) {
    const Index rows = model.root.size(), most = std::min(MixtureSpan::kMost, rows);
    data_spans_.assign(model.ridges.size(), ImagedVectors(model.data, most));
    for (const RidgeFactor& at_ridge : model.ridges) {
      least_guess_ = std::min(least_guess_, at_ridge.ridge / kGuess);
      most_guess_ = std::max(most_guess_, at_ridge.ridge * kGuess);
    }
  }

  std::optional<Index> decided(const MatrixIn& cross, const VectorIn& prior) override {
    const double highest = prior.maxCoeff();
    // All upper bounds are 0; less if not even f = 0 is in the set.
    if (model_.data.norm_bound == 0 && at_limit(model_.root.cwiseProduct(cross.col(0)), prior[0], 1))
      return 0;
    for (Index i = 0; i < cross.cols(); ++i) {
      if (prior[i] == highest && at_limit(model_.root.cwiseProduct(cross.col(i)), prior[i], 1)) return i;
    }
    return std::nullopt;
  }

  double update(std::vector<Candidate> candidates, const MatrixIn& solved) override {
    sort(candidates);
    for (;;) {
      auto next = next_batch(candidates, floor_, open_.empty() ? kLeaders : kTogether);
      if (next.empty()) return floor_;
      drop_twins(next);
      begin(next, &solved);
      for (const Candidate& candidate : next) {
        Search& search = searches_.at(candidate.index);
        search.upper.most = candidate.upper;
        enclose_from_above(search, search.upper);
        open_.push_back(candidate.index);
      }
      settle(kLoose);
    }
  }

  Index best() override {
    settle(kPrecisest);
    return open_.front();
  }

  Interval interval(Index candidate) override {
    Search& search = search_for(candidate);
    refine(search, search.upper, kPrecise);
    refine(search, search.lower, kPrecise);
    return {-search.lower.most, search.upper.most};
  }

  std::optional<Interval> known(Index) const override { return std::nullopt; }

  const std::vector<Vector>& solves(Index candidate) const override {
    static const std::vector<Vector> kNone;
    const auto found = searches_.find(candidate);
    return found == searches_.end() ? kNone : found->second.solved;
  }

 private:
  // The largest value of sign f(s) is enclosed.
  struct Enclosure {
    double sign;
    double most = kInfinity, least = -kInfinity;
    Index most_of = -1, least_of = -1;  // the size of the span that they are from
  };

  struct Search {
    Vector k;
    MixtureSpan span;  // with N^1/2 k
    double guess;      // of the best ridge
    std::optional<FactoredModel::Observed> observed;
    std::vector<Index> data_vectors, last;  // by ridge: how many of the data's, the place of the last own one
    std::vector<Vector> solved;             // by ridge: L^-1 k
    Enclosure upper{1}, lower{-1};
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
    if (!searches_.contains(candidate)) begin({{kInfinity, candidate, 0}}, nullptr);
    return searches_.at(candidate);
  }

  // Searches with their first vectors, all in one pass over the elimination's factor. solved: L^-1 k, if
  // known.
  void begin(const std::vector<Candidate>& who, const MatrixIn* solved) {
    if (who.empty()) return;
    std::vector<Index> candidates;
    for (const Candidate& candidate : who) candidates.push_back(candidate.index);
    const Matrix cross = gram(model_.kernel, model_.states, candidates_(Eigen::all, candidates));
    const RidgeFactor& at_ridge = model_.ridges[at_];
    Matrix forward = cross;
    if (solved) {
      for (Index i = 0; i < forward.cols(); ++i)
        forward.col(i) = solved->col(who[static_cast<std::size_t>(i)].column);
    } else {
      at_ridge.factor.solve(forward);
    }
    Matrix x = forward;
    at_ridge.factor.solve_transposed(x);
    x.array().colwise() /= model_.root.array();
    ImagedVectors& data = data_spans_[at_];
    if (data.size() == 0) {
      if (weights_.size() == 0) view();
      const Vector h = weights_.cwiseQuotient(model_.root);
      data.add(h, model_.data.rewards - at_ridge.ridge * h);
    }
    for (Index i = 0; i < cross.cols(); ++i) {
      const Index candidate = candidates[static_cast<std::size_t>(i)];
      const Vector scaled = model_.root.cwiseProduct(cross.col(i));
      Search search{cross.col(i),
                    MixtureSpan(model_.data, scaled, prior_[candidate]),
                    at_ridge.ridge,
                    model_.observed(candidates_.col(candidate)),
                    std::vector<Index>(model_.ridges.size(), 0),
                    std::vector<Index>(model_.ridges.size(), -1),
                    std::vector<Vector>(model_.ridges.size())};
      search.solved[at_] = forward.col(i);
      if (data.size() > 0) search.span.add(data.h().col(0), data.image().col(0));
      search.data_vectors[at_] = 1;
      add_own(search, at_, scaled, x.col(i));
      searches_.emplace(candidate, std::move(search));
    }
  }

  // Equal states tie, and the one with the lowest index is met first.
  void drop_twins(std::vector<Candidate>& batch) const {
    std::vector<Candidate> kept;
    const auto twins = [&](Index a, Index b) { return candidates_.col(a) == candidates_.col(b); };
    for (const Candidate& candidate : batch) {
      const Index i = candidate.index;
      const bool twin =
          std::any_of(kept.begin(), kept.end(), [&](const Candidate& k) { return twins(k.index, i); }) ||
          std::any_of(open_.begin(), open_.end(), [&](Index k) { return twins(k, i); });
      if (!twin) kept.push_back(candidate);
    }
    batch = std::move(kept);
  }

  // h = (M + aI)^-1 from
  bool add_own(Search& search, std::size_t at_ridge, const VectorIn& from, const VectorIn& h) {
    if (search.span.full() || !search.span.add(h, from - model_.ridges[at_ridge].ridge * h)) return false;
    search.last[at_ridge] = search.span.size() - 1;
    return true;
  }

  // By the factor nearest to the best ridge, or by any that has something to add.
  bool extend(Search& search) {
    if (search.span.full()) return false;
    const std::size_t nearest = model_.nearest(search.guess);
    if (extend(search, nearest)) return true;
    for (std::size_t at_ridge = 0; at_ridge < model_.ridges.size(); ++at_ridge)
      if (at_ridge != nearest && extend(search, at_ridge)) return true;
    return false;
  }

  // One more vector of the data's and one of the state's own by the factor at a ridge. False if there are
  // none.
  bool extend(Search& search, std::size_t at_ridge) {
    ImagedVectors& data = data_spans_[at_ridge];
    const GrowingCholesky& factor = model_.ridges[at_ridge].factor;
    const Index n = search.data_vectors[at_ridge]++, last = search.last[at_ridge];
    const bool fresh = n == data.size() && n < data.most();  // nobody has asked for this one before
    const Vector own = last < 0 ? search.span.state() : Vector(search.span.vector(last));
    const Vector from = n == 0 || !fresh ? model_.data.rewards : Vector(data.h().col(n - 1));
    Matrix x(own.size(), fresh ? 2 : 1);
    x.col(0) = last < 0 ? search.k : Vector(own.cwiseQuotient(model_.root));
    if (fresh) x.col(1) = from.cwiseQuotient(model_.root);
    factor.solve(x);
    if (last < 0) search.solved[at_ridge] = x.col(0);
    factor.solve_transposed(x);
    x.array().colwise() /= model_.root.array();
    if (fresh) data.add(x.col(1), from - model_.ridges[at_ridge].ridge * x.col(1));
    bool added = false;
    if (n < data.size() && !search.span.full()) added = search.span.add(data.h().col(n), data.image().col(n));
    return add_own(search, at_ridge, own, x.col(0)) || added;
  }

  void enclose_from_above(Search& search, Enclosure& bound) {
    if (bound.most_of == search.span.size()) return;
    bound.most_of = search.span.size();
    if (at_limit(search.span.state(), search.span.prior(), bound.sign)) {
      bound.most = bound.least = limit(search);
      bound.least_of = search.span.size();
      return;
    }
    const MixtureLine::Value above = search.span.from_above().least_upper(search.guess, bound.sign);
    search.guess = std::clamp(above.ridge, least_guess_, most_guess_);
    bound.most = std::min({bound.most, above.bound, without_norm(search, bound.sign)});
    require_number(above.bound);
  }

  void enclose_from_below(Search& search, Enclosure& bound) {
    if (bound.least_of == search.span.size()) return;
    bound.least_of = search.span.size();
    const double below = search.span.from_below().least_upper(search.guess, bound.sign).bound;
    bound.least = std::min(std::max(bound.least, below), bound.most);
  }

  // Both ends nearer to each other.
  void refine(Search& search, Enclosure& bound) {
    if (bound.most_of == search.span.size() && bound.least_of == search.span.size()) {
      if (!extend(search)) {
        bound.most = bound.least = least_upper_by_eigenvectors(search, bound.sign);
        require_number(bound.most);
        return;
      }
    }
    enclose_from_above(search, bound);
    enclose_from_below(search, bound);
  }

  void refine(Search& search, Enclosure& bound, double precise) {
    while (bound.most - bound.least > precise * limit(search)) refine(search, bound);
  }

  // Until it is clear whose bound is the largest so far, or the most promising one is known to a part
  // `precise` of its limit.
  void settle(double precise) {
    const auto upper = [&](Index i) -> Enclosure& { return searches_.at(i).upper; };
    // Each step adds a vector to somebody's span, or the span is full and the bound is computed in full.
    const std::size_t most_steps = open_.size() * (MixtureSpan::kMost + 2);
    for (std::size_t steps = 0; steps <= most_steps; ++steps) {
      std::sort(open_.begin(), open_.end(), [&](Index a, Index b) {
        return upper(a).most > upper(b).most || (upper(a).most == upper(b).most && a < b);
      });
      Search& leader = searches_.at(open_.front());
      enclose_from_below(leader, leader.upper);
      floor_ = std::max(floor_, leader.upper.least);
      follow_losers();
      // The leader stays, also where no function is in the set and its own bounds cross.
      open_.erase(
          std::remove_if(open_.begin() + 1, open_.end(), [&](Index i) { return upper(i).most < floor_; }),
          open_.end());
      if (open_.size() == 1 && precise < kLoose) return;
      // Relative to the limit, which may be 0.
      const auto width = [&](Index i) {
        const double gap = upper(i).most - upper(i).least;
        return gap > 0 ? gap / limit(searches_.at(i)) : 0;
      };
      Index widest = open_.front();
      if (precise < kLoose && width(open_[1]) > width(widest)) widest = open_[1];
      if (width(widest) <= precise) {
        if (precise < kLoose) std::sort(open_.begin(), open_.end());  // a tie
        return;
      }
      refine(searches_.at(widest), upper(widest));
    }
    throw NumericalError("the bounds of a mixture do not settle");
  }

  // A ridge eliminates best where those who lose are lowest.
  void follow_losers() {
    for (const Index i : open_) {
      const Search& search = searches_.at(i);
      if (search.upper.most < floor_) next_ *= std::pow(search.guess / next_, kLearn);
    }
  }

  // As the ridge goes to 0, the norm does not matter. At a state with n rewards all others can be met, so
  // that n (f(s) - ȳ)^2 <= R_t^2 - within is all that is left.
  double without_norm(const Search& search, double sign) const {
    if (!search.observed) return kInfinity;
    const double left = model_.data.radius_squared - search.observed->within;
    return sign * search.observed->average + std::sqrt(std::max(left, 0.0) / search.observed->count);
  }

  // The textbook way, O(rows^3): the last resort.
  double least_upper_by_eigenvectors(const Search& search, double sign) {
    if (!eigen_) {
      const Matrix k = gram(model_.kernel, model_.states, model_.states);
      eigen_.emplace(model_.root.asDiagonal() * k * model_.root.asDiagonal());
    }
    MixtureLine line = search.span.from_above();
    line.eigenvalues = eigen_->eigenvalues().cwiseMax(0.0);
    line.state = eigen_->eigenvectors().transpose() * search.span.state();
    line.data = eigen_->eigenvectors().transpose() * model_.data.rewards;
    return std::min(line.least_upper(search.guess, sign).bound, without_norm(search, sign));
  }

  std::vector<ImagedVectors> data_spans_;  // by ridge: of (M + aI)^-1 y, (M + aI)^-2 y, ...
  std::map<Index, Search> searches_;       // of those that were met
  std::vector<Index> open_;                // those of them that may be best
  double floor_ = -kInfinity;              // the largest bound is at least this
  double least_guess_ = kInfinity, most_guess_ = 0;
  std::optional<Eigen::SelfAdjointEigenSolver<Matrix>> eigen_;
};

}  // namespace

std::unique_ptr<MixtureBound> all_ridges_bound(const FactoredModel& model, const MatrixIn& candidates,
                                               double guess) {
  return std::make_unique<AllRidgesBound>(model, candidates, guess);
}

}  // namespace ridgerunner
