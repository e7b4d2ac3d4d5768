import Geometry
import Testing

@testable import Desktop

private let onboard = KeyboardTraits(windowClass: "Onboard")
private let matchbox = KeyboardTraits(windowTitle: "Keyboard")
private let bottom = Rect(x: 0, y: 280, width: 800, height: 200)

/// A root window of 800 by 480 with an onboard across its bottom, window 10.
private func treeWithKeyboard() -> WindowTree {
  var tree = WindowTree(root: 1)
  tree.resize(to: Size(width: 800, height: 480))
  tree.add(10, in: 1, frame: bottom)
  tree.update(10) { ($0.classes, $0.isMapped) = (["onboard"], true) }
  return tree
}

/// Puts window 10 into a frame, window 20, as a window manager does that draws a title of 20 points.
private func decorate(_ tree: inout WindowTree) {
  tree.add(20, in: 1, frame: Rect(x: 0, y: 259, width: 802, height: 222), border: 1)
  tree.update(20) { $0.isMapped = true }
  tree.reparent(10, to: 20, at: Point(x: 0, y: 20))
  tree.update(10) { $0.decorations = Insets(top: 20, left: 0, bottom: 0, right: 0) }
}

private func seen(_ frame: Rect, coveredBy cover: String? = nil) -> Sight {
  .seen(.init(output: "", size: Size(width: 800, height: 480), frame: frame, coveredBy: cover))
}

@Suite struct KeyboardsWindow {
  @Test func isSeenWhereItIs() {
    #expect(treeWithKeyboard().sight(of: onboard, on: []) == seen(bottom))
  }

  @Test func isUnknownUntilThereIsOneAndAfterItIsGone() {
    var tree = treeWithKeyboard()
    #expect(tree.sight(of: matchbox, on: []) == .unknown)
    tree.remove(10)
    #expect(tree.sight(of: onboard, on: []) == .unknown)
  }

  @Test func isHiddenWhileItOrItsFrameIsUnmapped() {
    var tree = treeWithKeyboard()
    decorate(&tree)
    tree.update(20) { $0.isMapped = false }
    #expect(tree.sight(of: onboard, on: []) == .hidden)
    tree.update(20) { $0.isMapped = true }
    tree.update(10) { $0.isMapped = false }
    #expect(tree.sight(of: onboard, on: []) == .hidden)
  }

  @Test func isKnownByItsTitleOnlyWithoutAClass() {
    var tree = treeWithKeyboard()
    tree.update(10) { ($0.classes, $0.title) = ([], "Keyboard") }
    #expect(tree.sight(of: matchbox, on: []) == seen(bottom))
    tree.update(10) { $0.classes = ["settings"] }
    #expect(tree.sight(of: matchbox, on: []) == .unknown)
  }

  @Test func isTheWidestOfItsClass() {
    var tree = treeWithKeyboard()
    tree.add(9, in: 1, frame: Rect(x: 10, y: 10, width: 10, height: 10))
    tree.update(9) { ($0.classes, $0.isMapped) = (["onboard"], true) }
    #expect(tree.sight(of: onboard, on: []) == seen(bottom))
    tree.update(10) { $0.isMapped = false }
    #expect(tree.sight(of: onboard, on: []) == .hidden)  // its icon is not it
  }

  @Test func hasItsDecorationsWithinAFrame() {
    var tree = treeWithKeyboard()
    decorate(&tree)
    #expect(tree.sight(of: onboard, on: []) == seen(Rect(x: 1, y: 260, width: 799, height: 220)))
  }

  @Test func isUnknownUntilAllFramesAroundItAre() {
    var tree = treeWithKeyboard()
    tree.reparent(10, to: 30, at: .zero)
    #expect(tree.sight(of: onboard, on: []) == .unknown)
    tree.add(30, in: nil, frame: Rect(x: 0, y: 270, width: 800, height: 210))
    tree.update(30) { ($0.parent, $0.isMapped) = (1, true) }
    #expect(tree.sight(of: onboard, on: []) == seen(Rect(x: 0, y: 270, width: 800, height: 200)))
  }

  @Test func isCutAtTheEdgeAndHiddenBeyondIt() {
    var tree = treeWithKeyboard()
    tree.update(10) { $0.frame.y = 400 }
    #expect(tree.sight(of: onboard, on: []) == seen(Rect(x: 0, y: 400, width: 800, height: 80)))
    tree.update(10) { $0.frame.y = 480 }
    #expect(tree.sight(of: onboard, on: []) == .hidden)
  }

  @Test func isExpectedInsideOfTheScreenWhileItSlidesIn() {
    var tree = treeWithKeyboard()
    tree.update(10) { $0.frame.y = 470 }
    #expect(tree.sight(of: onboard, on: [], inside: true) == seen(bottom))
    tree.update(10) { $0.frame = Rect(x: -10, y: -20, width: 900, height: 100) }
    #expect(
      tree.sight(of: onboard, on: [], inside: true) == seen(Rect(x: 0, y: 0, width: 800, height: 100)))
    tree.update(10) { $0.frame.y = 480 }
    #expect(tree.sight(of: onboard, on: [], inside: true) == .hidden)
  }

  @Test func isInsideOfTheScreenAfterRotation() {
    var tree = treeWithKeyboard()
    tree.resize(to: Size(width: 480, height: 800))
    let place = Sight.Place(
      output: "", size: Size(width: 480, height: 800), frame: Rect(x: 0, y: 280, width: 480, height: 200))
    #expect(tree.sight(of: onboard, on: []) == .seen(place))
  }

  @Test func isOnTheOutputThatShowsMostOfIt() {
    let tree = treeWithKeyboard()
    let outputs: [WindowTree.Output] = [
      .init(name: "left", frame: Rect(x: 0, y: 0, width: 300, height: 480)),
      .init(name: "right", frame: Rect(x: 300, y: 100, width: 500, height: 380)),
    ]
    let place = Sight.Place(
      output: "right", size: Size(width: 500, height: 380), frame: Rect(x: 0, y: 180, width: 500, height: 200)
    )
    #expect(tree.sight(of: onboard, on: outputs) == .seen(place))
  }
}

