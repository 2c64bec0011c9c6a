import Content
import JSONText

/// What is kept beside a library of an item's extras: the members that belong to the note which the item comes from.
///
/// One record of a kind of its own for each such item in `state.sqlite`; whoever reads the library gets it back as
/// the item's `extras`.
/// - Source: formats/markdown.md, "What a record keeps of a note"
package enum BesideExtras {
  /// The kind under which it is kept. No source may bring records of it: they would pass for these.
  package static let kind = RecordKind("fleetkit:extras")

  /// Whether a member of extras is kept.
  package static func holds(_ name: JSONNode) -> Bool { name.equals("markdown") || name.equals("provenance") }

  /// The record to keep; nil when nothing of the extras is.
  /// - Parameters:
  ///   - id: the item's id in the library.
  ///   - source: its id in the source.
  package static func line(of extras: JSONNode, id: String, inSource source: String) -> [UInt8]? {
    let pathID = id.utf8.elementsEqual(source.utf8) ? nil : source
    var line = ByteBuffer(capacity: extras.raw.count + 128)
    line.append("{\"kind\":")
    line.appendJSONString(kind.name)
    line.append(",\"id\":")
    line.appendJSONString(id)
    line.append(",\"extras\":{")
    var isEmpty = true
    extras.forEachMember { name, value in
      guard holds(name) else { return }
      if !isEmpty { line.append(UInt8(ascii: ",")) }
      isEmpty = false
      line.append(name.raw)
      line.append(UInt8(ascii: ":"))
      if name.equals("markdown") { writeNote(value, pathID: pathID, into: &line) } else { line.append(value.raw) }
    }
    line.append("}}")
    return isEmpty ? nil : Array(line.bytes)
  }

  /// Without the mark that the id was derived from the note's path: in a library the id is what everything hangs on.
  /// - Parameter pathID: the id that the note has from its path, where the item has another one.
  private static func writeNote(_ note: JSONNode, pathID: String?, into line: inout ByteBuffer) {
    var separator = UInt8(ascii: "{")
    let isDerived = note.member("derived_id")?.bool ?? false
    note.forEachMember { name, value in
      if name.equals("derived_id") || isDerived && name.equals("path_id") { return }
      line.append(separator)
      separator = UInt8(ascii: ",")
      line.append(name.raw)
      line.append(UInt8(ascii: ":"))
      line.append(value.raw)
    }
    if isDerived, let pathID {
      line.append(separator)
      separator = UInt8(ascii: ",")
      line.append("\"path_id\":")
      line.appendJSONString(pathID)
    }
    if separator == UInt8(ascii: "{") { line.append(separator) }
    line.append(UInt8(ascii: "}"))
  }
}
