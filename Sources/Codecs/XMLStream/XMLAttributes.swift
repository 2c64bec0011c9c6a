#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The attributes of an element, as they lie in the parser's memory.
package struct XMLAttributes: Sequence {
  private let list: UnsafeMutablePointer<UnsafePointer<CChar>?>?

  init(_ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) { self.list = list }

  /// The value of an attribute of this name, prefix or namespace included.
  @inline(__always) package subscript(_ name: StaticString) -> UnsafeBufferPointer<UInt8>? {
    for (key, value) in self where key.is(name) { return value }
    return nil
  }

  /// The value of the first attribute that has this name behind its prefix or namespace.
  package func value(local name: StaticString) -> UnsafeBufferPointer<UInt8>? {
    for (key, value) in self where key.local.is(name) { return value }
    return nil
  }

  /// A value as text, for callers that keep it.
  package func text(_ name: StaticString) -> String? { self[name].map { String(decoding: $0, as: UTF8.self) } }

  @inline(__always) package func makeIterator() -> Iterator { Iterator(at: list) }

  /// Goes through names and values in the order of the text.
  package struct Iterator: IteratorProtocol {
    var at: UnsafeMutablePointer<UnsafePointer<CChar>?>?

    @inline(__always) package mutating func next() -> (name: XMLName, value: UnsafeBufferPointer<UInt8>)? {
      guard let pair = at, let name = pair[0], let value = pair[1] else { return nil }
      at = pair + 2
      let bytes = UnsafeRawPointer(value).assumingMemoryBound(to: UInt8.self)
      return (XMLName(start: name), UnsafeBufferPointer(start: bytes, count: strlen(value)))
    }
  }
}
