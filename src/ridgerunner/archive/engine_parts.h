#pragma once

#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/linalg/growing_cholesky.h"

// What the archives of the engines are made of: for this room alone.
namespace ridgerunner {

class ExactRegression;
class ProjectedRegression;
class FullFirstRegression;

namespace engine_parts {

void require_size(const char* what, Index got, Index expected);
void require_counts(const char* what, const Vector& counts, Index rounds);
void write(ByteWriter& out, const GrowingCholesky& factor);
GrowingCholesky read_factor(ByteReader& in, Index rows);
double read_number(ByteReader& in, double least);  // finite
Index read_count(ByteReader& in, Index most);

void write(ByteWriter& out, const ExactRegression& regression);
void read(ByteReader& in, ExactRegression& regression, Index arms);
void write(ByteWriter& out, const ProjectedRegression& regression);
void read(ByteReader& in, ProjectedRegression& regression, Index arms,
          std::uint64_t first);  // after the first integer
void write(ByteWriter& out, const FullFirstRegression& regression);
void read(ByteReader& in, FullFirstRegression& regression);

}  // namespace engine_parts
}  // namespace ridgerunner
