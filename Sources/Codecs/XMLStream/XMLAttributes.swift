/// The attributes of an element, in the parser's memory. They do not include namespace declarations.
package struct XMLAttributes: Sequence {
  private let list: UnsafePointer<UnsafePointer<CChar>?>?
  private let count: Int
  private let readsNamespaces: Bool

  /// Creates a list from libxml2's array, which has five pointers for each attribute.
  init(_ list: UnsafePointer<UnsafePointer<CChar>?>?, count: Int, readsNamespaces: Bool) {
    self.list = list
    self.count = list == nil ? 0 : count
    self.readsNamespaces = readsNamespaces
  }

  /// The value of the attribute with this name, which includes a prefix or namespace.
  @inline(__always) package subscript(_ name: StaticString) -> UnsafeBufferPointer<UInt8>? {
    for (key, value) in self where key.is(name) { return value }
    return nil
  }

  /// Returns the value of the first attribute with this local name, whatever its prefix or namespace.
  package func value(local name: StaticString) -> UnsafeBufferPointer<UInt8>? {
    for (key, value) in self where key.local.is(name) { return value }
    return nil
  }

  /// Returns a value as a string, for callers that keep it.
  package func text(_ name: StaticString) -> String? { self[name].map { String(decoding: $0, as: UTF8.self) } }

  @inline(__always) package func makeIterator() -> Iterator {
    Iterator(at: list, left: count, readsNamespaces: readsNamespaces)
  }

  /// Iterates over names and values in the order of the text.
  package struct Iterator: IteratorProtocol {
    var at: UnsafePointer<UnsafePointer<CChar>?>?
    var left: Int
    let readsNamespaces: Bool

    @inline(__always) package mutating func next() -> (name: XMLName, value: UnsafeBufferPointer<UInt8>)? {
      guard left > 0, let five = at, let name = five[0], let value = five[3], let end = five[4] else { return nil }
      at = five + 5
      left -= 1
      let bytes = UnsafeRawPointer(value).assumingMemoryBound(to: UInt8.self)
      return (
        XMLName(start: name, prefix: readsNamespaces ? nil : five[1], space: readsNamespaces ? five[2] : nil),
        UnsafeBufferPointer(start: bytes, count: end - value)
      )
    }
  }
}
