// Bits of words: a core by itself has no threads.
#pragma once
#include "bit_counts.h"
