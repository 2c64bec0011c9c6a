import Content
import JSONText

/// The canonical text of an item, with slots for values from a table. All other members have their defaults. A template
/// is made once from `Shapes`.
struct EnvelopeTemplate: Sendable {
  /// A value of an item that a table may contain.
  enum Slot: Sendable, Equatable {
    case id, title, description, tags, language, created, updated, checklistType, body
    case lineage(TableColumn)
  }

  /// A constant text and the slot after it.
  struct Piece: Sendable {
    let text: [UInt8]
    let slot: Slot
  }

  /// The pieces in the order of writing.
  let pieces: [Piece]
  /// The text after the last slot.
  let tail: [UInt8]

  /// Creates the template for items of a type.
  init(_ type: ContentType) {
    var pieces: [Piece] = []
    var text: [UInt8] = []
    func add(_ shape: Shape, _ slots: [String: Slot], _ inner: (ShapeMember) -> Bool) {
      text.append(UInt8(ascii: "{"))
      var isFirst = true
      for member in shape.members where member.absent != .omit {
        if !isFirst { text.append(UInt8(ascii: ",")) }
        isFirst = false
        text += member.key
        if inner(member) { continue }
        if let slot = slots[member.nameText] {
          pieces.append(Piece(text: text, slot: slot))
          text = []
        } else if member.kind == .contentType {
          text += Array("\"\(type.rawValue)\"".utf8)
        } else if member.nameText == "syncStatus" {
          text += Array("\"pending\"".utf8)
        } else {
          text += member.absent == .literal ? Array(member.literal) : Array("null".utf8)
        }
      }
      text.append(UInt8(ascii: "}"))
    }
    let document: [String: Slot] = [
      "id": .id, "title": .title, "description": .description, "tags": .tags, "createdAt": .created,
      "updatedAt": .updated, "checklistType": .checklistType, "sections": .body, "cards": .body, "markdown": .body,
    ]
    var envelope: [String: Slot] = [
      "id": .id, "title": .title, "description": .description, "tags": .tags, "language": .language,
      "created_at": .created, "updated_at": .updated,
    ]
    for column in TableColumn.lineage { envelope[column.rawValue] = .lineage(column) }
    add(Shapes.item, envelope) { member in
      guard member.kind == .document else { return false }
      add(Shapes.document(type), document) { _ in false }
      return true
    }
    self.pieces = pieces
    tail = text
  }

  /// The templates for each type.
  static let checklist = EnvelopeTemplate(.checklist)
  static let guide = EnvelopeTemplate(.practiceGuide)
  static let deck = EnvelopeTemplate(.flashcardDeck)

  /// Returns the template for items of a type.
  static func of(_ type: ContentType) -> EnvelopeTemplate {
    switch type {
    case .checklist: checklist
    case .practiceGuide: guide
    case .flashcardDeck: deck
    }
  }
}
