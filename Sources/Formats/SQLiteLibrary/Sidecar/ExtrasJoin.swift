import Content
import JSONText
import SQLiteIO

/// Gives items of a library the extras that are kept beside it, while they go by in the order of their ids.
///
/// Walks both side by side: memory does not grow with either.
final class ExtrasJoin {
  private let statement: SQLiteStatement
  /// Reports lines that cannot be read; nil where another join reports them.
  private let lines: StoredLines?
  private var id = ""
  private var isAtEnd = false
  private var tape = JSONTape(capacity: 64)
  private var own = JSONTape(capacity: 256)

  /// Begins to walk.
  /// - Parameters:
  ///   - statement: gives id and line of each, in the order of ids.
  ///   - lines: who reports lines that cannot be read.
  init(_ statement: SQLiteStatement, _ lines: StoredLines? = nil) throws(SQLiteError) {
    self.statement = statement
    self.lines = lines
    try advance()
  }

  private func advance() throws(SQLiteError) {
    isAtEnd = try !statement.step()
    if !isAtEnd { id = statement.text(at: 0) ?? "" }
  }

  /// Adds extras to the items of a batch.
  func join(_ batch: RecordBatch) throws(SQLiteError) {
    for index in batch.slots.indices where batch.slots[index].kind == .item && !isAtEnd {
      guard let item = RecordLine.id(of: batch.line(batch.slots[index])) else { continue }
      while !isAtEnd, id.utf8.lexicographicallyPrecedes(item.utf8) { try advance() }
      guard !isAtEnd, id.utf8.elementsEqual(item.utf8) else { continue }
      add(to: index, of: batch)
    }
  }

  private func add(to index: Int, of batch: RecordBatch) {
    tape.removeAll()
    own.removeAll()
    let kept = Array(statement.blob(at: 1))
    kept.withUnsafeBufferPointer { kept in
      guard let parse = try? tape.parse(kept), let start = kept.baseAddress,
        let extras = JSONNode(text: start, tokens: tape.tokens, index: parse.root).member("extras"),
        extras.kind == .object, extras.duplicateName == nil
      else {
        lines?.report("the extras of item \(id) are not a JSON object with extras", BesideExtras.kind, id: id)
        return
      }
      if extras.raw.count <= 2 { return }
      let line = Array(batch.line(batch.slots[index]))
      line.withUnsafeBufferPointer { write(extras, $0, index, batch) }
    }
  }

  private func write(
    _ extras: JSONNode, _ line: UnsafeBufferPointer<UInt8>, _ index: Int, _ batch: RecordBatch
  ) {
    guard let parse = try? own.parse(line), let base = line.baseAddress else { return }
    let node = JSONNode(text: base, tokens: own.tokens, index: parse.root)
    let present = node.member("extras")
    // Behind what the row itself has, or where the object ends.
    let end = (present?.kind == .object ? present?.span.upperBound ?? line.count : line.count) - 1
    let start = batch.canonical.count
    batch.canonical.append(UnsafeBufferPointer(rebasing: line[..<end]))
    let raw = extras.raw
    let inner = UnsafeBufferPointer(rebasing: raw[1..<raw.count - 1])
    if present?.kind == .object {
      if line[end - 1] != UInt8(ascii: "{") { batch.canonical.append(UInt8(ascii: ",")) }
      batch.canonical.append(inner)
    } else {
      batch.canonical.append(",\"extras\":{")
      batch.canonical.append(inner)
      batch.canonical.append(UInt8(ascii: "}"))
    }
    batch.canonical.append(UnsafeBufferPointer(rebasing: line[end...]))
    batch.slots[index].inSource = false
    batch.slots[index].start = start
    batch.slots[index].length = batch.canonical.count - start
    batch.slots[index].root = -1
    batch.canonical.append(0x0A)
  }
}
