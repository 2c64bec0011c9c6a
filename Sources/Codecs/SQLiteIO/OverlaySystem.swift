import CSQLite
import Foundation

/// A file system for SQLite in which writing to a database leaves its file unchanged.
///
/// The database file is opened for reading. Written pages go to an unnamed temporary file and are read from there
/// afterwards. The rollback journal is a temporary file too. Only SQLite's shared lock is taken on the database file,
/// so no other process can commit to it in the meantime. The system must not be used for a database with a write-ahead
/// log or with the journal of an interrupted write, because it ignores both.
/// - Source: SQLite, "The SQLite OS Interface or 'VFS'"
enum OverlaySystem {
  /// The name under which the file system is registered with SQLite.
  static let name = "fleetkit-overlay"

  /// Whether the file system is registered. It is registered once, before the first overlay is opened.
  static let isRegistered: Bool = register()

  private static func register() -> Bool {
    guard let base = sqlite3_vfs_find(nil) else { return false }
    let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    // File names, times and random numbers come from the default system.
    system.initialize(to: base.pointee)
    system.pointee.pNext = nil
    system.pointee.zName = UnsafePointer(strdup(name))
    system.pointee.szOsFile = max(base.pointee.szOsFile, Int32(MemoryLayout<OverlayFile.Handle>.size))
    system.pointee.pAppData = UnsafeMutableRawPointer(base)
    system.pointee.xOpen = { system, name, file, flags, opened in
      guard let base = OverlaySystem.base(system), let file else { return SQLITE_CANTOPEN }
      if flags & SQLITE_OPEN_MAIN_DB != 0 {
        opened?.pointee = flags
        return OverlayFile.open(base, name, into: file, flags: flags)
      }
      // Journals and similar files must not be created next to the database.
      return OverlaySystem.openTemporary(base, file)
    }
    // All journals are unnamed, so there is nothing to delete.
    system.pointee.xDelete = { _, _, _ in SQLITE_OK }
    system.pointee.xAccess = { _, _, _, answer in
      answer?.pointee = 0
      return SQLITE_OK
    }
    return sqlite3_vfs_register(system, 0) == SQLITE_OK
  }

  private static func base(_ system: UnsafeMutablePointer<sqlite3_vfs>?) -> UnsafeMutablePointer<sqlite3_vfs>? {
    system?.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self)
  }

  /// Opens an unnamed file that is removed when it is closed.
  fileprivate static func openTemporary(
    _ base: UnsafeMutablePointer<sqlite3_vfs>, _ file: UnsafeMutablePointer<sqlite3_file>
  ) -> Int32 {
    let flags =
      SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE
      | SQLITE_OPEN_DELETEONCLOSE
    return base.pointee.xOpen?(base, nil, file, flags, nil) ?? SQLITE_CANTOPEN
  }
}

/// A database in an `OverlaySystem`: the file, and the pages that were written over it.
private final class OverlayFile {
  /// SQLite's memory for the file: SQLite's own fields, followed by FleetKit's.
  struct Handle {
    var head: sqlite3_file
    var file: Unmanaged<OverlayFile>
  }

  /// The extended result codes. SQLite defines them as macros that Swift does not import.
  private enum Code {
    static let read = SQLITE_IOERR | 1 << 8
    fileprivate static let shortRead = SQLITE_IOERR | 2 << 8
    static let write = SQLITE_IOERR | 3 << 8
    static let unlock = SQLITE_IOERR | 8 << 8
    static let lock = SQLITE_IOERR | 15 << 8
  }

  private typealias SystemFile = UnsafeMutablePointer<sqlite3_file>

  private let base: UnsafeMutablePointer<sqlite3_vfs>
  private let original: SystemFile
  /// The file with the written bytes, each at its own offset. It is created when it is needed.
  private var overlay: SystemFile?
  /// One bit for each unit: whether it was written.
  private var written: [UInt64] = []
  /// The length of the file, including the overlay.
  private var size: Int64 = 0
  /// The end of the valid bytes of the original, which decreases when the file is truncated.
  private var limit: Int64 = 0

