#pragma once

#include <memory>
#include <optional>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// A state that has just been observed and is no anchor yet.
struct Newcomer {
  VectorIn state;
  double prior;     // k(s, s)
  double residual;  // k(s, s) - |z(s)|^2: what the anchors do not explain
  Index number;     // of the observation, from 0
  // It is admitted if its probability is larger than this. An upper bound of the probability that is not
  // larger will do as the answer of admission(): the state is turned away either way.
  double draw = 0;

  // What admission() computed, for admitted(): memory of the caller's, if any.
  Vector* solved = nullptr;
};

// The states a dictionary has let in, with the probability each had.
struct Members {
  Matrix states;         // d x q
  Vector probabilities;  // q
};

// A dictionary that is drawn anew from all states, now and then.
struct Resampling {
  double oversampling = 2;  // qbar: a state seen n times stays with probability min(n qbar sd^2, 1)
  double threshold = 1;     // C: draw when 1 + Σ sd^2, the sds of the last draw, exceeds it; 1: every round
  bool batches = false;     // with fixed arms: rewards wait until then
};

// Which of the observed states become anchors of a projected model. The choice never looks at rewards.
class Dictionary {
 public:
  virtual ~Dictionary() = default;

  // The probability with which the newcomer becomes an anchor, at once and for good.
  virtual double admission(const Newcomer& newcomer) const = 0;

  // The same while every state so far, all different, was admitted with probability 1. The model is exact
  // then, and leaves `left` of the newcomer's prior: λ sd^2, with λ the ridge. Nothing if it takes more to
  // know it.
  virtual std::optional<double> admission_if_full(double /*prior*/, double /*left*/, double /*ridge*/) const {
    return std::nullopt;
  }

  // It did; whether or not it depends linearly on the anchors. May throw NumericalError, changing nothing.
  virtual void admitted(const Newcomer& /*newcomer*/, double /*probability*/) {}
  virtual void retract() {}                       // the last admitted() is undone
  virtual Members members() const { return {}; }  // those of admitted(), if they matter

  virtual const Resampling* resampling() const { return nullptr; }
  virtual std::unique_ptr<Dictionary> clone() const = 0;
};

std::unique_ptr<Dictionary> full_dictionary();   // every state: the exact model in other coordinates
std::unique_ptr<Dictionary> empty_dictionary();  // none but those given at the start

}  // namespace ridgerunner
