// Classification as a bandit: an example comes in, one of the classes is named, and only whether it was right
// is told. One pass, on the tables in the folder that the argument names (the Python twin writes them); a
// kernel against a linear bandit and against chance.
//
// A state is the example joined with the class as a unit vector: the linear kernel of unit vectors is 1 for
// the same class and 0 for others, so that each class has a model of its own. A right answer is worth 1, a
// wrong one -1.
#include <cmath>
#include <cstdio>
#include <iostream>

#include <ridgerunner/ridgerunner.h>

#include "table.h"

namespace rr = ridgerunner;

namespace {

int mistakes(rr::Policy policy, const Table& table) {
  const auto classes = static_cast<rr::Index>(table.last.maxCoeff()) + 1;
  const rr::Matrix unit = rr::Matrix::Identity(classes, classes);
  int wrong = 0;
  for (rr::Index i = 0; i < table.last.size(); ++i) {
    const rr::Matrix states = rr::join(table.points.col(i), unit);
    const rr::Index named = policy.decide(states).index;
    const bool right = static_cast<double>(named) == table.last[i];
    policy.observe(states.col(named), right ? 1 : -1);
    wrong += right ? 0 : 1;
  }
  return wrong;
}

rr::Policy make(const char* preset, const rr::KernelSpec& of_examples, double ridge, double radius,
                rr::Index dimension) {
  rr::KernelSpec each;  // a model for each class
  each.type = rr::KernelType::linear;
  rr::Spec spec = rr::preset(preset);
  spec.kernel.type = rr::KernelType::product;
  spec.kernel.context_dim = dimension;
  spec.kernel.parts = {of_examples, each};
  spec.regression.ridge = ridge;
  spec.bound.set("radius", radius);
  return rr::Policy(spec);
}

void play(const std::string& name, const Table& table, double lengthscale, double ridge) {
  const rr::Index dimension = table.points.rows();
  rr::KernelSpec gaussian, linear;
  gaussian.lengthscale = {lengthscale};
  linear.type = rr::KernelType::linear;
  linear.offset = 1;
  std::printf("%s: mistakes in %d: kernel %d, linear %d, uniform %d\n", name.c_str(),
              static_cast<int>(table.last.size()),
              mistakes(make("k-ucb", gaussian, ridge, 0.3 * std::sqrt(ridge), dimension), table),
              mistakes(make("k-ucb", linear, 1, 0.2, dimension), table),
              mistakes(make("uniform", linear, 1, 0.1, dimension), table));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: classification FOLDER, where 6_classification.py has written its tables\n";
    return 2;
  }
  for (const char* name : {"digits", "wine", "breast_cancer"}) {
    const Table table = read_table(std::string(arguments[1]) + "/" + name + ".csv");
    if (std::string(name) == "digits") {
      play(name, table, 1.65, 0.01);
    } else {
      play(name, table, 1.5 * std::sqrt(static_cast<double>(table.points.rows())), 0.1);
    }
  }
}