  /// The size of a unit: SQLite's smallest page size.
  private static let unit: Int64 = 512

  private init(_ base: UnsafeMutablePointer<sqlite3_vfs>, _ original: SystemFile) {
    self.base = base
    self.original = original
  }

  deinit {
    for file in [original, overlay] {
      guard let file else { continue }
      _ = file.pointee.pMethods?.pointee.xClose?(file)
      UnsafeMutableRawPointer(file).deallocate()
    }
  }

  // MARK: Opening

  static func open(
    _ base: UnsafeMutablePointer<sqlite3_vfs>, _ name: UnsafePointer<CChar>?,
    into handle: UnsafeMutablePointer<sqlite3_file>, flags: Int32
  ) -> Int32 {
    handle.pointee.pMethods = nil
    let original = memory(base)
    let reading = flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_READONLY
    let code = base.pointee.xOpen?(base, name, original, reading, nil) ?? SQLITE_CANTOPEN
    guard code == SQLITE_OK else {
      UnsafeMutableRawPointer(original).deallocate()
      return code
    }
    let file = OverlayFile(base, original)
    // SQLite reads the beginning of the file before it takes a lock.
    let told = file.measure()
    guard told == SQLITE_OK else { return told }
    UnsafeMutableRawPointer(handle).initializeMemory(
      as: Handle.self, to: Handle(head: sqlite3_file(pMethods: methods.table), file: .passRetained(file)))
    return SQLITE_OK
  }

  /// Allocates memory for a file of the default system.
  private static func memory(_ base: UnsafeMutablePointer<sqlite3_vfs>) -> SystemFile {
    let count = max(Int(base.pointee.szOsFile), MemoryLayout<sqlite3_file>.size)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
    memset(memory, 0, count)
    return memory.assumingMemoryBound(to: sqlite3_file.self)
  }

  private struct Methods: @unchecked Sendable { let table: UnsafePointer<sqlite3_io_methods> }

  private static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> OverlayFile? {
    guard let file else { return nil }
    return UnsafeMutableRawPointer(file).assumingMemoryBound(to: Handle.self).pointee.file.takeUnretainedValue()
  }

  private static let methods: Methods = {
    var methods = sqlite3_io_methods()
    // Version 1 has no shared memory, so SQLite rejects a write-ahead log.
    methods.iVersion = 1
    methods.xClose = { file in
      guard let file else { return SQLITE_OK }
      UnsafeMutableRawPointer(file).assumingMemoryBound(to: Handle.self).pointee.file.release()
      file.pointee.pMethods = nil
      return SQLITE_OK
    }
    methods.xRead = { file, buffer, count, offset in
      guard let buffer else { return Code.read }
      return OverlayFile.of(file)?.read(buffer, Int64(count), at: offset) ?? Code.read
    }
    methods.xWrite = { file, buffer, count, offset in
      guard let buffer else { return Code.write }
      return OverlayFile.of(file)?.write(buffer, count, at: offset) ?? Code.write
    }
    methods.xTruncate = { file, size in
      OverlayFile.of(file)?.cut(to: size)
      return SQLITE_OK
    }
    methods.xSync = { _, _ in SQLITE_OK }
    methods.xFileSize = { file, size in
      size?.pointee = OverlayFile.of(file)?.size ?? 0
      return SQLITE_OK
    }
    methods.xLock = { file, level in OverlayFile.of(file)?.lock(level) ?? Code.lock }
    methods.xUnlock = { file, level in OverlayFile.of(file)?.unlock(level) ?? Code.unlock }
    methods.xCheckReservedLock = { _, answer in
      answer?.pointee = 0
      return SQLITE_OK
    }
    methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.xSectorSize = { _ in 4096 }
    methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    table.initialize(to: methods)
    return Methods(table: UnsafePointer(table))
  }()

