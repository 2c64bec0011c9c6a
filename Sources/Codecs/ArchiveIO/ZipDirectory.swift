import Foundation
import Interchange

/// The directory of a ZIP archive, checked against the local headers, which precede the files.
///
/// Reading rejects the tricks of hostile archives: too many files (checked before memory is allocated for them), files
/// that overlap, names that differ between directory and header, encryption, unsupported methods and several disks.
/// - Source: PKWARE APPNOTE 6.3.10
struct ZipDirectory {
  /// The files and folders, in the order of their bytes in the archive. The `offset` of each is the start of its bytes.
  private(set) var members: [ZipMember] = []

  private let path: String
  private let descriptor: Int32
  private let size: Int
  private let limits: ArchiveLimits

  /// Reads the directory of an open file.
  /// - Throws: `RunFailure` with status 5 if the archive is damaged, 2 if it is rejected.
  init(_ path: String, _ descriptor: Int32, size: Int, limits: ArchiveLimits) throws {
    self.path = path
    self.descriptor = descriptor
    self.size = size
    self.limits = limits
    let end = try ending()
    guard end.count <= limits.entries else { throw refusal("it has more than \(limits.entries) entries") }
    guard end.size <= limits.entries * (limits.pathBytes + 200), end.size <= 256 << 20 else {
      throw refusal("its directory is too large")
    }
    let bytes = try read(end.start, end.size, "its directory")
    var at = 0
    members.reserveCapacity(end.count)
    for _ in 0..<end.count { members.append(try central(bytes, &at)) }
    guard at == bytes.count else { throw damage("its directory has bytes after its last entry") }
    members.sort { $0.offset < $1.offset }
    try checkLocals(directory: end.start)
  }

  /// Reads the end record: the number of entries, and the start and length of the directory.
  private func ending() throws -> (count: Int, start: Int, size: Int) {
    let tail = min(size, 22 + 0xFFFF)
    let from = size - tail
    let bytes = try read(from, tail, "its end")
    var at = tail - 22
    while at >= 0 {
      if bytes.u32(at) == 0x0605_4B50, at + 22 + Int(bytes.u16(at + 20)) == tail { break }
      at -= 1
    }
    guard at >= 0 else { throw damage("its directory is missing; the file was truncated, or data was appended to it") }
    guard bytes.u16(at + 4) == 0, bytes.u16(at + 6) == 0, bytes.u16(at + 8) == bytes.u16(at + 10) else {
      throw refusal("it is part of an archive on several disks")
    }
    var (count, length, start) = (Int(bytes.u16(at + 10)), Int(bytes.u32(at + 12)), Int(bytes.u32(at + 16)))
    var recordAt = from + at
    if count == 0xFFFF || length == 0xFFFF_FFFF || start == 0xFFFF_FFFF, recordAt >= 20 + 56 {
      let locator = try read(recordAt - 20, 20, "its end")
      if locator.u32(0) == 0x0706_4B50 {
        guard let place = locator.u64(8), place == recordAt - 20 - 56 else { throw damage("its end is malformed") }
        let record = try read(place, 56, "its end")
        guard record.u32(0) == 0x0606_4B50, record.u64(4) == 44, record.u32(16) == 0, record.u32(20) == 0,
          let largeCount = record.u64(32), record.u64(24) == largeCount, let largeLength = record.u64(40),
          let largeStart = record.u64(48)
        else { throw damage("its end is malformed") }
        (count, length, start, recordAt) = (largeCount, largeLength, largeStart, place)
      }
    }
    guard start <= recordAt, length == recordAt - start else {
      throw damage("its directory is not at the position that its end record states")
    }
    return (count, start, length)
  }

