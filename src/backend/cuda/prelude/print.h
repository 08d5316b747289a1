// Text from kernels.
//
// | name                | meaning                                                                      |
// |---------------------|------------------------------------------------------------------------------|
// | TLP_PLACE, TLP_HERE | a printf format for who prints, and its arguments                            |
#pragma once

#define TLP_PLACE "BlockIdx=(%u, %u, %u), ThreadIdx=(%u, %u, %u)"
#define TLP_HERE blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z
