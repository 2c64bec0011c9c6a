import CArchive
import Foundation
import Interchange

/// Reads the entries of a tar archive in a packed stream. libarchive reads the headers of all dialects.
final class TarSource: ArchiveSource {
  private let stream: UnpackedStream
  private let archive: OpaquePointer
  private let locale: locale_t?
  private var piece: UnpackedStream.Piece?
  private var failure: (any Error)?
  private var packed = 0
  private var isOpen = false
  private var hasEntries = false
  private var current = "the first entry"
  /// The number of bytes that were unpacked, and the offset after which there are only zeros.
  private var unpacked = 0
  private var zerosFrom = 0

  /// Begins reading a stream.
  init(_ stream: UnpackedStream) throws {
    self.stream = stream
    guard let archive = archive_read_new() else { throw RunFailure(.internalError, "libarchive has no memory") }
    self.archive = archive
    // In this locale, libarchive returns names as unchanged bytes. In other locales, it composes the accents of pax
    // names, so that they would no longer match the manifest.
    locale = newlocale(LC_CTYPE_MASK, "C", nil)
    archive_read_support_format_tar(archive)
    archive_read_set_callback_data(archive, Unmanaged.passUnretained(self).toOpaque())
    archive_read_set_read_callback(archive) { _, data, buffer in
      guard let data, let buffer else { return -1 }
      return Unmanaged<TarSource>.fromOpaque(data).takeUnretainedValue().feed(buffer)
    }
  }

  deinit {
    inLocale { _ = archive_read_free(archive) }
    if let locale { freelocale(locale) }
  }

  func next() throws -> RawEntry? {
    var entry: OpaquePointer?
    let status = inLocale {
      if !isOpen {
        isOpen = true
        let opened = archive_read_open1(archive)
        if opened != ARCHIVE_OK { return opened }
      }
      return archive_read_next_header(archive, &entry)
    }
    if let failure { throw failure }
    if status == ARCHIVE_EOF {
      try checkEnd()
      return nil
    }
    // libarchive warns about names that are not ASCII, which are allowed.
    guard status == ARCHIVE_OK || status == ARCHIVE_WARN, let entry else {
      guard hasEntries else {
        throw RunFailure(
          .failed, "read '\(stream.path)': its content is not a tar archive",
          advice:
            "A pack is a .fleetpack (tar in zstd), .zip or .tar.gz file, or a folder. Unpack any other file first.")
      }
      throw damage()
    }
    hasEntries = true
    let name = archive_entry_pathname(entry).map { Array(UnsafeBufferPointer(start: $0, count: strlen($0))) } ?? []
    var raw = RawEntry(
      name: name.map { UInt8(bitPattern: $0) }, kind: .file, size: Int(archive_entry_size(entry)))
    current = MemberName.shown(raw.name)
    switch archive_entry_filetype(entry) {
    case 0o100000: break
    case 0o040000: (raw.kind, raw.size) = (.folder, 0)
    case 0o120000: raw.kind = .other("a link")
    default: raw.kind = .other("a device, a pipe or an unknown kind of entry")
    }
    if archive_entry_hardlink(entry) != nil { raw.kind = .other("a link") }
    if archive_entry_sparse_count(entry) > 0 { raw.kind = .other("a file with holes") }
    return raw
  }

  func read(_ body: (Span<UInt8>) throws -> Void) throws {
    var expected: Int64 = 0
    while true {
      var bytes: UnsafeRawPointer?
      var count = 0
      var offset: Int64 = 0
      let status = archive_read_data_block(archive, &bytes, &count, &offset)
      if let failure { throw failure }
      if status == ARCHIVE_EOF { return }
      guard status == ARCHIVE_OK else { throw damage() }
      guard offset == expected else { throw damage("it has a hole") }
      expected += Int64(count)
      if count > 0 {
        try body(UnsafeRawBufferPointer(start: bytes, count: count).assumingMemoryBound(to: UInt8.self).span)
      }
    }
  }

  var progress: (done: Int, total: Int?) { (packed, stream.size) }

  /// Passes the next bytes to libarchive.
  private func feed(_ buffer: UnsafeMutablePointer<UnsafeRawPointer?>) -> Int {
    do {
      try Interruption.check()
      piece = try stream.next()
    } catch {
      failure = error
      return -1
    }
    guard let piece else { return 0 }
    packed = piece.packed
    let bytes = piece.bytes
    if let last = bytes.lastIndex(where: { $0 != 0 }) { zerosFrom = unpacked + last + 1 }
    unpacked += bytes.count
    buffer.pointee = bytes.baseAddress
    return bytes.count
  }

  /// Checks that the archive ends with two blocks of zeros followed only by zeros. Otherwise, the archive is truncated
  /// or hides data.
  private func checkEnd() throws {
    let end = Int(archive_read_header_position(archive))
    while true {
      var nothing: UnsafeRawPointer?
      let count = withUnsafeMutablePointer(to: &nothing) { feed($0) }
      if let failure { throw failure }
      if count <= 0 { break }
    }
    guard zerosFrom <= end else { throw damage("there is data after the end of the archive") }
    guard unpacked - end >= 1024 else { throw damage("its end is missing") }
  }

  private func damage(_ reason: String? = nil) -> RunFailure {
    let detail = archive_error_string(archive).map { String(cString: $0) }
    return RunFailure(
      .mismatch,
      "read '\(stream.path)': damaged at or before byte \(packed), at \(current): "
        + (reason ?? detail ?? "not a tar archive"))
  }

  private func inLocale<Result>(_ work: () -> Result) -> Result {
    let before = uselocale(locale)
    defer { uselocale(before) }
    return work()
  }
}
