import Content
import Diagnostics

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

  /// Whether people edit the files by hand, so that what they say may be newer than the time that they give.
  var isWrittenByHand: Bool { get }

  /// Whether the files were made of something else, so that nobody ever sees their text.
  var isMade: Bool { get }

  /// The place in what the files were made of; nil where they are what people wrote.
  /// - Parameter place: a place in a file, named as `shown` does.
  func madeOf(_ place: Place) -> LocatedPlace?
}

extension MemberSource {
  /// No folder.
  public var folder: String { "" }

  /// What makes a pack keeps times in step.
  public var isWrittenByHand: Bool { false }

  /// Files are what they are.
  public var isMade: Bool { false }

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
