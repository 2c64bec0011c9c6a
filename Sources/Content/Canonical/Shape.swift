import JSONText

/// What kind of value a member holds and how it is written.
package enum ValueKind: UInt8, Sendable {
  /// A string.
  case text
  case bool
  /// A whole number of 64 bits.
  case integer
  /// Any number, kept as written.
  case number
  /// A time, written as `2026-01-05T10:11:12.345Z`.
  case date
  /// When a step was ticked, written as `2026-01-05T10:11:12Z`: Apple's decoder takes no fraction there.
  case tickTime
  /// A record's own id.
  case recordID
  /// A reference to a record.
  case identifier
  /// A content type, short names written out.
  case contentType
  /// What a record carries beside its known members.
  case extras
  /// The id of something inside a record: a section, an item, a card.
  case innerIdentifier
  /// An array of strings.
  case strings
  /// An array of objects of one shape.
  case objects
  /// An object of one shape.
  case object
  /// The ticks of an execution: id → object, in the order of the ids.
  case states
  /// Any value, kept as written; members of objects keep their order.
  case any
  /// A queue payload: any value, but an object's known members come first.
  case payload
  /// The document of an item; its shape depends on the content type.
  case document
}

/// What is written for a member that the source does not have.
package enum Absent: UInt8, Sendable {
  /// Nothing.
  case omit
  /// `null`.
  case null
  /// The member's default; the app would show nothing of the content without it.
  case literal
  /// What the surrounding item says: id, title, tags, times.
  case inherit
  /// The place among its siblings.
  case position
  /// An id derived from where it stands.
  case derivedID
  /// It cannot be left out.
  case refuse
}

/// One member of a shape. Holds addresses of text that lives as long as the program.
package struct ShapeMember: @unchecked Sendable {
  package let name: UnsafeBufferPointer<UInt8>
  /// `"name":` as it is written.
  package let key: UnsafeBufferPointer<UInt8>
  package let kind: ValueKind
  package let absent: Absent
  /// The value written when `absent` is `.literal`.
  package let literal: UnsafeBufferPointer<UInt8>
  /// The shape of the object or of each object in the array.
  package let child: Shape?
  /// Whether the app decodes null here.
  package let nullable: Bool

  package var nameText: String { String(decoding: name, as: UTF8.self) }
}

/// The members of an object in the order in which they are written.
///
/// Made once, lives as long as the program; the tables in `Shapes.swift` are the one place that says which
/// members there are and in which order.
package struct Shape: @unchecked Sendable {
  package let members: UnsafeBufferPointer<ShapeMember>
  /// What messages call such an object: `a step`.
  package let noun: StaticString

  package init(_ members: [ShapeMember], noun: StaticString = "this object") {
    self.noun = noun
    let copy = UnsafeMutableBufferPointer<ShapeMember>.allocate(capacity: members.count)
    _ = copy.initialize(from: members)
    self.members = UnsafeBufferPointer(copy)
  }

  /// Index of the member called `name` (escapes not resolved), or -1.
  @inlinable @inline(__always)
  package func index(of name: UnsafeBufferPointer<UInt8>, from hint: Int) -> Int {
    let count = members.count
    var index = hint < count ? hint : 0
    for _ in 0..<count {
      let candidate = members[index].name
      if candidate.count == name.count, Self.same(candidate, name) { return index }
      index += 1
      if index == count { index = 0 }
    }
    return -1
  }

  @inlinable @inline(__always)
  package static func same(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = left.baseAddress, let second = right.baseAddress else { return left.isEmpty }
    return ShortBytes.same(first, second, left.count)
  }
}

extension ShapeMember {
  package init(
    _ name: String, _ kind: ValueKind, _ absent: Absent = .omit, literal: String = "null",
    child: Shape? = nil, nullable: Bool? = nil
  ) {
    self.name = Self.immortal(name)
    key = Self.immortal("\"\(name)\":")
    self.kind = kind
    self.absent = absent
    self.literal = Self.immortal(literal)
    self.child = child
    self.nullable = nullable ?? (absent == .omit || absent == .null)
  }

  static func immortal(_ text: String) -> UnsafeBufferPointer<UInt8> {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
    _ = copy.initialize(from: text.utf8)
    return UnsafeBufferPointer(copy)
  }
}
