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

  /// A copy of the namespace; empty for a name without a namespace, or when namespaces are not read.
  package var namespace: String { space.map { String(cString: $0) } ?? "" }

  /// A copy of the name as `x:row` or `{namespace}row`, for messages and for callers that keep it.
  package var text: String {
    let name = String(cString: start)
    if let prefix { return String(cString: prefix) + ":" + name }
    return space.map { "{" + String(cString: $0) + "}" + name } ?? name
  }
}

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

  /// The value of the attribute with this name. The name includes the prefix or namespace, if any.
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

/// Finds the attributes in the bytes of a tag, which may be incomplete.
enum XMLTag {
  /// Returns the ranges of the complete attributes' names and values, without quotes.
  static func attributes(of tag: Span<UInt8>) -> [(name: Range<Int>, value: Range<Int>)] {
    var found: [(name: Range<Int>, value: Range<Int>)] = []
    var at = 0
    func skip(while isWanted: (UInt8) -> Bool) { while at < tag.count, isWanted(tag[at]) { at += 1 } }
    skip { !isSpace($0) }
    while true {
      skip(while: isSpace)
      let name = at
      skip { $0 != 0x3D && !isSpace($0) }
      let nameEnd = at
      skip { $0 != 0x22 && $0 != 0x27 }
      guard at < tag.count else { return found }
      let quote = tag[at]
      at += 1
      let value = at
      skip { $0 != quote }
      guard at < tag.count else { return found }
      found.append((name..<nameEnd, value..<at))
      at += 1
    }
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}
