/// An interface as its description in Varlink's interface definition language says it is.
///
/// The text is kept as it was, for GetInterfaceDescription.
public struct InterfaceDescription: Sendable {
  public let name: String
  public let text: String
  public let methods: [String: Method]
  /// The fields of each error's parameters, by the error's name within the interface.
  public let errors: [String: [Field]]
  package let typeNames: [String: Int]
  package let definitions: [DataType]

  public struct Method: Sendable {
    public let name: String
    public let input: [Field]
    public let output: [Field]
  }

  public struct Field: Sendable {
    public let name: String
    public let type: DataType
  }

  public indirect enum DataType: Sendable {
    case bool, int, float, string
    /// Any object.
    case object
    /// Any value but null.
    case any
    case structure([Field])
    case enumeration([String])
    case nullable(DataType)
    case array(DataType)
    /// An object with keys of any name.
    case map(DataType)
    /// A type of the interface, by its number in it.
    case named(Int)
  }

  /// Throws: what is wrong with the text, and in which line.
  public init(_ text: String) throws(DescriptionError) {
    var parser = DescriptionParser(text)
    try parser.parse()
    name = parser.name
    self.text = text
    methods = parser.methods
    errors = parser.errors
    typeNames = parser.typeNumbers
    definitions = parser.definitions.compactMap(\.self)
  }

  /// The structure or enumeration of that name.
  public func type(_ name: String) -> DataType? { typeNames[name].map { definitions[$0] } }
}

/// What is wrong with an interface description; lines count from 1.
public struct DescriptionError: Error, CustomStringConvertible, Equatable, Sendable {
  public var line: Int
  public var problem: String

  public var description: String { "line \(line): \(problem)" }
}
