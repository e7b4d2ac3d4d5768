#include "keylift.h"

/* One coordinate of a cubic Bezier curve from 0 to 1 with two control points. */
static double bezier(double t, double first, double second) {
  double rest = 1 - t;
  return 3 * rest * rest * t * first + 3 * rest * t * t * second + t * t * t;
}

/* How far along at a part of the time: the curve's y where its x is that part, found by halving. */
static double ease_in_out(double part) {
  double low = 0, high = 1;
  for (int i = 0; i < 30; i++) {
    double middle = (low + high) / 2;
    if (bezier(middle, 0.42, 0.58) < part)
      low = middle;
    else
      high = middle;
  }
  return bezier(low, 0, 1);
}

keylift_point keylift_animation_at(const keylift_animation *animation, double now) {
  double part = animation->duration > 0 ? (now - animation->start) / animation->duration : 1, way;
  keylift_point at = animation->to;
  if (!(part < 1)) return at;
  way = part > 0 ? ease_in_out(part) : 0;
  at.x = animation->from.x + (animation->to.x - animation->from.x) * way;
  at.y = animation->from.y + (animation->to.y - animation->from.y) * way;
  return at;
}

void keylift_animate(keylift_animation *animation, const keylift_state *state, double now) {
  keylift_point to = state->layout.offset;
  if (to.x == animation->to.x && to.y == animation->to.y) return; /* on its way there already */
  animation->from = keylift_animation_at(animation, now);
  animation->to = to;
  animation->start = now;
  animation->duration = state->layout.duration;
}
