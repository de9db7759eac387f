#pragma once

#include "ridgerunner/linalg/types.h"

// Sums whose order depends on nothing but their length: equal columns, or equal rows, give equal bits
// wherever they stand. A library's matrix-vector product groups what is left over at the end of a batch
// differently.
namespace ridgerunner {

void column_dots(const MatrixIn& a, const VectorIn& x, VectorOut out);  // out_j = a_j . x
void column_squares(const MatrixIn& a, VectorOut out);                  // out_j = a_j . a_j

void subtract_product(const MatrixIn& a, const VectorIn& x, VectorOut y);  // y -= a x, column by column of a
void add_scaled(double factor, const VectorIn& x, VectorOut y);            // y += factor x
void add_squares(const VectorIn& x, VectorOut y);                          // y += x^2, entry by entry

}  // namespace ridgerunner