  // MARK: Locks

  /// Takes a reader's lock on the original. Only this connection sees the overlay, so a writer's lock is not needed.
  private func lock(_ level: Int32) -> Int32 {
    guard level == SQLITE_LOCK_SHARED else { return SQLITE_OK }
    let code = original.pointee.pMethods.pointee.xLock(original, level)
    guard code == SQLITE_OK, overlay == nil else { return code }
    // Other processes may have changed the original between two locks.
    return measure()
  }

  /// Measures the original. Its size is the size of the file until pages are written.
  private func measure() -> Int32 {
    let code = original.pointee.pMethods.pointee.xFileSize(original, &size)
    limit = size
    return code
  }

  private func unlock(_ level: Int32) -> Int32 {
    level == SQLITE_LOCK_NONE ? original.pointee.pMethods.pointee.xUnlock(original, level) : SQLITE_OK
  }

  // MARK: Bytes

  private func isWritten(_ unit: Int64) -> Bool {
    let word = Int(unit >> 6)
    return word < written.count && written[word] >> UInt64(unit & 63) & 1 == 1
  }

  private func read(_ buffer: UnsafeMutableRawPointer, _ count: Int64, at offset: Int64) -> Int32 {
    let end = offset + count
    var at = offset
    while at < end {
      let isWritten = isWritten(at / Self.unit)
      var next = min(end, (at / Self.unit + 1) * Self.unit)
      while next < end, self.isWritten(next / Self.unit) == isWritten { next = min(end, next + Self.unit) }
      let code = read(buffer + Int(at - offset), from: isWritten ? overlay : original, at..<next)
      if code != SQLITE_OK { return code }
      at = next
    }
    return end > size ? Code.shortRead : SQLITE_OK
  }

  private func read(_ buffer: UnsafeMutableRawPointer, from file: SystemFile?, _ range: Range<Int64>) -> Int32 {
    let last = file == original ? min(range.upperBound, max(limit, range.lowerBound)) : range.upperBound
    let count = Int(last - range.lowerBound)
    if count < range.count { memset(buffer + count, 0, range.count - count) }
    guard count > 0, let file else { return SQLITE_OK }
    let code = file.pointee.pMethods.pointee.xRead(file, buffer, Int32(count), range.lowerBound)
    return code == Code.shortRead ? SQLITE_OK : code
  }

  private func write(_ buffer: UnsafeRawPointer, _ count: Int32, at offset: Int64) -> Int32 {
    let end = offset + Int64(count)
    // SQLite writes complete pages.
    guard offset % Self.unit == 0, end % Self.unit == 0, count > 0 else { return Code.write }
    if overlay == nil {
      let file = Self.memory(base)
      let code = OverlaySystem.openTemporary(base, file)
      guard code == SQLITE_OK else {
        UnsafeMutableRawPointer(file).deallocate()
        return code
      }
      overlay = file
    }
    guard let overlay else { return Code.write }
    let code = overlay.pointee.pMethods.pointee.xWrite(overlay, buffer, count, offset)
    guard code == SQLITE_OK else { return code }
    let units = offset / Self.unit..<end / Self.unit
    let words = Int((units.upperBound + 63) >> 6)
    if words > written.count { written += [UInt64](repeating: 0, count: words - written.count) }
    for unit in units { written[Int(unit >> 6)] |= 1 << UInt64(unit & 63) }
    size = max(size, end)
    return SQLITE_OK
  }

  private func cut(to size: Int64) {
    self.size = size
    limit = min(limit, size)
    // Bytes that were written beyond the new end must not reappear if the file grows.
    let first = (size + Self.unit - 1) / Self.unit
    for word in written.indices where Int64(word + 1) << 6 > first {
      for bit in 0..<64 where Int64(word) << 6 + Int64(bit) >= first { written[word] &= ~(1 << UInt64(bit)) }
    }
  }
}
