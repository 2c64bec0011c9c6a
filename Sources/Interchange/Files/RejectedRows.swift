import Content
import Foundation

/// Rejected rows on their way into files of their own, one for each table: its header, then the rows as they were typed.
///
/// The rows lie in one file without a name until the run is over, so that many tables need no more than one.
final class RejectedRows {
  private struct Table {
    let table: RejectTable
    /// How many rows it has.
    var rows = 0
    /// Where they lie in the spool.
    var stretches: [Range<Int>] = []
  }

  private let base: String
  private let folder: OpenFolder?
  private var tables: [Table] = []
  private var spool: (file: UnlinkedFile, sink: ByteSink)?

  /// - Parameter base: the path without an ending, or the name in the folder.
  init(base: String, in folder: OpenFolder?) {
    self.base = base
    self.folder = folder
  }

  var isEmpty: Bool { tables.isEmpty }

  /// Adds rows of a table.
  /// - Returns: the name of the table's file, the number of the first of the rows there, and whether the table is new.
  func add(_ bytes: [UInt8], rows: Int, of table: RejectTable) throws -> (name: String, number: Int, isNew: Bool) {
    // Rows come table by table; the last one is nearly always the right one.
    let known = tables.lastIndex { $0.table.isSame(as: table) }
    let index = known ?? tables.count
    if known == nil { tables.append(Table(table: table)) }
    if spool == nil {
      let file = try UnlinkedFile()
      spool = (file, ByteSink(descriptor: file.descriptor, name: file.name))
    }
    guard let sink = spool?.sink else { return ("", 0, false) }
    let start = sink.count
    try bytes.withUnsafeBufferPointer { try sink.write($0) }
    try table.lineEnd.withUnsafeBufferPointer { try sink.write($0) }
    if let last = tables[index].stretches.last, last.upperBound == start {
      tables[index].stretches[tables[index].stretches.count - 1] = last.lowerBound..<sink.count
    } else {
      tables[index].stretches.append(start..<sink.count)
    }
    let number = tables[index].rows + 1
    tables[index].rows += max(1, rows)
    return ((path(index) as NSString).lastPathComponent, number, known == nil)
  }

  /// The first table's file is called like the run's rejects; the others have a number.
  private func path(_ index: Int) -> String {
    base + (index == 0 ? "" : "-\(index + 1)") + "." + tables[index].table.fileExtension
  }

  /// Writes the files and gives them their names.
  /// - Returns: their paths.
  /// - Throws: `RunFailure` when one cannot be written.
  func publish() throws -> [String] {
    guard let spool else { return [] }
    try spool.sink.flush()
    var paths: [String] = []
    for (index, table) in tables.enumerated() {
      let file = try RejectsWriter.file(path(index), in: folder)
      let sink = ByteSink(descriptor: file.descriptor, name: file.target)
      try table.table.header.withUnsafeBufferPointer { try sink.write($0) }
      for stretch in table.stretches { try spool.file.read(stretch) { try sink.write($0) } }
      try sink.flush()
      try file.publish()
      paths.append(file.target)
    }
    return paths
  }
}
