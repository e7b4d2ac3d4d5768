import Engine
import EventLoop
import Geometry
import Glibc

/// The deciding plugins, and the questions that are put to them one after the other (ipc, rules 15 to 17).
///
/// A socket that appears in the directory is a plugin; one that goes is forgotten. The daemon starts nothing.
final class Plugins {
  /// By their order, and then by name.
  private(set) var plugins: [Plugin] = []

  private unowned let daemon: Daemon
  private let directory: String
  private var watch: DirectoryWatch?
  /// Of the directory that holds this one.
  private var parentWatch: DirectoryWatch?
  private var timer: TimerSource?
  private var opening: TimerSource?
  private var waiting: [Question] = []
  private var current: Asking?
  private var deciders: Set<Transition> = []

  /// Sockets that are looked at; each costs a descriptor.
  private static let mostPlugins = 64

  /// The question that is being put to one plugin after the other.
  private struct Asking {
    var question: Question
    var rest: ArraySlice<Plugin>
    /// Where a plugin put the layout that is to move.
    var offset: Point?
    /// When all of them have had their time; nil before the first is asked.
    var end: UInt64?
    /// The one that is asked now, and when it has had its time.
    var plugin: Plugin?
    var deadline: UInt64 = 0
    /// Whether that is all the time that an answer may take.
    var isFullTime = true
  }

  /// Throws: why the directory cannot be made or watched.
  init(directory: String, daemon: Daemon) throws {
    self.directory = directory
    self.daemon = daemon
    timer = try daemon.loop.timer { [unowned self] in expire() }
    opening = try daemon.loop.timer { [unowned self] in openAgain() }
    try openDirectory()
    // A removed directory does not say so itself while somebody still listens at a socket that was in it.
    let parent = directory.prefix(upTo: directory.lastIndex(of: "/") ?? directory.startIndex)
    parentWatch = try? daemon.loop.watchDirectory(parent.isEmpty ? "." : String(parent)) { [unowned self] _ in
      reopen()
    }
    look()
  }

  /// Makes the directory if it is not there, and watches it.
  private func openDirectory() throws {
    if unsafe mkdir(directory, 0o755) == 0 {
      unsafe _ = chmod(directory, 0o755)  // whatever the umask is
    } else if errno != EEXIST {
      throw SystemError(errno, "mkdir \(directory)")
    }
    try checkOwner()
    watch = try daemon.loop.watchDirectory(directory) { [unowned self] isGone in
      if isGone { reopen() } else { look() }
    }
  }

  /// Opens what is at the path in the loop's next turn: while sd-event still has the last, it takes a directory with
  /// the same inode's number for that one.
  private func reopen() {
    watch = nil
    opening?.arm(at: 0)
  }

  private func openAgain() {
    do { try openDirectory() } catch { daemon.log.error(.plugins, "no plugins any more: \(error)") }
    look()
  }

  /// Whoever may put a socket here decides about the focus of all.
  private func checkOwner() throws {
    var status = stat()
    guard unsafe lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      status.st_uid == 0 || status.st_uid == geteuid(), status.st_mode & 0o022 == 0
    else {
      throw StartError(
        description: "\(directory) is not a directory that root and the daemon alone may write to")
    }
  }

  // MARK: The directory

  /// Takes up the sockets that are there, and lets go of those that are not.
  private func look() {
    // One that may not be used is not watched either.
    let sockets = watch == nil ? [] : ((try? namesInDirectory(directory)) ?? []).filter(isSocket)
    // Those that are used already come first: nobody pushes them out.
    let used = Set(plugins.map(fileName))
    let names = Set(
      (sockets.filter(used.contains) + sockets.filter { !used.contains($0) }).prefix(Plugins.mostPlugins))
    if sockets.count > names.count {
      daemon.log.warning(
        .plugins(in: directory),
        "\(directory) has \(sockets.count) sockets; \(names.count) are used as plugins")
    }
    // Another socket in the place of one that was used is another plugin.
    for plugin in plugins
    where !names.contains(fileName(plugin)) || plugin.file != FileIdentity(of: plugin.path) {
      daemon.log.info(.plugin(plugin), "plugin \(plugin.name) is gone")
      plugins.removeAll { $0 === plugin }
      plugin.close()
    }
    for name in names.sorted() where !plugins.contains(where: { fileName($0) == name }) {
      let plugin = Plugin(path: "\(directory)/\(name)", name: name, daemon: daemon) { [unowned self] in
        changed()
      }
      plugins.append(plugin)
      plugin.connect()
    }
    changed()
  }

