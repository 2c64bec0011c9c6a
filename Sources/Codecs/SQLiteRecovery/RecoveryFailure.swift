/// Why a database cannot be opened at all. Damage is not a failure: it is reported as an event.
package enum RecoveryFailure: Error, Equatable, Sendable {
  /// The system refuses to open the file.
  case open(path: String, errno: Int32)
  /// It is not a regular file.
  case notAFile(path: String)
}
