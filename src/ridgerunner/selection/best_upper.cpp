#include "ridgerunner/selection/best_upper.h"

#include "ridgerunner/regression/capabilities.h"
#include "ridgerunner/selection/elimination.h"

namespace ridgerunner {

BestUpper best_upper(const Regression& model, const MatrixIn& states, double radius, Workspace& workspace) {
  if (const auto* chooses = capability<ChoosesBest>(model))
    return chooses->best_upper(states, radius, workspace);
  const auto* factors = capability<ShowsFactors>(model);
  if (!factors || factors->rows() == 0) {
    model.predict(states, workspace.prediction, workspace);
    return best_of(workspace.prediction, radius);
  }
  factors->check_shape(states);
  return best_upper_by_elimination(factors->view(workspace), states, radius, workspace);
}

}  // namespace ridgerunner
