import Glibc
import Statistics
import Varlink

extension MonitorService {
  /// io.keylift.Monitor.Counters.
  func counters(_ call: Call, of daemon: Daemon) {
    let (counters, engine, sockets) = (daemon.counters, daemon.engine, daemon.servers)
    let devices = daemon.openDevices
    call.reply { writer in
      writer.field("instance", daemon.stamp.instance)
      let uptime = daemon.loop.now - min(counters.startedAt, daemon.loop.now)
      writer.field("uptime", Double(uptime) / 1_000_000)
      if let memory = residentMemory() { writer.field("memory", memory) } else { writer.null("memory") }
      writer.field("frames", devices.reduce(counters.frames) { $0 &+ $1.frames })
      writer.field("drops", devices.reduce(counters.drops) { $0 &+ $1.drops })
      writer.field("touches", engine.touchCount)
      writer.field("states", daemon.stamp.serial)
      writer.field("merged", sockets.reduce(0) { $0 &+ $1.server.totals.merged })
      writer.field("shows", counters.shows)
      writer.field("hides", counters.hides)
      writer.field("reloads", counters.reloads)
      writer.field("failedReloads", counters.failedReloads)
      writer.field("unlogged", daemon.log.unlogged)
      writer.field("scenes", engine.scenes.count)
      writer.field("views", engine.scenes.reduce(0) { $0 &+ $1.tree.count })
      writer.field("subscribers", subscriberCount)
      writer.field("touchReaders", daemon.touchReaderCount)
      writer.field("drivers", daemon.driversByConnection.count)
      writer.array("devices") { writer in for device in devices { writer.object { device.write(to: &$0) } } }
      writer.array("latencies") { counters.write(to: &$0) }
      writer.array("sockets") { writer in
        for (socket, server) in sockets { writer.object { write(socket, server, to: &$0) } }
      }
      writer.array("closed") { writer in
        for blame in Server.Blame.allCases {
          writer.object { writer in
            writer.field("reason", blame.rawValue)
            writer.field("count", sockets.reduce(0) { $0 &+ $1.server.totals.closed[blame, default: 0] })
          }
        }
      }
      writer.array("plugins") { writer in
        for plugin in daemon.plugins?.plugins ?? [] { writer.object { plugin.writeCounters(to: &$0) } }
      }
    }
  }

  private func write(_ socket: DaemonSocketName, _ server: Server, to writer: inout JSONWriter) {
    writer.field("socket", socket.rawValue)
    writer.field("accepted", server.totals.accepted)
    writer.field("calls", server.totals.calls)
    writer.field("errors", server.totals.errors)
    writer.field("connections", server.connectionCount)
  }
}

extension Counters {
  /// Writes Monitor's Latency for each stage.
  func write(to writer: inout JSONWriter) {
    for (stage, times) in [
      ("kernel", kernel), ("decision", decision), ("delivery", delivery), ("whole", whole),
    ] {
      writer.object { writer in
        writer.field("stage", stage)
        writer.field("duration", times)
      }
    }
  }
}

extension DeviceInputs.OpenDevice {
  /// Writes Monitor's DeviceCounters.
  func write(to writer: inout JSONWriter) {
    writer.field("path", device.path)
    writer.field("name", device.description.name)
    writer.field("frames", frames)
    writer.field("drops", drops)
  }
}

extension Plugin {
  /// Writes Monitor's PluginCounters.
  func writeCounters(to writer: inout JSONWriter) {
    writer.field("name", name)
    writer.field("socket", path)
    writer.field("asked", asked)
    writer.field("refused", refused)
    writer.field("unanswered", unanswered)
    writer.field("duration", duration)
  }
}

extension JSONWriter {
  /// Writes Monitor's Duration, of microseconds; the buckets go from 16 µs to 1 s.
  mutating func field(_ key: StaticString, _ times: Histogram) {
    object(key) { writer in
      writer.field("count", Int64(clamping: times.count))
      writer.field("total", Int64(clamping: times.total))
      for (key, value) in [("p50", times.quantile(0.5)), ("p99", times.quantile(0.99)), ("max", times.max)] {
        writer.key(key)
        if let value { writer.value(Int64(clamping: value)) } else { writer.null() }
      }
      writer.array("buckets") { writer in
        for power in 4...20 {
          let bound: UInt64 = 1 << UInt64(power)
          writer.object { writer in
            writer.field("below", Int64(clamping: bound))
            writer.field("count", Int64(clamping: times.count(below: bound)))
          }
        }
      }
    }
  }
}

/// How much of the daemon is in memory, in bytes, as proc(5) has it in /proc/self/statm; nil if it is not to be read.
private func residentMemory() -> Int? {
  guard let file = unsafe fopen("/proc/self/statm", "re") else { return nil }
  defer { unsafe _ = fclose(file) }
  var buffer = [CChar](repeating: 0, count: 128)
  guard unsafe fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
  let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  let fields = text.split(separator: " ")
  guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
  return pages.multipliedReportingOverflow(by: Int(sysconf(Int32(_SC_PAGESIZE)))).partialValue
}
