import Content
import Diagnostics
import JSONText

/// Writes a request's body as an item: the relevant members, in the app's spelling, with the values that the document
/// may inherit from the item around it.
///
/// For a change, missing members come from the stored item, so that one schema serves both.
struct BodyComposer {
  let body: JSONNode
  /// The stored item; nil for a request to publish.
  let item: PublishedItem?
  let now: Timestamp

  /// The item's current or new type; nil if it is unknown.
  var contentType: ContentType? {
    guard let given = body.member("content_type"), !(given.isNull && item != nil) else { return item?.contentType }
    if given.equals("guide") { return .practiceGuide }
    if given.equals("deck") { return .flashcardDeck }
    return given.string.flatMap(ContentType.init)
  }

  /// Writes the item.
  /// - Parameters:
  ///   - inner: the document that was extracted from a string.
  ///   - hasTrouble: whether the body has a string in place of the document, and the string does not contain a
  ///     document.
  func write(inner: JSONNode?, hasTrouble: Bool, into out: inout ByteBuffer) {
    out.append("{\"created_at\":")
    out.appendJSONDate(item?.documentCreatedAt ?? item?.createdAt ?? now)
    out.append(",\"updated_at\":")
    out.appendJSONDate(now)
    writeType(into: &out)
    writeTitle(into: &out)
    writeDescription(into: &out)
    writeTags(into: &out)
    copy("language", key: ",\"language\":", into: &out)
    writePublicID(into: &out)
    if item == nil {
      copy("can_fork", key: ",\"can_fork\":", into: &out)
      copy("forked_from_id", key: ",\"forked_from_id\":", into: &out)
      copy("original_author_username", key: ",\"original_author_username\":", into: &out)
    }
    writeDocument(inner: inner, hasTrouble: hasTrouble, into: &out)
    out.append("}")
  }

  /// Whether a value in the written item comes from the body and was not added to it.
  func isFromBody(_ pointer: JSONPointer) -> Bool {
    guard case .member(let name)? = pointer.steps.first, item != nil else { return true }
    let bytes = Array(name.utf8)
    var isThere = false
    body.forEachMember { own, _ in
      if own.equals(bytes) { isThere = true }
    }
    return isThere
  }

  /// Checks the rules that the schema cannot express.
  /// - Parameter inner: the document that was extracted from a string.
  func check(inner: JSONNode?, _ findings: inout FindingList) {
    if let title = body.text("title"), !title.isEmpty, title.allSatisfy(\.isWhitespace) {
      findings.add(.blankTitle, "the title is blank", at: JSONPointer([.member("title")]))
    }
    if let item, let contentType, body.holds("content_type"), contentType != item.contentType,
      !body.holds("content_data")
    {
      findings.add(
        .typeWithoutDocument,
        "content_type changes from \(item.contentType.rawValue) to \(contentType.rawValue) without content_data",
        at: JSONPointer([.member("content_type")]))
    }
    checkForking(&findings)
    if let contentType, let document = inner ?? body.member("content_data") {
      checkBody(of: document, contentType, &findings)
    }
  }

  private func checkForking(_ findings: inout FindingList) {
    guard let canFork = item?.canFork, let given = body.member("can_fork"), !given.isNull, given.bool != canFork else {
      return
    }
    findings.add(
      .forkingIsFixed, "can_fork is \(canFork) and cannot be changed", at: JSONPointer([.member("can_fork")]))
  }

  /// Refuses a document that would become empty because its content belongs to another type. A document without any
  /// content is accepted: clients may start with one.
  private func checkBody(of document: JSONNode, _ type: ContentType, _ findings: inout FindingList) {
    guard document.kind == .object else { return }
    let (own, others): (StaticString, [StaticString]) =
      switch type {
      case .checklist: ("sections", ["markdown", "cards"])
      case .practiceGuide: ("markdown", ["sections", "cards"])
      case .flashcardDeck: ("cards", ["sections", "markdown"])
      }
    guard !document.holds(own), let other = others.first(where: { document.holds($0) }) else { return }
    findings.add(
      .documentOfOtherType,
      "the document of a \(type.rawValue) has \(Self.quoted(other)) and no \(Self.quoted(own))",
      at: JSONPointer([BodyPlaces.document]))
  }

  private static func quoted(_ name: StaticString) -> String { "`\(name)`" }

  /// Returns the id that the document gets: its own, the previous document's, or one derived from the slug. A string
  /// that is not a UUID is replaced by a UUID derived from the slug and the string: another user's `test-123` is a
  /// different document.
  func documentID(of written: JSONNode) -> String {
    let slug = item?.publicID ?? body.text("public_id") ?? ""
    let id = written.member("content_data")?.member("id")
    if let given = id?.string ?? id?.numberText, !given.isEmpty {
      return CanonicalUUID.form(of: given) == .none
        ? CanonicalUUID.derived(["publication", slug, given]) : CanonicalUUID.canonical(given)
    }
    if let stored = item?.documentID { return CanonicalUUID.canonical(stored) }
    return CanonicalUUID.derived(["publication", slug])
  }

