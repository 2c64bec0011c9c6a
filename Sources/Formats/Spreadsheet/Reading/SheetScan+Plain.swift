import JSONText

/// Reads rows in the form that nearly all programs write, without the parser.
extension SheetScan {
  /// The reason why reading plain rows stopped.
  enum PlainStop {
    /// The bytes end inside a row.
    case incomplete
    /// The batch is full.
    case full
    /// The next bytes are not a plain row.
    case other
  }

  /// Reads complete rows from bytes that are followed by a zero.
  /// - Returns: the offset of the first byte that was not read, and the reason why reading stopped.
  mutating func takePlainRows(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> (at: Int, PlainStop) {
    var xml = PlainXML(bytes, at: start)
    var taken = start
    while !isFull {
      xml.skipSpace()
      taken = xml.at
      // Bytes that end inside a tag or a reference cannot be distinguished from bytes that are not plain.
      guard takePlainRow(&xml) else { return (taken, end - xml.at < 64 ? .incomplete : .other) }
      taken = xml.at
    }
    return (taken, .full)
  }

  /// - Returns: false if the row is not plain, or has an error that the parser must report. In this case, no part of
  ///   the row is kept.
  private mutating func takePlainRow(_ xml: inout PlainXML) -> Bool {
    guard xml.take("<row"), let tag = xml.tag() else { return false }
    do {
      try beginRow(tag.r)
      if !tag.isEmpty {
        xml.skipSpace()
        while !xml.take("</row>") {
          guard try takeSharedCell(&xml) || takePlainCell(&xml) else {
            forgetRow()
            return false
          }
          xml.skipSpace()
        }
      }
    } catch {
      forgetRow()
      return false
    }
    endRow()
    return true
  }

  /// Reads a cell in the usual form that refers to a shared text.
  /// - Returns: false if the cell has another form; in this case, nothing is skipped.
  @inline(__always)
  private mutating func takeSharedCell(_ xml: inout PlainXML) throws -> Bool {
    guard let cell = xml.sharedCell(), try putShared(cell.index, column: cell.column, row: cell.row) else {
      return false
    }
    xml.skip(to: cell.end)
    return true
  }

  @inline(__always)
  private mutating func takePlainCell(_ xml: inout PlainXML) throws -> Bool {
    guard xml.take("<c"), let tag = xml.tag() else { return false }
    try beginCell(tag.r, style: tag.s, type: tag.t)
    if !tag.isEmpty {
      xml.skipSpace()
      while !xml.take("</c>") {
        guard try takePlainContent(&xml) else { return false }
        xml.skipSpace()
      }
    }
    try endCell()
    return true
  }

  @inline(__always)
  private mutating func takePlainContent(_ xml: inout PlainXML) throws -> Bool {
    if xml.take("<v>") {
      guard try appendPlain(&xml) else { return false }
      return xml.take("</v>")
    }
    if xml.take("<is>") {
      xml.skipSpace()
      while xml.take("<t") {
        guard let tag = xml.tag() else { return false }
        if !tag.isEmpty {
          guard try appendPlain(&xml), xml.take("</t>") else { return false }
        }
        xml.skipSpace()
      }
      return xml.take("</is>")
    }
    guard xml.take("<f"), let tag = xml.tag() else { return xml.take("<v/>") || xml.take("<v />") }
    hasFormula = true
    if tag.isEmpty { return true }
    // The formula is not used, but it must be well formed.
    var formula = ByteBuffer(capacity: 64)
    return xml.text(into: &formula) && xml.take("</f>")
  }
}
