/// The kernel's names, from the headers that the C library brings.
public enum KernelNames {
  public static let codes: [String: UInt16] = {
    var codes: [String: UInt16] = [:]
    for header in ["input-event-codes.h", "input.h"] {
      let text = String(decoding: TestFolder.contents("/usr/include/linux/\(header)"), as: UTF8.self)
      for line in text.split(separator: "\n") where line.hasPrefix("#define") {
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard words.count >= 3 else { continue }
        // Another name for one that came before, or a number.
        let number = words[2].hasPrefix("0x") ? UInt16(words[2].dropFirst(2), radix: 16) : UInt16(words[2])
        codes[String(words[1])] = number ?? codes[String(words[2])]
      }
    }
    return codes
  }()
}