@Suite struct KeyboardsCover {
  /// A window over all of the screen, window 40, above the keyboard.
  private func coveredTree() -> WindowTree {
    var tree = treeWithKeyboard()
    tree.add(40, in: 1, frame: Rect(x: 0, y: 0, width: 800, height: 480))
    tree.update(40) { ($0.title, $0.isMapped) = ("A film", true) }
    return tree
  }

  @Test func isTheWindowAboveAllOfIt() {
    var tree = coveredTree()
    #expect(tree.sight(of: onboard, on: []) == seen(bottom, coveredBy: "A film"))
    tree.update(40) { $0.frame.width = 799 }
    #expect(tree.sight(of: onboard, on: []) == seen(bottom))
  }

  @Test func isNoneThatIsUnmappedOrOnlyTakesInput() {
    var tree = coveredTree()
    tree.update(40) { $0.isMapped = false }
    #expect(tree.sight(of: onboard, on: []) == seen(bottom))
    tree.update(40) { ($0.isMapped, $0.isInputOnly) = (true, true) }
    #expect(tree.sight(of: onboard, on: []) == seen(bottom))
  }

  @Test func isNoneThatIsNobodys() {
    var tree = coveredTree()
    tree.add(50, in: 1, frame: Rect(x: 0, y: 0, width: 800, height: 480))
    tree.update(50) { $0.isMapped = true }  // a compositing manager's
    #expect(tree.sight(of: onboard, on: []) == seen(bottom, coveredBy: "A film"))
    tree.update(40) { $0.title = "" }
    #expect(tree.sight(of: onboard, on: []) == seen(bottom))
    tree.add(51, in: 50)
    #expect(tree.sight(of: onboard, on: []) == seen(bottom))
    tree.update(51) { $0.title = "A game" }
    #expect(tree.sight(of: onboard, on: []) == seen(bottom, coveredBy: "A game"))
  }

  @Test func endsAsTheKeyboardIsRaised() {
    var tree = coveredTree()
    tree.raise(10)
    #expect(tree.sight(of: onboard, on: []) == seen(bottom))
    tree.lower(10)
    #expect(tree.sight(of: onboard, on: []) == seen(bottom, coveredBy: "A film"))
    tree.restack(40, above: 0)
    #expect(tree.sight(of: onboard, on: []) == seen(bottom))
  }

  @Test func isNamedByTheClientInItsFrame() {
    var tree = coveredTree()
    tree.update(40) { $0.title = "" }
    tree.add(41, in: 40)
    tree.update(41) { $0.classes = ["player"] }
    #expect(tree.sight(of: onboard, on: []) == seen(bottom, coveredBy: "player"))
    tree.update(41) { $0.title = "The same film" }
    #expect(tree.sight(of: onboard, on: []) == seen(bottom, coveredBy: "The same film"))
  }
}

@Suite struct WindowOrder {
  private func tree() -> WindowTree {
    var tree = WindowTree(root: 1)
    for id: WindowTree.ID in 2...5 { tree.add(id, in: 1) }
    return tree
  }

  @Test(
    "a window goes just above its sibling",
    arguments: [
      (2, 4, [3, 4, 2, 5]), (5, 2, [2, 5, 3, 4]), (4, 0, [4, 2, 3, 5]), (3, 2, [2, 3, 4, 5]),
      (3, 3, [2, 3, 4, 5]), (9, 2, [2, 3, 4, 5]), (4, 9, [4, 2, 3, 5]),
    ] as [(WindowTree.ID, WindowTree.ID, [WindowTree.ID])])
  func restacked(id: WindowTree.ID, sibling: WindowTree.ID, order: [WindowTree.ID]) {
    var tree = tree()
    tree.restack(id, above: sibling)
    #expect(tree.order == order)
  }

  @Test func aWindowLeavesItForAFrameAndComesBackOnTop() {
    var tree = tree()
    tree.reparent(3, to: 2, at: .zero)
    #expect(tree.order == [2, 4, 5])
    tree.reparent(3, to: 1, at: .zero)
    #expect(tree.order == [2, 4, 5, 3])
    tree.remove(4)
    #expect(tree.order == [2, 5, 3])
  }

  @Test func noMoreWindowsAreFollowedThanTheMost() {
    var tree = WindowTree(root: 1)
    for id in 2..<WindowTree.ID(WindowTree.most + 100) { tree.add(id, in: 1) }
    #expect(tree.windows.count == WindowTree.most)
    #expect(tree.order.count == WindowTree.most)
    tree.add(1, in: nil)  // the root itself
    #expect(tree.windows[1] == nil)
  }
}
