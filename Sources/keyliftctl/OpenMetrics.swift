import Varlink

/// The counters as OpenMetrics 1.0 has metrics: families with type, unit and help, and an end.
///
/// Of types only those that the older text format of Prometheus knows too, which node_exporter reads files by.
/// Source: https://github.com/prometheus/OpenMetrics, specification/OpenMetrics.md
struct OpenMetrics {
  private var text = ""

  /// - version: the daemon's
  /// - devices: those that are read, as a monitor is told of them
  static func text(of counters: JSON, version: String, devices: [JSON]) -> String {
    var metrics = OpenMetrics()
    metrics.daemon(version, devices)
    metrics.presence(counters)
    metrics.counts(counters)
    metrics.latencies(counters["latencies"].asArray ?? [])
    metrics.devices(counters["devices"].asArray ?? [])
    metrics.sockets(counters)
    metrics.plugins(counters["plugins"].asArray ?? [])
    return metrics.text + "# EOF\n"
  }

  // MARK: Families

  private mutating func daemon(_ version: String, _ devices: [JSON]) {
    // A gauge that is always 1, since node_exporter's format has no type `info`.
    family("keylift_build_info", "gauge", "The daemon's version, as a label.")
    sample("keylift_build_info", [("version", .string(version))], .integer(1))
    family("keylift_touchscreens", "gauge", "Touchscreens that are read.")
    sample("keylift_touchscreens", [], .integer(devices.count { $0["touch"] == .bool(true) }))
  }

  private mutating func presence(_ counters: JSON) {
    family("keylift_uptime_seconds", "gauge", "How long the daemon has run.", unit: "seconds")
    sample("keylift_uptime_seconds", [], counters["uptime"])
    if !counters["memory"].isNull {
      family("keylift_memory_bytes", "gauge", "What the daemon has in memory.", unit: "bytes")
      sample("keylift_memory_bytes", [], counters["memory"])
    }
    for (key, name, help) in [
      ("scenes", "scenes", "Scenes that are attached."),
      ("views", "views", "Views of all scenes."),
      ("subscribers", "subscribers", "Subscribers of io.keylift.Monitor."),
      ("touchReaders", "touch_readers", "Streams of touches."),
      ("drivers", "drivers", "Drivers of the keyboard."),
    ] {
      family("keylift_\(name)", "gauge", help)
      sample("keylift_\(name)", [], counters[key])
    }
  }

  private mutating func counts(_ counters: JSON) {
    for (key, name, help) in [
      ("frames", "frames", "Frames of all devices."),
      ("drops", "drops", "How often the kernel lost events (SYN_DROPPED), all devices."),
      ("touches", "touches", "Touches that began."),
      ("states", "states", "States that were published."),
      ("merged", "merged", "States and movements never sent, since newer ones took their place."),
      ("shows", "keyboard_shows", "How often the keyboard came."),
      ("hides", "keyboard_hides", "How often the keyboard went."),
      ("reloads", "reloads", "Reloads of the configuration."),
      ("failedReloads", "failed_reloads", "Reloads that a wrong configuration failed."),
      ("unlogged", "unlogged_lines", "Lines of the log left out, since there were many like them."),
    ] { counter(name, help, [([], counters[key])]) }
  }

  private mutating func latencies(_ latencies: [JSON]) {
    histogram(
      "latency", "Of a frame by stage: kernel until read, decision, delivery to sockets, whole.",
      latencies.map { ([("stage", $0["stage"])], $0["duration"]) })
  }

  private mutating func devices(_ devices: [JSON]) {
    func all(_ key: String) -> [(Labels, JSON)] {
      devices.map { ([("device", $0["path"]), ("name", $0["name"])], $0[key]) }
    }
    counter("device_frames", "Frames of a device that is read.", all("frames"))
    counter("device_drops", "How often the kernel lost events of a device.", all("drops"))
  }

