// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "src/lower/planned_group.h"

namespace sinter::lower {

/// THE rule of which groups may share a kernel. `later` may read what `earlier` stores, never the reverse; spaces,
/// reads, writes and addresses are taken from the nests. `through_others` tells whether later depends on earlier also
/// through a third group.
///
/// Returns why not, in words for explain(); empty if they may. Two accesses to one value, one of them its store, at
/// unequal addresses never share a kernel.
std::string why_not_together(const Options& options, const PlannedGroup& later, const PlannedGroup& earlier,
                             const std::function<bool()>& through_others);

/// Does `later` load something that `earlier` stores?
bool reads_stores_of(const PlannedGroup& later, const PlannedGroup& earlier);

/// The space of both together; they may share a kernel.
Space joint_space(const PlannedGroup& a, const PlannedGroup& b);

/// Why a fold of `row` elements for each of `rows` must not be read again over the folded elements by one program, or
/// be folded with; empty if it may.
std::string why_row_is_too_long(const Options& options, graph::Expr rows, graph::Expr row);

/// The same of a space's rows.
std::string why_row_is_too_long(const Options& options, const Space& space);

}  // namespace sinter::lower
