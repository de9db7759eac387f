#pragma once

#include "ridgerunner/service/log/event.h"

namespace ridgerunner::service {

// What parts of events must satisfy, whether they are read or written. Each throws InvalidArgument.
void check_finite(const MatrixIn& numbers);
void check_level(std::int64_t level);
void check_offered(const Offered& offered);
void check_chosen(const Decided& decided);
void check_imported(const Imported& imported);

}  // namespace ridgerunner::service
