#include "ridgerunner/regression/capabilities.h"

#include "ridgerunner/error.h"
#include "ridgerunner/regression/joint_prediction.h"

namespace ridgerunner {

void check_states(const Regression& model, const MatrixIn& states) {
  if (const auto* checks = capability<ChecksStates>(model)) {
    checks->check(states);
  } else {
    predict(model, states);
  }
}

Matrix anchors_of(const Regression& model) {
  const auto* shows = capability<ShowsAnchors>(model);
  return shows ? Matrix(shows->anchors()) : Matrix();
}

Diagnostics diagnostics_of(const Regression& model) {
  const auto* diagnoses = capability<Diagnoses>(model);
  return diagnoses ? diagnoses->diagnostics() : Diagnostics{};
}

JointPrediction predict_jointly(const Regression& model, const MatrixIn& states, Workspace& workspace) {
  const auto* joint = capability<PredictsJointly>(model);
  if (!joint) throw InvalidArgument("this model has no covariances");
  return joint->predict_jointly(states, workspace);
}

void set_ridge(Regression& model, double ridge) {
  auto* moves = capability<MovesRidge>(model);
  if (!moves) throw InvalidArgument("the ridge of this model cannot move");
  moves->set_ridge(ridge);
}

}  // namespace ridgerunner
