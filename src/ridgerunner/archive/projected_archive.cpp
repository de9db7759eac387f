#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "ridgerunner/archive/engine_parts.h"
#include "ridgerunner/error.h"
#include "ridgerunner/regression/projected/full_first.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner::engine_parts {
namespace {

// A projected model begins with its rounds. What follows these numbers in their place is newer: archives from
// before are read as they are.
constexpr std::uint64_t kFull = std::numeric_limits<std::uint64_t>::max();  // an exact model instead
constexpr std::uint64_t kSomeCarried = kFull - 1;  // the points with features, then the model

GrowingVector read_entries(ByteReader& in, const char* what, Index size) {
  const Vector read = in.vector();
  require_size(what, read.size(), size);
  if (!read.allFinite()) throw InvalidArgument("the archive has numbers that are not finite");
  GrowingVector entries;
  entries.resize(size);
  entries.view() = read;
  return entries;
}

// The numbers of points that have features, rising.
std::vector<Index> read_carried(ByteReader& in) {
  std::vector<Index> carried;
  for (Index i = in.count(); i > 0; --i) {
    carried.push_back(in.count());
    if (carried.size() > 1 && carried.back() <= carried[carried.size() - 2])
      throw InvalidArgument("the archive has points out of order");
  }
  return carried;
}

// carried: those with features; if not given, all.
ProjectedPoints read_points(ByteReader& in, Index anchors, std::optional<std::vector<Index>> carried) {
  ProjectedPoints points;
  const Matrix states = in.matrix();
  const Index size = states.cols();
  points.states = GrowingColumns(states.rows());
  for (Index i = 0; i < size; ++i) {
    points.states.append(states.col(i));
    points.index.add(states.col(i), i);
  }
  for (GrowingVector* entries : {&points.prior, &points.residual, &points.spread, &points.mean, &points.count,
                                 &points.open, &points.reward}) {
    *entries = read_entries(in, "entries of points", size);
  }
  if (carried) {
    points.carried = std::move(*carried);
  } else {
    points.carried.resize(static_cast<std::size_t>(size));
    std::iota(points.carried.begin(), points.carried.end(), Index{0});
  }
  if (!points.carried.empty() && points.carried.back() >= size)
    throw InvalidArgument("the archive has features of points that are not there");
  const Index with_features = std::ssize(points.carried);
  points.features = FeatureTiles(with_features);
  for (Index i = 0; i < anchors; ++i)
    points.features.append_coordinate(read_entries(in, "coordinates", with_features).view());
  for (Index i = 0; i < size; ++i) {
    const double count = points.count[i], open = points.open[i];
    if (count < 0 || count != std::floor(count) || open < 0 || open > count || open != std::floor(open))
      throw InvalidArgument(fmt::format("the archive has a point with {} choices, {} open", count, open));
    if (points.residual[i] < 0 || points.residual[i] > points.prior[i] || points.spread[i] < 0)
      throw InvalidArgument("the archive has a variance that cannot be");
  }
  return points;
}

// first: the first number of it, which has been read.
ProjectedRegression::Memory read_projected(ByteReader& in, std::uint64_t first) {
  constexpr Index kMost = std::numeric_limits<Index>::max();
  ProjectedRegression::Memory memory;
  std::optional<std::vector<Index>> carried;
  if (first == kSomeCarried) {
    carried = read_carried(in);
    first = in.integer();
  }
  if (first >= kSomeCarried || static_cast<Index>(first) < 0)
    throw InvalidArgument(fmt::format("the archive has {} rounds", first));
  memory.rounds = static_cast<Index>(first);
  memory.outsiders = read_count(in, kMost);
  memory.choices = read_count(in, kMost);
  memory.dimension = read_count(in, kMost);
  memory.since_fresh = read_count(in, kMost);
  memory.first = read_count(in, kMost) - 1;
  const Index frozen = read_count(in, kMost);
  memory.sum_of_squares = read_number(in, 0);
  memory.residual_sum = read_number(in, 0);
  memory.trace_inverse =
      read_number(in, std::numeric_limits<double>::lowest());  // rounding may make it negative
  memory.largest_prior = read_number(in, 0);
  memory.variances = read_number(in, 0);
  memory.open_variances = read_number(in, 0);
  const Matrix anchors = in.matrix();
  const Index m = anchors.cols();
  memory.anchors = GrowingColumns(anchors.rows());
  for (Index i = 0; i < m; ++i) memory.anchors.append(anchors.col(i));
  memory.moment = read_entries(in, "moments", m);
  memory.weights = read_entries(in, "weights", m).view();
  for (Index i = in.count(); i > 0; --i) memory.drawn.push_back(in.count());
  memory.points = read_points(in, m, std::move(carried));
  const Index points = memory.points.size();
  for (std::size_t i = 0; i < memory.drawn.size(); ++i) {
    if (memory.drawn[i] >= points || (i > 0 && memory.drawn[i] <= memory.drawn[i - 1]))
      throw InvalidArgument("the archive has a draw of points that are not there");
  }
  if (memory.first >= points) throw InvalidArgument("the archive's first point is not there");
  memory.basis = read_factor(in, m);
  memory.precision = read_factor(in, m);
  memory.frozen = read_factor(in, frozen);
  return memory;
}

// What a model's numbers say of each other.
void check(const ProjectedRegression::Memory& memory, const ProjectedRegression& fresh, Index arms) {
  const ProjectedPoints& points = memory.points;
  const bool history = !fresh.evidence().arrival_features;
  const auto choices = static_cast<double>(memory.choices), rounds = static_cast<double>(memory.rounds);
  if (points.count.view().sum() != (history ? choices : 0) || choices - points.open.view().sum() != rounds)
    throw InvalidArgument("the archive has rounds that do not agree with the counts of its points");
  if ((memory.dimension == 0) != (memory.choices == 0 && memory.basis.size() == 0 && arms == 0))
    throw InvalidArgument("the archive has data without a dimension, or a dimension without data");
  const Resampling* resampling = fresh.dictionary().resampling();
  if (!points.carries_all() && (arms > 0 || resampling || !history))
    throw InvalidArgument("the archive has points without features");
  for (Index i = 0, next = 0; i < points.size(); ++i) {
    const bool carried =
        next < std::ssize(points.carried) && points.carried[static_cast<std::size_t>(next)] == i;
    if (carried) ++next;
    if (!carried && points.residual[i] != 0)
      throw InvalidArgument("the archive has a point without features that is no anchor");
  }
  if (memory.drawn.empty() != (!resampling || memory.rounds == 0) ||
      (memory.first < 0) != (!resampling || memory.choices == 0)) {
    throw InvalidArgument("the archive has a draw that its dictionary does not make");
  }
  for (const Index point : memory.drawn) {
    if (points.count[point] == 0 && !fresh.tracks_choices())  // all choices of it may have been withdrawn
      throw InvalidArgument("the archive has a draw of points that were not seen");
  }
  const bool waits = resampling && resampling->threshold > 1 && !memory.drawn.empty();
  require_size("rows of the frozen factor", memory.frozen.size(), waits ? memory.basis.size() : 0);
}

}  // namespace

