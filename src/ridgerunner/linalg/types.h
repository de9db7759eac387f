#pragma once

#include <Eigen/Core>

namespace ridgerunner {

using Index = Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Arguments. Points are columns: n points in d dimensions are a d x n matrix.
using MatrixIn = Eigen::Ref<const Matrix>;
using VectorIn = Eigen::Ref<const Vector>;
using MatrixOut = Eigen::Ref<Matrix>;
using VectorOut = Eigen::Ref<Vector>;

}  // namespace ridgerunner
