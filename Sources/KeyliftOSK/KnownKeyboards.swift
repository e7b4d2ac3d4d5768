import Desktop
import EventLoop

/// Those that the settings name; all that are known for auto, in the order in which they are preferred.
func knownKeyboards(_ settings: Settings, _ desktops: Desktops, _ log: Log, on loop: EventLoop)
  throws(SystemError) -> [any OnScreenKeyboard]
{
  let session = try SessionBus(on: loop, log)
  let traits = KeyboardTraits(isOverlay: settings.isOverlay)
  let known: [String: () throws(SystemError) -> any OnScreenKeyboard] = [
    Squeekboard.name: { () throws(SystemError) in Squeekboard(on: session, traits: traits) },
    Onboard.name: { () throws(SystemError) in Onboard(on: session) },
    Matchbox.name: { () throws(SystemError) in Matchbox(on: desktops) },
    Wvkbd.name: { () throws(SystemError) in try Wvkbd(on: loop, traits: traits) },
  ]
  let names = settings.program.map { [$0] } ?? Options.Keyboard.names
  var keyboards: [any OnScreenKeyboard] = []
  for name in names {
    if let make = known[name] { keyboards.append(try make()) }
  }
  return keyboards
}
