import Content
import Diagnostics
import Foundation
import Synchronization

/// A format whose files may lie inside something larger.
///
/// A format that wraps others takes them from the registry by this, and never imports them.
public protocol MemberFormat: Format {
  /// Opens files of this format that lie in a source of another one.
  ///
  /// Findings and places name each file as `MemberSource.shown` does. A file that cannot be used is reported and
  /// rejected; the others are read all the same.
  /// - Throws: `RunFailure` when they cannot be read.
  func reader(of members: any MemberSource, context: RunContext) throws -> any ContentReader

  /// What writes single items as files of this format.
  func itemWriter() -> any ItemTextWriter
}

/// A format whose files can be given an id, so that they stay the same items wherever they are moved.
public protocol IDWritingFormat: Format {
  /// Writes the id of an item into its file, and changes nothing else in it.
  /// - Throws: `RunFailure` when the file cannot be read or written.
  func writeID(_ id: String, into file: String) throws -> IDWriting
}

/// What became of a file that was to be given an id.
public enum IDWriting: Sendable, Equatable {
  case written
  /// It has an id already.
  case hasID
  /// It was left as it is; the reason in words.
  case left(String)
}

/// Writes single items as the text of a file.
public protocol ItemTextWriter: Sendable {
  /// The text of an item.
  /// - Parameter path: where the file will stand in what it lies in.
  /// - Returns: nil when the format cannot say the item without losing something.
  func text(of item: Record, at path: String) -> [UInt8]?
}

extension MemberFormat {
  /// A format that writes no items.
  public func itemWriter() -> any ItemTextWriter { NoItems() }
}

/// Says of no item how it would be written.
private struct NoItems: ItemTextWriter {
  func text(of item: Record, at path: String) -> [UInt8]? { nil }
}

/// Files that lie inside something larger, as those of a pack do, in memory that they are read from in place.
public protocol MemberSource: Sendable {
  /// The source that they lie in, as the user named it; findings call a file by this name, a slash, and its path.
  var name: String { get }

  /// The folder that they all lie in, with a slash at its end; what people call a file does not begin with it.
  var folder: String { get }

  /// What ids of records without one are derived from, together with the file's path: the same wherever the source
  /// lies.
  var idScope: String { get }

  /// The time of files, for notes that say none.
  var time: Timestamp { get }

  /// Their paths, in the order of reading.
  var paths: [String] { get }

  /// The number of the file at a path; nil when there is none.
  func index(of path: String) -> Int?

  /// The bytes of one, valid while the source is.
  func bytes(of index: Int) -> UnsafeBufferPointer<UInt8>

  /// Where the bytes lie that an attachment stands for; nil where they are not among the files.
  func mediaPath(of record: Record) -> String?

  /// Whether the bytes are there; unpacks nothing.
  func hasMedia(of record: Record) -> Bool

  /// A file as findings name it.
  func shown(_ index: Int) -> String

  /// What ids of a file's records are derived from where they have none.
  func idScope(of index: Int) -> [String]

  /// Whether the files are files of the system: a finding shows their lines as it does for any file, and a file that
  /// cannot be read on is not rejected.
  var areFiles: Bool { get }

  /// Whether people edit the files by hand, so that what they say may be newer than the time that they give.
  var isWrittenByHand: Bool { get }

  /// Whether the files were made of something else, so that their text is never seen.
  var isMade: Bool { get }

  /// Whether FleetKit rendered the files from records, so that nothing in them was typed.
  var isRendered: Bool { get }

  /// The place in what the files were made of; nil where they are what people wrote.
  /// - Parameter place: a place in a file, named as `shown` does.
  func madeOf(_ place: Place) -> LocatedPlace?
}

extension MemberSource {
  /// No folder.
  public var folder: String { "" }

  /// The scope of all, and the path in the folder.
  public func idScope(of index: Int) -> [String] { [idScope, innerPath(index)] }

  /// They are inside something larger.
  public var areFiles: Bool { false }

  /// What makes a pack keeps times in step.
  public var isWrittenByHand: Bool { false }

  /// Files are what they are.
  public var isMade: Bool { false }

  /// Who wrote the files is unknown.
  public var isRendered: Bool { false }

  /// Files are what they are.
  public func madeOf(_ place: Place) -> LocatedPlace? { nil }

  /// The source, a slash, and the file's path.
  public func shown(_ index: Int) -> String { prefix + paths[index] }

  /// A file's path from the folder that they all lie in.
  public func innerPath(_ index: Int) -> String {
    let path = paths[index]
    guard path.utf8.starts(with: folder.utf8) else { return path }
    return String(decoding: path.utf8.dropFirst(folder.utf8.count), as: UTF8.self)
  }

  private var prefix: String { name.utf8.last == UInt8(ascii: "/") ? name : name + "/" }

  /// The number of a file that a finding names; nil when it is none of these.
  public func index(shown file: String) -> Int? {
    let prefix = prefix
    guard file.utf8.starts(with: prefix.utf8) else { return nil }
    return index(of: String(decoding: file.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
  }

  /// Names only.
  public func mediaPath(of record: Record) -> String? { nil }

  /// Names only.
  public func hasMedia(of record: Record) -> Bool { false }
}

/// Finds lines of files that lie inside something larger: when a finding is shown, those cannot be read again.
public final class MemberLines: Sendable {
  private struct State {
    var index = -1
    var line = 1
    var start = 0
  }

  private let members: any MemberSource
  private let state = Mutex(State())

  /// Longer lines are not shown: there may be as many findings in one as it has characters.
  private static let longest = 1 << 14

  /// Looks into files.
  public init(_ members: any MemberSource) { self.members = members }

  /// The place with the line that it lies in. Lines that are asked for in their order cost one pass through the file.
  public func located(_ place: Place, in index: Int) -> LocatedPlace {
    guard place.row == nil, let line = place.line else { return LocatedPlace(place) }
    return LocatedPlace(place, excerpt: text(line, of: index))
  }

  /// The place with the line that it lies in, where it is in one of the files.
  public func located(_ place: Place) -> LocatedPlace {
    guard let index = members.index(shown: place.file) else { return LocatedPlace(place) }
    return located(place, in: index)
  }

  private func text(_ line: Int, of index: Int) -> String? {
    let bytes = members.bytes(of: index)
    guard let base = bytes.baseAddress else { return nil }
    return state.withLock { state in
      if state.index != index || state.line > line { state = State(index: index) }
      while state.line < line {
        guard let end = memchr(base + state.start, 0x0A, bytes.count - state.start) else { return nil }
        state.start = UnsafeRawPointer(end) - UnsafeRawPointer(base) + 1
        state.line += 1
      }
      let rest = min(bytes.count - state.start, Self.longest + 1)
      let end = memchr(base + state.start, 0x0A, rest)
      var length = end.map { UnsafeRawPointer($0) - UnsafeRawPointer(base) - state.start } ?? rest
      guard length <= Self.longest else { return nil }
      if length > 0, base[state.start + length - 1] == 0x0D { length -= 1 }
      return String(decoding: UnsafeBufferPointer(start: base + state.start, count: length), as: UTF8.self)
    }
  }
}
