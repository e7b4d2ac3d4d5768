import Testing

@testable import Geometry

@Test(
  "focus-and-layout rule 2: right and bottom edges are outside",
  arguments: [
    (0.0, 0.0, true), (99.9, 49.9, true), (50, 50, false), (100, 20, false), (-0.1, 20, false),
  ])
func edges(x: Double, y: Double, inside: Bool) {
  #expect(Rect(x: 0, y: 0, width: 100, height: 50).contains(Point(x: x, y: y)) == inside)
}

@Test func intersectionOfRectanglesThatOnlyTouchIsEmpty() {
  let a = Rect(x: 0, y: 0, width: 10, height: 10)
  #expect(a.intersection(Rect(x: 10, y: 0, width: 10, height: 10)).isEmpty)
  #expect(a.intersection(Rect(x: 5, y: 8, width: 10, height: 10)) == Rect(x: 5, y: 8, width: 5, height: 2))
}

@Test func notANumberIsEmptyAndContainsNothing() {
  let rect = Rect(x: 0, y: 0, width: .nan, height: 10)
  #expect(rect.isEmpty)
  #expect(!rect.isFinite)
  #expect(!rect.contains(Point(x: 0, y: 0)))
}

@Test(
  "a rotation and its inverse are the identity",
  arguments: [
    (Rotation.clockwise90, Rotation.clockwise270), (.clockwise180, .clockwise180), (.none, .none),
  ])
func rotations(there: Rotation, back: Rotation) {
  #expect(there.matrix.followed(by: back.matrix) == .identity)
}