  private func fileName(_ plugin: Plugin) -> String { String(plugin.path.dropFirst(directory.count + 1)) }

  private func isSocket(_ name: String) -> Bool {
    var status = stat()
    return unsafe lstat("\(directory)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  /// Tells the core what there is somebody to ask about.
  private func changed() {
    plugins.sort { ($0.description.order, $0.name, $0.path) < ($1.description.order, $1.name, $1.path) }
    let now = Set(Transition.allCases.filter { transition in plugins.contains { $0.decides(transition) } })
    if now != deciders {
      deciders = now
      daemon.feed(.deciders(now), at: daemon.loop.now)
    }
    arm()
  }

  // MARK: Questions

  /// Puts a question to those who decide about it; the core is told what came of it.
  func ask(_ question: Question) {
    waiting.append(question)
    begin()
  }

  private func begin() {
    while current == nil, !waiting.isEmpty {
      let question = waiting.removeFirst()
      let deciding = plugins.filter { $0.decides(question.transition) }
      current = Asking(question: question, rest: deciding[...])
      askNext()
    }
  }

  private func askNext() {
    guard var asking = current else { return }
    let now = daemon.loop.now
    let transition = asking.question.transition
    asking.rest = asking.rest.drop { !$0.decides(transition) }  // gone or left out meanwhile
    let end = asking.end ?? now + daemon.settings.pluginTotalDeadline
    guard now < end, let plugin = asking.rest.popFirst() else { return finish(allowed(asking)) }
    let most = min(daemon.settings.pluginDeadline, daemon.settings.pluginTotalDeadline)
    asking.plugin = plugin
    asking.end = end
    asking.deadline = min(now + most, end)
    asking.isFullTime = now + most <= end
    current = asking
    plugin.ask(asking.question) { [unowned self] in take($0) }
    arm()
  }

  private func allowed(_ asking: Asking) -> Decision { Decision(isAllowed: true, offset: asking.offset) }

  private func take(_ decision: Decision?) {
    guard var asking = current else { return }
    asking.plugin = nil
    if let decision, !decision.isAllowed {
      daemon.log.debug(
        .plugins,
        "plugin \(decision.by) refused \(asking.question.transition) of \(asking.question.view ?? "nothing")")
      return finish(decision)
    }
    if let offset = decision?.offset, asking.question.offset != nil, offset.isFinite {
      asking.offset = offset
      asking.question.offset = offset
    }
    current = asking
    askNext()
  }

  private func finish(_ decision: Decision) {
    guard let asking = current else { return }
    current = nil
    daemon.feed(.decision(asking.question.id, decision), at: daemon.loop.now)
    begin()
    arm()
  }

  // MARK: Time

  private func arm() {
    var next = plugins.compactMap(\.deadline).min()
    if let current, current.plugin != nil { next = min(next ?? current.deadline, current.deadline) }
    if let next { timer?.arm(at: next) } else { timer?.disarm() }
  }

  private func expire() {
    let now = daemon.loop.now
    if let asking = current, let plugin = asking.plugin, asking.deadline <= now {
      plugin.passOver(isItsFault: asking.isFullTime)
      if current?.plugin === plugin { take(nil) }
    }
    for plugin in plugins where plugin.deadline.map({ $0 <= now }) ?? false { plugin.expire() }
    arm()
  }
}
