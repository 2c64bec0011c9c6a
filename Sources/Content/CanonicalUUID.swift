import JSONText

/// Ids in the app's form: UUIDs in upper case, 36 characters.
public enum CanonicalUUID {
  /// How a string relates to the app's form of an id.
  public enum Form: Sendable {
    /// Upper case, the form that the app writes and looks up.
    case canonical
    /// A UUID with lower-case letters.
    case otherCase
    /// Not a UUID.
    case none
  }

  /// The namespace for ids that FleetKit derives from names. It is the UUIDv5 of the DNS name `fleetkit.anyfleet.app`.
  public static let namespace: [UInt8] = v5(
    namespace: [
      0x6B, 0xA7, 0xB8, 0x10, 0x9D, 0xAD, 0x11, 0xD1, 0x80, 0xB4, 0x00, 0xC0, 0x4F, 0xD4, 0x30, 0xC8,
    ], ["fleetkit.anyfleet.app"]
  ).bytes

  /// The id that means "no creator" in libraries before v1.9.0.
  public static let zero = "00000000-0000-0000-0000-000000000000"

  /// Returns the form of `text`.
  @inlinable
  public static func form(of text: Span<UInt8>) -> Form {
    guard text.count == 36 else { return .none }
    let bytes = text.bytes
    var lower: UInt64 = 0
    guard isHex(bytes, 0, dashes: 0, &lower), isHex(bytes, 8, dashes: 0x0000_FF00_0000_00FF, &lower),
      isHex(bytes, 16, dashes: 0xFF00_0000_00FF_0000, &lower), isHex(bytes, 24, dashes: 0, &lower),
      isHex(bytes, 28, dashes: 0, &lower)
    else { return .none }
    return lower == 0 ? .canonical : .otherCase
  }

  /// Whether the bytes of a 64-bit word are hexadecimal digits, with dashes at the set bits of `dashes`.
  /// - Parameter lower: gets a bit set for each lower-case letter.
  @inlinable @inline(__always)
  static func isHex(_ bytes: RawSpan, _ at: Int, dashes: UInt64, _ lower: inout UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    var word = bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self).littleEndian
    guard word & highs == 0, word & dashes == (ones &* UInt64(UInt8(ascii: "-"))) & dashes else { return false }
    // Turns dashes into zeros, so that one check is enough.
    word ^= (ones &* UInt64(UInt8(ascii: "-") ^ UInt8(ascii: "0"))) & dashes
    // Returns a mask with the high bit set for each byte of the word from `first` to `last`.
    @inline(__always) func between(_ first: UInt8, _ last: UInt8) -> UInt64 {
      ((word &+ ones &* UInt64(0x80 - first)) ^ (word &+ ones &* UInt64(0x7F - last))) & highs
    }
    let small = between(UInt8(ascii: "a"), UInt8(ascii: "f"))
    lower |= small
    return between(UInt8(ascii: "0"), UInt8(ascii: "9")) | between(UInt8(ascii: "A"), UInt8(ascii: "F")) | small
      == highs
  }

  /// Returns the form of `text`.
  public static func form(of text: String) -> Form {
    form(of: text.utf8.span)
  }

  /// Returns the canonical id for `text`: the UUID in upper case if `text` is one, otherwise a UUID derived from `text`
  /// as a name.
  ///
  /// The same text always gives the same id, so references to it need no lookup table.
  /// - Parameter scope: the names within which `text` is unique, for ids that are unique only inside a record.
  public static func canonical(_ text: String, scope: String = "") -> String {
    switch form(of: text) {
    case .canonical: text
    case .otherCase: text.uppercased()
    case .none: derived(scope.isEmpty ? [text] : [scope, text])
    }
  }

  /// Returns the id of an item whose note has none.
  /// - Parameters:
  ///   - source: the identity of its vault: `source:` in `.fleetkit.yml`, or else the root's path.
  ///   - path: the note's path in its vault, or the path of a card folder with a slash at its end. In NFC.
  public static func derived(ofNote path: String, in source: String) -> String {
    derived([source, path, path.utf8.last == UInt8(ascii: "/") ? "deck" : ""])
  }

  /// Returns the UUIDv5 of our namespace and `parts` joined by NUL.
  /// - Source: RFC 9562, section 5.5
  public static func derived(_ parts: [String]) -> String { v5(namespace: namespace, parts).text }

  /// Only the id's text stays in memory, because ids are derived from whole documents here.
  private static func v5(namespace: [UInt8], _ parts: [String]) -> UUIDBits {
    let length = parts.reduce(namespace.count + max(0, parts.count - 1)) { $0 + $1.utf8.count }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { name in
      var count = name.update(fromContentsOf: namespace)
      for (index, part) in parts.enumerated() {
        if index > 0 {
          name[count] = 0
          count += 1
        }
        count = name[count...].update(fromContentsOf: part.utf8)
      }
      return UUIDBits(version5: Digest.sha1(name.span.extracting(first: count)))
    }
  }
}

