/// What runs first when several sources are ready; devices before everything else, since their buffers overrun.
public enum Priority: Int64, Sendable {
  case device = -10
  case normal = 0
  case idle = 10
}
