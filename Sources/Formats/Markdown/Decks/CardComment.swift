import JSONText

/// What the comment behind a question says: `<!-- id=0C7D… tags=["lights"] hint="…" -->`.
struct CardComment {
  private static let keys = ["id", "tags", "hint", "source", "sort", "review", "members", "front", "back"]

  private let attributes: CommentAttributes

  /// Reads the comment that ends a line, and where it begins; nil when there is none of FleetKit's.
  static func read(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) -> (comment: CardComment, start: Int)? {
    guard let (attributes, range) = CommentAttributes.read(bytes, line, keys: keys),
      attributes.values.allSatisfy({ isRight($0.key, $0.value, attributes) })
    else { return nil }
    return (CardComment(attributes: attributes), range.lowerBound)
  }

  /// Reads a description that stands in a comment of its own.
  static func description(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) -> SourcedText? {
    CommentAttributes.read(bytes, line, keys: ["description"])?.attributes.text("description")
  }

  /// Puts what the comment says into a card; it counts more than what can be seen.
  func apply(to card: inout CardDraft) {
    card.id = attributes.text("id")
    card.tags = attributes.texts("tags") ?? []
    card.hint = attributes.text("hint")
    card.source = attributes.text("source")
    card.sortOrder = attributes["sort"]
    card.review = attributes["review"]
    card.members = attributes.inside("members")
    if let front = attributes.text("front") { card.front = front }
    if let back = attributes.text("back") { card.back = back }
  }

  /// Appends the comment of a card, a blank before it; nothing when there is nothing to say.
  /// - Parameters:
  ///   - front: whether the question cannot be shown as it is.
  ///   - back: whether the answer cannot.
  ///   - always: whether there must be a comment.
  static func write(_ card: CardDraft, front: Bool, back: Bool, always: Bool, into out: inout ByteBuffer) {
    var pairs: [(key: String, json: [UInt8])] = []
    func add(_ key: String, _ text: SourcedText?) {
      if let text { pairs.append((key, CommentAttributes.json(text.bytes))) }
    }
    add("id", card.id)
    if !card.tags.isEmpty { pairs.append(("tags", list(card.tags))) }
    add("hint", card.hint)
    add("source", card.source)
    if let sort = card.sortOrder { pairs.append(("sort", sort.bytes)) }
    if let review = card.review { pairs.append(("review", review.bytes)) }
    if let members = card.members {
      pairs.append(("members", [UInt8(ascii: "{")] + members.bytes + [UInt8(ascii: "}")]))
    }
    if front { add("front", card.front) }
    if back { add("back", card.back) }
    if pairs.isEmpty, always { pairs.append(("tags", list([]))) }
    guard !pairs.isEmpty else { return }
    out.append(UInt8(ascii: " "))
    CommentAttributes.write(pairs, into: &out)
  }

  private static func list(_ texts: [SourcedText]) -> [UInt8] {
    var json = [UInt8(ascii: "[")]
    for (index, text) in texts.enumerated() {
      if index > 0 { json.append(UInt8(ascii: ",")) }
      json += CommentAttributes.json(text.bytes)
    }
    return json + [UInt8(ascii: "]")]
  }

  private static func isRight(_ key: String, _ value: SourcedText, _ attributes: CommentAttributes) -> Bool {
    switch key {
    case "tags": attributes.texts(key) != nil
    case "sort": value.bytes.first.map { $0 == 0x2D || (0x30...0x39).contains($0) } ?? false
    case "review", "members": value.bytes.first == UInt8(ascii: "{")
    default: attributes.text(key) != nil
    }
  }
}
