import Glibc

#if !FUZZER
  /// Without the fuzzer: plays files again, step by step in words. FUZZ_TARGET=touches fuzz FILE...
  @main enum Replay {
    static func main() {
      let arguments = CommandLine.arguments
      if arguments.count > 2, arguments[1] == "--steps", let steps = Int(arguments[2]) {
        let corpus = arguments.count == 5 && arguments[3] == "--corpus" ? arguments[4] : nil
        exit(Properties(steps: steps, corpus: corpus).run())
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

    static func contents(of path: String) -> [UInt8]? {
      guard let file = unsafe fopen(path, "r") else { return nil }
      defer { unsafe fclose(file) }
      var bytes: [UInt8] = []
      while case let byte = unsafe getc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
      return bytes
    }

    /// The paths of a folder's files, in order.
    static func files(in folder: String) -> [String] {
      var found = unsafe glob_t()
      defer { unsafe globfree(&found) }
      guard unsafe glob("\(folder)/*", 0, nil, &found) == 0 else { return [] }
      let count = unsafe Int(found.gl_pathc)
      return (0..<count).compactMap { place in
        unsafe found.gl_pathv[place].map { unsafe String(cString: $0) }
      }
    }

    /// Writes an input down that broke something. Returns: where.
    static func keep(_ bytes: [UInt8], of target: Target) -> String {
      var template = Array("/tmp/fuzz-\(target)-XXXXXX".utf8CString)
      let descriptor = unsafe mkstemp(&template)
      unsafe _ = write(descriptor, bytes, bytes.count)
      close(descriptor)
      return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
#endif
