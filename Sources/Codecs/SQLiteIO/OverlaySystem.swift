import CSQLite
import Foundation

/// A file system for SQLite in which databases can be written to without being changed.
///
/// A database is opened for reading; what is written to it goes to a temporary file without a name, page by page, and is
/// read from there again. Its rollback journal is a temporary file too. Of the database itself nothing but SQLite's
/// shared lock is taken, so nobody else can commit to it meanwhile. Not for databases with a write-ahead log, and not for
/// those with a journal of an interrupted write, which would not be seen.
/// - Source: SQLite, "The SQLite OS Interface or 'VFS'"
enum OverlaySystem {
  /// What SQLite knows it by.
  static let name = "fleetkit-overlay"

  /// Done once, before the first such database is opened.
  static let isRegistered: Bool = register()

  private static func register() -> Bool {
    guard let base = sqlite3_vfs_find(nil) else { return false }
    let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    // Names of files, times, random numbers: the same as ever.
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
      // Journals and the like: nothing of them may lie beside the database.
      return OverlaySystem.openTemporary(base, file)
    }
    // There is no journal but those without a name.
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

  /// Opens a file that has no name and goes when it is closed.
  static func openTemporary(
    _ base: UnsafeMutablePointer<sqlite3_vfs>, _ file: UnsafeMutablePointer<sqlite3_file>
  ) -> Int32 {
    let flags =
      SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE
      | SQLITE_OPEN_DELETEONCLOSE
    return base.pointee.xOpen?(base, nil, file, flags, nil) ?? SQLITE_CANTOPEN
  }
}
