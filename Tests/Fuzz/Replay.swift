import Glibc

#if !FUZZER
  /// Without the fuzzer: plays files again, step by step in words. FUZZ_TARGET=touches fuzz FILE...
  @main enum Replay {
    static func main() {
      let arguments = CommandLine.arguments
      if arguments.count == 3, arguments[1] == "--steps", let steps = Int(arguments[2]) {
        exit(Properties.run(steps: steps))
      }
      var status: Int32 = 0
      for path in CommandLine.arguments.dropFirst() {
        guard let bytes = contents(of: path) else {
          print("fuzz: cannot read \(path)")
          exit(2)
        }
        let problem = Target.chosen.play(bytes) { print($0) }
        print("\(path): \(problem ?? "nothing is wrong")")
        if problem != nil { status = 1 }
      }
      exit(status)
    }

    private static func contents(of path: String) -> [UInt8]? {
      guard let file = unsafe fopen(path, "r") else { return nil }
      defer { unsafe fclose(file) }
      var bytes: [UInt8] = []
      while case let byte = unsafe getc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
      return bytes
    }
  }
#endif