/// An id as 128 bits, for code that handles too many ids to make strings.
package struct UUIDBits: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Parses an id in upper or lower case; fails if the bytes are not an id.
  package init?(_ text: Span<UInt8>) {
    guard CanonicalUUID.form(of: text) != .none else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for index in text.indices where text[index] != UInt8(ascii: "-") {
      let byte = text[index]
      let digit = UInt64(byte < 0x40 ? byte &- 0x30 : (byte | 0x20) &- 0x61 &+ 10)
      if index < 18 { high = high << 4 | digit } else { low = low << 4 | digit }
    }
    self.init(high: high, low: low)
  }

  /// Makes the name-based id (version 5) whose first bytes come from a SHA-1 digest.
  init(version5 digest: Digest.SHA1) {
    high = digest.0.bigEndian & 0xFFFF_FFFF_FFFF_0FFF | 0x5000
    low = digest.1.bigEndian & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
  }

  /// The id in the app's form: upper case, 36 characters.
  package var text: String {
    String(unsafeUninitializedCapacity: 36) {
      var out = $0.mutableSpan
      return write(into: &out)
    }
  }

  /// The 16 bytes, the most significant one first.
  package var bytes: [UInt8] {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
  }

  /// Writes the id as text.
  /// - Parameter out: must have room for 36 bytes.
  /// - Returns: 36.
  fileprivate func write(into out: inout MutableSpan<UInt8>) -> Int {
    var at = 0
    var rest = high
    for digit in 0..<32 {
      if digit == 16 { rest = low }
      if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
        out[at] = UInt8(ascii: "-")
        at += 1
      }
      let value = UInt8(truncatingIfNeeded: rest >> 60)
      out[at] = value < 10 ? 0x30 + value : 0x37 + value
      rest <<= 4
      at += 1
    }
    return at
  }
}

extension ByteBuffer {
  /// Appends an id in the app's form, without quotes.
  package mutating func append(_ id: UUIDBits) {
    append(room: 36) { (room: UnsafeMutableRawBufferPointer) throws(Never) -> Int in
      var out = room.bindMemory(to: UInt8.self).mutableSpan
      return id.write(into: &out)
    }
  }
}

#if !canImport(CryptoKit)
  import CCrypto
#endif

/// Derives ids from names as `CanonicalUUID.derived` does, but without making strings, for millions of ids.
///
/// Parts are added in order. Parts after an earlier `mark` can be removed, so that the common parts of many names are
/// written only once. A deriver must not be shared between threads.
package struct IDDeriver: ~Copyable {
  private var name = ByteBuffer(capacity: 512)
  private var isFirst = true
  #if !canImport(CryptoKit)
    private let context = EVP_MD_CTX_new()
    private let algorithm = EVP_MD_fetch(nil, "SHA1", nil)
  #endif

  package init() { name.append(CanonicalUUID.namespace.span) }

  #if !canImport(CryptoKit)
    deinit {
      EVP_MD_CTX_free(context)
      EVP_MD_free(algorithm)
    }
  #endif

  /// Removes all parts.
  package mutating func begin() {
    name.truncate(to: 16)
    isFirst = true
  }

  /// The length of the parts so far.
  package var mark: Int { name.count }

  /// Removes the parts after a mark. The mark must come after at least one part.
  package mutating func truncate(to mark: Int) { name.truncate(to: mark) }

  private mutating func separate() {
    if isFirst { isFirst = false } else { name.append(0) }
  }

  /// Adds a part.
  package mutating func add(_ part: Span<UInt8>) {
    separate()
    name.append(part)
  }

  /// Adds a part.
  package mutating func add(_ part: String) {
    separate()
    name.append(utf8: part)
  }

  /// Adds the text of an id.
  package mutating func add(_ part: UUIDBits) {
    separate()
    name.append(part)
  }

  /// Returns the id derived from the parts.
  package mutating func id() -> UUIDBits {
    #if canImport(CryptoKit)
      return UUIDBits(version5: Digest.sha1(name.bytes.span))
    #else
      var digest: Digest.SHA1 = (0, 0, 0)
      let done = withUnsafeMutableBytes(of: &digest) { out in
        EVP_DigestInit_ex(context, algorithm, nil) == 1 && EVP_DigestUpdate(context, name.start, name.count) == 1
          && EVP_DigestFinal_ex(context, out.baseAddress?.assumingMemoryBound(to: UInt8.self), nil) == 1
      }
      // libcrypto refuses SHA-1 only if it was built or configured without it. FleetKit cannot work in that case.
      precondition(done, "libcrypto lacks SHA-1")
      return UUIDBits(version5: digest)
    #endif
  }
}
