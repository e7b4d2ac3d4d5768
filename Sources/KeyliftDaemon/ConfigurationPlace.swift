import EventLoop
import Glibc

/// Where the configuration is, of which a later entry wins.
package enum ConfigurationPlace {
  /// A file that must be there, and after it the drop-ins FILE.d/*.conf by name.
  case file(String)
  /// keylift.conf of each folder, the weakest first, and after all of them the drop-ins keylift.conf.d/*.conf of every
  /// folder together by name. A drop-in takes the place of one of the same name in a weaker folder, so that an empty
  /// one, or a link to /dev/null, takes it away. Nothing needs to be there.
  case folders([String])

  /// The distribution's or the vendor's, what a program of this boot says, and the operator's.
  static let standard = folders(["/usr/lib/keylift", "/run/keylift", "/etc/keylift"])

  private static let name = "keylift.conf"

  /// The files that are there, in the order in which they are read.
  /// Throws: that a folder cannot be read, and why.
  func files() throws(ConfigurationError) -> [String] {
    switch self {
    case .file(let path):
      return [path] + (try ConfigurationPlace.dropIns(in: [path + ".d"]))
    case .folders(let folders):
      let all = folders.map { "\($0)/\(ConfigurationPlace.name)" }
      // One that may not be looked at is told of as it is read.
      let there = all.filter { path in unsafe access(path, F_OK) == 0 || errno != ENOENT }
      return there + (try ConfigurationPlace.dropIns(in: all.map { $0 + ".d" }))
    }
  }

  /// Throws: the file, the line and the reason; nothing of a wrong configuration is used.
  func read() throws(ConfigurationError) -> Settings { try Settings.read(files()) }

  /// What a file takes away that is a link to /dev/null, in words; nil if it is none.
  func masking(by path: String) -> String? {
    guard INIFile.isNull(path) else { return nil }
    let link = "a link to /dev/null"
    guard case .folders(let folders) = self else { return "\(link), as if it were not there" }
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    let mains = folders.map { "\($0)/\(ConfigurationPlace.name)" }
    if mains.contains(path) {
      return "\(link), as if it were not there; those of other folders are read all the same"
    }
    let taken = mains.map { "\($0).d/\(name)" }.prefix { $0 != path }
      .filter { other in unsafe access(other, F_OK) == 0 }
    return taken.isEmpty
      ? "\(link), and there is none of that name to take away"
      : "\(link), which takes \(taken.joined(separator: " and ")) away"
  }

  /// The *.conf of folders, by name; of one name that of the last folder.
  private static func dropIns(in folders: [String]) throws(ConfigurationError) -> [String] {
    var paths: [String: String] = [:]  // by name
    for folder in folders {
      do throws(SystemError) {
        for name in try namesInDirectory(folder) where name.hasSuffix(".conf") {
          paths[name] = "\(folder)/\(name)"
        }
      } catch {
        guard error.code == ENOENT else {
          throw ConfigurationError(file: folder, line: 0, reason: SystemError.text(error.code))
        }
      }
    }
    return paths.sorted { $0.key < $1.key }.map(\.value)
  }
}