void write(ByteWriter& out, const ProjectedRegression& regression) {
  const ProjectedRegression::Memory& memory = regression.memory();
  const ProjectedPoints& points = memory.points;
  if (!points.carries_all()) {
    out.integer(kSomeCarried);
    out.integer(points.carried.size());
    for (const Index point : points.carried) out.integer(static_cast<std::uint64_t>(point));
  }
  for (const Index count : {memory.rounds, memory.outsiders, memory.choices, memory.dimension,
                            memory.since_fresh, memory.first + 1, memory.frozen.size()}) {
    out.integer(static_cast<std::uint64_t>(count));
  }
  for (const double number : {memory.sum_of_squares, memory.residual_sum, memory.trace_inverse,
                              memory.largest_prior, memory.variances, memory.open_variances}) {
    out.number(number);
  }
  out.matrix(memory.anchors.view());
  out.vector(memory.moment.view());
  out.vector(memory.weights);
  out.integer(memory.drawn.size());
  for (const Index point : memory.drawn) out.integer(static_cast<std::uint64_t>(point));
  out.matrix(points.states.view());
  for (const GrowingVector* entries : {&points.prior, &points.residual, &points.spread, &points.mean,
                                       &points.count, &points.open, &points.reward}) {
    out.vector(entries->view());
  }
  for (Index j = 0; j < points.features.coordinates(); ++j) out.vector(points.features.coordinate(j));
  write(out, memory.basis);
  write(out, memory.precision);
  write(out, memory.frozen);
  if (regression.moving_ridge()) out.matrix(memory.information);
  const Members members = regression.dictionary().members();
  out.matrix(members.states);
  out.vector(members.probabilities);
}

void read(ByteReader& in, ProjectedRegression& regression, Index arms, std::uint64_t first) {
  ProjectedRegression::Memory memory = read_projected(in, first);
  if (regression.moving_ridge()) {
    memory.information = in.matrix();
    require_size("rows of information", memory.information.rows(), memory.basis.size());
    require_size("columns of information", memory.information.cols(), memory.basis.size());
    if (!memory.information.allFinite()) throw InvalidArgument("the archive has numbers that are not finite");
  }
  const ProjectedRegression::Memory& fresh = regression.memory();
  const auto same_arms = [&] {
    const MatrixIn known = fresh.points.states.view(), saved = memory.points.states.view();
    return saved.cols() >= arms && saved.rows() == known.rows() &&
           saved.leftCols(arms) == known.leftCols(arms);
  };
  if (arms > 0 && !same_arms()) throw InvalidArgument("the archive has other arms");
  check(memory, regression, arms);
  const Index dimension = memory.dimension;
  const auto check_states = [&](const MatrixIn& states) {
    if (states.cols() == 0) return;
    require_states(states, dimension);
    regression.check(states);
  };
  check_states(memory.anchors.view());
  check_states(memory.points.states.view());
  Members members{in.matrix(), in.vector()};
  require_size("probabilities", members.probabilities.size(), members.states.cols());
  check_states(members.states);
  if (members.probabilities.size() > 0 &&
      !(members.probabilities.minCoeff() > 0 && members.probabilities.maxCoeff() <= 1)) {
    throw InvalidArgument("the archive has a probability outside (0, 1]");
  }
  regression.restore(std::move(memory), members);
  require_size("members", regression.dictionary().members().states.cols(), members.states.cols());
}

void write(ByteWriter& out, const FullFirstRegression& regression) {
  if (const ProjectedRegression* projected = regression.projected()) return write(out, *projected);
  out.integer(kFull);
  write(out, *regression.exact());
  out.number(regression.exact()->unexplained_sum());
}

void read(ByteReader& in, FullFirstRegression& regression) {
  const std::uint64_t first = in.integer();
  if (first != kFull) {
    ProjectedRegression projected = regression.fresh_projected();
    read(in, projected, 0, first);
    return regression.restore(std::move(projected));
  }
  ExactRegression exact = regression.fresh_exact();
  read(in, exact, 0);
  if (exact.evidence().anchors != exact.evidence().rounds)
    throw InvalidArgument("the archive has a state twice, which ends the time of the full dictionary");
  exact.restore_variance_sum(read_number(in, 0));
  regression.restore(std::move(exact));
}

}  // namespace ridgerunner::engine_parts
