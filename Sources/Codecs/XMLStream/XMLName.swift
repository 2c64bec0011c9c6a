#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The name of an element or an attribute, as it lies in the parser's memory. Compared byte by byte; nothing is copied.
package struct XMLName {
  /// Stands between namespace and name; no XML text can have it (form feed).
  static let separator: CChar = 0x0C

  /// UTF-8 with a zero behind it: `x:row`, or namespace, separator, `row` when namespaces are read.
  let start: UnsafePointer<CChar>

  /// Whether it is this one, prefix or namespace included.
  @inline(__always) package func `is`(_ name: StaticString) -> Bool {
    strcmp(start, UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
  }

  /// The same without its prefix or namespace.
  @inline(__always) package var local: XMLName {
    var (at, found) = (start, start)
    while at.pointee != 0 {
      if at.pointee == Self.separator || at.pointee == 0x3A { found = at + 1 }
      at += 1
    }
    return XMLName(start: found)
  }

  /// The first byte; 0 for an empty name.
  @inline(__always) package var first: UInt8 { UInt8(bitPattern: start.pointee) }

  /// The namespace; empty for a name that is in none, or when namespaces are not read.
  package var namespace: UnsafeBufferPointer<UInt8> {
    let length = strchr(start, Int32(Self.separator)).map { UnsafePointer($0) - start } ?? 0
    return UnsafeBufferPointer(start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: length)
  }

  /// A copy for messages and for callers that keep it.
  package var text: String { String(cString: start) }
}
