import Interchange

/// A bag, opened so that every file in it can be read where it lies, whatever the order in the archive.
///
/// An archive is unpacked once, file by file behind each other, into one temporary file that only its owner can read
/// and that has no name; a folder is read in place. While that happens every file is held against the manifests:
/// what is not listed, missing or different stops with status 5 before anybody sees a byte of it.
public final class BagImage: Sendable {
  /// The bag as the user named it.
  public let path: String
  /// What `bag-info.txt` says.
  public let info: BagInfo
  /// The files below `data/`, in the order of the archive.
  public let members: [BagMember]

  /// Opens and checks a bag.
  /// - Parameter onProgress: called now and then with bytes read and bytes in all.
  /// - Throws: `RunFailure`: 2 when it cannot be read or is refused as hostile, 5 when something does not match.
  public init(
    _ path: String, limits: ArchiveLimits = .standard, onProgress: ((Int, Int?) -> Void)? = nil
  ) throws {
    self.path = path
    info = BagInfo()
    members = []
    throw RunFailure(.internalError, "bags cannot be read yet")
  }

  /// The number of a file among `members`; nil when there is none of that name.
  public func index(of path: String) -> Int? { nil }

  /// The bytes of a file, valid while the image is.
  public func bytes(of index: Int) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: nil, count: 0) }

  /// Writes a file of the bag to the disk, with mode 0600.
  public func extract(_ index: Int, to path: String) throws {}
}
