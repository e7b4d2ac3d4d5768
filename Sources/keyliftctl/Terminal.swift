import EventLoop
import Glibc

/// A terminal that is drawn on as a whole, and as it was before once it is let go.
final class Terminal {
  /// In characters; both at least 1.
  struct Size: Equatable {
    var columns: Int
    var rows: Int
    /// How much higher than wide a character is.
    var aspect = 2.0
  }

  private let descriptor: Int32
  private let isOwned: Bool
  private var before: termios?
  private var shown: [String] = []
  private var shownSize: Size?

  /// Whether what is printed may be more than ASCII.
  static var isUnicode: Bool { unsafe String(cString: nl_langinfo(nl_item(CODESET))) == "UTF-8" }

  /// Whether standard output is a terminal that pictures can be drawn on.
  static var isOutput: Bool {
    let kind = unsafe getenv("TERM").map { unsafe String(cString: $0) } ?? ""
    return isatty(STDOUT_FILENO) == 1 && !kind.isEmpty && kind != "dumb"
  }

  /// How wide a text for standard output may be; 80 if it is no terminal.
  static var columns: Int { isatty(STDOUT_FILENO) == 1 ? max(40, Terminal().size.columns) : 80 }

  /// Standard output.
  init() {
    descriptor = STDOUT_FILENO
    isOwned = false
  }

  /// Throws: that it cannot be opened, or is no terminal.
  init(path: String, for command: String) throws(Failure) {
    descriptor = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    isOwned = true
    guard descriptor >= 0 else { throw .refused("\(command): \(path): \(SystemError.text(errno)).") }
    guard isatty(descriptor) == 1 else {
      close(descriptor)
      throw .refused("\(command): \(path): this is no terminal.")
    }
  }

  deinit {
    leave()
    if isOwned { close(descriptor) }
  }

  /// 80x24 if the terminal does not know.
  var size: Size {
    var window = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0
    else { return Size(columns: 80, rows: 24) }
    var size = Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
    if window.ws_xpixel > 0, window.ws_ypixel > 0 {
      let width = Double(window.ws_xpixel) / Double(window.ws_col)
      size.aspect = min(max(Double(window.ws_ypixel) / Double(window.ws_row) / width, 0.5), 4)
    }
    return size
  }

  /// Takes the whole terminal: another screen where it has one, no cursor, no echo of what is typed.
  func enter() throws(Output.Ending) {
    var modes = termios()
    if unsafe tcgetattr(descriptor, &modes) == 0 {
      before = modes
      modes.c_lflag &= ~tcflag_t(ECHO)
      modes.c_iflag &= ~tcflag_t(IXON)  // with output stopped by Ctrl-S nothing could be given back
      unsafe tcsetattr(descriptor, TCSADRAIN, &modes)
    }
    // Stopped, or ended that way, it would leave the terminal as it is now.
    for keys in [SIGTSTP, SIGQUIT] { _ = signal(keys, SIG_IGN) }
    try Output.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J", to: descriptor)
  }

  /// Gives the terminal back; harmless the second time, and if it is gone.
  func leave() {
    guard var modes = before else { return }
    before = nil
    // The Linux console has no other screen, and is cleared.
    try? Output.write("\u{1B}[2J\u{1B}[H\u{1B}[?25h\u{1B}[?1049l", to: descriptor)
    unsafe tcsetattr(descriptor, TCSAFLUSH, &modes)  // what was typed meanwhile is nobody's command
    for keys in [SIGTSTP, SIGQUIT] { _ = signal(keys, SIG_DFL) }
  }

  /// Shows lines from the top; writes only those that differ from what is shown, so that nothing flickers.
  func show(_ lines: [String], in size: Size) throws(Output.Ending) {
    var text = ""
    if size != shownSize {
      text += "\u{1B}[2J"
      shown = []
      shownSize = size
    }
    for row in 0..<size.rows {
      let line = row < lines.count ? lines[row] : ""
      guard line != (row < shown.count ? shown[row] : "") else { continue }
      // Erased before, since a full line leaves the cursor on its last character.
      text += "\u{1B}[\(row + 1);1H\u{1B}[K\(line)"
    }
    shown = Array(lines.prefix(size.rows))
    if !text.isEmpty { try Output.write(text, to: descriptor) }
  }
}
