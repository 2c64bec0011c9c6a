import Content
import Diagnostics
import Interchange
import JSONText
import RecordSources

/// Separates a record's content from the notation of its note.
enum MergedContent {
  /// Returns a record without its note's notation, and the notation.
  static func cut(_ line: [UInt8]) -> (line: [UInt8], typing: [UInt8]) {
    guard let document = try? JSONDocument(parsing: line), let extras = document.root["extras"],
      extras.kind == .object, extras["markdown"] != nil || extras["provenance"] != nil
    else { return (line, []) }
    var typing: [UInt8] = []
    let rest = document.withRoot { root -> [UInt8] in
      var out: [UInt8] = []
      root.forEachMember { name, value in
        guard name.equals("extras") else { return append(name, Array(value.raw), to: &out) }
        var kept: [UInt8] = []
        value.forEachMember { name, value in
          if name.equals("markdown") || name.equals("provenance") {
            append(name, Array(value.raw), to: &typing)
          } else {
            append(name, Array(value.raw), to: &kept)
          }
        }
        if !kept.isEmpty { append(name, wrap(kept), to: &out) }
      }
      return wrap(out)
    }
    return (rest, typing)
  }

  /// Returns a record with its note's notation.
  static func add(_ typing: [UInt8], to line: [UInt8]) -> [UInt8] {
    guard !typing.isEmpty, let document = try? JSONDocument(parsing: line) else { return line }
    return document.withRoot { root -> [UInt8] in
      var out: [UInt8] = []
      var isDone = false
      root.forEachMember { name, value in
        guard name.equals("extras"), value.kind == .object else { return append(name, Array(value.raw), to: &out) }
        let own = Array(value.raw.dropFirst().dropLast())
        append(name, wrap(own.isEmpty ? typing : typing + [UInt8(ascii: ",")] + own), to: &out)
        isDone = true
      }
      if !isDone {
        out += [UInt8(ascii: ",")] + Array("\"extras\":".utf8) + wrap(typing)
      }
      return wrap(out)
    }
  }

  /// Returns a record without ids of sections, steps and cards that were derived from names and do not occur in any of
  /// the texts.
  static func withoutMadeIDs(_ line: [UInt8], texts: [[UInt8]]) -> [UInt8] {
    guard let document = try? JSONDocument(parsing: line) else { return line }
    let written = texts.map { Array(String(decoding: $0, as: UTF8.self).uppercased().utf8) }
    func isWritten(_ id: JSONNode) -> Bool {
      let bytes = Array(id.string?.uppercased().utf8 ?? "".utf8)
      return bytes.isEmpty || written.contains { $0.firstRange(of: bytes) != nil }
    }
    return document.withRoot { root -> [UInt8] in
      func write(_ node: JSONNode, depth: Int) -> [UInt8] {
        switch node.kind {
        case .object:
          var out: [UInt8] = []
          node.forEachMember { name, value in
            if depth > 2, name.equals("id"), !isWritten(value) { return }
            append(name, write(value, depth: depth + 1), to: &out)
          }
          return wrap(out)
        case .array:
          var out: [UInt8] = []
          node.forEachElement { element in
            if !out.isEmpty { out.append(UInt8(ascii: ",")) }
            out += write(element, depth: depth + 1)
          }
          return [UInt8(ascii: "[")] + out + [UInt8(ascii: "]")]
        default: return Array(node.raw)
        }
      }
      var out: [UInt8] = []
      root.forEachMember { name, value in
        append(name, name.equals("content_data") ? write(value, depth: 2) : Array(value.raw), to: &out)
      }
      return wrap(out)
    }
  }

  /// Whether two records have the same content, regardless of step ids and the notation of notes.
  static func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    if left == right { return true }
    return FieldComparison.compare(left, right).allSatisfy { field in
      let steps = field.pointer.split(separator: "/")
      return steps.count > 2 && (steps.last == "id" || steps.last == "sortOrder")
    }
  }

  private static func append(_ name: JSONNode, _ value: [UInt8], to out: inout [UInt8]) {
    if !out.isEmpty { out.append(UInt8(ascii: ",")) }
    out += Array(name.raw)
    out.append(UInt8(ascii: ":"))
    out += value
  }

  private static func wrap(_ members: [UInt8]) -> [UInt8] {
    [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")]
  }
}
