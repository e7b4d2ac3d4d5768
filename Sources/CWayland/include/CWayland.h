#pragma once
#include <wayland-client.h>
#include "wlr-foreign-toplevel-management-unstable-v1-client-protocol.h"
#include "wlr-layer-shell-unstable-v1-client-protocol.h"

// The interfaces' descriptions are constants of C, whose addresses Swift does not give.

static inline void *keylift_bind_compositor(struct wl_registry *registry, uint32_t id, uint32_t version) {
  return wl_registry_bind(registry, id, &wl_compositor_interface, version);
}

static inline void *keylift_bind_output(struct wl_registry *registry, uint32_t id, uint32_t version) {
  return wl_registry_bind(registry, id, &wl_output_interface, version);
}

static inline void *keylift_bind_layer_shell(struct wl_registry *registry, uint32_t id, uint32_t version) {
  return wl_registry_bind(registry, id, &zwlr_layer_shell_v1_interface, version);
}

static inline void *keylift_bind_toplevels(struct wl_registry *registry, uint32_t id, uint32_t version) {
  return wl_registry_bind(registry, id, &zwlr_foreign_toplevel_manager_v1_interface, version);
}
