#pragma once

#include <vector>

#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/regression/regression.h"

namespace ridgerunner {

// Open choices with their levels, oldest first: levelled models kept them before decisions had numbers.
struct AnnouncedChoice {
  Vector state;
  int level;
};
using AnnouncedChoices = std::vector<AnnouncedChoice>;

// What a model has learnt, as bytes. read_engine() wants a fresh model of the same spec, with as many arms,
// and throws InvalidArgument for contents that no such model can have. What it returns is empty but for old
// archives.
void write_engine(ByteWriter& out, const Regression& regression);
AnnouncedChoices read_engine(ByteReader& in, Regression& regression, Index arms);

}  // namespace ridgerunner
