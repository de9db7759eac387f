#include "ridgerunner/regression/regression.h"

namespace ridgerunner {

Prediction predict(const Regression& regression, const MatrixIn& states) {
  Prediction out;
  Workspace workspace;
  regression.predict(states, out, workspace);
  return out;
}

}  // namespace ridgerunner
