// What an application needs beside this module's own, so that `import KeyliftClient` is all that it imports.

@_exported import enum Avoidance.KeyboardPhase
@_exported import enum Avoidance.KeyboardReason
@_exported import struct Avoidance.KeyboardState
@_exported import struct Avoidance.Layout
@_exported import struct Avoidance.ScrollAdjustment
@_exported import class EventLoop.EventLoop
@_exported import struct EventLoop.SystemError
@_exported import struct Geometry.Insets
@_exported import struct Geometry.Point
@_exported import struct Geometry.Rect
@_exported import struct Geometry.Screen
@_exported import struct Geometry.Size
@_exported import enum ResponderChain.AvoidanceMode
@_exported import enum ResponderChain.DismissMode
@_exported import enum ResponderChain.Kind
@_exported import enum ResponderChain.Purpose
@_exported import enum ResponderChain.ReturnKey
@_exported import struct ResponderChain.SceneDescription
@_exported import enum ResponderChain.SceneError
@_exported import enum ResponderChain.Trigger
@_exported import struct ResponderChain.View
@_exported import enum TouchInput.TouchPhase
@_exported import enum Varlink.JSON
@_exported import struct Varlink.JSONWriter
