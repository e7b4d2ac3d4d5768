#pragma once
#include <xcb/randr.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>

/* A global variable, which Swift takes for one that may change. */
static inline xcb_extension_t *keylift_randr(void) { return &xcb_randr_id; }
