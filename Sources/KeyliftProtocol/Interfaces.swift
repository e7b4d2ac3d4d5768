import Varlink

/// What daemon, tool and library have in common.
public enum Keylift {
  public static let version = "0.1.0"
}

/// Keylift's interfaces as their .varlink files describe them.
public enum Interfaces {
  public static let scene = parse(PackageResources.io_keylift_Scene_varlink)
  public static let monitor = parse(PackageResources.io_keylift_Monitor_varlink)
  public static let keyboard = parse(PackageResources.io_keylift_Keyboard_varlink)
  public static let control = parse(PackageResources.io_keylift_Control_varlink)
  public static let plugin = parse(PackageResources.io_keylift_Plugin_varlink)

  private static func parse(_ file: [UInt8]) -> InterfaceDescription {
    do {
      return try InterfaceDescription(String(decoding: file, as: UTF8.self))
    } catch {
      // The files are compiled in, and a test parses them all.
      fatalError("an interface description that was compiled in is wrong: \(error)")
    }
  }
}

/// The errors of Keylift's interfaces, by their qualified names.
public enum KeyliftError {
  public static let noSuchScene = "io.keylift.Scene.NoSuchScene"
  public static let noSuchView = "io.keylift.Scene.NoSuchView"
  public static let invalidScene = "io.keylift.Scene.InvalidScene"
  public static let refused = "io.keylift.Scene.Refused"
  public static let noSuchDriver = "io.keylift.Keyboard.NoSuchDriver"
  public static let controlNoSuchScene = "io.keylift.Control.NoSuchScene"
  public static let noSuchScreen = "io.keylift.Control.NoSuchScreen"
  public static let configurationInvalid = "io.keylift.Control.ConfigurationInvalid"
  public static let invalidTouch = "io.keylift.Control.InvalidTouch"
}
