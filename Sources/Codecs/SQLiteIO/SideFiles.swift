import CSQLite
import Foundation

/// The files that SQLite keeps next to a database, before SQLite opens them.
enum SideFiles {
  /// Refuses a journal or log that is not a regular file, and a journal that names a super-journal.
  ///
  /// SQLite would wait for the other end of a pipe. It rolls back a journal that a killed writer left, and then deletes
  /// the file that the journal names as its super-journal, whatever that is. Only transactions over several databases
  /// have one, which neither the app nor FleetKit makes.
  /// - Throws: `SQLiteError`; nothing was opened.
  /// - Source: SQLite, "Atomic Commit In SQLite", section 5; `readSuperJournal` in pager.c
  static func check(of path: String) throws(SQLiteError) {
    let real = realpath(path, nil)
    defer { free(real) }
    // SQLite keeps them next to the file that links lead to.
    guard let real, case let database = String(cString: real) else { return }
    for suffix in ["-journal", "-wal", "-shm"] {
      var status = stat()
      guard lstat(database + suffix, &status) == 0 else { continue }
      guard status.st_mode & S_IFMT == S_IFREG else { throw refusal(path, "its \(suffix) is not a regular file") }
      if suffix == "-journal", namesSuperJournal(database + suffix) {
        throw refusal(path, "its -journal names another file, which SQLite would delete")
      }
    }
  }

  private static func refusal(_ path: String, _ why: String) -> SQLiteError {
    SQLiteError(code: SQLITE_PERM, message: why, operation: "open '\(path)'")
  }

  /// Whether the end of a journal is that of a super-journal's name: its length, its sum, and the magic number.
  private static func namesSuperJournal(_ journal: String) -> Bool {
    let file = open(journal, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return false }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_size >= 16 else { return false }
    var tail = [UInt8](repeating: 0, count: 16)
    guard pread(file, &tail, 16, status.st_size - 16) == 16 else { return false }
    guard tail[8...].elementsEqual([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]) else { return false }
    func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
    let length = Int(number(tail[..<4]))
    guard length > 0, length <= longestPath, off_t(length) <= status.st_size - 16 else { return false }
    var name = [UInt8](repeating: 0, count: length)
    guard pread(file, &name, length, status.st_size - 16 - off_t(length)) == length else { return false }
    // SQLite adds up signed characters.
    let sum = name.reduce(UInt32(0)) { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
    return sum == number(tail[4..<8])
  }

  /// SQLite takes no longer name for a super-journal's.
  private static let longestPath = 4096
}
