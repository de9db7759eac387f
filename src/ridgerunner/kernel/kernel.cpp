#include "ridgerunner/kernel/kernel.h"

namespace ridgerunner {

Matrix gram(const Kernel& kernel, const MatrixIn& x, const MatrixIn& y) {
  Matrix out(x.cols(), y.cols());
  kernel.gram(x, y, out);
  return out;
}

Vector diagonal(const Kernel& kernel, const MatrixIn& x) {
  Vector out(x.cols());
  kernel.diagonal(x, out);
  return out;
}

}  // namespace ridgerunner
