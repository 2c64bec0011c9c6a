import CZlib
import Foundation
import Interchange

/// The description of a file in a ZIP archive.
struct ZipMember {
  /// The name in UTF-8.
  var name: [UInt8]
  /// The size in bytes.
  var size = 0
  /// The size in the archive in bytes.
  var packedSize = 0
  /// The CRC-32 of the file's bytes.
  var crc: UInt32 = 0
  /// The compression method: 0 for stored, 8 for deflated.
  var method: UInt16 = 8
  /// The offset of the local header.
  var offset = 0
  /// The date and time in MS-DOS format, with the date in the upper half.
  var time: UInt32 = 0
  /// Whether the entry is a folder. This is set when an archive is read.
  var isFolder = false
  /// A description of the entry if it is neither a file nor a folder.
  var oddity: String?

  /// Whether the sizes need 64 bits. This depends on the size before packing, so that the header's length is known.
  var isLarge: Bool { size >= 0xF000_0000 }

  /// The local header, which precedes the file's bytes.
  var local: [UInt8] {
    var bytes = Bytes()
    bytes.append32(0x0403_4B50)
    bytes.append16(isLarge ? 45 : 20)
    appendCommonFields(to: &bytes, extra: isLarge ? 20 : 0)
    bytes.all += name
    if isLarge {
      bytes.append16(1)
      bytes.append16(16)
      bytes.append64(size)
      bytes.append64(packedSize)
    }
    return bytes.all
  }

  /// Returns the directory entry for an archive in which the file begins `shifted` bytes later.
  func central(shifted: Int) -> [UInt8] {
    let place = offset + shifted
    let isFar = place >= 0xFFFF_FFFF
    let extra = (isLarge ? 16 : 0) + (isFar ? 8 : 0)
    var bytes = Bytes()
    bytes.append32(0x0201_4B50)
    bytes.append16(3 << 8 | (extra > 0 ? 45 : 20))  // made on Unix
    bytes.append16(extra > 0 ? 45 : 20)
    appendCommonFields(to: &bytes, extra: extra > 0 ? extra + 4 : 0)
    bytes.append16(0)  // comment
    bytes.append16(0)  // disk
    bytes.append16(0)  // internal attributes
    bytes.append32(0o100644 << 16)
    bytes.append32(isFar ? 0xFFFF_FFFF : UInt32(place))
    bytes.all += name
    if extra > 0 {
      bytes.append16(1)
      bytes.append16(UInt16(extra))
      if isLarge {
        bytes.append64(size)
        bytes.append64(packedSize)
      }
      if isFar { bytes.append64(place) }
    }
    return bytes.all
  }

  /// Returns the records that end a directory.
  static func end(count: Int, start: Int, size: Int) -> [UInt8] {
    var bytes = Bytes()
    if count >= 0xFFFF || start >= 0xFFFF_FFFF || size >= 0xFFFF_FFFF {
      bytes.append32(0x0606_4B50)
      bytes.append64(44)
      bytes.append16(3 << 8 | 45)
      bytes.append16(45)
      bytes.append32(0)
      bytes.append32(0)
      bytes.append64(count)
      bytes.append64(count)
      bytes.append64(size)
      bytes.append64(start)
      bytes.append32(0x0706_4B50)
      bytes.append32(0)
      bytes.append64(start + size)
      bytes.append32(1)
    }
    bytes.append32(0x0605_4B50)
    bytes.append16(0)
    bytes.append16(0)
    bytes.append16(UInt16(min(count, 0xFFFF)))
    bytes.append16(UInt16(min(count, 0xFFFF)))
    bytes.append32(UInt32(min(size, 0xFFFF_FFFF)))
    bytes.append32(UInt32(min(start, 0xFFFF_FFFF)))
    bytes.append16(0)
    return bytes.all
  }

  /// Converts a time to MS-DOS format in UTC. In local time, the result would differ from machine to machine.
  static func time(of seconds: Int64) -> UInt32 {
    // The format can represent 1980-01-01 to 2107-12-31.
    let bounded = min(max(seconds, 315_532_800), 4_354_819_198)
    let (day, second) = (Int(bounded / 86_400), Int(bounded % 86_400))
    // Days are converted to a date with years that begin in March, so that the leap day is at the end (Howard Hinnant,
    // "chrono").
    let shifted = day + 719_468
    let era = shifted / 146_097
    let inEra = shifted % 146_097
    let year = (inEra - inEra / 1460 + inEra / 36_524 - inEra / 146_096) / 365
    let inYear = inEra - (365 * year + year / 4 - year / 100)
    let part = (5 * inYear + 2) / 153
    let date = inYear - (153 * part + 2) / 5 + 1
    let month = part < 10 ? part + 3 : part - 9
    let years = year + era * 400 + (month <= 2 ? 1 : 0) - 1980
    let upper = years << 9 | month << 5 | date
    return UInt32(upper << 16 | (second / 3600) << 11 | (second / 60 % 60) << 5 | second % 60 / 2)
  }

  private func appendCommonFields(to bytes: inout Bytes, extra: Int) {
    bytes.append16(0x0800)  // names are UTF-8
    bytes.append16(method)
    bytes.append32(time)
    bytes.append32(crc)
    bytes.append32(isLarge ? 0xFFFF_FFFF : UInt32(packedSize))
    bytes.append32(isLarge ? 0xFFFF_FFFF : UInt32(size))
    bytes.append16(UInt16(name.count))
    bytes.append16(UInt16(extra))
  }

