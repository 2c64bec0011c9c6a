import Content
import JSONText

/// Reads and updates documents that a registry has stored.
public enum PublishedDocument {
  /// The strings of an item that its document repeats.
  public struct Words: Sendable, Equatable {
    /// The title.
    public var title: String
    /// The description, if it has one.
    public var description: String?
    /// The tags, in the order given.
    public var tags: [String]

    /// Creates the strings without checking them.
    public init(title: String, description: String?, tags: [String]) {
      self.title = title
      self.description = description
      self.tags = tags
    }
  }

  /// Returns a document's id and creation time, for the document that replaces it; nil if they are missing.
  public static func origin(of document: [UInt8]) -> (id: String?, createdAt: Timestamp?) {
    guard let parsed = try? JSONDocument(parsing: document) else { return (nil, nil) }
    return parsed.withRoot { root in
      let date = root.text("createdAt").flatMap { Timestamp.parse($0)?.0 }
      return (root.text("id").flatMap { $0.isEmpty ? nil : $0 }, date)
    }
  }

  /// Returns the document after a change to its item: title, description and tags are updated if the document's values
  /// equalled the item's old values. Other values in the document were set by its author and stay unchanged.
  ///
  /// A string that the registry once copied into a document must not stay public there after the owner has removed it
  /// from the item.
  /// - Returns: The document, otherwise byte-identical; nil if nothing in it changes.
  public static func following(_ document: [UInt8], from old: Words, to new: Words) -> [UInt8]? {
    guard let parsed = try? JSONDocument(parsing: document) else { return nil }
    return parsed.withRoot { root in
      guard root.kind == .object else { return nil }
      var out = ByteBuffer(capacity: document.count + 1024)
      var copied = 0
      root.forEachMember { name, value in
        guard let word = word(name, value, from: old, to: new) else { return }
        out.append(document.span.extracting(copied..<value.span.lowerBound))
        word.write(into: &out)
        copied = value.span.upperBound
      }
      guard copied > 0 else { return nil }
      out.append(document.span.extracting(droppingFirst: copied))
      return Array(out.bytes)
    }
  }

  // MARK: Members

  /// The new value of a member.
  private enum Word {
    case text(String?)
    case texts([String])

    func write(into out: inout ByteBuffer) {
      switch self {
      case .text(nil): out.append("null")
      case .text(let text?): out.appendJSONString(text)
      case .texts(let texts):
        out.append("[")
        for (index, text) in texts.enumerated() {
          if index > 0 { out.append(",") }
          out.appendJSONString(text)
        }
        out.append("]")
      }
    }
  }

  /// Returns the new value of a document member; nil if the member stays unchanged.
  private static func word(_ name: JSONNode, _ value: JSONNode, from old: Words, to new: Words) -> Word? {
    if name.equals("title") {
      guard !same(old.title, new.title), matches(value, old.title) else { return nil }
      return .text(new.title)
    }
    if name.equals("description") {
      guard !same(old.description, new.description), matches(value, old.description) else { return nil }
      return .text(new.description)
    }
    if name.equals("tags") {
      guard value.kind == .array, !same(old.tags, new.tags) else { return nil }
      var given: [String] = []
      var isTexts = true
      value.forEachElement { element in
        if let text = element.string { given.append(text) } else { isTexts = false }
      }
      return isTexts && same(given, old.tags) ? .texts(new.tags) : nil
    }
    return nil
  }

  private static func matches(_ value: JSONNode, _ text: String?) -> Bool {
    value.isNull ? text == nil : value.kind == .string && text != nil && same(value.string, text)
  }

  private static func same(_ left: String?, _ right: String?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): left.utf8.elementsEqual(right.utf8)
    default: false
    }
  }

  private static func same(_ left: [String], _ right: [String]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
  }
}
