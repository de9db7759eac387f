#include "ridgerunner/regression/projected/projected_points.h"

#include <algorithm>

namespace ridgerunner {

Index ProjectedPoints::append(const VectorIn& state, double k, const VectorIn& z, double r, bool carry) {
  const Index i = size();
  if (i == 0) states = GrowingColumns(state.size());
  states.append(state);
  index.add(state, i);
  prior.append(k);
  residual.append(r);
  if (carry) {
    carried.push_back(i);
    features.append_point(z);
  }
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
  features.remove_last_point();
}

Matrix ProjectedPoints::carried_states() const {
  if (carries_all()) return states.view();
  return states.view()(Eigen::all, carried);
}

Vector ProjectedPoints::of_carried(const GrowingVector& entries) const {
  if (carries_all()) return entries.view();
  return entries.view()(carried);
}

void ProjectedPoints::add_coordinate(const VectorIn& coordinate) {
  features.append_coordinate(coordinate);
  // What is left of an anchor, or of its like, is rounding.
  for (std::size_t c = 0; c < carried.size(); ++c) {
    double& left = residual[carried[c]];
    const double more = coordinate[static_cast<Index>(c)];
    left = std::max(left - more * more, 0.0);
  }
}

}  // namespace ridgerunner
