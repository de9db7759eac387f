#include "ridgerunner/regression/projected/projected_points.h"

#include <algorithm>

#include "ridgerunner/linalg/lane.h"

namespace ridgerunner {
namespace {

constexpr Index kBlock = 32;  // points
constexpr Index kLanes = kBlock / kWidth;

}  // namespace

Index ProjectedPoints::append(const VectorIn& state, double k, const VectorIn& z, double r, bool carry) {
  const Index i = size();
  if (i == 0) states = GrowingColumns(state.size());
  states.append(state);
  index.add(state, i);
  prior.append(k);
  residual.append(r);
  if (carry) carried.push_back(i);
  for (std::size_t j = 0; carry && j < coordinates.size(); ++j)
    coordinates[j].append(z.segment<1>(static_cast<Index>(j)));
  for (GrowingVector* entries : {&spread, &mean, &count, &open, &reward}) entries->append(0);
  return i;
}

void ProjectedPoints::remove_last() {
  const Index last = size() - 1;
  index.remove(states.col(last), last);
  states.truncate(last);
  if (last == 0) states = GrowingColumns();  // the dimension is open again
  for (GrowingVector* entries : {&prior, &residual, &spread, &mean, &count, &open, &reward})
    entries->resize(last);
  if (carried.back() != last) return;
  carried.pop_back();
  for (GrowingColumns& coordinate : coordinates) coordinate.truncate(std::ssize(carried));
}

void ProjectedPoints::gather(Index first, MatrixOut z) const {
  for (Index j = 0; j < z.rows(); ++j) {
    z.row(j) = coordinates[static_cast<std::size_t>(j)].entries().segment(first, z.cols()).transpose();
  }
}

Vector ProjectedPoints::products(const VectorIn& x) const {
  Vector out = Vector::Zero(std::ssize(carried));
  for (std::size_t j = 0; j < coordinates.size(); ++j)
    out.noalias() += x[static_cast<Index>(j)] * coordinates[j].entries();
  return out;
}

Vector ProjectedPoints::sums(const VectorIn& weights) const {
  Vector out(std::ssize(coordinates));
  for (std::size_t j = 0; j < coordinates.size(); ++j)
    out[static_cast<Index>(j)] = coordinates[j].entries().dot(weights);
  return out;
}

Matrix ProjectedPoints::carried_states() const {
  if (carries_all()) return states.view();
  return states.view()(Eigen::all, carried);
}

Vector ProjectedPoints::of_carried(const GrowingVector& entries) const {
  if (carries_all()) return entries.view();
  return entries.view()(carried);
}

// A block of points is done with while its features are in the cache. The order of each sum depends on the
// number of points alone.
ProjectedPoints::NewCoordinate ProjectedPoints::new_coordinate(const VectorIn& k, const VectorIn& z,
                                                               double pivot) const {
  const Index points = std::ssize(carried), m = std::ssize(coordinates);
  const Vector counts = of_carried(count);
  NewCoordinate out{k, Vector(points), Vector::Zero(m)};
  std::vector<const double*> rows;
  for (const GrowingColumns& coordinate : coordinates) rows.push_back(coordinate.entries().data());
  Index first = 0;
  for (; first + kBlock <= points; first += kBlock) {
    double* entries = out.entries.data() + first;
    Lane left[kLanes];
    for (Index i = 0; i < kLanes; ++i) left[i] = load(entries + i * kWidth);
    for (Index j = 0; j < m; ++j) {
      const double* row = rows[static_cast<std::size_t>(j)] + first;
      for (Index i = 0; i < kLanes; ++i) left[i] -= z[j] * load(row + i * kWidth);
    }
    Lane weighted[kLanes];
    for (Index i = 0; i < kLanes; ++i) {
      left[i] = left[i] / pivot;
      weighted[i] = left[i] * load(counts.data() + first + i * kWidth);
      store(entries + i * kWidth, left[i]);
      store(out.weighted.data() + first + i * kWidth, weighted[i]);
    }
    for (Index j = 0; j < m; ++j) {
      const double* row = rows[static_cast<std::size_t>(j)] + first;
      Lane sum = weighted[0] * load(row);
      for (Index i = 1; i < kLanes; ++i) sum += weighted[i] * load(row + i * kWidth);
      double all = 0;
      for (Index i = 0; i < kWidth; ++i) all += sum[i];
      out.sums[j] += all;
    }
  }
  const Index rest = points - first;
  auto entries = out.entries.tail(rest), weighted = out.weighted.tail(rest);
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < rest; ++i) entries[i] -= z[j] * rows[static_cast<std::size_t>(j)][first + i];
  entries /= pivot;
  weighted = entries.cwiseProduct(counts.tail(rest));
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < rest; ++i)
      out.sums[j] += weighted[i] * rows[static_cast<std::size_t>(j)][first + i];
  return out;
}

void ProjectedPoints::add_coordinate(const VectorIn& coordinate) {
  coordinates.push_back(GrowingColumns::row_of(coordinate));
  // What is left of an anchor, or of its like, is rounding.
  for (std::size_t c = 0; c < carried.size(); ++c) {
    double& left = residual[carried[c]];
    const double more = coordinate[static_cast<Index>(c)];
    left = std::max(left - more * more, 0.0);
  }
}

}  // namespace ridgerunner
