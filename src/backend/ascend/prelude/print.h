// Text from the core and from its threads: the machine's own printf.
//
// | name                         | meaning                        |
// |------------------------------|--------------------------------|
// | TLP_CORE, TLP_THREAD         | a printf format for who prints |
// | TLP_THE_CORE, TLP_THE_THREAD | its arguments                  |
#pragma once
#include <utils/debug/asc_printf.h>

#define TLP_CORE "BlockIdx=%d"
#define TLP_THE_CORE int(block_idx)
#define TLP_THREAD "BlockIdx=%d, ThreadIdx=%d"
#define TLP_THE_THREAD int(block_idx), int(threadIdx.x)
