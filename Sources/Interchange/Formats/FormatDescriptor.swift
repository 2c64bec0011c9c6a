/// What a format is called and what it keeps. Anything else that a writer loses is a bug.
public struct FormatDescriptor: Sendable {
  /// The name for `--from-format` and `--to-format`.
  public let name: String
  /// What people call it.
  public let title: String
  /// File name extensions without a dot, the usual one first.
  public let extensions: [String]
  /// The media type.
  public let mediaType: String
  /// What the format holds without loss.
  public let keeps: Set<Feature>
  /// Whether FleetKit reads it.
  public let reads: Bool
  /// Whether FleetKit writes it.
  public let writes: Bool
  /// Whether a folder of such files is one source, read and written as a whole.
  public let takesFolders: Bool
  /// Whether a source, file or folder, has files of its own in it, as archives do; findings name those.
  public let holdsFiles: Bool

  /// Whether a folder may be written, with one file for each item; such files are read one by one.
  public let writesFolders: Bool

  /// When files of the format are taken from a folder that was named.
  public let fromFolders: FromFolders

  /// When files that nobody named are read.
  public enum FromFolders: Sendable {
    /// Whenever their names say what they are.
    case always
    /// When they are recognised by what is in them, and no notes lie in the folder: beside notes they are attachments.
    case withoutNotes
    /// Only when somebody asks for the format: most files of such names are something else.
    case onRequest
  }

  /// What the format cannot hold.
  public var loses: Set<Feature> { Set(Feature.allCases).subtracting(keeps) }

  /// Describes a format.
  public init(
    name: String, title: String, extensions: [String], mediaType: String, keeps: Set<Feature>,
    reads: Bool = true, writes: Bool = true, takesFolders: Bool = false,
    holdsFiles: Bool = false, fromFolders: FromFolders = .always, writesFolders: Bool = false
  ) {
    self.fromFolders = fromFolders
    self.writesFolders = writesFolders
    self.name = name
    self.title = title
    self.extensions = extensions
    self.mediaType = mediaType
    self.keeps = keeps
    self.reads = reads
    self.writes = writes
    self.takesFolders = takesFolders
    self.holdsFiles = holdsFiles
  }
}
