import Diagnostics
import JSONText

/// Checks that apply to any body: duplicate names, NUL characters, excessive nesting, and numbers that are too
/// large.
///
/// The check is a single pass over the tokens. The number of findings is bounded, and the time is linear in the size of
/// the body.
struct BodyHygiene {
  /// The maximum depth of nested values.
  static let depth = 64

  /// A problem, and the token of the value or name that it concerns.
  struct Trouble {
    let code: DiagnosticCode
    let message: String
    let token: Int
  }

  /// The problems, in the order of the body.
  private(set) var troubles: [Trouble] = []
  /// Whether values nest too deeply for any other check to read them.
  private(set) var isTooDeep = false

  /// Checks a value and everything inside it.
  init(_ root: JSONNode, limit: Int) {
    // The tokens after the open containers, innermost last.
    var open: [Int] = []
    let end = Int(root.token.next)
    var index = root.index
    while index < end, troubles.count < limit {
      while let last = open.last, index >= last { open.removeLast() }
      let node = root.at(index)
      switch node.kind {
      case .array, .object:
        guard open.count < Self.depth else {
          isTooDeep = true
          add(.bodyTooDeep, "values nest deeper than \(Self.depth) levels", node)
          return
        }
        open.append(Int(node.token.next))
        if node.kind == .object, let twice = node.duplicateOwnName {
          add(.duplicateMember, "the member \(Self.short(twice)) occurs twice in one object", twice)
        }
      case .string:
        if node.token.flags.contains(.escaped), Self.hasNUL(node.inner) {
          let what = node.token.flags.contains(.name) ? "the member name" : "the string"
          add(.nulCharacter, "\(what) contains a NUL character (\\u0000)", node)
        }
      case .number:
        // Whole numbers of up to 300 digits are below 1e308.
        if !node.token.flags.contains(.integer) || node.token.length > 300, !(node.double?.isFinite ?? false) {
          add(.numberTooLarge, "the number \(Self.short(node)) is too large", node)
        }
      case .null, .true, .false: break
      }
      index += 1
    }
  }

  private mutating func add(_ code: DiagnosticCode, _ message: String, _ node: JSONNode) {
    troubles.append(Trouble(code: code, message: message, token: node.index))
  }

  /// Whether a string has the escape `\u0000`; the character itself is refused by the parser.
  private static func hasNUL(_ inner: UnsafeBufferPointer<UInt8>) -> Bool {
    var at = 0
    while at < inner.count {
      guard inner[at] == UInt8(ascii: "\\") else {
        at += 1
        continue
      }
      if at + 6 <= inner.count, inner[at + 1] == UInt8(ascii: "u"),
        inner[(at + 2)..<(at + 6)].allSatisfy({ $0 == UInt8(ascii: "0") })
      {
        return true
      }
      at += 2
    }
    return false
  }

  /// Returns a value as it is written, truncated if it is long.
  private static func short(_ node: JSONNode) -> String {
    let text = String(decoding: node.raw.prefix(60), as: UTF8.self)
    return node.raw.count > 60 ? text + "…" : text
  }
}
