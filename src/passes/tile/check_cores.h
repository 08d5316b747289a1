#pragma once

#include "ir/ops.h"
#include "support/diagnostic.h"
#include "target/target.h"

namespace tl {

/// For launches of AI cores, which other targets refuse (TL090): buffers that regions of vector threads share with the
/// rest of the program. Of what the core's scalar code holds (variables and local arrays outside of regions) threads
/// only read variables; elements of the cube unit's memories nobody reads or writes one by one (TL046, TL079). Regions
/// stand in such launches only (TL079).
void check_cores(const Launch& launch, const Target& target, Diagnostics& diagnostics);

}  // namespace tl
