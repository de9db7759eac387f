#pragma once

#include <optional>
#include <vector>

#include "ridgerunner/kernel/kernel.h"
#include "ridgerunner/linalg/growing_cholesky.h"
#include "ridgerunner/regression/regression.h"

namespace ridgerunner {

// An exact model, seen by what computes with it.
struct ExactView {
  const Kernel& kernel;
  MatrixIn states;                // d x m
  VectorIn noise;                 // m: what the diagonal of the kernel matrix is raised by
  const GrowingCholesky& factor;  // of the raised kernel matrix
  VectorIn weights;               // m: mean(s) = k(s)^T weights
  double largest_diagonal;        // of the raised kernel matrix
  double ridge;
};

// Says what candidates are worth of whom more is known than mean + radius sd.
class Judge {
 public:
  virtual ~Judge() = default;

  // Before any solve: cross is k(states, candidates). A candidate that is sure to be worth more than all
  // others, if there is one.
  virtual std::optional<Index> decided(const MatrixIn& cross, const VectorIn& prior) = 0;

  // Candidates that may be worth most, each with an upper bound of its worth and its column of `solved`,
  // which is L^-1 k. The best of all that were met is worth at least the number returned.
  struct Contender {
    double upper;
    Index candidate;
    Index column;
  };
  virtual double meet(std::vector<Contender> contenders, const MatrixIn& solved) = 0;

  // Who is worth most of all that were met; ties go to the lowest index.
  virtual Index best() = 0;
};

// The candidate with the largest mean + radius sd, found without finishing all the sds.
//
// Conditioning on fewer points can only leave more variance, so each of these bounds a candidate's sd from
// above:
//  - neighbours: the variance left by the few data points that resemble the candidate most (rough kernels);
//  - prefix rows: the rows of L^-1 k arrive in order and their squared sum only grows (smooth kernels).
// The most promising candidates are finished first; whoever's bound falls strictly below the best of them is
// dropped. The answer is that of the full computation, to the bit. states: d x n. The winner's L^-1 k is left
// in workspace.solved.
BestUpper best_upper_by_elimination(const ExactView& model, const MatrixIn& states, double radius,
                                    Workspace& workspace);

// The candidate worth most, found in the same way: whoever's mean + radius sd is less than what another is
// worth is dropped. Only index and multiply_adds are filled in; nothing is left in workspace.solved.
BestUpper most_worth_by_elimination(const ExactView& model, const MatrixIn& states, double radius,
                                    Judge& judge, Workspace& workspace);

}  // namespace ridgerunner
