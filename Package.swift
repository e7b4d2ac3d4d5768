// swift-tools-version: 6.2
import PackageDescription

// Strict memory safety everywhere: what meets C is marked `unsafe`, and nothing else is.
let swift: [SwiftSetting] = [.strictMemorySafety(), .enableUpcomingFeature("ExistentialAny")]

let package = Package(
  name: "keylift",
  products: [
    .executable(name: "keyliftd", targets: ["keyliftd"]),
    .executable(name: "keyliftctl", targets: ["keyliftctl"]),
    .executable(name: "keylift-osk", targets: ["keylift-osk"]),
    .library(name: "KeyliftClient", targets: ["KeyliftClient"]),
  ],
  targets: [
    // C: module maps and inline shims, no logic.
    .systemLibrary(name: "CEvdev", pkgConfig: "libevdev", providers: [.apt(["libevdev-dev"])]),
    .systemLibrary(name: "CMtdev", pkgConfig: "mtdev", providers: [.apt(["libmtdev-dev"])]),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CJSON", pkgConfig: "json-c", providers: [.apt(["libjson-c-dev"])]),
    .systemLibrary(name: "CInih", pkgConfig: "inih", providers: [.apt(["libinih-dev"])]),
    .systemLibrary(name: "CGetopt"),
    .systemLibrary(name: "CXCB", pkgConfig: "xcb", providers: [.apt(["libxcb1-dev", "libxcb-randr0-dev"])]),
    .systemLibrary(
      name: "CWaylandClient", pkgConfig: "wayland-client", providers: [.apt(["libwayland-dev"])]),
    // Compiled from its XML by wayland-scanner: Sources/CWayland/generate.
    .target(
      name: "CWayland", dependencies: ["CWaylandClient"],
      exclude: [
        "generate", "wlr-foreign-toplevel-management-unstable-v1.xml", "wlr-layer-shell-unstable-v1.xml",
      ]),

    // The pure core: no clock, no I/O, no C. An arrow only points up this list.
    .target(name: "Geometry", swiftSettings: swift),
    .target(name: "TouchInput", dependencies: ["Geometry"], swiftSettings: swift),
    .target(name: "ResponderChain", dependencies: ["Geometry", "TouchInput"], swiftSettings: swift),
    .target(name: "Avoidance", dependencies: ["Geometry"], swiftSettings: swift),
    .target(
      name: "Engine", dependencies: ["Geometry", "TouchInput", "ResponderChain", "Avoidance"],
      swiftSettings: swift),
    .target(name: "Statistics", swiftSettings: swift),

    // The shell.
    .target(name: "EventLoop", dependencies: ["CSystemd"], swiftSettings: swift),
    .target(name: "DBus", dependencies: ["CSystemd", "EventLoop"], swiftSettings: swift),
    .target(
      name: "Evdev", dependencies: ["CEvdev", "CMtdev", "CSystemd", "EventLoop", "TouchInput"],
      swiftSettings: swift),
    .target(name: "Varlink", dependencies: ["CJSON", "EventLoop"], swiftSettings: swift),
    .target(
      name: "KeyliftProtocol", dependencies: ["Varlink", "Geometry", "ResponderChain", "Avoidance"],
      resources: [.embedInCode("Interfaces")], swiftSettings: swift),
    .target(
      name: "EngineCoding",
      dependencies: [
        "KeyliftProtocol", "Varlink", "Geometry", "TouchInput", "ResponderChain", "Avoidance", "Engine",
      ],
      swiftSettings: swift),
    .target(
      name: "Recording", dependencies: ["Varlink", "TouchInput", "Avoidance", "Engine"], swiftSettings: swift),
    .target(
      name: "KeyliftClient",
      dependencies: [
        "CSystemd", "KeyliftProtocol", "Varlink", "EventLoop", "Geometry", "TouchInput", "ResponderChain",
        "Avoidance",
      ],
      swiftSettings: swift),
    .target(
      name: "KeyliftDaemon",
      dependencies: [
        "CGetopt", "CInih", "CSystemd", "Geometry", "TouchInput", "ResponderChain", "Engine", "EngineCoding",
        "EventLoop", "Evdev", "KeyliftProtocol", "Recording", "Statistics", "Varlink",
      ],
      swiftSettings: swift),
    .target(
      name: "Desktop", dependencies: ["CWayland", "CXCB", "EventLoop", "Geometry"], swiftSettings: swift),
    .target(
      name: "KeyliftOSK",
      dependencies: [
        "CGetopt", "CSystemd", "DBus", "Desktop", "EventLoop", "Geometry", "KeyliftClient", "KeyliftProtocol",
      ],
      swiftSettings: swift),
    .executableTarget(name: "keylift-osk", dependencies: ["KeyliftOSK"], swiftSettings: swift),
    .executableTarget(name: "keyliftd", dependencies: ["KeyliftDaemon"], swiftSettings: swift),
    .executableTarget(
      name: "keyliftctl",
      dependencies: [
        "CGetopt", "CSystemd", "Evdev", "Geometry", "TouchInput", "ResponderChain", "KeyliftClient",
        "KeyliftProtocol", "Recording", "Varlink", "EventLoop",
      ],
      swiftSettings: swift),

    // The client's examples, and the program that its tests drive.
    .executableTarget(
      name: "form", dependencies: ["KeyliftClient"], path: "Clients/Swift",
      exclude: ["tests", "never.swift"], sources: ["form.swift"], swiftSettings: swift),
    .executableTarget(
      name: "never", dependencies: ["KeyliftClient"], path: "Clients/Swift",
      exclude: ["tests", "form.swift"], sources: ["never.swift"], swiftSettings: swift),
    .executableTarget(
      name: "driver", dependencies: ["KeyliftClient"], path: "Clients/Swift/tests", swiftSettings: swift),

    .executableTarget(
      name: "bench",
      dependencies: [
        "Geometry", "TouchInput", "ResponderChain", "Engine", "EventLoop", "Evdev", "EngineCoding",
        "KeyliftProtocol", "Varlink", "Invariants",
      ],
      path: "Tests/Bench", exclude: ["run", "in-vm", "readers.py", "libinput.c", "bus.py", "bus.c"],
      swiftSettings: swift),

    // What must always hold, for the tests below and for Tests/Fuzz.
    .target(
      name: "Invariants", dependencies: ["Geometry", "TouchInput", "ResponderChain", "Avoidance", "Engine"],
      path: "Tests/Invariants", swiftSettings: swift),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "Invariants", "Engine", "EventLoop", "KeyliftDaemon", "KeyliftProtocol", "Recording", "TouchInput",
        "Varlink",
      ],
      path: "Tests/Fuzz", exclude: ["run", "corpus"], swiftSettings: swift),

    // The files that tests are written in: Tests/Devices, Tests/Scenarios.
    .target(
      name: "TestFiles", dependencies: ["TouchInput", "Varlink"], path: "Tests/TestFiles",
      swiftSettings: swift),

    .testTarget(name: "GeometryTests", dependencies: ["Geometry"], swiftSettings: swift),
    .testTarget(
      name: "TouchInputTests", dependencies: ["TouchInput", "Invariants", "TestFiles", "Varlink"],
      swiftSettings: swift),
    .testTarget(name: "ResponderChainTests", dependencies: ["ResponderChain"], swiftSettings: swift),
    .testTarget(name: "AvoidanceTests", dependencies: ["Avoidance"], swiftSettings: swift),
    .testTarget(name: "EngineTests", dependencies: ["Engine", "Invariants"], swiftSettings: swift),
    .testTarget(
      name: "ScenarioTests",
      dependencies: [
        "Engine", "Geometry", "Invariants", "KeyliftProtocol", "ResponderChain", "TestFiles", "TouchInput",
        "Varlink", "EngineCoding", "KeyliftDaemon",
      ], swiftSettings: swift),
    .testTarget(name: "StatisticsTests", dependencies: ["Statistics"], swiftSettings: swift),
    .testTarget(name: "EventLoopTests", dependencies: ["EventLoop"], swiftSettings: swift),
    .testTarget(name: "EvdevTests", dependencies: ["Evdev", "Invariants"], swiftSettings: swift),
    .testTarget(name: "VarlinkTests", dependencies: ["Varlink"], swiftSettings: swift),
    .testTarget(
      name: "KeyliftDaemonTests",
      dependencies: [
        "KeyliftDaemon", "KeyliftProtocol", "EventLoop", "Varlink", "Geometry", "TouchInput", "Engine",
      ],
      swiftSettings: swift),
    .testTarget(
      name: "EngineCodingTests", dependencies: ["EngineCoding", "KeyliftProtocol", "Engine", "TouchInput"],
      swiftSettings: swift),
    .testTarget(
      name: "RecordingTests",
      dependencies: [
        "Recording", "Geometry", "TouchInput", "ResponderChain", "Avoidance", "Engine", "Invariants",
        "TestFiles",
        "Varlink",
      ],
      swiftSettings: swift),
    .testTarget(
      name: "KeyliftClientTests",
      dependencies: [
        "KeyliftClient", "KeyliftProtocol", "EventLoop", "Varlink", "Geometry", "ResponderChain", "Avoidance",
      ], swiftSettings: swift),
    .testTarget(name: "DesktopTests", dependencies: ["Desktop", "Geometry"], swiftSettings: swift),
    .testTarget(
      name: "KeyliftOSKTests", dependencies: ["KeyliftOSK", "Desktop", "Geometry"], swiftSettings: swift),
    .testTarget(
      name: "keyliftctlTests",
      dependencies: ["keyliftctl", "Geometry", "TouchInput", "KeyliftProtocol", "Varlink", "Invariants"],
      swiftSettings: swift),
  ]
)
