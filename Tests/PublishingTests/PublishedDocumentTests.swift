import Content
import Publishing
import Testing

/// Updates of a stored document after its item's title or other text changes.
@Suite struct PublishedDocumentTests {
  private static let old = PublishedDocument.Words(title: "Old", description: "Lines last.", tags: ["a", "é"])

  private static func following(_ document: String, to new: PublishedDocument.Words) -> String? {
    PublishedDocument.following(Array(document.utf8), from: old, to: new).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func whatWasTheSameFollows() {
    let new = PublishedDocument.Words(title: "New \"1\"", description: nil, tags: [])
    #expect(
      Self.following(
        #"{"id":"A", "title":"Old","description":"Lines last.","sections":[{"title":"Old"}],"tags":["a","\u00e9"],"x":1}"#,
        to: new)
        == #"{"id":"A", "title":"New \"1\"","description":null,"sections":[{"title":"Old"}],"tags":[],"x":1}"#)
  }

  @Test func whatTheAuthorSaidOtherwiseStays() {
    let new = PublishedDocument.Words(title: "New", description: nil, tags: ["b"])
    // The last document differs in its bytes, although it looks the same.
    for document in [
      #"{"title":"Own","description":"","tags":["a"]}"#, #"{"title":7,"description":null,"tags":["a",1]}"#,
      #"{"title":"old","tags":["é","a"]}"#, "{}", "[]", "no JSON", "{\"tags\":[\"a\",\"e\u{301}\"]}",
    ] { #expect(Self.following(document, to: new) == nil) }
    #expect(
      Self.following(#"{"title":"Old","description":"Own","tags":[]}"#, to: new)
        == #"{"title":"New","description":"Own","tags":[]}"#)
  }

  @Test func aDescriptionThatNobodyGaveFollowsToo() {
    let none = PublishedDocument.Words(title: "T", description: nil, tags: [])
    let some = PublishedDocument.Words(title: "T", description: "Now there is one", tags: [])
    let document = Array(#"{"title":"T","description":null,"tags":[]}"#.utf8)
    let text = PublishedDocument.following(document, from: none, to: some).map { String(decoding: $0, as: UTF8.self) }
    #expect(text == #"{"title":"T","description":"Now there is one","tags":[]}"#)
    #expect(PublishedDocument.following(document, from: none, to: none) == nil)
  }

  @Test func theOriginIsWhatTheDocumentSays() {
    let origin = PublishedDocument.origin(of: Array(#"{"id":"A","createdAt":"2020-01-05T10:11:12Z"}"#.utf8))
    #expect(origin.id == "A")
    #expect(origin.createdAt == Timestamp(milliseconds: 1_578_219_072_000))
    for document in ["{}", #"{"id":"","createdAt":"soon"}"#, "[]", "no JSON"] {
      let origin = PublishedDocument.origin(of: Array(document.utf8))
      #expect(origin.id == nil && origin.createdAt == nil)
    }
  }
}