  private mutating func sockets(_ counters: JSON) {
    let sockets = counters["sockets"].asArray ?? []
    func all(_ key: String) -> [(Labels, JSON)] { sockets.map { ([("socket", $0["socket"])], $0[key]) } }
    family("keylift_connections", "gauge", "Connections that there are.")
    for (labels, value) in all("connections") { sample("keylift_connections", labels, value) }
    counter("accepted", "Connections that there were.", all("accepted"))
    counter("calls", "Calls that clients made.", all("calls"))
    counter("call_errors", "Calls that were answered by an error.", all("errors"))
    counter(
      "closed", "Connections refused or closed for what they do.",
      (counters["closed"].asArray ?? []).map { ([("reason", $0["reason"])], $0["count"]) })
  }

  private mutating func plugins(_ plugins: [JSON]) {
    guard !plugins.isEmpty else { return }
    func all(_ key: String) -> [(Labels, JSON)] {
      plugins.map { ([("plugin", $0["name"]), ("socket", $0["socket"])], $0[key]) }
    }
    counter("plugin_asked", "Questions that a plugin was asked.", all("asked"))
    counter("plugin_refused", "Questions that it answered by no.", all("refused"))
    counter("plugin_unanswered", "Questions without an answer in time.", all("unanswered"))
    histogram("plugin_answer", "How long a plugin's answers took.", all("duration"))
  }

  // MARK: Lines

  private typealias Labels = [(name: String, value: JSON)]

  private mutating func family(_ name: String, _ type: String, _ help: String, unit: String? = nil) {
    text += "# TYPE \(name) \(type)\n"
    if let unit { text += "# UNIT \(name) \(unit)\n" }
    text += "# HELP \(name) \(help)\n"
  }

  private mutating func sample(_ name: String, _ labels: Labels, _ value: JSON) {
    text += "\(name)\(OpenMetrics.braces(labels)) \(number(value))\n"
  }

  private mutating func counter(_ name: String, _ help: String, _ samples: [(Labels, JSON)]) {
    guard !samples.isEmpty else { return }
    family("keylift_\(name)", "counter", help)
    for (labels, value) in samples { sample("keylift_\(name)_total", labels, value) }
  }

  /// Of Durations, in seconds.
  private mutating func histogram(_ name: String, _ help: String, _ samples: [(Labels, JSON)]) {
    let name = "keylift_\(name)_seconds"
    family(name, "histogram", help, unit: "seconds")
    for (labels, duration) in samples {
      for bucket in duration["buckets"].asArray ?? [] {
        // Of whole microseconds what is below a bound is at most the one before it, and `le` is "at most".
        let bound = OpenMetrics.seconds(.integer(max(1, bucket["below"].asInteger ?? 1) - 1))
        sample("\(name)_bucket", labels + [("le", .string(bound))], bucket["count"])
      }
      sample("\(name)_bucket", labels + [("le", .string("+Inf"))], duration["count"])
      sample("\(name)_count", labels, duration["count"])
      text += "\(name)_sum\(OpenMetrics.braces(labels)) \(OpenMetrics.seconds(duration["total"]))\n"
    }
  }

  /// Microseconds as seconds, to the microsecond: `0.000016`.
  private static func seconds(_ microseconds: JSON) -> String {
    let (whole, rest) = max(0, microseconds.asInteger ?? 0).quotientAndRemainder(dividingBy: 1_000_000)
    return "\(whole).\(String(1_000_000 + rest).dropFirst())"
  }

  private static func braces(_ labels: Labels) -> String {
    guard !labels.isEmpty else { return "" }
    return "{" + labels.map { "\($0.name)=\"\(escaped($0.value.asString ?? ""))\"" }.joined(separator: ",")
      + "}"
  }

  private static func escaped(_ value: String) -> String {
    value.map { character in
      switch character {
      case "\\": "\\\\"
      case "\"": "\\\""
      case _ where character.isNewline: "\\n"
      default: String(character)
      }
    }.joined()
  }
}
