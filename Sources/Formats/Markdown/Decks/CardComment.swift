import Content
import JSONText

/// The content of the comment after a question: `<!-- id=0C7D… tags=["lights"] hint="…" -->`.
struct CardComment {
  private static let keys = ["id", "tags", "hint", "source", "sort", "review", "members", "front", "back"]

  private let attributes: CommentAttributes

  /// Returns the FleetKit comment at the end of a line, and its start; nil if the line does not end with one.
  static func read(_ bytes: Span<UInt8>, _ line: Range<Int>) -> (comment: CardComment, start: Int)? {
    guard let (attributes, range) = CommentAttributes.read(bytes, line, keys: keys),
      attributes.values.allSatisfy({ isRight($0.key, $0.value, attributes) })
    else { return nil }
    return (CardComment(attributes: attributes), range.lowerBound)
  }

  /// Reads a description that is stored in its own comment.
  static func description(_ bytes: Span<UInt8>, _ line: Range<Int>) -> SourcedText? {
    CommentAttributes.read(bytes, line, keys: ["description"])?.attributes.text("description")
  }

  /// Stores the comment's values in a card. They take precedence over the visible text.
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

  /// Appends the comment of a card, with a blank before it. Appends nothing if no value needs a comment.
  /// - Parameters:
  ///   - front: whether the question cannot be shown unchanged.
  ///   - back: whether the answer cannot be shown unchanged.
  ///   - always: whether to write a comment even if no value needs one.
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

/// The comment in which Obsidian's spaced repetition plugin stores the due date of a card:
/// `<!--SR:!2024-01-05,4,270-->`.
enum ScheduleComment {
  /// Whether a line begins with such a comment, regardless of its content.
  static func begins(_ bytes: Span<UInt8>, _ line: DeckLines.Line) -> Bool {
    !line.isCode && bytes.extracting(line.text..<line.range.upperBound).starts(with: "<!--SR:")
  }

  /// Returns the schedule at the end of a line: where its comment begins, and the review as a JSON object.
  ///
  /// Only an unambiguous schedule is read: the only schedule of the line, with a valid date, a number of days, and an
  /// ease in percent.
  static func read(_ bytes: Span<UInt8>, _ line: Range<Int>) -> (start: Int, review: [UInt8])? {
    var end = line.upperBound
    while end > line.lowerBound, DeckLine.isBlank(bytes[end - 1]) { end -= 1 }
    // 64 bytes hold every schedule: `<!--SR:!2024-01-05,4,270-->` takes 27.
    let tail = max(line.lowerBound, end - 64)..<end
    guard tail.count >= 12, bytes.extracting(tail).starts(with: "-->", at: tail.count - 3) else { return nil }
    var start = tail.upperBound - 4
    while start > tail.lowerBound, bytes[start] != 0x3C { start -= 1 }
    let text = String(decoding: bytes.extracting(start..<end - 3))
    guard text.hasPrefix("<!--SR:!") else { return nil }
    let parts = text.dropFirst(8).split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 3, isDay(parts[0]), isNumber(parts[1]), isNumber(parts[2]), !parts[2].contains("."),
      let ease = Int(parts[2]), (100...1000).contains(ease)
    else { return nil }
    let factor = ease % 100 == 0 ? "\(ease / 100)" : "\(ease / 100).\(fraction(ease % 100))"
    let review = "{\"easeFactor\":\(factor),\"intervalDays\":\(parts[1]),\"due\":\"\(parts[0])\"}"
    return (start, Array(review.utf8))
  }

  private static func fraction(_ hundredths: Int) -> String {
    if hundredths % 10 == 0 { return "\(hundredths / 10)" }
    return hundredths < 10 ? "0\(hundredths)" : "\(hundredths)"
  }

  private static func isDay(_ text: Substring) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2], parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), (1...12).contains(month)
    else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return (1...days[month - 1]).contains(day)
  }

  /// Whether a string is a JSON number without a sign or an exponent.
  private static func isNumber(_ text: Substring) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts[0] == "0" || !parts[0].hasPrefix("0") else { return false }
    return parts.allSatisfy { (1...6).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
  }
}
