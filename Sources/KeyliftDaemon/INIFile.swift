import CInih
import EventLoop
import Glibc

/// One `name = value` of an INI file, or the beginning of a section, which may have none.
struct INIEntry {
  var section: String
  /// nil where the section begins.
  var name: String?
  var value = ""
  /// From 1.
  var line: Int
}

/// Reads INI files through inih, keeping the line that each entry stands on.
enum INIFile {
  /// inih cuts names at this many bytes; longer ones are refused instead.
  private static let longestName = 49

  /// Every entry, in order.
  ///
  /// - rest: how many bytes it may have; those it has are taken from them.
  ///   Below 0 the file was longer.
  /// - mistakes: takes that the file cannot be read, and why; or the lines that are no INI.
  static func read(_ path: String, upTo rest: inout Int, _ mistakes: inout FileMistakes) -> [INIEntry] {
    let file: UnsafeMutablePointer<FILE>
    do throws(ConfigurationError) {
      unsafe file = try open(path)
    } catch {
      mistakes.take(error)
      return []
    }
    defer { unsafe _ = fclose(file) }
    let reader = unsafe Reader(file, rest)
    let context = unsafe Unmanaged.passUnretained(reader).toOpaque()
    let result = unsafe ini_parse_stream(
      { buffer, size, context in
        guard let buffer = unsafe buffer, let context = unsafe context else { return nil }
        return unsafe Unmanaged<Reader>.fromOpaque(context).takeUnretainedValue().line(into: buffer, size)
      }, context,
      { context, _, name, value in
        guard let context = unsafe context, let name = unsafe name else { return 1 }
        unsafe Unmanaged<Reader>.fromOpaque(context).takeUnretainedValue().take(
          String(cString: name), value.map { unsafe String(cString: $0) } ?? "")
        return 1
      }, context)
    rest = reader.rest
    // inih goes on after a line that it cannot read, and tells of the first alone.
    if result != 0 {
      let lines = reader.unreadable.isEmpty ? [max(0, Int(result))] : reader.unreadable
      for line in lines {
        mistakes.take(
          ConfigurationError(
            file: path, line: line, reason: "neither a [Section] nor a Name=value nor a comment"))
      }
      mistakes.count += reader.unreadableCount - reader.unreadable.count
    }
    if let (line, reason) = reader.problem {
      mistakes.take(ConfigurationError(file: path, line: line, reason: reason))
    }
    return reader.entries
  }

  /// Nothing here waits: a pipe would, for ever if nobody writes, and with it all that a daemon does. No device is
  /// opened but /dev/null, since that alone may do something: /dev/watchdog then restarts the machine.
  private static func open(_ path: String) throws(ConfigurationError) -> UnsafeMutablePointer<FILE> {
    var status = stat()
    if unsafe stat(path, &status) == 0, [S_IFCHR, S_IFBLK].contains(status.st_mode & S_IFMT),
      !isNull(path)
    {
      throw ConfigurationError(file: path, line: 0, reason: "is a device, not a file")
    }
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFIFO,
      let file = unsafe fdopen(descriptor, "r")
    else {
      let reason = status.st_mode & S_IFMT == S_IFIFO ? "is a pipe, not a file" : SystemError.text(errno)
      close(descriptor)
      throw ConfigurationError(file: path, line: 0, reason: reason)
    }
    return unsafe file
  }

  /// Whether a path leads to /dev/null, as of a file that is to be as if it were not there.
  static func isNull(_ path: String) -> Bool {
    var status = stat()
    var null = stat()
    return unsafe stat("/dev/null", &null) == 0 && stat(path, &status) == 0
      && status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == null.st_rdev
  }

  /// Gives inih a line at a time and counts them.
  @safe private final class Reader {
    private let file: UnsafeMutablePointer<FILE>
    private var line = 0
    private var section = ""
    /// The last line that should be an entry, and so far is none; 0 if there is none.
    private var pending = 0
    /// Lines that are nothing: the first ones, and how many there are.
    private(set) var unreadable: [Int] = []
    private(set) var unreadableCount = 0
    /// Whether a section began that has no end, so that nobody knows whose the entries below are.
    private var isLost = false
    private(set) var entries: [INIEntry] = []
    private(set) var problem: (line: Int, reason: String)?
    /// Bytes that may still come.
    private(set) var rest: Int

    init(_ file: UnsafeMutablePointer<FILE>, _ rest: Int) {
      unsafe self.file = file
      self.rest = rest
    }

    func line(into buffer: UnsafeMutablePointer<CChar>, _ size: Int32) -> UnsafeMutablePointer<CChar>? {
      if pending > 0 {
        unreadableCount += 1
        if unreadable.count < Mistakes.most { unreadable.append(pending) }
      }
      pending = 0
      guard problem == nil else { return nil }
      guard unsafe fgets(buffer, size, file) != nil else {
        if unsafe ferror(file) != 0 { problem = (line, SystemError.text(errno)) }
        return nil
      }
      line += 1
      let length = unsafe strlen(buffer)
      rest -= length
      guard rest >= 0 else {
        problem = (line, "the configuration is longer than \(Settings.longest >> 10) KiB")
        return nil
      }
      let isWhole = unsafe length > 0 && (buffer[length - 1] == 10 || feof(file) != 0)
      guard isWhole else {
        // A file system that lost power may leave nothing but NULs, which are not the defaults.
        problem = (line, length == Int(size) - 1 ? "longer than \(size - 2) bytes" : "a NUL in the line")
        return nil
      }
      let text = unsafe String(cString: buffer)
      let start = text.unicodeScalars.drop { $0.properties.isWhitespace || $0 == "\u{FEFF}" }
      if start.first == "[", let end = start.firstIndex(of: "]") {
        // inih cuts sections too, and a link such as /dev/input/by-path/... is longer: it is given a short one.
        section = String(start[..<end].dropFirst())
        isLost = false
        entries.append(INIEntry(section: section, line: line))
        unsafe strcpy(buffer, "[]\n")
        return unsafe buffer
      }
      let name = text.prefix { $0 != "=" }
      if let first = start.first, first != ";", first != "#" { pending = line }
      if start.first == "[" { isLost = true }
      if !text.hasPrefix(";"), !text.hasPrefix("#"), name.utf8.count > INIFile.longestName {
        problem = (line, "a name of more than \(INIFile.longestName) bytes")
        return nil
      }
      return unsafe buffer
    }

    func take(_ name: String, _ value: String) {
      pending = 0
      guard !isLost else { return }
      entries.append(INIEntry(section: section, name: name, value: value, line: line))
    }
  }
}
