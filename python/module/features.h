#pragma once

#include <ridgerunner/features/encoder.h>

#include "module.h"

namespace ridgerunner::python {

// Named values as JSON: dicts, rows of pandas (Series, itertuples) and NumPy's structured rows. None, NaN and
// pandas' NA are missing. Lists of such rows, data frames and structured arrays are lists of objects. Other
// values as they are, for the encoder to say what is wrong with them; `path` names what cannot be read.
Json named_row(const py::handle& given, const std::string& path);
Json named_rows(const py::handle& given, const std::string& path);

// For a spec without features: throws InvalidArgument, saying so, if these are dicts.
void refuse_named(const py::handle& given, const char* path);

}  // namespace ridgerunner::python
