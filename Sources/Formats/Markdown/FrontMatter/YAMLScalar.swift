import Content
import JSONText

/// Writes values as one line of YAML.
///
/// A YAML 1.2 reader gets exactly the same value. Strings that YAML 1.1 readers (such as Obsidian's and Jekyll's) do
/// not read as strings are quoted: `yes`, `no`, dates, `1:30`, `007`. Control characters, all line ends and Unicode
/// noncharacters are escaped. Words that are read as strings even without quotes are not quoted.
/// - Source: YAML 1.2.2, 5.1 "Character set", 7.3 "Flow scalar styles"; YAML 1.1 types, https://yaml.org/type/
enum YAMLScalar {
  /// Returns a string as YAML.
  /// - Parameter inFlow: whether the string is inside `[…]` or `{…}`.
  static func text(_ text: String, inFlow: Bool = false) -> String {
    if isPlain(text, inFlow: inFlow) { return text }
    let scalars = text.unicodeScalars
    if scalars.contains(where: needsEscape) || !scalars.contains(where: { $0 == "\"" || $0 == "\\" }) {
      return escaped(text)
    }
    var out = String.UnicodeScalarView("'".unicodeScalars)
    for scalar in scalars {
      // Escape scalar by scalar: a quote with a combining accent is a different character in Swift, but still a quote
      // in YAML.
      if scalar == "'" { out.append(scalar) }
      out.append(scalar)
    }
    out.append("'")
    return String(out)
  }

  /// Returns a member name as YAML, in the form for the top level of front matter.
  static func name(_ name: String) -> String { text(name, inFlow: true) }

  /// Returns a JSON value as YAML. Lists and objects are written in flow style, numbers as in the JSON.
  ///
  /// Time and memory are linear in the size of the value. No name may occur twice in an object, because YAML forbids
  /// duplicate keys.
  static func value(_ node: JSONNode) -> String {
    var out = ""
    append(node, inFlow: false, to: &out)
    return out
  }

  /// Returns a list of strings as YAML.
  static func list(_ texts: [String]) -> String {
    "[" + texts.map { text($0, inFlow: true) }.joined(separator: ", ") + "]"
  }

  // MARK: Values

  /// Appends a JSON value. The recursion is bounded, because JSON nests no deeper than `JSONLimits.depth`.
  private static func append(_ node: JSONNode, inFlow: Bool, to out: inout String) {
    switch node.kind {
    case .null: out += "null"
    case .true: out += "true"
    case .false: out += "false"
    case .number: out += String(decoding: node.raw, as: UTF8.self)
    case .string: out += text(String(decoding: node.textBytes, as: UTF8.self), inFlow: inFlow)
    case .array:
      out += "["
      var isFirst = true
      node.forEachElement { element in
        if !isFirst { out += ", " }
        isFirst = false
        append(element, inFlow: true, to: &out)
      }
      out += "]"
    case .object:
      out += "{"
      var isFirst = true
      node.forEachMember { name, value in
        if !isFirst { out += ", " }
        isFirst = false
        let key = text(String(decoding: name.textBytes, as: UTF8.self), inFlow: true)
        // YAML requires an explicit `?` before keys of more than 1024 characters.
        out += key.utf8.count > 1000 ? "? \(key) : " : key + ": "
        append(value, inFlow: true, to: &out)
      }
      out += "}"
    }
  }

  // MARK: Quotes

