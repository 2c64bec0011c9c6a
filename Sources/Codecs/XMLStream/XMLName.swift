#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The name of an element or attribute, in the parser's memory. Names are compared byte by byte and never copied.
package struct XMLName {
  /// The local name as zero-terminated UTF-8, like `prefix` and `space`.
  let start: UnsafePointer<CChar>
  /// The prefix before the colon; nil for a name without a prefix, or when namespaces are read.
  let prefix: UnsafePointer<CChar>?
  /// The namespace; nil for a name without a namespace, or when namespaces are not read.
  let space: UnsafePointer<CChar>?

  /// Returns whether this name, including its prefix, equals `name`. Returns false for a name with a namespace: compare
  /// its `local` instead.
  @inline(__always) package func `is`(_ name: StaticString) -> Bool {
    let sought = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    if prefix == nil, space == nil { return strcmp(start, sought) == 0 }
    guard let prefix, space == nil else { return false }
    let length = strlen(prefix)
    return strncmp(prefix, sought, length) == 0 && sought[length] == 0x3A && strcmp(start, sought + length + 1) == 0
  }

  /// The name without its prefix or namespace.
  @inline(__always) package var local: XMLName { XMLName(start: start, prefix: nil, space: nil) }

  /// The first byte; 0 for an empty name.
  @inline(__always) package var first: UInt8 { UInt8(bitPattern: (prefix ?? start).pointee) }

  /// The namespace; empty for a name without a namespace, or when namespaces are not read.
  package var namespace: UnsafeBufferPointer<UInt8> {
    guard let space else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(
      start: UnsafeRawPointer(space).assumingMemoryBound(to: UInt8.self), count: strlen(space))
  }

  /// A copy of the name as `x:row` or `{namespace}row`, for messages and for callers that keep it.
  package var text: String {
    let name = String(cString: start)
    if let prefix { return String(cString: prefix) + ":" + name }
    return space.map { "{" + String(cString: $0) + "}" + name } ?? name
  }
}
