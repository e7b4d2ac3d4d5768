import Desktop
import EventLoop

/// Those that the settings name; all that are known for auto, in the order in which they are preferred.
func knownKeyboards(_ settings: Settings, _ desktops: Desktops, _ log: Log, on loop: EventLoop)
  throws(SystemError) -> [any OnScreenKeyboard]
{
  let traits = KeyboardTraits(isOverlay: settings.isOverlay)
  // What has a height of its own need not be seen.
  let commandTraits = settings.frame == nil ? traits : nil
  let commands = settings.commands
  if let run = commands.run { return [Run(run, traits: commandTraits, log, on: loop)] }
  if let show = commands.show, let hide = commands.hide {
    return [try Exec(show: show, hide: hide, traits: commandTraits, log, on: loop)]
  }
  let session = try SessionBus(on: loop, log)
  let known: [String: () throws(SystemError) -> any OnScreenKeyboard] = [
    Squeekboard.name: { () throws(SystemError) in try Squeekboard(on: session, traits: traits) },
    Onboard.name: { () throws(SystemError) in try Onboard(on: session) },
    Matchbox.name: { () throws(SystemError) in Matchbox(on: desktops) },
    Wvkbd.name: { () throws(SystemError) in try Wvkbd(on: loop, traits: traits) },
    Maliit.name: { () throws(SystemError) in try Maliit(on: session, log, on: loop) },
    KWin.name: { () throws(SystemError) in KWin(on: session) },
  ]
  let names = settings.program.map { [$0] } ?? Options.Keyboard.names
  var keyboards: [any OnScreenKeyboard] = []
  for name in names {
    if let make = known[name] { keyboards.append(try make()) }
  }
  return keyboards
}
