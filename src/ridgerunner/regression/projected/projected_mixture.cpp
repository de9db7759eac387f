// Mixtures on a projected model: its bounds at every ridge, and the candidate with the largest one.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/Eigenvalues>

#include "ridgerunner/regression/mixture_line.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner {
namespace {

constexpr double kGuess = 3;           // multiple of the model's ridge where searches begin
constexpr double kLeastRidge = 1e-10;  // of the data's matrix
constexpr double kSameRidge = 1e-12;
constexpr double kSlack = 1e-9;  // of a bound: more than rounding can take from it
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A state in the coordinates of EveryRidge.
struct Turned {
  Vector features;
  double residual = 0, prior = 0;
};

void falling_order(const Vector& values, std::vector<Index>& order) {
  order.resize(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return std::pair(-values[a], a) < std::pair(-values[b], b); });
}

}  // namespace

// With Σ z z^T = Q T Q^T, T tridiagonal, c = Q^T z and d = Q^T b, everything a bound at ridge a needs is a
// sum over the rows of the factor of T + aI: O(m) for each a. T takes a fifth of the time of eigenvectors.
class ProjectedRegression::EveryRidge {
 public:
  EveryRidge(const ProjectedRegression& model, const Mixture& mixture)
      : model_(model), mixture_(mixture), offset_(mixture.radius_squared - model.model_.sum_of_squares) {
    require_usable(mixture);
    const GrowingCholesky& precision = model.model_.precision;
    const Index m = precision.size();
    if (m == 0) return;
    Matrix factor = Matrix::Zero(m, m), gram = Matrix::Zero(m, m);
    for (Index i = 0; i < m; ++i) factor.row(i).head(i + 1) = precision.row(i);
    gram.selfadjointView<Eigen::Lower>().rankUpdate(factor);
    gram.diagonal().array() -= model.ridge_;
    turn_.compute(gram);
    diagonal_ = turn_.diagonal();
    beside_ = turn_.subDiagonal();
    data_ = turned(model.model_.moment.view());
  }

  Turned state(const VectorIn& point, double prior) const {
    Vector z(diagonal_.size());
    double mean = 0, residual = 0;
    Index clamped = 0;
    model_.project(point, Vector::Constant(1, prior), z, Eigen::Map<Vector>(&mean, 1),
                   Eigen::Map<Vector>(&residual, 1), clamped);
    return {turned(z), residual, prior};
  }

  Turned arm(Index i) const {
    const ProjectedPoints& points = model_.model_.points;
    Vector z(diagonal_.size());
    points.features.gather(i, z);
    return {turned(z), points.residual[i], points.prior[i]};
  }

  // T(a) of mixture.h.
  double slack(double ridge) const { return slack(ridge, sums(Vector::Zero(data_.size()), ridge).moment); }

  // Bounds at the model's own ridge and a little more, from predictions there. Infinite if it is not on the
  // grid: then they say nothing of the others.
  Vector optimistic(const Prediction& own) const {
    const double ridge = model_.ridge_;
    const auto is_it = [&](double a) { return std::abs(a - ridge) <= kSameRidge * ridge; };
    if (!mixture_.grid.empty() && std::none_of(mixture_.grid.begin(), mixture_.grid.end(), is_it))
      return Vector::Constant(own.mean.size(), kInfinity);
    const Vector width = std::sqrt(std::max(slack(ridge), 0.0)) * own.sd;
    return own.mean + width + kSlack * (own.mean.cwiseAbs() + width);
  }

  // Of sign f.
  double upper(const Turned& at, double ridge, double sign) const {
    const Sums all = sums(at.features, ridge);
    const double variance = at.residual / ridge + all.spread;
    return sign * all.mean + std::sqrt(std::max(slack(ridge, all.moment), 0.0) * variance);
  }

  MixtureLine::Value least_upper(const Turned& at, double sign) const {
    if (mixture_.grid.empty()) {
      const double limit = mixture_.norm_bound * std::sqrt(at.prior);
      if (limit_is_possible(at, sign)) return {kInfinity, limit};
      return least_over_ridges([&](double ridge) { return upper(at, ridge, sign); }, kGuess * model_.ridge_,
                               least_ridge(), limit);
    }
    MixtureLine::Value least{0, kInfinity};
    for (const double ridge : mixture_.grid)
      if (const double bound = upper(at, ridge, sign); bound < least.bound) least = {ridge, bound};
    return least;
  }

  Interval interval(const Turned& at) const { return {-least_upper(at, -1).bound, least_upper(at, 1).bound}; }

 private:
  struct Sums {
    double mean = 0, spread = 0, moment = 0;  // c^T (T + aI)^-1 d, c^T (T + aI)^-1 c, d^T (T + aI)^-1 d
  };

  // One column at a time, so that a state's numbers hang on no other state.
  Vector turned(const VectorIn& z) const {
    return z.size() > 0 ? Vector(turn_.matrixQ().transpose() * z) : Vector();
  }

  Sums sums(const Vector& c, double ridge) const {
    Sums out;
    double inverse = 0, x = 0, y = 0;  // of the row before: 1/pivot, and what is left of c and d
    for (Index i = 0; i < c.size(); ++i) {
      const double before = i > 0 ? beside_[i - 1] : 0, factor = before * inverse;
      inverse = 1 / std::max(diagonal_[i] + ridge - factor * before, ridge);  // less is rounding
      x = c[i] - factor * x;
      y = data_[i] - factor * y;
      out.mean += x * y * inverse;
      out.spread += x * x * inverse;
      out.moment += y * y * inverse;
    }
    return out;
  }

