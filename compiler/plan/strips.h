// Results that go past the caches.
//
// A store to a line that is in no cache first reads it from memory, which a result that is as large
// as the caches pays for with a third or half of its time. "Non-temporal" stores do not, but want
// whole lines, one after the other. So a task makes a strip of its results in memory that its first
// cache keeps, a few lines of each, and copies it to where it belongs by such stores. That pays
// where memory is the limit: little work at each point, and results of more bytes than caches hold,
// which is known when the program runs. Where points read at places that they read, the time that
// these reads take is the limit, and what is copied from a strip waits for the last of them.
#pragma once

#include <unordered_set>
#include <vector>

#include "ir/program.h"
#include "ir/schedule.h"
#include "plan/tunables.h"

namespace dagaz::plan {

/// Whether the body reads at places that it reads; those in `iotas` it computes.
bool gathers(const ir::Body& body, const std::unordered_set<ir::NameId>& iotas);

/// Bytes of a strip of each of the results of `schedule`, which is of an operation over so many
/// `dimensions`; 0 where none is worth it.
int strip_of(const std::vector<ir::Binder>& results, const ir::Schedule& schedule,
             std::size_t dimensions, const ir::Names& names, const Tunables& tunables);

}  // namespace dagaz::plan