  /// Returns the author of the original if the request is for a copy: from the request, or else from its document. A
  /// string that cannot be shown as a name (`isName`) is ignored.
  func originalAuthor(inner: JSONNode?) -> String? {
    guard body.holds("forked_from_id") else { return nil }
    let document = inner ?? body.member("content_data")
    let given = [
      body.text("original_author_username"), document?.text("originalAuthorUsername"),
      document?.text("original_author_username"),
    ]
    return given.lazy.compactMap { $0 }.first(where: Self.isName)
  }

  /// Whether an unverified string can be shown as a name: not blank, not too long, not an address, and without
  /// characters that affect the surrounding text.
  private static func isName(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    return scalars.count <= longestName && !text.allSatisfy(\.isWhitespace)
      && scalars.allSatisfy { $0 != "@" && !isUnseen($0.properties.generalCategory) }
  }

  private static func isUnseen(_ category: Unicode.GeneralCategory) -> Bool {
    switch category {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
    default: false
    }
  }

  private static let longestName = 100

  // MARK: Members

  /// Copies a member unchanged; null counts as missing.
  private func copy(_ name: StaticString, key: StaticString, into out: inout ByteBuffer) {
    guard let value = body.member(name), !value.isNull else { return }
    out.append(key)
    out.append(value.raw.span)
  }

  private func writeType(into out: inout ByteBuffer) {
    if let contentType {
      out.append(",\"content_type\":")
      out.appendJSONString(contentType.rawValue)
    } else if let value = body.member("content_type") {
      out.append(",\"content_type\":")
      out.append(value.raw.span)
    }
  }

  private func writeTitle(into out: inout ByteBuffer) {
    if let value = body.member("title"), item == nil || !value.isNull {
      out.append(",\"title\":")
      out.append(value.raw.span)
    } else if let item {
      out.append(",\"title\":")
      out.appendJSONString(item.title)
    }
  }

  private func writeDescription(into out: inout ByteBuffer) {
    guard body.member("description") == nil, let description = item?.description else {
      return copy("description", key: ",\"description\":", into: &out)
    }
    out.append(",\"description\":")
    out.appendJSONString(description)
  }

  private func writeTags(into out: inout ByteBuffer) {
    guard let item, !body.holds("tags") else { return copy("tags", key: ",\"tags\":", into: &out) }
    out.append(",\"tags\":[")
    for (index, tag) in item.tags.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      out.appendJSONString(tag)
    }
    out.append("]")
  }

  private func writePublicID(into out: inout ByteBuffer) {
    guard item != nil else {
      guard let value = body.member("public_id") else { return }
      out.append(",\"public_id\":")
      return out.append(value.raw.span)
    }
    out.append(",\"public_id\":")
    // A string has no effect, whatever its value: the slug never changes.
    if let value = body.member("public_id"), !value.isNull, value.kind != .string {
      out.append(value.raw.span)
    } else {
      out.append("\"x\"")
    }
  }

  private func writeDocument(inner: JSONNode?, hasTrouble: Bool, into out: inout ByteBuffer) {
    let key: StaticString = ",\"content_data\":"
    if let document = inner ?? body.member("content_data"), !hasTrouble, item == nil || !document.isNull {
      out.append(key)
      guard let contentType else { return out.append(document.raw.span) }
      DocumentSpelling.write(document, Shapes.document(contentType), into: &out)
    } else if hasTrouble || item != nil {
      // The value already has a finding, or nothing is required of it.
      out.append(key)
      out.append("{}")
    }
  }
}

extension JSONNode {
  /// Whether the member exists and is not null.
  func holds(_ name: StaticString) -> Bool { !(member(name)?.isNull ?? true) }

  /// Returns the string value of a member; nil if it is missing or null.
  func text(_ name: StaticString) -> String? { member(name)?.string }

  /// Returns the strings of an array member; nil if the member is missing or null.
  func texts(_ name: StaticString) -> [String]? {
    guard let list = member(name), list.kind == .array else { return nil }
    var texts: [String] = []
    list.forEachElement { texts.append($0.string ?? "") }
    return texts
  }

  /// The body's language; nil if it is missing.
  var language: String? { text("language").flatMap { $0.isEmpty ? nil : $0 } }
}

