// Avoidance