  double slack(double ridge, double moment) const {
    return offset_ + ridge * mixture_.norm_bound * mixture_.norm_bound + moment;
  }

  // Below, T and residuals are not known well enough.
  double least_ridge() const { return diagonal_.size() > 0 ? kLeastRidge * diagonal_.maxCoeff() : 0; }

  // Whether sign B φ(s)/|φ(s)|, the function with |f| <= B that is highest or lowest at s, is in the set.
  bool limit_is_possible(const Turned& at, double sign) const {
    if (!(at.prior > 0)) return true;
    const Vector& c = at.features;
    const double scale = sign * mixture_.norm_bound / std::sqrt(at.prior);
    double squares = c.cwiseAbs2().dot(diagonal_);  // c^T T c
    for (Index i = 1; i < c.size(); ++i) squares += 2 * beside_[i - 1] * c[i - 1] * c[i];
    return scale * scale * squares - 2 * scale * c.dot(data_) <= offset_;
  }

  const ProjectedRegression& model_;
  const Mixture& mixture_;
  double offset_;
  Eigen::Tridiagonalization<Matrix> turn_;
  Vector diagonal_, beside_, data_;
};

Band ProjectedRegression::band(const MatrixIn& states, const Mixture& mixture, Workspace&) const {
  check_shape(states);
  const Vector prior = diagonal(*kernel_, states);
  require_priors(prior);
  Band band{Vector(states.cols()), Vector(states.cols())};
  if (model_.rounds == 0) {
    band.upper = mixture.norm_bound * prior.cwiseSqrt();
    band.lower = -band.upper;
    return band;
  }
  const EveryRidge ridges(*this, mixture);
  for (Index i = 0; i < states.cols(); ++i) {
    const Interval at = ridges.interval(ridges.state(states.col(i), prior[i]));
    band.lower[i] = at.lower;
    band.upper[i] = at.upper;
  }
  return band;
}

// Candidates in falling order of their bound at the model's own ridge, which is at least their least one,
// until nobody can win any more.
MixturePick ProjectedRegression::best(const MatrixIn& states, const Mixture& mixture, bool with_band,
                                      Workspace& workspace) const {
  check_shape(states);
  const Index m = model_.basis.size();
  const bool arms = are_arms(states);
  Prediction& own = workspace.prediction;
  if (arms) {
    own = arm_prediction();
  } else {
    predict(states, own, workspace);
  }
  if (model_.rounds == 0) {
    Index first = 0;
    const double most = (mixture.norm_bound * own.prior.cwiseSqrt()).maxCoeff(&first);
    return {{first, own.mean[first], own.sd[first], own.clamped, 0, false}, Interval{-most, most}};
  }
  const EveryRidge ridges(*this, mixture);
  const auto state = [&](Index i) {
    return arms ? ridges.arm(i) : ridges.state(states.col(i), own.prior[i]);
  };
  const Vector optimistic = ridges.optimistic(own);
  falling_order(optimistic, workspace.columns);
  MixturePick pick;
  BestUpper& best = pick.best;
  double highest = -kInfinity, promising = ridge_;
  for (const Index i : workspace.columns) {
    if (optimistic[i] < highest) break;  // so are all after it
    const Turned at = state(i);
    best.multiply_adds += (arms ? 4 : 5) * m * m / 2;
    if (mixture.grid.empty() && ridges.upper(at, promising, 1) < highest) continue;
    const MixtureLine::Value least = ridges.least_upper(at, 1);
    if (std::isfinite(least.ridge)) promising = least.ridge;
    if (least.bound < highest || (least.bound == highest && i > best.index)) continue;
    highest = least.bound;
    best.index = i;
  }
  best.mean = own.mean[best.index];
  best.sd = own.sd[best.index];
  best.clamped = own.clamped;
  best.multiply_adds += arms ? 0 : states.cols() * m * m;
  if (with_band) pick.at = ridges.interval(state(best.index));
  return pick;
}

// Called every round, so in O(m^2): T(a) = R_t^2 - y^T y + a B^2 + h^T M^-1 h with h = L_V^-1 b and
// M = I + (a - λ) L_V^-1 L_V^-T, by conjugate gradients, which approach h^T M^-1 h from below; what is
// missing is at most the squared residual, since M >= I. They stop when the sign is certain.
double ProjectedRegression::slack_by_sign(const Mixture& mixture, double ridge) const {
  constexpr int kMostSteps = 60;
  const double norm = mixture.norm_bound;
  const double base = mixture.radius_squared - model_.sum_of_squares + ridge * norm * norm;
  Vector h = model_.moment.view();
  model_.precision.solve(h);
  Vector x = Vector::Zero(h.size()), left = h, direction = h, image;
  double from_below = base, missing = left.squaredNorm();
  for (int step = 0; step < kMostSteps && from_below <= 0 && from_below + missing >= 0 && missing > 0;
       ++step) {
    image = direction;
    model_.precision.solve_transposed(image);
    model_.precision.solve(image);
    image = direction + (ridge - ridge_) * image;
    const double length = missing / direction.dot(image);
    x += length * direction;
    left -= length * image;
    const double before = missing;
    missing = left.squaredNorm();
    direction = left + missing / before * direction;
    from_below = base + h.dot(x);
  }
  return from_below > 0 ? from_below : from_below + missing;
}

double ProjectedRegression::least_slack(const Mixture& mixture) const {
  double least = kInfinity;
  for (const double multiple : {1, 3, 10}) least = std::min(least, slack_by_sign(mixture, multiple * ridge_));
  return least;
}

}  // namespace ridgerunner
