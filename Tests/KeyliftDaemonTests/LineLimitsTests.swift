import Testing
import Varlink

@testable import KeyliftDaemon

@Suite("What keeps one that repeats itself from filling the log") struct LineLimitsTests {
  private let place = LineLimits.Place(file: "here", line: 1)
  private var limits = LineLimits()

  private func line(_ text: String, about path: String = "/dev/input/event1") -> LogLine {
    LogLine(level: .warning, subject: .device(path), text: text)
  }

  private func seconds(_ seconds: UInt64) -> UInt64 { seconds * 1_000_000 }

  /// How many of so many lines a second apart are written, sums taken in.
  private mutating func written(_ times: UInt64, from start: UInt64) -> Int {
    var written = 0
    for second in start..<start + times {
      if let deadline = limits.deadline, deadline <= seconds(second) {
        written += limits.sums(at: seconds(second)).count
      }
      if limits.take(line("again"), at: place, seconds(second)) { written += 1 }
    }
    return written
  }

  @Test("three at once, and after a minute the last with how many there were") mutating func minute() {
    for number in 1...3 { #expect(limits.take(line("\(number)"), at: place, seconds(5))) }
    #expect(limits.deadline == nil)
    for number in 4...45 { #expect(!limits.take(line("\(number)"), at: place, seconds(6))) }
    #expect(limits.deadline == seconds(65))
    #expect(limits.sums(at: seconds(64)).isEmpty)
    #expect(
      limits.sums(at: seconds(65)).map(\.text) == ["45; 41 lines like this one were left out in 60 s"])
    #expect(limits.deadline == nil)
  }

  @Test("as long as it goes on it is told after twice as long each time, up to an hour")
  mutating func longer() {
    let day = written(86_400, from: 0)
    #expect((26...33).contains(day), "3, at 1, 3, 7, 15, 31 and 63 minutes, and each hour: \(day)")
    // And after an hour without it, it is as new.
    #expect(!limits.take(line("again"), at: place, seconds(86_401)))
    _ = limits.sums(at: seconds(90_100))
    #expect(limits.take(line("again"), at: place, seconds(94_000)))
  }

  @Test("what one does keeps no other's lines out, and no other kind") mutating func others() {
    for _ in 0..<100 { _ = limits.take(line("flaps"), at: place, 0) }
    #expect(limits.take(line("comes", about: "/dev/input/event2"), at: place, 0))
    #expect(limits.take(line("is broken"), at: .init(file: "here", line: 2), 0))
  }

  @Test("of many, each of which says little, there are sixty lines in a minute") mutating func many() {
    let taken = (0..<10_000).count { number in
      limits.take(line("comes", about: "/dev/input/event\(number)"), at: place, 0)
    }
    #expect(taken == 60)
    #expect(
      limits.sums(at: seconds(60)).map(\.text) == ["comes; 9939 lines like this one were left out in 60 s"])
  }

  @Test("what nobody can bring about at will is never left out") mutating func unlimited() {
    for _ in 0..<1000 {
      #expect(limits.take(LogLine(level: .info, subject: .configuration, text: "changed"), at: place, 0))
    }
  }

  @Test("at the end all is said, in the order in which it happened last") mutating func end() {
    for path in ["/dev/input/event1", "/dev/input/event2"] {
      for _ in 0..<10 { _ = limits.take(line("of \(path)", about: path), at: place, seconds(1)) }
    }
    _ = limits.take(line("of the first", about: "/dev/input/event1"), at: place, seconds(2))
    #expect(
      limits.sums(at: seconds(11), isEnd: true).map(\.text) == [
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
