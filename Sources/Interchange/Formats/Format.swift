import Foundation

/// One format: what it is, how to recognise it, how to read and write it.
///
/// A new format is one module with a type of this kind and one line in the registry; nothing else knows it.
public protocol Format: Sendable {
  /// Names and abilities.
  var descriptor: FormatDescriptor { get }

  /// Whether a source looks like this format.
  /// - Parameter head: the first bytes of the source, up to 4 KiB.
  func recognises(_ source: Source, head: [UInt8]) -> Bool

  /// Whether the first bytes leave no doubt, whatever the file is called. A folder's files are taken by their
  /// names or by this, never by a guess.
  func hasSignature(_ head: [UInt8]) -> Bool

  /// The collection that a source belongs to; nil when that is the folder that it lies in.
  func home(of source: Source) -> SourceHome?

  /// Opens a source.
  /// - Throws: `RunFailure` when it cannot be read.
  func reader(of source: Source, context: RunContext) throws -> any ContentReader

  /// Whether a target's name asks for this format.
  func isNamed(by target: Target) -> Bool

  /// Begins a target; nothing is visible under its name until the writer has finished.
  /// - Throws: `RunFailure` when it cannot be written.
  func writer(to target: Target, context: RunContext) throws -> any ContentWriter
}

extension Format {
  /// Files stand for themselves.
  public func home(of source: Source) -> SourceHome? { nil }

  /// By the extension.
  public func isNamed(by target: Target) -> Bool { descriptor.extensions.contains(target.pathExtension) }
}

/// Where records come from.
public struct Source: Sendable, Hashable {
  /// The path as the user gave it; `-` for standard input.
  public let path: String
  /// What findings and messages call it, where that is not its path: what lies in a backup was unpacked elsewhere.
  public let name: String
  /// The name that ids of records without one are derived from, where that is not its path: two versions of one file
  /// have the same.
  public let idName: String

  /// Names a source.
  public init(_ path: String, name: String? = nil, idName: String? = nil) {
    self.path = path
    self.name = name ?? path
    self.idName = idName ?? path
  }

  /// Whether it is standard input.
  public var isStandardInput: Bool { path == "-" }

  /// The extension in lower case, without the dot.
  public var pathExtension: String { Self.pathExtension(of: path) }

  static func pathExtension(of path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}

/// Where records go.
public struct Target: Sendable, Hashable {
  /// The path; `-` for standard output.
  public private(set) var path: String
  /// The path as the user gave it: what is written elsewhere first is called by it.
  public let name: String
  /// Whether a file of that name may be replaced. A library never is.
  public let overwrites: Bool
  /// Whether the user can ask for that with `--overwrite`: a refusal names it then.
  public var canOverwrite = false
  /// Whether a vault's notes may be rewritten in FleetKit's notation where their own cannot express a change.
  public var rewritesNotes = false
  /// The schema of a new library, `1.4.0`; nil for the newest.
  public let schemaVersion: String?
  /// Which records go there; nil for all. A library also gets what its items need and was not selected, and is shown
  /// every queued operation for that.
  public var selection: Selection?

  /// Names a target.
  public init(_ path: String, overwrites: Bool = false, schemaVersion: String? = nil) {
    self.path = path
    name = path
    self.overwrites = overwrites
    self.schemaVersion = schemaVersion
  }

  /// The same target under another path, where it is complete before it gets its place.
  public func staged(at path: String) -> Target {
    var target = self
    target.path = path
    return target
  }

  /// Whether it is standard output.
  public var isStandardOutput: Bool { path == "-" }

  /// Whether it is a folder: there already, or named with a slash at its end.
  public var isFolder: Bool {
    if path.hasSuffix("/") { return true }
    var isFolder: ObjCBool = false
    return !isStandardOutput && FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  /// The extension in lower case, without the dot.
  public var pathExtension: String { Source.pathExtension(of: path) }
}
