import JSONText

#if !canImport(CryptoKit)
  import CCrypto
#endif

/// Derives ids from names as `UUIDText.derived` does, for those who need millions: no text is made on the way.
///
/// Parts are added in order; what was added can be taken back to an earlier `mark`, so that what many names have in
/// common is written once. One serves one thread.
package struct IDDeriver: ~Copyable {
  private var name = ByteBuffer(capacity: 512)
  private var isFirst = true
  #if !canImport(CryptoKit)
    private let context = EVP_MD_CTX_new()
    private let algorithm = EVP_MD_fetch(nil, "SHA1", nil)
  #endif

  package init() { UUIDText.namespace.withUnsafeBufferPointer { name.append($0) } }

  #if !canImport(CryptoKit)
    deinit {
      EVP_MD_CTX_free(context)
      EVP_MD_free(algorithm)
    }
  #endif

  /// Forgets all parts.
  package mutating func begin() {
    name.truncate(to: 16)
    isFirst = true
  }

  /// How much was added so far.
  package var mark: Int { name.count }

  /// Takes back what was added after a mark that lies behind at least one part.
  package mutating func truncate(to mark: Int) { name.truncate(to: mark) }

  private mutating func separate() {
    if isFirst { isFirst = false } else { name.append(0) }
  }

  /// Adds a part.
  package mutating func add(_ part: UnsafeBufferPointer<UInt8>) {
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

  /// The id of the parts.
  package mutating func id() -> UUIDBits {
    #if canImport(CryptoKit)
      return UUIDBits(version5: Digest.sha1(name.bytes))
    #else
      var digest: Digest.SHA1 = (0, 0, 0)
      let done = withUnsafeMutableBytes(of: &digest) { out in
        EVP_DigestInit_ex(context, algorithm, nil) == 1 && EVP_DigestUpdate(context, name.start, name.count) == 1
          && EVP_DigestFinal_ex(context, out.baseAddress?.assumingMemoryBound(to: UInt8.self), nil) == 1
      }
      // libcrypto refuses SHA-1 only when it is built or configured without it: nothing works then.
      precondition(done, "libcrypto lacks SHA-1")
      return UUIDBits(version5: digest)
    #endif
  }
}
