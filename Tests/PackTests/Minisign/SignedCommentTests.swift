import ContentPack
import TestSupport
import Testing

@Suite struct SignedCommentTests {
  private static let hash = String(repeating: "0f", count: 32)

  private func parse(_ text: String) throws -> SignedComment? { try SignedComment(parsing: Array(text.utf8)) }

  @Test func whatIsWrittenIsRead() throws {
    let version = try #require(SemanticVersion("1.2.0-beta.1+build.7"))
    let former = PackPrevious(version: try #require(SemanticVersion("1.1.0")), sha256: Self.hash)
    for file in ["first-charter.fleetpack", "mit Leerzeichen & ö=%20.zip", "a\nb\u{202E}", "x=y previous=none"] {
      for previous in [nil, former] {
        let comment = SignedComment(name: "first-charter", version: version, previous: previous, file: file)
        #expect(comment.text.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        #expect(try parse(comment.text) == comment)
      }
    }
  }

  @Test func theLineIsAsThePageSays() throws {
    let version = try #require(SemanticVersion("1.2.0"))
    let comment = SignedComment(name: "first-charter", version: version, previous: nil, file: "a b.fleetpack")
    #expect(
      comment.text == "fleetkit-pack name=first-charter version=1.2.0 previous=none file=a%20b.fleetpack")
    let other = try parse("fleetkit-pack file=x later=1 version=1.2.0 previous=1.1.0:\(Self.hash) name=a")
    #expect(other?.previous?.sha256 == Self.hash && other?.name == "a")
  }

  @Test(arguments: ["", "timestamp:1795304329\tfile:f\thashed", "fleetkit-packs name=a", "Fleetkit-pack name=a"])
  func otherWordsAreAnybodys(text: String) throws {
    #expect(try parse(text) == nil)
  }

  @Test(arguments: [
    "fleetkit-pack", "fleetkit-pack name=a version=1.0.0 previous=none",
    "fleetkit-pack version=1.0.0 previous=none file=x",
    "fleetkit-pack name=A version=1.0.0 previous=none file=x", "fleetkit-pack name=a version=1.0 previous=none file=x",
    "fleetkit-pack name=a version=1.0.0 file=x", "fleetkit-pack name=a version=1.0.0 previous=1.0.0 file=x",
    "fleetkit-pack name=a version=1.0.0 previous=0.9.0:ABC file=x",
    "fleetkit-pack name=a name=a version=1.0.0 previous=none file=x",
    "fleetkit-pack  name=a version=1.0.0 previous=none file=x",
    "fleetkit-pack name=a version=1.0.0 previous=none file=%4",
    "fleetkit-pack name=a version=1.0.0 previous=none file=%FF", "fleetkit-pack name=a version=1.0.0 previous=none x",
  ])
  func oursButMalformedIsRefused(text: String) {
    #expect(throws: SignedComment.Malformed.self) { try parse(text) }
  }
}
