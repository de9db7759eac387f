#include "ridgerunner/regression/joint_prediction.h"

#include <utility>

namespace ridgerunner {

void JointPrediction::covariance(Index row, Index column, MatrixOut out) const {
  const Index p = out.rows(), q = out.cols();
  kernel->gram(states.middleCols(row, p), states.middleCols(column, q), out);
  if (explained.rows() > 0)
    out.noalias() -= explained.middleCols(row, p).transpose() * explained.middleCols(column, q);
  out /= ridge;
  if (spread.rows() > 0)
    out.noalias() += spread.middleCols(row, p).transpose() * spread.middleCols(column, q);
}

void JointPrediction::swap(Index i, Index j) {
  if (i == j) return;
  for (Vector* numbers : {&at.mean, &at.sd, &at.prior}) std::swap((*numbers)[i], (*numbers)[j]);
  for (Matrix* columns : {&states, &explained, &spread}) columns->col(i).swap(columns->col(j));
}

void JointPrediction::keep(const std::vector<Index>& rising) {
  for (Index to = 0; to < std::ssize(rising); ++to) swap(to, rising[static_cast<std::size_t>(to)]);
  const Index n = std::ssize(rising);
  for (Vector* numbers : {&at.mean, &at.sd, &at.prior}) numbers->conservativeResize(n);
  for (Matrix* columns : {&states, &explained, &spread}) columns->conservativeResize(Eigen::NoChange, n);
}

}  // namespace ridgerunner