  private static func escaped(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\t": out += "\\t"
      case "\n": out += "\\n"
      case "\r": out += "\\r"
      default:
        if needsEscape(scalar) {
          out += escape(scalar.value)
        } else {
          out.unicodeScalars.append(scalar)
        }
      }
    }
    return out + "\""
  }

  private static func escape(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    let (letter, length) = value <= 0xFF ? ("x", 2) : value <= 0xFFFF ? ("u", 4) : ("U", 8)
    return "\\" + letter + String(repeating: "0", count: length - digits.count) + digits
  }

  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20...0x7E: false
    // Control characters, including NEL.
    case 0...0x9F: true
    // Line and paragraph separators, and invisible marks that change how a line is displayed.
    case 0x2028...0x202E, 0x2066...0x2069, 0xFEFF, 0xFDD0...0xFDEF: true
    default: scalar.value & 0xFFFE == 0xFFFE
    }
  }

  // MARK: Plain words

  /// Whether a string can be written without quotes.
  private static func isPlain(_ text: String, inFlow: Bool) -> Bool {
    guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else { return false }
    guard isLetter(first) ? !isWord(text) : isUUID(text) else { return false }
    guard last != " ", last != ":" else { return false }
    var before: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", " ", "-", "_", ".", "/", "(", ")", "+", "А"..."я": break
      // These characters have a meaning in brackets, or next to blanks.
      case ",", "?", "!", "'", "&", ";", "=", "%", "\"":
        if inFlow { return false }
      case ":", "#": if inFlow || scalar == "#" && before == " " { return false }
      default:
        if scalar.isASCII || !isVisible(scalar) { return false }
      }
      if before == ":", scalar == " " { return false }
      before = scalar
    }
    return true
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    // These letters are too common to look up in Unicode's tables, which is slow.
    if ("А"..."я").contains(scalar) { return true }
    return scalar.isASCII
      ? (0x61...0x7A).contains(scalar.value | 0x20) : scalar.properties.isAlphabetic && isVisible(scalar)
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
      .spaceSeparator:
      false
    default: !needsEscape(scalar)
    }
  }

  /// Whether YAML 1.1 or 1.2 reads a word that begins with a letter as something other than text.
  private static func isWord(_ text: String) -> Bool {
    guard text.utf8.count <= 5 else { return false }
    return ["y", "n", "yes", "no", "on", "off", "true", "false", "null"].contains(text.lowercased())
  }

  /// Whether a string is an id (a UUID). No YAML reader interprets an id as a number or a date, whatever its digits
  /// are.
  private static func isUUID(_ text: String) -> Bool {
    guard text.utf8.count == 36 else { return false }
    return text.utf8.enumerated().allSatisfy { index, byte in
      [8, 13, 18, 23].contains(index)
        ? byte == UInt8(ascii: "-") : UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || 0x61...0x66 ~= byte | 0x20
    }
  }
}

/// Writes record values as one-line entries in front matter.
enum MetadataWriter {
  /// Appends a value.
  /// - Parameter value: the JSON of a canonical record.
  static func write(_ value: [UInt8], as key: MetadataKey, into out: inout ByteBuffer) {
    guard let document = try? JSONDocument(parsing: value) else { return }
    document.withNode(document.root.tokenIndex) { write($0, as: key, into: &out) }
  }

  /// Appends a key and its value as a line of front matter.
  static func writeLine(_ value: [UInt8], as key: MetadataKey, into out: inout ByteBuffer) {
    out.append(utf8: key.name)
    out.append(": ")
    write(value, as: key, into: &out)
    out.append("\n")
  }

  /// Appends a key and its value as a line of front matter.
  static func writeLine(_ node: JSONNode, as key: MetadataKey, into out: inout ByteBuffer) {
    out.append(utf8: key.name)
    out.append(": ")
    write(node, as: key, into: &out)
    out.append("\n")
  }

  private static func write(_ node: JSONNode, as key: MetadataKey, into out: inout ByteBuffer) {
    switch (key.kind, node.kind) {
    case (.contentType, .string):
      let type = node.string.flatMap(ContentType.init(rawValue:))
      out.append(utf8: type.map(MetadataKeys.word) ?? "")
    case (.date, .string) where isTime(node.inner.span): out.append(node.inner.span)
    default: out.append(utf8: YAMLScalar.value(node))
    }
  }

  private static let form = Array("0000-00-00T00:00:00.000Z".utf8)

  /// Whether a string is a time in the format of records, which every YAML reader reads as a time or as text.
  private static func isTime(_ text: Span<UInt8>) -> Bool {
    text.count == form.count
      && form.indices.allSatisfy { form[$0] == UInt8(ascii: "0") ? text[$0] &- 0x30 < 10 : text[$0] == form[$0] }
  }
}
