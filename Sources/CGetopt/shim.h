#pragma once
#include <getopt.h>

// getopt's variables, which Swift would see as shared mutable state.
static inline const char *keylift_optarg(void) { return optarg; }
static inline int keylift_optind(void) { return optind; }
