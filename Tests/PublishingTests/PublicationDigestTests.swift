import Content
import Publishing
import Testing

/// The digest by which two sides recognize the same publication.
@Suite struct PublicationDigestTests {
  private static func digest(
    _ title: String = "Leaving the berth", _ description: String? = nil, _ contentType: ContentType = .checklist,
    _ language: String = "en", _ tags: [String] = [], _ document: String = "{}"
  ) -> String {
    Digest.hex(
      PublicationDigest.sha256(
        title: title, description: description, contentType: contentType, contentData: Array(document.utf8),
        tags: tags, language: language))
  }

  /// Digests that Python's hashlib computed from the definition.
  @Test func knownDigests() {
    #expect(Self.digest() == "86dd97a8af0bcf0194906d2a7fb1072648a2e9ef5eac065ba7df1b4e3b8bb87a")
    #expect(
      Self.digest("Отход", "", .practiceGuide, "ru", ["порт", "mooring"], "{\"markdown\":\"# Отход\"}")
        == "fa6af468eaaaf22adde2d5c453786420467e824038633d5a03dbbd9bd220f0c8")
  }

  @Test func noTwoPublicationsShareOne() {
    let all = [
      Self.digest(), Self.digest("Leaving the berth", ""), Self.digest("Leaving the berth", "-"),
      Self.digest("Leaving the bert", "h"), Self.digest("Leaving the berth1:-"),
      Self.digest("Leaving the berth", nil, .practiceGuide), Self.digest("Leaving the berth", nil, .checklist, "e"),
      Self.digest("Leaving the berth", nil, .checklist, "en", ["ab"]),
      Self.digest("Leaving the berth", nil, .checklist, "en", ["a", "b"]),
      Self.digest("Leaving the berth", nil, .checklist, "en", ["b", "a"]),
      Self.digest("Leaving the berth", nil, .checklist, "en", ["a", "b", ""]),
      Self.digest("Leaving the berth", nil, .checklist, "en", ["a1:b"]),
      Self.digest("Leaving the berth", nil, .checklist, "en", [], "{ }"),
      Self.digest("Leaving the berth", nil, .checklist, "en", ["2:{}"], ""),
      // The same text in two normalization forms: text is compared by bytes.
      Self.digest("é"), Self.digest("e\u{301}"),
    ]
    #expect(Set(all).count == all.count)
  }
}
