import Content
import Diagnostics
import Foundation
import Synchronization

/// A format whose files may be inside a container, such as a pack.
///
/// A format that contains others gets them from the registry by this protocol, and never imports their modules.
public protocol MemberFormat: Format {
  /// Opens files of this format that are inside a source of another format.
  ///
  /// Findings and places name each file as `MemberSource.shown` does. A file that cannot be used is reported and
  /// rejected, and the other files are still read.
  /// - Throws: `RunFailure` if the files cannot be read.
  func reader(of members: any MemberSource, context: RunContext) throws -> any ContentReader

  /// Returns the writer of single items as files of this format.
  func itemWriter() -> any ItemTextWriter
}

/// A format whose files can be given an id, so that they remain the same items when they are moved.
public protocol IDWritingFormat: Format {
  /// Writes the id of an item into its file, and changes nothing else in the file.
  /// - Throws: `RunFailure` if the file cannot be read or written.
  func writeID(_ id: String, into file: String) throws -> IDWriteOutcome
}

/// The outcome of writing an id into a file.
public enum IDWriteOutcome: Sendable, Equatable {
  case written
  /// The file already has an id.
  case hasID
  /// The file was left unchanged, for the given reason.
  case left(String)
}

/// Writes single items as the text of a file.
public protocol ItemTextWriter: Sendable {
  /// Returns the text of an item.
  /// - Parameter path: the path that the file will have in its container.
  /// - Returns: Nil if the format cannot express the item without a loss.
  func text(of item: Record, at path: String) -> [UInt8]?
}

extension MemberFormat {
  /// Returns a writer for formats that write no items.
  public func itemWriter() -> any ItemTextWriter { NoItems() }
}

/// A writer that writes no items.
private struct NoItems: ItemTextWriter {
  func text(of item: Record, at path: String) -> [UInt8]? { nil }
}

/// Files inside a container, such as a pack, held in memory and read in place.
public protocol MemberSource: Sendable {
  /// The name of the container, as the user gave it. Findings name a file by this name, a slash, and its path.
  var name: String { get }

  /// The folder that contains all files, with a trailing slash. Displayed paths do not begin with this folder.
  var folder: String { get }

  /// The scope from which, together with the file's path, the ids of records without an id are derived. The scope does
  /// not depend on the source's folder.
  var idScope: String { get }

  /// The time of the files, for notes without a time.
  var time: Timestamp { get }

  /// The paths of the files, in the order of reading.
  var paths: [String] { get }

  /// Returns the number of the file at a path; nil if there is no such file.
  func index(of path: String) -> Int?

  /// Returns the bytes of a file, valid as long as the source.
  func bytes(of index: Int) -> UnsafeBufferPointer<UInt8>

  /// Returns the path of an attachment's bytes; nil if the bytes are not among the files.
  func mediaPath(of record: Record) -> String?

  /// Whether the bytes of an attachment exist. This unpacks nothing.
  func hasMedia(of record: Record) -> Bool

  /// Returns the name of a file in findings.
  func shown(_ index: Int) -> String

  /// Returns the scope from which ids are derived for those of a file's records that have none.
  func idScope(of index: Int) -> [String]

  /// Whether the files are files on disk. If so, a finding shows their lines as for any file, and a file is not
  /// rejected if its rest cannot be read.
  var areFiles: Bool { get }

  /// Whether people edit the files by hand, so that their content may be newer than their times.
  var isWrittenByHand: Bool { get }

  /// Whether the files were made from another source, so that the user never sees their text.
  var isMade: Bool { get }

  /// Whether FleetKit rendered the files from records, so that nothing in them was typed by hand.
  var isRendered: Bool { get }

  /// Returns the place in the source that a file was made from; nil for files that people wrote.
  /// - Parameter place: a place in a file, named as in `shown`.
  func madeOf(_ place: Place) -> LocatedPlace?
}

extension MemberSource {
  /// Empty, because the files share no folder.
  public var folder: String { "" }

  /// Returns the scope of all files, and the path in the folder.
  public func idScope(of index: Int) -> [String] { [idScope, innerPath(index)] }

  /// False, because the files are inside a container.
  public var areFiles: Bool { false }

  /// False, because programs that make packs keep times up to date.
  public var isWrittenByHand: Bool { false }

  /// False, because files have their original text.
  public var isMade: Bool { false }

  /// False, because it is unknown who wrote the files.
  public var isRendered: Bool { false }

  /// Returns nil, because files have their original text.
  public func madeOf(_ place: Place) -> LocatedPlace? { nil }

  /// Returns the source, a slash, and the file's path.
  public func shown(_ index: Int) -> String { prefix + paths[index] }

  /// Returns a file's path relative to the folder that contains all files.
  public func innerPath(_ index: Int) -> String {
    let path = paths[index]
    guard path.utf8.starts(with: folder.utf8) else { return path }
    return String(decoding: path.utf8.dropFirst(folder.utf8.count), as: UTF8.self)
  }

  private var prefix: String { name.utf8.last == UInt8(ascii: "/") ? name : name + "/" }

  /// Returns the number of a file that a finding names; nil if the file is not in this source.
  public func index(shown file: String) -> Int? {
    let prefix = prefix
    guard file.utf8.starts(with: prefix.utf8) else { return nil }
    return index(of: String(decoding: file.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
  }

  /// Returns nil, because the source only has the names of attachments.
  public func mediaPath(of record: Record) -> String? { nil }

  /// Returns false, because the source only has the names of attachments.
  public func hasMedia(of record: Record) -> Bool { false }
}

/// Finds lines of files inside a container, which cannot be read again when a finding is shown.
public final class MemberLines: Sendable {
  private struct State {
    var index = -1
    var line = 1
    var start = 0
  }

  private let members: any MemberSource
  private let state = Mutex(State())

  /// The maximum length of a line that is shown, because a line may have as many findings as characters.
  private static let longest = 1 << 14

  /// Creates a finder for files.
  public init(_ members: any MemberSource) { self.members = members }

  /// Returns the place with its line. Places that are requested in order need only one pass through the file.
  public func located(_ place: Place, in index: Int) -> LocatedPlace {
    guard place.row == nil, let line = place.line else { return LocatedPlace(place) }
    return LocatedPlace(place, excerpt: text(line, of: index))
  }

  /// Returns the place with its line, if it is in one of the files.
  public func located(_ place: Place) -> LocatedPlace {
    guard let index = members.index(shown: place.file) else { return LocatedPlace(place) }
    return located(place, in: index)
  }

  private func text(_ line: Int, of index: Int) -> String? {
    let text = members.bytes(of: index)
    guard text.baseAddress != nil else { return nil }
    let bytes = text.span
    return state.withLock { state in
      if state.index != index || state.line > line { state = State(index: index) }
      while state.line < line {
        guard let end = bytes.firstIndex(of: 0x0A, from: state.start) else { return nil }
        state.start = end + 1
        state.line += 1
      }
      let rest = bytes.extracting(droppingFirst: state.start).extracting(first: Self.longest + 1)
      let line = rest.extracting(first: rest.firstIndex(of: 0x0A) ?? rest.count)
      guard line.count <= Self.longest else { return nil }
      return String(decoding: line.last == 0x0D ? line.extracting(droppingLast: 1) : line)
    }
  }
}
