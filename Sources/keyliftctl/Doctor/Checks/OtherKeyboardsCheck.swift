import Varlink

/// A program that shows an on-screen keyboard by itself, beside Keylift's.
struct OtherKeyboard: Sendable {
  /// How people call it.
  let title: String
  /// Whether a process is it.
  let matches: @Sendable (Process) -> Bool
  /// How it is switched off.
  let remedy: [String]

  static let all = [
    named(
      "squeekboard", ["squeekboard"], "sudo raspi-config nonint do_squeekboard S3, on Raspberry Pi OS",
      "else: gsettings set org.gnome.desktop.a11y.applications screen-keyboard-enabled false"),
    named(
      "Stevia, Phosh's keyboard", ["phosh-osk-stub", "phosh-osk-stevia", "stevia"],
      "gsettings set org.gnome.desktop.a11y.applications screen-keyboard-enabled false"),
    named(
      "wvkbd", ["wvkbd", "wvkbd-mobintl", "wvkbd-deskintl"],
      "take it out of what starts it: the compositor's autostart"),
    named(
      "Onboard", ["onboard"], "gsettings set org.onboard.auto-show enabled false",
      "sudo apt-get remove onboard"),
    named(
      "Maliit", ["maliit-keyboard", "maliit-server"],
      "System Settings, Keyboard, Virtual Keyboard: None; or take --inputmethod from kwin_wayland's command line"
    ),
    named("Plasma Keyboard", ["plasma-keyboard"], "System Settings, Keyboard, Virtual Keyboard: None"),
    named("matchbox-keyboard", ["matchbox-keyboard"], "take it out of what starts the session"),
    named("Florence", ["florence"], "sudo apt-get remove florence"),
    named("xvkbd", ["xvkbd"], "take it out of what starts the session"),
    named(
      "svkbd", ["svkbd-mobile-intl", "svkbd-mobile-simple", "svkbd"], "take it out of what starts the session"
    ),
    named("Weston's keyboard", ["weston-keyboard"], "[input-method] with an empty path= in weston.ini"),
    named(
      "GNOME Shell, whose keyboard comes after a touch", ["gnome-shell"],
      "gsettings set org.gnome.desktop.a11y.applications screen-keyboard-enabled false",
      "if it still comes: a Shell extension that blocks it, or a compositor for kiosks such as cage"),
    OtherKeyboard(
      title: "a browser with a virtual keyboard",
      matches: { process in
        ["chrom", "brave", "msedge", "electron", "cef"].contains { process.program.hasPrefix($0) }
          && process.arguments.contains(where: enablesVirtualKeyboard)
      }, remedy: ["take that option from its command line, or the extension from its profile"]),
    OtherKeyboard(
      title: "Qt Virtual Keyboard", matches: { $0.inputMethod == "qtvirtualkeyboard" },
      remedy: ["unset QT_IM_MODULE where the application is started"]),
  ]

  /// By the program's name; the kernel's own cuts it off after 15 bytes.
  private static func named(_ title: String, _ names: [String], _ remedy: String...) -> OtherKeyboard {
    OtherKeyboard(
      title: title,
      matches: { process in
        names.contains { $0 == process.program || $0.prefix(15) == process.name || scripts(process, $0) }
      }, remedy: remedy)
  }

  /// Whether an interpreter runs a script of that name.
  private static func scripts(_ process: Process, _ name: String) -> Bool {
    process.name.hasPrefix("python") && process.arguments.dropFirst().first?.hasSuffix("/\(name)") == true
  }

  private static func enablesVirtualKeyboard(_ argument: String) -> Bool {
    argument == "--enable-virtual-keyboard"
      || argument.hasPrefix("--enable-features=") && argument.contains("VirtualKeyboard")
  }
}

extension Check {
  /// Who else shows keyboards by itself, so that there are two or the wrong one.
  static let otherKeyboards = Check(id: "other-keyboards") { facts in
    let clients = Set(
      (facts.daemon.clients ?? []).compactMap { $0["pid"].asInteger.map { Int(clamping: $0) } })
    let hasDriver = (facts.daemon.clients ?? []).contains { !$0["driver"].isNull }
    let findings = OtherKeyboard.all.compactMap { keyboard -> Finding? in
      // What is connected to Keylift does its bidding.
      let process = facts.processes.first { keyboard.matches($0) && !clients.contains($0.pid) }
      guard let process else { return nil }
      return Finding(
        state: hasDriver ? .note : .warning,
        text:
          "\(keyboard.title) runs: \(process.program) (process \(process.pid)); it shows itself without Keylift"
          + (hasDriver ? ", unless Keylift's driver moves it" : ""),
        remedy: keyboard.remedy,
        facts: [.init("process", .string(process.program)), .init("pid", .integer(process.pid))])
    }
    if !findings.isEmpty { return findings }
    return [
      facts.processes.contains { $0.uid != facts.account.uid } || facts.account.isRoot
        ? .ok("no other on-screen keyboard runs")
        : .unknown("other users' processes are hidden", "sudo keyliftctl doctor")
    ]
  }
}
