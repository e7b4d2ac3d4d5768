import CGetopt
import Glibc

/// An option as getopt_long(3) takes it.
struct Option: Sendable {
  let name: StaticString
  let takesArgument: Bool

  init(_ name: StaticString, takesArgument: Bool = false) {
    self.name = name
    self.takesArgument = takesArgument
  }
}

/// What a command line has: options by their names, and the rest.
struct Arguments: Equatable {
  var options: [String: String] = [:]
  var operands: [String] = []

  func has(_ option: String) -> Bool { options[option] != nil }
  subscript(option: String) -> String? { options[option] }

  init(options: [String: String] = [:], operands: [String] = []) {
    self.options = options
    self.operands = operands
  }

  /// Parses what follows the words `program`, by glibc's getopt_long, abbreviations and `--` included.
  ///
  /// - Parameter inOrder: whether options end where the first operand begins
  /// - Throws: what is wrong with an option.
  init(_ words: [String], of program: String, options known: [Option], inOrder: Bool = false) throws(Failure)
  {
    let vector = CStringVector([program] + words)
    var table = unsafe known.map { option in
      unsafe CGetopt.option(
        name: UnsafeRawPointer(option.name.utf8Start).assumingMemoryBound(to: CChar.self),
        has_arg: option.takesArgument ? required_argument : no_argument, flag: nil, val: 256)
    }
    unsafe table.append(CGetopt.option())
    keylift_getopt_restart()
    let letters = inOrder ? "+:h" : ":h"
    while true {
      var index: Int32 = -1
      let found = unsafe getopt_long(Int32(vector.count), vector.pointer, letters, &table, &index)
      if found == -1 { break }
      let word = vector[Int(keylift_optind()) - 1]
      switch found {
      case 256 where known.indices.contains(Int(index)):
        options["\(known[Int(index)].name)"] =
          unsafe keylift_optarg().map { unsafe String(cString: $0) } ?? ""
      case 104: options["help"] = ""
      case 58: throw .usage("\(word): needs a value. See \(program) --help.")
      default: throw .usage("\(refusal(word)). See \(program) --help.")
      }
    }
    let end = Int(keylift_optind())
    operands = (end..<max(vector.count, end)).map { vector[$0] }
  }
}

/// What getopt_long(3) means by `?`: an unknown option, an ambiguous one, or a value where none is taken.
private func refusal(_ word: String) -> String {
  switch keylift_optopt() {
  case 256: "\(word): takes no value"
  case 0: "\(word): no such option, or the beginning of several"
  default: "-\(Character(UnicodeScalar(UInt8(truncatingIfNeeded: keylift_optopt())))): no such option"
  }
}

/// An argv of its own, since getopt_long permutes it.
@safe private struct CStringVector: ~Copyable {
  let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  let count: Int

  init(_ strings: [String]) {
    count = strings.count
    unsafe pointer = .allocate(capacity: strings.count + 1)
    for (index, string) in strings.enumerated() {
      unsafe (pointer + index).initialize(to: strdup(string))
    }
    unsafe (pointer + count).initialize(to: nil)
  }

  deinit {
    for index in 0..<count { unsafe free(pointer[index]) }
    unsafe pointer.deallocate()
  }

  subscript(index: Int) -> String {
    guard (0..<count).contains(index) else { return "" }
    return unsafe pointer[index].map { unsafe String(cString: $0) } ?? ""
  }
}
