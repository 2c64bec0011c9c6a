import ContentPack
import Interchange
import TestSupport
import Testing

/// The order of pack versions.
@Suite struct PackChainTests {
  private static func version(_ text: String, _ digit: Character) throws -> PackPrevious {
    PackPrevious(version: try #require(SemanticVersion(text)), sha256: String(repeating: digit, count: 64))
  }

  private func step(
    _ version: (String, Character), _ ancestors: [(String, Character)], from known: (String, Character)
  ) throws -> PackChain.Step {
    let chain = PackChain(
      name: "first-charter", version: try Self.version(version.0, version.1),
      ancestors: try ancestors.map { try Self.version($0.0, $0.1) })
    return try chain.step(from: Self.version(known.0, known.1), doing: "verify 'x'")
  }

  @Test func whatFollowsIsTaken() throws {
    #expect(try step(("1.0.0", "a"), [], from: ("1.0.0", "a")) == .same)
    #expect(try step(("1.1.0", "b"), [("1.0.0", "a")], from: ("1.0.0", "a")) == .newer)
    #expect(try step(("2.0.0", "c"), [("1.1.0", "b"), ("1.0.0", "a")], from: ("1.0.0", "a")) == .newer)
    #expect(try step(("1.0.0", "b"), [("1.0.0-rc.1", "a")], from: ("1.0.0-rc.1", "a")) == .newer)
    #expect(try step(("1.10.0", "b"), [("1.9.0", "a")], from: ("1.9.0", "a")) == .newer)
  }

  @Test(
    arguments: [
      ("1.0.0", "b", [("1.1.0", "a")], "1.1.0", "a", "downgrade"), ("1.0.0-rc.1", "b", [], "1.0.0", "a", "downgrade"),
      ("1.0.0", "b", [], "1.0.0", "a", "a fork:"), ("1.0.0+two", "b", [], "1.0.0+one", "a", "a fork:"),
      ("1.1.0", "b", [("1.0.0", "c")], "1.0.0", "a", "fork of the chain"),
      ("1.1.0", "b", [], "1.0.0", "a", "it names no earlier version"),
      ("1.2.0", "b", [("1.0.0", "c")], "1.1.0", "a", "leaves out version 1.1.0"),
      ("1.3.0", "b", [("1.2.0", "c")], "1.0.0", "a", "nothing shows"),
    ] as [(String, Character, [(String, Character)], String, Character, String)])
  func whatDoesNotIsRefused(
    version: String, hash: Character, ancestors: [(String, Character)], known: String, knownHash: Character,
    words: String
  ) throws {
    let failure = #expect(throws: RunFailure.self) {
      try step((version, hash), ancestors, from: (known, knownHash))
    }
    #expect(failure?.status == .mismatch && failure?.message.contains(words) == true, "\(failure?.message ?? "")")
  }

  @Test func missingVersionsAreNamedInTheirOrder() throws {
    let failure = #expect(throws: RunFailure.self) {
      try step(("1.11.0", "d"), [("1.10.0", "c"), ("1.9.0", "b")], from: ("1.0.0", "a"))
    }
    #expect(failure?.advice?.contains("1.9.0, 1.10.0") == true)
  }
}
