#include "ridgerunner/regression/elimination.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

constexpr Index kNeighbours = 8;
static int env(const char* n, int d) {
  const char* v = std::getenv(n);
  return v ? std::atoi(v) : d;
}
static const Index kLeaders = env("LEAD", 2);
static const Index kLeaders2 = env("LEAD2", 2);
static const Index kAllN = env("ALLN", 0);
static const Index kPrefixPart = env("PART", 4);  // this part of the rows is solved for everybody
constexpr Index kWorthNeighbours = 300;  // below, a small system costs as much as the rows it may save
constexpr double kSlack = 1e-12;         // of k(s, s): more than rounding can take from a variance

using Neighbours = std::array<Index, kNeighbours>;

// The largest kernel values, falling. Whole lines are skipped while nothing in them is larger than the least.
template <class Column>
Neighbours nearest(const Column& k, std::array<double, kNeighbours>& value) {
  constexpr Index kLine = 16;
  Neighbours found{};
  value.fill(-std::numeric_limits<double>::infinity());
  const auto insert = [&](Index u) {
    Index at = kNeighbours - 1;
    for (; at > 0 && value[at - 1] < k[u]; --at) {
      value[at] = value[at - 1];
      found[at] = found[at - 1];
    }
    value[at] = k[u];
    found[at] = u;
  };
  const Index whole = k.size() / kLine * kLine;
  for (Index line = 0; line < whole; line += kLine) {
    if (k.template segment<kLine>(line).maxCoeff() <= value.back()) continue;
    for (Index u = line; u < line + kLine; ++u) {
      if (k[u] > value.back()) insert(u);
    }
  }
  for (Index u = whole; u < k.size(); ++u) {
    if (k[u] > value.back()) insert(u);
  }
  return found;
}

class Race {
 public:
  Race(const ExactView& model, const MatrixIn& states, double radius, Workspace& workspace)
      : model_(model),
        radius_(radius),
        workspace_(workspace),
        mean_(workspace.prediction.mean),
        prior_(workspace.prediction.prior),
        explained_(workspace.explained),
        columns_(workspace.columns),
        cross_(workspace.cross.get(model.states.cols(), states.cols())) {
    const Index n = states.cols();
    model_.kernel.gram(model_.states, states, cross_);
    mean_.resize(n);
    mean_.noalias() = cross_.transpose() * model_.weights;
    prior_.resize(n);
    model_.kernel.diagonal(states, prior_);
    explained_.setZero(n);
    columns_.resize(n);
    for (Index i = 0; i < n; ++i) columns_[i] = i;
  }

  BestUpper run() {
    const Index panels = model_.factor.panels();
    const Index prefix = std::max<Index>(1, panels / kPrefixPart);
    if (prefix < panels) {
      solve_prefix(prefix);
      if (kAllN && model_.states.cols() >= kWorthNeighbours) {
        for (const Index i : columns_) raise(i, explained_by_neighbours(cross_.col(i)));
        finish_leaders(prefix, kLeaders);
        drop();
      } else {
        for (const Index i : columns_) raise(i, explained_by_nearest(cross_.col(i)));
        finish_leaders(prefix, kLeaders);
        drop();
        if (model_.states.cols() >= kWorthNeighbours && !columns_.empty()) {
          for (const Index i : columns_) raise(i, explained_by_neighbours(cross_.col(i)));
          drop();
          if (kLeaders2) {
            finish_leaders(prefix, kLeaders2);
            drop();
          }
        }
      }
      gather(prefix);
    }
    for (Index panel = prefix < panels ? prefix : 0; panel < panels && !columns_.empty(); ++panel) {
      step(panel);
    }
    for (Index c = 0; c < std::ssize(columns_); ++c) consider(columns_[c], cross_.col(c).squaredNorm());
    return best_;
  }

 private:
  double upper(Index i, double explained, double slack) const {
    const double left = prior_[i] * (1 + slack) - explained;
    return mean_[i] + radius_ * std::sqrt(std::max(left, 0.0) / model_.ridge);
  }

  void count(Index panel, Index columns) {
    const Index rows = model_.factor.panel_rows(panel);
    best_.multiply_adds += columns * rows * (model_.factor.panel_begin(panel) + rows / 2);
  }

  // The first rows of L^-1 k for everybody, beside k, which the neighbours still need.
  void solve_prefix(Index prefix) {
    const Index rows = model_.factor.panel_begin(prefix);
    auto w = workspace_.prefix.get(rows, cross_.cols());
    w = cross_.topRows(rows);
    for (Index panel = 0; panel < prefix; ++panel) {
      model_.factor.solve_panel(panel, w);
      count(panel, w.cols());
    }
    explained_ = w.colwise().squaredNorm();
  }

