import JSONText

/// Reads shared texts in the form that nearly all programs write, without the parser.
extension SharedStringsPart {
  /// Reads complete texts from bytes that are followed by a zero.
  /// - Parameter isFirst: whether the bytes begin inside an item, after its `<si>`.
  /// - Returns: the offset of the first byte that was not read, and whether the bytes end inside an item.
  func takePlain(
    _ bytes: UnsafePointer<UInt8>, _ count: Int, isFirst: Bool
  ) throws -> (at: Int, isIncomplete: Bool) {
    var xml = PlainXML(bytes, at: 0)
    // The buffer is local, because every access to a property of the part would be checked at run time.
    var plain = ByteBuffer(capacity: 1 << 12)
    var taken = 0
    var isInside = isFirst
    while true {
      plain.removeAll()
      // Bytes that end inside a tag or a reference cannot be distinguished from bytes that are not plain.
      guard Self.takePlainItem(&xml, into: &plain, isInside: isInside) else { return (taken, count - xml.at < 64) }
      try add(plain.bytes)
      isInside = false
      xml.skipSpace()
      taken = xml.at
    }
  }

  @inline(__always)
  private static func takePlainItem(_ xml: inout PlainXML, into plain: inout ByteBuffer, isInside: Bool) -> Bool {
    if isInside || xml.take("<si>") { return takeContent(&xml, into: &plain) }
    guard xml.take("<si"), let tag = xml.tag() else { return false }
    return tag.isEmpty || takeContent(&xml, into: &plain)
  }

  @inline(__always)
  private static func takeContent(_ xml: inout PlainXML, into plain: inout ByteBuffer) -> Bool {
    // Most items consist of a single text.
    if xml.take("<t>") {
      guard xml.text(into: &plain), xml.take("</t>") else { return false }
      if xml.take("</si>") { return true }
    }
    xml.skipSpace()
    while !xml.take("</si>") {
      // Once the beginning of an element has been recognized, no other element is tried.
      if xml.take("<t") {
        guard takeText(&xml, into: &plain) else { return false }
      } else if xml.take("<r>") {
        guard takeRun(&xml, into: &plain) else { return false }
      } else if xml.take("<rPh") {
        guard takeReading(&xml, into: &plain) else { return false }
      } else {
        guard xml.take("<phoneticPr"), let tag = xml.tag(), tag.isEmpty else { return false }
      }
      xml.skipSpace()
    }
    return true
  }

  /// Reads the rest of a `<t>` element.
  private static func takeText(_ xml: inout PlainXML, into plain: inout ByteBuffer) -> Bool {
    guard let tag = xml.tag() else { return false }
    return tag.isEmpty || xml.text(into: &plain) && xml.take("</t>")
  }

  /// Reads the rest of an `<r>` element. Its formatting may only consist of empty elements.
  private static func takeRun(_ xml: inout PlainXML, into plain: inout ByteBuffer) -> Bool {
    xml.skipSpace()
    if xml.take("<rPr>") {
      xml.skipSpace()
      while !xml.take("</rPr>") {
        guard !xml.take("<si"), xml.takeEmptyElement() else { return false }
        xml.skipSpace()
      }
      xml.skipSpace()
    }
    while !xml.take("</r>") {
      guard xml.take("<t"), takeText(&xml, into: &plain) else { return false }
      xml.skipSpace()
    }
    return true
  }

  /// Reads the rest of an `<rPh>` element, whose text is not part of the cell.
  private static func takeReading(_ xml: inout PlainXML, into plain: inout ByteBuffer) -> Bool {
    guard let tag = xml.tag(), !tag.isEmpty, xml.take("<t>") else { return false }
    let count = plain.count
    guard xml.text(into: &plain) else { return false }
    plain.truncate(to: count)
    return xml.take("</t>") && xml.take("</rPh>")
  }
}
