import Testing

@testable import KeyliftOSK

@Suite struct OnboardIsCalled {
  @Test func showAndHide() {
    var calls = OnboardCalls()
    #expect(calls.set(false, word: nil) == .hide)
    #expect(calls.said(false) == nil)
    #expect(calls.set(true, word: false) == .show)
    #expect(calls.said(true) == nil)
    #expect(calls.set(false, word: true) == .hide)
  }

  @Test func showOnlyOnceItHasSlidOut() {
    var calls = OnboardCalls()
    #expect(calls.set(true, word: false) == .show)
    #expect(calls.set(false, word: true) == .hide)
    #expect(calls.set(true, word: true) == nil)
    #expect(calls.set(true, word: true) == nil)
    #expect(calls.said(false) == .show)
    #expect(calls.said(true) == nil)
  }

  @Test func nothingMoreIfItIsToHideAfterAll() {
    var calls = OnboardCalls()
    #expect(calls.set(false, word: true) == .hide)
    #expect(calls.set(true, word: true) == nil)
    #expect(calls.set(false, word: true) == .hide)
    #expect(calls.said(false) == nil)
  }

  @Test func hideBeforeShowIfItSaysThatItShowsAndIsNotSeen() {
    var calls = OnboardCalls()
    #expect(calls.set(true, word: true) == .show)  // it may be all right
    #expect(calls.set(true, word: true) == .hide)
    #expect(calls.said(false) == .show)
  }

  @Test func showAgainIfItDoesNothing() {
    var calls = OnboardCalls()
    #expect(calls.set(true, word: false) == .show)
    #expect(calls.set(true, word: false) == .show)
  }
}
