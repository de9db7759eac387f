#pragma once

#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/regression/regression.h"

namespace ridgerunner {

// What a model has learnt, as bytes. read_engine() wants a fresh model of the same spec, with as many arms,
// and throws InvalidArgument for contents that no such model can have.
void write_engine(ByteWriter& out, const Regression& regression);
void read_engine(ByteReader& in, Regression& regression, Index arms);

}  // namespace ridgerunner
