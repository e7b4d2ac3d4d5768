import Engine
import EngineCoding
import EventLoop
import KeyliftProtocol
import Varlink

extension Daemon {
  /// Reads the configuration again and goes by it, all of it or, if something is wrong, nothing; clients and scenes stay.
  ///
  /// Returns: what has changed. Throws: what is wrong, which is logged too.
  @discardableResult
  func reload() throws(ConfigurationError) -> [SettingChange] {
    notifyManager("RELOADING=1\nMONOTONIC_USEC=\(loop.now)")
    defer { notifyManager("READY=1") }
    let next: Settings
    do throws(ConfigurationError) {
      next = try configurationPlace?.read() ?? settings
    } catch {
      counters.failedReloads &+= 1
      log.error(.configuration(error), "\(error); nothing is changed", .configurationRefused)
      throw error
    }
    counters.reloads &+= 1
    let before = settings
    let changes = before.texts.changes(to: next.texts)
    log.level = max(before.logLevel, next.logLevel)  // so that the change of the level is told
    for change in changes { log.info(.configuration, change.description) }
    take(next)
    log.info(
      .configuration, "reloaded, with \(describeScreens())\(changes.isEmpty ? "; nothing has changed" : "")")
    log.level = next.logLevel
    return changes
  }
}

extension ControlService {
  /// Bytes after which no change is put into a reply, of which a client is sent 256 KiB at most.
  private static let fullReply = 192 * 1024

  func reload(_ call: Call, _ daemon: Daemon) {
    do throws(ConfigurationError) {
      let changes = try daemon.reload()
      call.reply { writer in
        writer.array("changes") { writer in
          for change in changes where writer.bytes.count < ControlService.fullReply {
            writer.object { writer in
              writer.field("section", change.section)
              writer.field("key", change.key)
              writer.field("from", change.from)
              writer.field("to", change.to)
            }
          }
        }
      }
    } catch {
      call.fail(KeyliftError.configurationInvalid) { writer in
        writer.field("file", error.file)
        if error.line > 0 { writer.field("line", error.line) } else { writer.null("line") }
        writer.field("reason", error.fullReason)
      }
    }
  }
}
