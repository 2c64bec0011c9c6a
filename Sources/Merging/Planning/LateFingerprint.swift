import Interchange
import SQLiteLibrary

/// What a library was before a run, for whoever asks while the run lasts; afterwards only where it was read in the
/// background.
package final class LateFingerprint {
  private let read: () throws -> LibraryFingerprint?
  private let background: Background<LibraryFingerprint?>?

  /// What is known already; nil for a library that is not there.
  init(_ known: LibraryFingerprint?) {
    read = { known }
    background = nil
  }

  /// Reads a library under its locks.
  /// - Parameter inBackground: whether it is read beside everything else, beginning now; `wait` must be called before
  ///   the library is closed, and nothing may be written to it before.
  init(_ library: WritableLibrary, inBackground: Bool) {
    guard inBackground, let descriptor = library.withDescriptor({ $0 }) else {
      background = nil
      read = { try library.fingerprint() }
      return
    }
    let path = library.path
    let background = Background { try LibraryFingerprint(descriptor, path: path) as LibraryFingerprint? }
    self.background = background
    read = { try background.wait() }
  }

  /// What the library was; nil when it was not there.
  /// - Throws: `RunFailure` with status 2 when it cannot be read.
  package func value() throws -> LibraryFingerprint? { try read() }

  /// Waits until nothing is read any more.
  func wait() { _ = try? background?.wait() }
}

/// Who is shown what a library is before anything is done, and the last run that changed it. Throwing ends the import.
package typealias LibraryLook = (LateFingerprint, Int64?) throws -> Void