  /// Appends numbers in little-endian order.
  private struct Bytes {
    var all: [UInt8] = []
    fileprivate mutating func append16(_ value: UInt16) { all += [UInt8(value & 255), UInt8(value >> 8)] }
    fileprivate mutating func append32(_ value: UInt32) {
      append16(UInt16(value & 0xFFFF))
      append16(UInt16(value >> 16))
    }
    fileprivate mutating func append64(_ value: Int) {
      append32(UInt32(truncatingIfNeeded: value))
      append32(UInt32(truncatingIfNeeded: value >> 32))
    }
  }
}

extension ZipMember {
  /// The kind of the entry.
  var kind: RawEntry.Kind { oddity.map { .other($0) } ?? (isFolder ? .folder : .file) }

  /// Reads 64-bit numbers from the extra field where the 32-bit fields refer to it.
  /// - Returns: whether all required numbers are present.
  mutating func readLargeNumbers(_ extra: [UInt8]) -> Bool {
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

/// Unpacks files of an open ZIP archive and checks each file's size and checksum.
final class ZipUnpacker {
  private let path: String
  private let descriptor: Int32
  private let limits: ArchiveLimits
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 64)
  private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
  private var inflater: RawInflater?
  /// The number of bytes that were read from the archive.
  private(set) var done = 0
  private var made = 0

  /// Creates an unpacker for an open file, which the caller closes. `path` is used in messages.
  init(_ path: String, _ descriptor: Int32, limits: ArchiveLimits) {
    self.path = path
    self.descriptor = descriptor
    self.limits = limits
  }

  deinit {
    input.deallocate()
    output.deallocate()
  }

  /// Passes the bytes of a file to `body` in pieces.
  /// - Throws: `RunFailure` with status 5 if the file is damaged, 2 if it is rejected, or an error that `body` throws.
  func read(_ member: ZipMember, _ body: (Span<UInt8>) throws -> Void) throws {
    var sum: UInt32 = 0
    var count = 0
    try unpack(member) { bytes in
      count += bytes.count
      made += bytes.count
      guard count <= member.size else { throw damage(member, "it has more bytes than the archive declares") }
      guard made <= limits.freeBytes || made / limits.ratio <= done else {
        throw RunFailure(
          .failed,
          "read '\(path)': refused at \(MemberName.shown(member.name)): it unpacks to more than \(limits.ratio) times "
            + "its size", advice: "Nothing was written. Do not trust this archive.")
      }
      sum = bytes.withUnsafeBufferPointer { UInt32(crc32(UInt(sum), $0.baseAddress, UInt32($0.count))) }
      try body(bytes)
    }
    guard count == member.size else { throw damage(member, "it has fewer bytes than the archive declares") }
    guard sum == member.crc else { throw damage(member, "its checksum (CRC-32) differs") }
  }

  private func unpack(_ member: ZipMember, _ body: (Span<UInt8>) throws -> Void) throws {
    let inflater = member.method == 8 ? try self.inflater ?? RawInflater(path) : nil
    self.inflater = inflater
    inflater?.reset()
    var position = member.offset
    var rest = member.packedSize
    var hasEnded = false
    while rest > 0 {
      try Interruption.check()
      let got = pread(descriptor, input.baseAddress, min(rest, input.count), off_t(position))
      if got < 0, errno == EINTR { continue }
      guard got > 0 else {
        throw got < 0 ? RunFailure(.failed, "read '\(path)': \(SystemError.last)") : damage(member, "it is truncated")
      }
      position += got
      rest -= got
      done += got
      let bytes = input.assumingMemoryBound(to: UInt8.self).span.extracting(first: got)
      guard let inflater else {
        try body(bytes)
        continue
      }
      guard !hasEnded else { throw damage(member, "there are bytes after its end") }
      switch try inflater.feed(bytes, room: output, body) {
      case .more: break
      case .ended(let left):
        hasEnded = true
        guard left == 0 else { throw damage(member, "there are bytes after its end") }
      case .damaged(let reason): throw damage(member, reason)
      }
    }
    if inflater != nil, !hasEnded { throw damage(member, "it is truncated") }
  }

  private func damage(_ member: ZipMember, _ reason: String) -> RunFailure {
    RunFailure(
      .mismatch, "read '\(path)': \(MemberName.shown(member.name)), at byte \(member.offset), is damaged: \(reason)")
  }
}

/// Unpacks deflated bytes without a frame, as in ZIP.
final class RawInflater {
  /// The state after some input.
  enum State {
    case more
    /// The deflated data has ended, and the given number of bytes is left over.
    case ended(left: Int)
    case damaged(String)
  }

  private var stream = z_stream()

  /// Creates an inflater. `name` is used in messages.
  init(_ name: String) throws {
    guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw RunFailure(.failed, "read '\(name)': there is not enough memory for zlib")
    }
  }

  deinit { inflateEnd(&stream) }

  /// Prepares for new data.
  func reset() { inflateReset(&stream) }

  /// Unpacks bytes and passes the result to `body`.
  func feed(
    _ bytes: Span<UInt8>, room: UnsafeMutableRawBufferPointer,
    _ body: (Span<UInt8>) throws -> Void
  ) throws -> State {
    let room = room.assumingMemoryBound(to: UInt8.self)
    return try bytes.withUnsafeBufferPointer { bytes in
      stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
      stream.avail_in = UInt32(bytes.count)
      while true {
        stream.next_out = room.baseAddress
        stream.avail_out = UInt32(room.count)
        let status = inflate(&stream, Z_NO_FLUSH)
        let count = room.count - Int(stream.avail_out)
        if count > 0 { try body(room.span.extracting(first: count)) }
        switch status {
        case Z_STREAM_END: return .ended(left: Int(stream.avail_in))
        case Z_OK, Z_BUF_ERROR: if stream.avail_in == 0, stream.avail_out > 0 { return .more }
        default: return .damaged(stream.msg.map { String(cString: $0) } ?? "zlib reports \(status)")
        }
      }
    }
  }
}
