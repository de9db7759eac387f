#pragma once

#include <optional>
#include <vector>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// What a schema of features knows about the columns of a state.
struct ColumnHints {
  std::vector<int> group;  // by column: those of one number belong together; empty: each on its own
  Index arm_columns = 0;   // the last so many say which arm it is, and nothing else
};

// Columns as a fit sees them.
struct Columns {
  std::vector<int> group;  // by column: 0 .. groups-1, or -1 for those below
  int groups = 0;
  std::vector<double> scale;           // by column, in raw units: the spread of its group
  std::optional<double> common_scale;  // where the columns look as if they were in the same unit
  Index arm_columns = 0;               // at the end: which arm
  std::vector<Index> never_moved;      // ignored until they do

  bool is_arm(Index column) const { return column >= std::ssize(group) - arm_columns; }
};

// How far arms are apart: so far that the kernel between two of them is 0 to the last bit. Entries that
// differ do so by at least 0.35, and arms in total by at least 1.
constexpr double kArmLengthscale = 0.02;
// Of columns that are ignored.
constexpr double kIgnoredLengthscale = 1e150;

// states: d x n, all that were observed.
// The spread of a group is the root of its columns' variances, but at least an eighth of its range: a rare
// 0/1 column stays within 8 units. Without hints, the longest run of at least two columns at the end that are
// 0 or 1 with exactly one 1 in every state is taken as the arm.
Columns look_at_columns(const MatrixIn& states, const ColumnHints& hints = {});

// The median over points of the distance to the nearest other point of the same arm; equal points do not
// count. points: d x n, arms: a x n, the same arm where all entries are equal. 0 if there is none.
double typical_distance(const MatrixIn& points, const MatrixIn& arms);

}  // namespace ridgerunner
