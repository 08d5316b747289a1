// Assertions of the core and of its threads: the machine's own macro, which says the condition and ends the kernel.
#pragma once
#include <utils/debug/asc_assert.h>
