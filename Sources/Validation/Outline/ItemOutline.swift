import Content
import JSONText

/// The values in one item that rules check, found in one pass: the envelope, sections and steps, cards, and all text.
///
/// Nodes and bytes are valid only while the item is checked. An outline describes an item's canonical line or a publish
/// payload; both have `title`, `content_type`, `tags` and `content_data`. It is a value type, not an object, because
/// rules read it dozens of times for each record and a value needs no exclusivity checks.
public struct ItemOutline {
  /// A section of a checklist.
  public struct Section {
    /// The object.
    public let node: JSONNode
    /// Its id.
    public let id: JSONNode?
    /// Its title.
    public let title: OutlineText?
    /// The array of its steps.
    public let items: JSONNode?
    /// Its steps, as indices into `steps`.
    public let steps: Range<Int>
  }

  /// A step of a section.
  public struct Step {
    /// The object.
    public let node: JSONNode
    /// The index of its section.
    public let section: Int
    /// Its id.
    public let id: JSONNode?
    /// Its title.
    public let title: OutlineText?
    /// Its details.
    public let details: OutlineText?
    /// The value of `isOptional`.
    public let isOptional: JSONNode?
    /// The value of `isRequired`.
    public let isRequired: JSONNode?
    /// The value of `estimatedMinutes`.
    public let minutes: JSONNode?
    /// The array of its tags.
    public let tags: JSONNode?
  }

  /// A card of a deck.
  public struct Card {
    /// The object.
    public let node: JSONNode
    /// Its id.
    public let id: JSONNode?
    /// The question.
    public let front: OutlineText?
    /// The answer.
    public let back: OutlineText?
    /// The hint.
    public let hint: OutlineText?
    /// The array of its tags.
    public let tags: JSONNode?
  }

  /// The whole record.
  public internal(set) var root: JSONNode?
  /// The type: checklist, guide or deck; nil for an unknown type.
  public internal(set) var type: ContentType?
  /// The item's id.
  public internal(set) var id: JSONNode?
  /// The value of `content_type`.
  public internal(set) var contentType: JSONNode?
  /// The item's title.
  public internal(set) var title: OutlineText?
  /// The item's description.
  public internal(set) var description: OutlineText?
  /// The array of tags.
  public internal(set) var tags: JSONNode?
  /// The language tag.
  public internal(set) var language: JSONNode?
  /// The value of `visibility`.
  public internal(set) var visibility: JSONNode?
  /// The value of `sync_status`, the app's progress in synchronizing the item with the server.
  public internal(set) var syncStatus: JSONNode?
  /// The registry id of the item's original.
  public internal(set) var forkedFrom: JSONNode?
  /// The public id of the item's original.
  public internal(set) var originalPublicID: JSONNode?
  /// The time when the item was created.
  public internal(set) var createdAt: JSONNode?
  /// The time when the item was last changed.
  public internal(set) var updatedAt: JSONNode?
  /// The item's public id, if it is published.
  public internal(set) var publicID: JSONNode?
  /// `content_data`; nil or null if the item has no body.
  public internal(set) var document: JSONNode?
  /// The array of the document’s own tags.
  public internal(set) var documentTags: JSONNode?
  /// The value of `checklistType`.
  public internal(set) var checklistType: JSONNode?
  /// The array of sections.
  public internal(set) var sectionsNode: JSONNode?
  /// The array of cards.
  public internal(set) var cardsNode: JSONNode?
  /// The sections of a checklist.
  public internal(set) var sections = OutlineList<SectionRow>()
  /// The steps of all sections.
  public internal(set) var steps = OutlineList<StepRow>()
  /// The cards of a deck.
  public internal(set) var cards = OutlineList<CardRow>()
  /// A guide's body.
  public internal(set) var markdown: OutlineText?
  /// All text that people read, string by string, in document order and including tags.
  public internal(set) var texts = OutlineList<TextRow>()
  /// The value of `original_author_username`.
  public internal(set) var originalAuthor: JSONNode?
  /// Features of the texts; computed when a rule needs them.
  let glance = TextFeatures()

  /// Whether a Boolean value is true.
  public static func isTrue(_ node: JSONNode?) -> Bool { node?.kind == .true }
}

/// Features of an item's texts, found once for all rules.
///
/// The features belong to an `ItemOutline`. They are computed when the first rule needs them and kept until the outline
/// is filled again.
final class TextFeatures {
  private var isFresh = false
  private var each: [TextHints] = []
  private var union: TextHints = []
  private var guide = MarkdownScan()
  private var guideIsFresh = false
  private let reader = TextHintScanner()

  /// Drops the features of the previous item.
  func forget() {
    isFresh = false
    guideIsFresh = false
  }

  /// Scans the texts, unless they have already been scanned.
  fileprivate func scanTexts(_ texts: OutlineList<TextRow>) {
    guard !isFresh else { return }
    isFresh = true
    each.removeAll(keepingCapacity: true)
    union = []
    for text in texts {
      let signs = reader.signs(of: text.bytes.span)
      each.append(signs)
      union.formUnion(signs)
    }
  }

  fileprivate func signs(_ texts: OutlineList<TextRow>) -> TextHints {
    scanTexts(texts)
    return union
  }

  fileprivate func signs(of index: Int) -> TextHints { each[index] }

  fileprivate func scan(_ markdown: OutlineText) -> MarkdownScan {
    if !guideIsFresh {
      guideIsFresh = true
      guide.scan(markdown.bytes.span)
    }
    return guide
  }
}

extension ItemOutline {
  /// The combined hints of all texts.
  var signs: TextHints { glance.signs(texts) }

  /// Calls `body` with every text that has one of the hints in `signs`.
  @inline(__always) func forEachText(with signs: TextHints, _ body: (OutlineText) -> Void) {
    guard !self.signs.isDisjoint(with: signs) else { return }
    for index in texts.indices where !glance.signs(of: index).isDisjoint(with: signs) { body(texts[index]) }
  }

  /// The texts of the item's own tags, which are next to each other in `texts`.
  var tagTexts: Slice<OutlineList<TextRow>> {
    var first = 0
    while first < texts.count, texts[first].role == .title || texts[first].role == .description { first += 1 }
    var end = first
    while end < texts.count, texts[end].role == .tag { end += 1 }
    return texts[first..<end]
  }

  /// The guide's text with its headings, links and constructs; nil unless the item is a guide with a body.
  var guide: (text: OutlineText, scan: MarkdownScan)? { markdown.map { ($0, glance.scan($0)) } }
}

extension JSONNode {
  /// The whole number that the digits represent, clamped to a billion in either direction; nil for any other value.
  ///
  /// The bytes are read in place, because rules need the number for every step of every checklist.
  var plainInteger: Int? {
    guard kind == .number, token.flags.contains(.integer) else { return nil }
    var value = 0
    var isNegative = false
    for byte in raw {
      if byte == UInt8(ascii: "-") {
        isNegative = true
      } else {
        value = min(value * 10 + Int(byte &- UInt8(ascii: "0")), 1_000_000_000)
      }
    }
    return isNegative ? -value : value
  }
}
