import EventLoop
import Glibc
import Testing

@testable import Evdev

@Suite("Device: what is no device")
struct DeviceTests {
  private func code(_ path: String, expectedDevice: dev_t? = nil) -> Int32? {
    do throws(SystemError) {
      _ = try Device(path: path, expectedDevice: expectedDevice)
      return nil
    } catch { return error.code }
  }

  @Test("A node that is not there") func missing() { #expect(code("/dev/input/none") == ENOENT) }

  @Test("A node that is another device now") func identity() {
    #expect(code("/dev/null", expectedDevice: 1 << 8 | 5) == ENODEV)
  }

  @Test("A node that is no input device", arguments: ["/dev/null", "/"]) func other(path: String) {
    #expect(code(path) != nil)
  }
}
