import JSONText

/// A list in an outline, stored as a few numbers per value. Values are made when they are read.
///
/// A large item has many texts and steps, and a row is much smaller than the value that it describes. A list is valid
/// only while its item is checked.
public struct OutlineList<Row: OutlineRow>: RandomAccessCollection {
  var rows = UnsafeBufferPointer<Row>(start: nil, count: 0)
  /// The data that rows refer to. Not nil if there are rows.
  var base: OutlineBase?

  /// The first index, 0.
  public var startIndex: Int { 0 }
  /// The number of values.
  public var endIndex: Int { rows.count }

  /// Makes the value at an index.
  public subscript(index: Int) -> Row.Value {
    guard let base else { preconditionFailure("rows without an item") }
    return rows[index].value(base)
  }
}

/// The stored form of a value in an outline.
public protocol OutlineRow: BitwiseCopyable {
  associatedtype Value

  /// Makes the value.
  func value(_ base: OutlineBase) -> Value
}

/// The data that the rows of an outline refer to.
public struct OutlineBase {
  let root: JSONNode
  /// Texts with their escapes resolved.
  let unescaped: UnsafePointer<UInt8>
  let texts: UnsafeBufferPointer<TextRow>

  /// Marks a missing value.
  static let none = UInt32.max

  func node(_ token: UInt32) -> JSONNode? { token == Self.none ? nil : root.at(Int(token)) }

  func text(_ index: UInt32) -> OutlineText? { index == Self.none ? nil : texts[Int(index)].value(self) }
}

/// A piece of text: its token, and its position in the decoded text if it has escapes.
public struct TextRow: OutlineRow {
  let token: UInt32
  let role: OutlineText.Role
  var start: UInt32 = 0
  var count = OutlineBase.none

  /// Makes the value.
  public func value(_ base: OutlineBase) -> OutlineText {
    let node = base.root.at(Int(token))
    guard count != OutlineBase.none else { return OutlineText(role: role, node: node, bytes: node.inner) }
    let bytes = UnsafeBufferPointer(start: base.unescaped + Int(start), count: Int(count))
    return OutlineText(role: role, node: node, bytes: bytes)
  }
}

/// A section. Nodes are stored as tokens, and texts as indices into the texts.
public struct SectionRow: OutlineRow {
  let node: UInt32
  let id: UInt32
  let title: UInt32
  let items: UInt32
  let firstStep: UInt32
  let endOfSteps: UInt32

  /// Makes the value.
  public func value(_ base: OutlineBase) -> ItemOutline.Section {
    ItemOutline.Section(
      node: base.root.at(Int(node)), id: base.node(id), title: base.text(title), items: base.node(items),
      steps: Int(firstStep)..<Int(endOfSteps))
  }
}

/// A step. Nodes are stored as tokens, and texts as indices into the texts.
public struct StepRow: OutlineRow {
  let node: UInt32
  let section: UInt32
  let id: UInt32
  let title: UInt32
  let details: UInt32
  let isOptional: UInt32
  let isRequired: UInt32
  let minutes: UInt32
  let tags: UInt32

  /// Makes the value.
  public func value(_ base: OutlineBase) -> ItemOutline.Step {
    ItemOutline.Step(
      node: base.root.at(Int(node)), section: Int(section), id: base.node(id), title: base.text(title),
      details: base.text(details), isOptional: base.node(isOptional), isRequired: base.node(isRequired),
      minutes: base.node(minutes), tags: base.node(tags))
  }
}

/// A card. Nodes are stored as tokens, and texts as indices into the texts.
public struct CardRow: OutlineRow {
  let node: UInt32
  let id: UInt32
  let front: UInt32
  let back: UInt32
  let hint: UInt32
  let tags: UInt32

  /// Makes the value.
  public func value(_ base: OutlineBase) -> ItemOutline.Card {
    ItemOutline.Card(
      node: base.root.at(Int(node)), id: base.node(id), front: base.text(front), back: base.text(back),
      hint: base.text(hint), tags: base.node(tags))
  }
}

/// One piece of an item's text that people read.
public struct OutlineText {
  /// The role of the text in its item.
  public enum Role: UInt8, Sendable, CaseIterable, BitwiseCopyable {
    case title, description, documentTitle, documentDescription
    case sectionTitle, sectionDescription, stepTitle, stepDetails
    case cardFront, cardBack, cardHint
    /// A guide's body.
    case markdown
    case tag
  }

  /// The role of the text in its item.
  public let role: Role
  /// The JSON string.
  public let node: JSONNode
  /// The text as UTF-8 with escapes resolved. Valid while the record is checked.
  public let bytes: UnsafeBufferPointer<UInt8>

  /// The text as a string.
  public var string: String { String(decoding: bytes, as: UTF8.self) }
  /// Whether every byte is ASCII.
  public var isASCII: Bool {
    // An escape can encode any character, but the flag describes the bytes as written.
    let flags = node.token.flags
    if flags.contains(.nonASCII) { return false }
    return !flags.contains(.escaped) || bytes.allSatisfy { $0 < 0x80 }
  }
  /// Whether the text contains only white space.
  public var isBlank: Bool { bytes.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) } || blankUnicode }

  private var blankUnicode: Bool {
    !isASCII && string.unicodeScalars.allSatisfy { $0.properties.isWhitespace }
  }
  /// The number of characters, as people count them.
  public var characters: Int { isASCII ? bytes.count : string.count }
}
