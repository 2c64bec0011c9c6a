import Diagnostics
import Foundation

/// Why the note of an item stays as it is, although the library has something else.
enum LeftNote {
  /// It was edited since FleetKit wrote or read it.
  case edited
  /// Its lines cannot express what changed.
  case cannotExpress
  /// Another note has the same id.
  case repeatedID
  case readOnly
  /// A link, or something else, has its name.
  case notAFile

  var code: DiagnosticCode { self == .edited ? .editedNote : .noteNotWritten }

  /// The message of the finding.
  /// - Parameter change: what cannot be expressed, where that is known.
  func message(_ change: String?) -> String {
    switch self {
    case .edited: "the note was edited and not imported; it was not changed"
    case .cannotExpress: "the note cannot express \(change ?? "what changed in the library"); it was not changed"
    case .repeatedID: "another note has the same id; the note was not changed"
    case .readOnly: "the note is read-only; it was not changed"
    case .notAFile: "not a regular file; the item was not written"
    }
  }

  /// What the user can do; nil for the advice of the code.
  var fix: String? {
    switch self {
    case .edited, .cannotExpress: nil
    case .repeatedID: "give one of the two notes another id"
    case .readOnly: "allow the owner to write to it, and export again"
    case .notAFile: "move it away, and export again"
    }
  }

  /// Whether the file at a path can be replaced, as its owner would see it.
  static func isWritable(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) != 0 || status.st_mode & S_IWUSR != 0
  }
}
