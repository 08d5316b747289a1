// What the scalar unit of a core has under other names: the prelude of the programs of cores begins here.
//
// Code of a core and functions of its threads are compiled for two processors, and neither calls the other's functions.
// So the same headers stand in a program twice, those for the core in a namespace of its own, with its own specifiers.
#pragma once

#undef TLP_INLINE
#undef TLP_INLINE_MEMBER
#define TLP_INLINE __aicore__ inline
#define TLP_INLINE_MEMBER __aicore__ inline