/// Copies a document and gives its members the app's names: `is_required` becomes `isRequired`.
///
/// Empty values that are derived if they are missing (an empty id, a time that is null) and personal data (a card's
/// review state) are left out. Whole numbers are written without fraction and exponent, which not every decoder
/// accepts. A time that is a number counts seconds since 2001, as builds of the app up to January 2026 wrote it, and
/// becomes `2026-01-05T10:11:12Z`. A number that is not a time in the years 1 to 9999 is kept, and the schema refuses
/// it. Everything else is copied unchanged, and nothing is checked.
enum DocumentSpelling {
  /// Copies a document of the given shape.
  static func write(_ node: JSONNode, _ shape: Shape, into out: inout ByteBuffer) {
    guard node.kind == .object else { return out.append(node.raw.span) }
    out.append(UInt8(ascii: "{"))
    let open = out.count
    var hint = 0
    // The names are computed once for each object that uses other names than the app's.
    var own: UInt64?
    node.forEachMember { name, value in
      var index = name.token.flags.contains(.escaped) ? -1 : shape.index(of: name.inner.span, from: hint)
      var isRenamed = false
      if index < 0, let alias = SnakeNames.index(of: name, in: shape) {
        let present = own ?? ownNames(node, shape)
        own = present
        if present & (1 << UInt64(alias)) == 0 {
          index = alias
          isRenamed = true
        }
      }
      if index >= 0 {
        hint = index + 1
        if shouldBeDerived(value, shape.members[index]) || isPersonal(shape.members[index]) { return }
      }
      if out.count != open { out.append(UInt8(ascii: ",")) }
      if isRenamed {
        out.append(shape.members[index].key.span)
      } else {
        out.append(name.raw.span)
        out.append(UInt8(ascii: ":"))
      }
      if index >= 0 {
        write(value, of: shape.members[index], into: &out)
      } else {
        out.append(value.raw.span)
      }
    }
    out.append(UInt8(ascii: "}"))
  }

  private static func write(_ value: JSONNode, of member: ShapeMember, into out: inout ByteBuffer) {
    switch (member.kind, value.kind) {
    case (.objects, .array):
      guard let child = member.child else { return out.append(value.raw.span) }
      out.append(UInt8(ascii: "["))
      let open = out.count
      value.forEachElement { element in
        if out.count != open { out.append(UInt8(ascii: ",")) }
        write(element, child, into: &out)
      }
      out.append(UInt8(ascii: "]"))
    case (.object, .object):
      guard let child = member.child else { return out.append(value.raw.span) }
      write(value, child, into: &out)
    case (.integer, .number):
      guard !value.isPlainInteger, let number = value.integer else { return out.append(value.raw.span) }
      out.append(utf8: String(number))
    case (.date, .number):
      guard let time = value.double.flatMap(Timestamp.init(secondsSince2001:)) else {
        return out.append(value.raw.span)
      }
      out.appendJSONString(time.wholeSeconds)
    default: out.append(value.raw.span)
    }
  }

  /// Whether a value is empty and will be derived if it is left out.
  private static func shouldBeDerived(_ value: JSONNode, _ member: ShapeMember) -> Bool {
    switch member.kind {
    case .recordID, .innerIdentifier: value.kind == .string && value.inner.isEmpty
    case .date: member.absent == .inherit && value.isNull
    default: false
    }
  }

  /// Whether a member is personal data of its author: when cards are due, and how often they were answered wrongly.
  private static func isPersonal(_ member: ShapeMember) -> Bool {
    member.kind == .object && member.name.elementsEqual("review".utf8)
  }

  /// Returns the members of a shape that an object has under the app's names, one bit each; no shape has more than 64
  /// members.
  private static func ownNames(_ node: JSONNode, _ shape: Shape) -> UInt64 {
    var present: UInt64 = 0
    node.forEachMember { name, _ in
      guard !name.token.flags.contains(.escaped) else { return }
      let index = shape.index(of: name.inner.span, from: 0)
      if index >= 0 { present |= 1 << UInt64(index) }
    }
    return present
  }
}

/// The spelling with underscores that document members have in some clients.
enum SnakeNames {
  /// Returns the index of the member that a name with underscores denotes; nil if it denotes none.
  static func index(of name: JSONNode, in shape: Shape) -> Int? {
    guard !name.token.flags.contains(.escaped), name.inner.contains(UInt8(ascii: "_")) else { return nil }
    for index in 0..<shape.members.count where matches(name.inner, shape.members[index].name) { return index }
    return nil
  }

  /// Returns the spelling with underscores of the member `name`.
  static func spelling(of name: String) -> String {
    var text: [UInt8] = []
    var wasUpper = true
    for byte in name.utf8 {
      let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      if isUpper, !wasUpper { text.append(UInt8(ascii: "_")) }
      text.append(isUpper ? byte | 0x20 : byte)
      wasUpper = isUpper
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether `snake` is `camel` with underscores: `created_at` for `createdAt`, `creator_id` for `creatorID`.
  private static func matches(_ snake: UnsafeBufferPointer<UInt8>, _ camel: UnsafeBufferPointer<UInt8>) -> Bool {
    var at = 0
    var wasUpper = true
    for byte in camel {
      let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      if isUpper, !wasUpper {
        guard at < snake.count, snake[at] == UInt8(ascii: "_") else { return false }
        at += 1
      }
      guard at < snake.count, snake[at] == (isUpper ? byte | 0x20 : byte) else { return false }
      at += 1
      wasUpper = isUpper
    }
    return at == snake.count
  }
}
