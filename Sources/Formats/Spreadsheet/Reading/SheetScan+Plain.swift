import JSONText

/// Rows as nearly all programs write them, taken apart without the parser.
extension SheetScan {
  /// Why it takes no more rows.
  enum PlainStop {
    /// The bytes end in a row.
    case incomplete
    /// There is enough for a batch.
    case full
    /// What comes is no plain row.
    case other
  }

  /// Takes whole rows from bytes that a zero stands behind.
  /// - Returns: where what it did not take begins, and why.
  mutating func takePlainRows(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> (at: Int, PlainStop) {
    var xml = PlainXML(bytes, at: start)
    var taken = start
    while !isFull {
      xml.skipSpace()
      taken = xml.at
      // What ends within a tag or a reference cannot be told from what is not plain.
      guard takePlainRow(&xml) else { return (taken, end - xml.at < 64 ? .incomplete : .other) }
      taken = xml.at
    }
    return (taken, .full)
  }

  /// - Returns: false when the row is not plain, or something is wrong with it that the parser shall say; nothing of it
  ///   is kept then.
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

  /// Takes a cell that names a shared text, in the form that most have.
  /// - Returns: false when it is another one; nothing is passed over then.
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
    // Nobody reads the formula, but it must be well formed.
    var formula = ByteBuffer(capacity: 64)
    return xml.text(into: &formula) && xml.take("</f>")
  }
}
