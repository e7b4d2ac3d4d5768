import KeyliftProtocol
import Testing
import Varlink

@testable import KeyliftDaemon

/// Limits that lines are given to at times in seconds.
private final class LimitedLog {
  private var limits = LineLimits()

  /// In seconds.
  var deadline: UInt64? { limits.deadline.map { $0 / 1_000_000 } }

  func takes(
    _ text: String, about path: String = "/dev/input/event1", place: UInt = 1, at second: UInt64
  ) -> Bool {
    takes(LogLine(level: .warning, subject: .device(path), text: text), place: place, at: second)
  }

  func takes(_ line: LogLine, place: UInt = 1, at second: UInt64) -> Bool {
    limits.take(line, at: LineLimits.Place(file: "here", line: place), second * 1_000_000)
  }

  func sums(at second: UInt64, isEnd: Bool = false) -> [String] {
    limits.sums(at: second * 1_000_000, isEnd: isEnd).map(\.text)
  }
}

@Suite("What keeps one that repeats itself from filling the log") struct LineLimitsTests {
  private let log = LimitedLog()

  @Test("three at once, and after a minute the last with how many there were") func minute() {
    for number in 1...3 { #expect(log.takes("\(number)", at: 5)) }
    #expect(log.deadline == nil)
    for number in 4...45 { #expect(!log.takes("\(number)", at: 6)) }
    #expect(log.deadline == 65)
    #expect(log.sums(at: 64).isEmpty)
    #expect(log.sums(at: 65) == ["45; 41 lines like this one were left out in 60 s"])
    #expect(log.deadline == nil)
  }

  @Test("as long as it goes on it is told after twice as long each time, up to an hour") func longer() {
    var written: [UInt64] = []
    for second: UInt64 in 0..<86_400 {
      if let deadline = log.deadline, deadline <= second, !log.sums(at: second).isEmpty {
        written.append(second)
      }
      if log.takes("again", at: second) { written.append(second) }
    }
    #expect(written.prefix(9) == [0, 1, 2, 60, 180, 420, 900, 1860, 3780])
    #expect(zip(written.dropFirst(9), written.dropFirst(8)).allSatisfy { $0 - $1 == 3600 })
    // Once nothing has come of it for that long it is as new.
    _ = log.sums(at: 90_100)
    #expect(!log.takes("again", at: 90_101))
    _ = log.sums(at: 94_000)
    #expect(log.takes("again", at: 98_000))
  }

  @Test("what one does keeps no other's lines out, and no other kind") func others() {
    for _ in 0..<100 { _ = log.takes("flaps", at: 0) }
    #expect(log.takes("comes", about: "/dev/input/event2", at: 0))
    #expect(log.takes("is broken", place: 2, at: 0))
  }

  @Test("of many, each of which says little, there are sixty lines in a minute") func many() {
    #expect((0..<10_000).count { log.takes("comes", about: "/dev/input/event\($0)", at: 0) } == 60)
    #expect(log.sums(at: 60) == ["comes; 9939 lines like this one were left out in 60 s"])
  }

  @Test("what nobody can bring about at will is never left out") func unlimited() {
    let line = LogLine(level: .info, subject: .configuration, text: "changed")
    for _ in 0..<1000 { #expect(log.takes(line, at: 0)) }
  }

  @Test("at the end all is said, in the order in which it happened last") func end() {
    for path in ["/dev/input/event1", "/dev/input/event2"] {
      for _ in 0..<10 { _ = log.takes("of \(path)", about: path, at: 1) }
    }
    _ = log.takes("of the first", about: "/dev/input/event1", at: 2)
    #expect(
      log.sums(at: 11, isEnd: true) == [
        "of /dev/input/event2; 6 lines like this one were left out in 10 s",
        "of the first; 7 lines like this one were left out in 10 s",
      ])
  }
}

@Suite("The journal's fields") struct JournalTests {
  @Test("are of what a line is about, and no others") func fields() {
    func fields(_ subject: LogSubject, _ event: LogEvent? = nil) -> [String] {
      Journal.fields(of: LogLine(level: .warning, subject: subject, event: event, text: "said"))
        .dropFirst(event == nil ? 3 : 4).map { "\($0.name)=\($0.value)" }
    }
    let peer = Credentials(pid: 7, uid: 1000, gid: 1000)
    #expect(fields(.keylift) == ["KEYLIFT_BLAME=keylift"])
    #expect(
      fields(.client(peer, scene: "scene-1"), .clientClosed) == [
        "KEYLIFT_BLAME=client", "KEYLIFT_SCENE=scene-1", "KEYLIFT_CLIENT_PID=7", "KEYLIFT_CLIENT_UID=1000",
      ])
    #expect(
      fields(.configuration(ConfigurationError(file: "a.conf", line: 3, reason: "no"))) == [
        "KEYLIFT_BLAME=configuration", "KEYLIFT_FILE=a.conf", "KEYLIFT_LINE=3",
      ])
    #expect(
      fields(.configuration(ConfigurationError(file: "a.conf", line: 0, reason: "no"))) == [
        "KEYLIFT_BLAME=configuration", "KEYLIFT_FILE=a.conf",
      ])
  }

  @Test("an event's MESSAGE_ID is 128 bits in hexadecimal, and each has another") func events() {
    let events: [LogEvent] = [
      .configurationRefused, .deviceUnusable, .eventsLost, .clientClosed, .pluginLeftOut,
    ]
    #expect(Set(events.map(\.rawValue)).count == events.count)
    #expect(events.allSatisfy { $0.rawValue.count == 32 && $0.rawValue.allSatisfy(\.isHexDigit) })
  }
}