  void finish_leaders(Index prefix, Index most) {
    auto& order = columns_;
    const Index leaders = std::min<Index>(most, std::ssize(order)), rows = model_.factor.panel_begin(prefix);
    std::partial_sort(order.begin(), order.begin() + leaders, order.end(), [&](Index a, Index b) {
      return std::pair(-upper(a, explained_[a], 0), a) < std::pair(-upper(b, explained_[b], 0), b);
    });
    if (leaders == 0) return;
    auto w = workspace_.leaders.get(cross_.rows(), leaders);
    const auto solved = workspace_.prefix.get(rows, cross_.cols());
    for (Index c = 0; c < leaders; ++c) {
      w.col(c) = cross_.col(order[c]);
      w.col(c).head(rows) = solved.col(order[c]);
    }
    for (Index panel = prefix; panel < model_.factor.panels(); ++panel) {
      model_.factor.solve_panel(panel, w);
      count(panel, leaders);
    }
    for (Index c = 0; c < leaders; ++c) consider(order[c], w.col(c).squaredNorm());
    order.erase(order.begin(), order.begin() + leaders);
    std::sort(order.begin(), order.end());
  }

  void raise(Index i, double explained) { explained_[i] = std::max(explained_[i], explained); }

  // What the one point most like the candidate explains.
  template <class Column>
  double explained_by_nearest(const Column& k) const {
    const double value = k.maxCoeff();
    return value * value / model_.largest_diagonal;
  }

  bool hopeless(Index i) const { return upper(i, explained_[i], kSlack) < highest_; }

  void drop() {
    std::erase_if(columns_, [&](Index i) { return hopeless(i); });
  }

  // What the few points most like the candidate explain: a Cholesky factor and a forward substitution of
  // size 8.
  template <class Column>
  double explained_by_neighbours(const Column& k) {
    std::array<double, kNeighbours> value;
    const Neighbours near = nearest(k, value);
    auto points = workspace_.small.get(model_.states.rows(), kNeighbours);
    for (Index j = 0; j < kNeighbours; ++j) points.col(j) = model_.states.col(near[j]);
    Eigen::Matrix<double, kNeighbours, kNeighbours> l;
    model_.kernel.gram(points, points, l);
    double sum = 0;
    std::array<double, kNeighbours> w;
    for (Index j = 0; j < kNeighbours; ++j) {
      double pivot = l(j, j) + model_.noise[near[j]], rest = value[j];
      for (Index p = 0; p < j; ++p) {
        pivot -= l(j, p) * l(j, p);
        rest -= l(j, p) * w[p];
      }
      if (!(pivot > 0)) return sum;  // the points so far are a bound as well
      pivot = std::sqrt(pivot);
      w[j] = rest / pivot;
      sum += w[j] * w[j];
      for (Index i = j + 1; i < kNeighbours; ++i) {
        for (Index p = 0; p < j; ++p) l(i, j) -= l(i, p) * l(j, p);
        l(i, j) /= pivot;
      }
    }
    best_.multiply_adds += kNeighbours * kNeighbours * kNeighbours / 6;
    return sum;
  }

  // Survivors move to the first columns, with their solved prefix.
  void gather(Index prefix) {
    const Index rows = model_.factor.panel_begin(prefix);
    const auto solved = workspace_.prefix.get(rows, cross_.cols());
    for (Index c = 0; c < std::ssize(columns_); ++c) {
      const Index i = columns_[c];
      if (i != c) cross_.col(c) = cross_.col(i);
      cross_.col(c).head(rows) = solved.col(i);
    }
  }

  void step(Index panel) {
    auto w = cross_.leftCols(std::ssize(columns_));
    model_.factor.solve_panel(panel, w);
    count(panel, w.cols());
    if (panel + 1 == model_.factor.panels()) return;
    const Index rows = model_.factor.panel_begin(panel + 1);
    Index kept = 0;
    for (Index c = 0; c < w.cols(); ++c) {
      const Index i = columns_[c];
      explained_[i] = std::max(explained_[i], w.col(c).head(rows).squaredNorm());
      if (hopeless(i)) continue;
      if (kept != c) cross_.col(kept) = cross_.col(c);
      columns_[kept++] = i;
    }
    columns_.resize(kept);
  }

  void consider(Index i, double explained) {
    const double value = upper(i, explained, 0);
    if (value < highest_ || (value == highest_ && i > best_.index)) return;
    highest_ = value;
    best_.index = i;
    best_.mean = mean_[i];
    Vector sd(1);
    best_.clamped = scaled_sd(prior_.segment(i, 1), Vector::Constant(1, explained), model_.ridge, sd);
    best_.sd = sd[0];
  }

  const ExactView& model_;
  double radius_;
  Workspace& workspace_;
  Vector& mean_;
  Vector& prior_;
  Vector& explained_;            // by candidate: a lower bound of the part of k(s, s) that the data explain
  std::vector<Index>& columns_;  // the candidates still in the race
  Eigen::Block<Matrix> cross_;
  BestUpper best_;
  double highest_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

BestUpper best_upper_by_elimination(const ExactView& model, const MatrixIn& states, double radius,
                                    Workspace& workspace) {
  return Race(model, states, radius, workspace).run();
}

}  // namespace ridgerunner
