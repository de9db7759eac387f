#include "ridgerunner/regression/projected/projected_points.h"

namespace ridgerunner {

Index ProjectedPoints::append(const VectorIn& state, double k, const VectorIn& z, double r) {
  const Index i = size();
  if (i == 0) states = GrowingColumns(state.size());
  states.append(state);
  index.add(state, i);
  prior.append(k);
  residual.append(r);
  for (std::size_t j = 0; j < coordinates.size(); ++j)
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
  for (GrowingColumns& coordinate : coordinates) coordinate.truncate(last);
}

void ProjectedPoints::gather(Index first, MatrixOut z) const {
  for (Index j = 0; j < z.rows(); ++j) {
    z.row(j) = coordinates[static_cast<std::size_t>(j)].entries().segment(first, z.cols()).transpose();
  }
}

Vector ProjectedPoints::products(const VectorIn& x) const {
  Vector out = Vector::Zero(size());
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

Vector ProjectedPoints::new_coordinate(const VectorIn& k, const VectorIn& z, double pivot) const {
  return (k - products(z)) / pivot;
}

void ProjectedPoints::add_coordinate(const VectorIn& coordinate) {
  coordinates.push_back(GrowingColumns::row_of(coordinate));
  // What is left of an anchor, or of its like, is rounding.
  residual.view() = (residual.view() - coordinate.cwiseAbs2()).cwiseMax(0.0);
}

}  // namespace ridgerunner
