/// The reason why a database cannot be opened. Damage is not a failure: it is reported as an event.
package enum RecoveryFailure: Error, Equatable, Sendable {
  /// The operating system cannot open the file.
  case open(path: String, errno: Int32)
  /// The path is not a regular file.
  case notAFile(path: String)
}
