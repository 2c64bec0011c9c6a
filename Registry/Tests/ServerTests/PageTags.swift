/// The tags of a page or a feed.
///
/// The reading is strict: every `<` begins a complete tag whose values are in double quotes, as the registry writes them.
struct PageTags {
  struct Tag: Equatable {
    let name: String
    /// The names of the attributes, in their order.
    let names: [String]
    let attributes: [String: String]
  }

  /// Text that is not markup where markup must be.
  struct Broken: Error {
    let rest: String
  }

  let text: String
  /// The opening tags, in their order.
  private(set) var tags: [Tag] = []

  /// - Throws: `Broken` at a `<` that does not begin a tag.
  init(_ text: String) throws {
    self.text = text
    var rest = Substring(text)
    while let start = rest.firstIndex(of: "<") {
      rest = rest[rest.index(after: start)...]
      if rest.hasPrefix("!DOCTYPE html>") || rest.hasPrefix("?xml ") || rest.hasPrefix("/") {
        guard let end = rest.firstIndex(of: ">"), !rest[..<end].contains("<") else {
          throw Broken(rest: "\(rest.prefix(80))")
        }
        rest = rest[end...]
        continue
      }
      tags.append(try Self.tag(&rest))
    }
  }

  private static func tag(_ rest: inout Substring) throws -> Tag {
    let whole = rest
    func word() -> String {
      let word = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-:".contains($0)) }
      rest = rest.dropFirst(word.count)
      return String(word)
    }
    let name = word()
    var names: [String] = []
    var attributes: [String: String] = [:]
    while rest.first == " " {
      rest = rest.dropFirst()
      let attribute = word()
      var value = ""
      if rest.hasPrefix("=\"") {
        rest = rest.dropFirst(2)
        // Scalars, because a quote with an accent is one character.
        let scalars = rest.unicodeScalars
        guard let end = scalars.firstIndex(of: "\"") else { throw Broken(rest: "\(whole.prefix(80))") }
        value = String(scalars[..<end])
        rest = rest[scalars.index(after: end)...]
      }
      if attribute.isEmpty || attributes[attribute] != nil { throw Broken(rest: "\(whole.prefix(80))") }
      names.append(attribute)
      attributes[attribute] = value
    }
    if rest.first == "/" { rest = rest.dropFirst() }
    guard !name.isEmpty, rest.first == ">" else { throw Broken(rest: "\(whole.prefix(80))") }
    return Tag(name: name, names: names, attributes: attributes)
  }

  /// Returns the number of tags with a name, and the given value of `class`.
  func count(_ name: String, class value: String? = nil) -> Int {
    tags.count { $0.name == name && (value == nil || $0.attributes["class"] == value) }
  }

  /// Returns the first tag with a name, and the given value of `class`.
  func first(_ name: String, class value: String? = nil) -> Tag? {
    tags.first { $0.name == name && (value == nil || $0.attributes["class"] == value) }
  }

  /// The targets of all links; `&amp;` is decoded.
  var hrefs: [String] { tags.compactMap { $0.attributes["href"]?.replacing("&amp;", with: "&") } }

  /// Returns the targets of links with a relation.
  func links(rel: String) -> [String] {
    tags.filter { $0.attributes["rel"] == rel }.compactMap { $0.attributes["href"]?.replacing("&amp;", with: "&") }
  }
}