  /// Reads one entry of the directory. Its `offset` is the start of its local header.
  private func central(_ bytes: [UInt8], _ at: inout Int) throws -> ZipMember {
    guard at + 46 <= bytes.count, bytes.u32(at) == 0x0201_4B50 else { throw damage("its directory is broken") }
    let nameCount = Int(bytes.u16(at + 28))
    let extraCount = Int(bytes.u16(at + 30))
    let next = at + 46 + nameCount + extraCount + Int(bytes.u16(at + 32))
    guard next <= bytes.count else { throw damage("its directory is broken") }
    var member = ZipMember(name: Array(bytes[(at + 46)..<(at + 46 + nameCount)]))
    let shown = MemberName.shown(member.name)
    let flags = bytes.u16(at + 8)
    guard flags & (1 | 0x40 | 0x2000) == 0 else { throw refusal("\(shown) is encrypted") }
    member.method = bytes.u16(at + 10)
    guard member.method == 0 || member.method == 8 else {
      throw refusal("\(shown) is packed by method \(member.method); only stored and deflated files are supported")
    }
    member.crc = bytes.u32(at + 16)
    member.packedSize = Int(bytes.u32(at + 20))
    member.size = Int(bytes.u32(at + 24))
    member.offset = Int(bytes.u32(at + 42))
    let extra = Array(bytes[(at + 46 + nameCount)..<(at + 46 + nameCount + extraCount)])
    guard member.readLargeNumbers(extra), member.method == 8 || member.size == member.packedSize else {
      throw damage("the sizes of \(shown) contradict each other")
    }
    let system = bytes.u16(at + 4) >> 8
    let mode = bytes.u32(at + 38) >> 16
    member.isFolder = member.name.last == UInt8(ascii: "/")
    if system == 3, mode & 0o170000 != 0 {
      switch mode & 0o170000 {
      case 0o100000: if member.isFolder { member.oddity = "a file with the name of a folder" }
      case 0o040000: member.isFolder = true
      case 0o120000: member.oddity = "a link"
      default: member.oddity = "a device or a pipe"
      }
    }
    if member.isFolder, member.size > 0 { member.oddity = "a folder with content" }
    at = next
    return member
  }

  /// Checks the local headers against the directory and moves each `offset` to the start of the file's bytes.
  private mutating func checkLocals(directory: Int) throws {
    var free = 0
    for index in members.indices {
      if index & 0xFF == 0 { try Interruption.check() }
      let member = members[index]
      let shown = MemberName.shown(member.name)
      guard member.offset >= free else { throw refusal("\(shown) overlaps another file") }
      guard member.offset + 30 + member.name.count <= directory else { throw damage("\(shown) overlaps the directory") }
      let header = try read(member.offset, 30 + member.name.count, "the header of \(shown)")
      guard header.u32(0) == 0x0403_4B50 else { throw damage("the header of \(shown) is broken") }
      guard Int(header.u16(26)) == member.name.count, header[30...].elementsEqual(member.name) else {
        throw refusal("\(shown) has a different name in its header than in the directory")
      }
      guard header.u16(8) == member.method, header.u16(6) & (1 | 0x40 | 0x2000) == 0 else {
        throw refusal("\(shown) has a different compression method in its header than in the directory")
      }
      // With flag 8, the checksum and the sizes follow the file's bytes; the directory also has them.
      guard header.u16(6) & 8 != 0 || header.u32(14) == member.crc else {
        throw damage("the header of \(shown) has a different checksum than the directory")
      }
      let start = member.offset + 30 + member.name.count + Int(header.u16(28))
      guard member.packedSize <= directory, start <= directory - member.packedSize else {
        throw damage("\(shown) overlaps the directory")
      }
      members[index].offset = start
      free = start + member.packedSize
    }
  }

  private func read(_ start: Int, _ count: Int, _ what: String) throws -> [UInt8] {
    guard start >= 0, count >= 0, start + count <= size else { throw damage("\(what) is truncated") }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(start)) }
    guard got == count else {
      throw got < 0 ? RunFailure(.failed, "read '\(path)': \(SystemError.last)") : damage("\(what) is truncated")
    }
    return bytes
  }

  private func damage(_ reason: String) -> RunFailure {
    RunFailure(.mismatch, "read '\(path)': damaged: \(reason)")
  }

  private func refusal(_ reason: String) -> RunFailure {
    RunFailure(.failed, "read '\(path)': refused: \(reason)", advice: "Nothing was written. Do not trust this archive.")
  }
}
