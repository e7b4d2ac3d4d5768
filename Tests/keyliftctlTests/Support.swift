import Varlink

@testable import keyliftctl

func json(_ text: String) throws -> JSON { try JSON.parse(Array(text.utf8)) }

/// A monitor's state.
func state(
  _ notifications: String, at time: Int64 = 0, keyboard: String = hiddenKeyboard, scenes: String = "[]",
  devices: String = "[]"
) throws -> JSON {
  try json(
    """
    {"instance":"i","serial":1,"notifications":[\(notifications)],"time":\(time),"keyboard":\(keyboard),
     "screens":[{"name":"screen","width":800,"height":480,"rotation":0}],"scenes":\(scenes),"devices":\(devices)}
    """)
}

let hiddenKeyboard = """
  {"phase":"hidden","frame":{"x":0,"y":480,"width":800,"height":0},
   "previousFrame":{"x":0,"y":288,"width":800,"height":192},"docked":true,"duration":0.3,
   "curve":"easeInOut","reason":"outsideTouch"}
  """

let showingKeyboard = """
  {"phase":"willShow","frame":{"x":0,"y":288,"width":800,"height":192},
   "previousFrame":{"x":0,"y":480,"width":800,"height":0},"docked":true,"duration":0.3,
   "curve":"easeInOut","reason":"focus"}
  """

func scene(_ id: String, _ name: String, focused: String? = nil, y: Double = 0, overlap: Double = 0) -> String
{
  """
  {"scene":"\(id)","name":"\(name)","screen":"screen","frame":{"x":0,"y":0,"width":800,"height":480},
   "level":0,"focused":\(focused.map { "\"\($0)\"" } ?? "null"),"offset":{"x":0,"y":\(y)},"overlap":\(overlap)}
  """
}
