import Testing

@testable import KeyliftOSK

/// What the agent asks for, given onboard's own word then, and what onboard says by itself.
private enum Step {
  case set(Bool, word: Bool?)
  case said(Bool)
}

/// What onboard is called at each step, "" for nothing.
private func calls(_ steps: [Step]) -> [String] {
  var calls = OnboardCalls()
  return steps.map { step in
    let call =
      switch step {
      case .set(let visible, let word): calls.set(visible, word: word)
      case .said(let word): calls.said(word)
      }
    return call?.rawValue ?? ""
  }
}

@Suite struct OnboardIsCalled {
  @Test func showAndHide() {
    let steps: [Step] = [
      .set(false, word: nil), .said(false), .set(true, word: false), .said(true), .set(false, word: true),
    ]
    #expect(calls(steps) == ["Hide", "", "Show", "", "Hide"])
  }

  @Test func showOnlyOnceItHasSlidOut() {
    let steps: [Step] = [
      .set(true, word: false), .set(false, word: true), .set(true, word: true), .set(true, word: true),
      .said(false), .said(true),
    ]
    #expect(calls(steps) == ["Show", "Hide", "", "", "Show", ""])
  }

  @Test func nothingMoreIfItIsToHideAfterAll() {
    let steps: [Step] = [
      .set(false, word: true), .set(true, word: true), .set(false, word: true), .said(false),
    ]
    #expect(calls(steps) == ["Hide", "", "Hide", ""])
  }

  @Test func hideBeforeShowIfItSaysThatItShowsAndIsNotSeen() {
    // At first it may be all right.
    #expect(
      calls([.set(true, word: true), .set(true, word: true), .said(false)]) == ["Show", "Hide", "Show"])
  }

  @Test func showAgainIfItDoesNothing() {
    #expect(calls([.set(true, word: false), .set(true, word: false)]) == ["Show", "Show"])
  }
}
