#pragma once
#include <getopt.h>

// getopt's variables, which Swift would see as shared mutable state.
static inline const char *keylift_optarg(void) { return optarg; }
static inline int keylift_optind(void) { return optind; }
static inline int keylift_optopt(void) { return optopt; }

// Begins anew with another argv, and leaves it to the caller to say what is wrong.
static inline void keylift_getopt_restart(void) {
  optind = 0;
  opterr = 0;
}
