extension ZipMember {
  /// The kind of the entry.
  var kind: RawEntry.Kind { oddity.map { .other($0) } ?? (isFolder ? .folder : .file) }

  /// Reads 64-bit numbers from the extra field where the 32-bit fields refer to it.
  /// - Returns: whether all required numbers are present.
  mutating func takeLargeNumbers(_ extra: [UInt8]) -> Bool {
    var at = 0
    while at + 4 <= extra.count {
      let count = Int(extra.u16(at + 2))
      guard at + 4 + count <= extra.count else { return false }
      if extra.u16(at) == 1 {
        var place = at + 4
        for number in [\ZipMember.size, \.packedSize, \.offset] where self[keyPath: number] == 0xFFFF_FFFF {
          guard place + 8 <= at + 4 + count, let value = extra.u64(place) else { return false }
          self[keyPath: number] = value
          place += 8
        }
        return true
      }
      at += 4 + count
    }
    return true
  }
}

extension [UInt8] {
  /// Returns the 16-bit number at a valid offset, in little-endian order.
  func u16(_ at: Int) -> UInt16 { UInt16(self[at]) | UInt16(self[at + 1]) << 8 }
  /// Returns the 32-bit number at a valid offset, in little-endian order.
  func u32(_ at: Int) -> UInt32 { UInt32(u16(at)) | UInt32(u16(at + 2)) << 16 }
  /// Returns the 64-bit number at a valid offset, in little-endian order, or nil if it exceeds the size of any file.
  func u64(_ at: Int) -> Int? {
    let value = UInt64(u32(at)) | UInt64(u32(at + 4)) << 32
    return value < 1 << 56 ? Int(value) : nil
  }
}
