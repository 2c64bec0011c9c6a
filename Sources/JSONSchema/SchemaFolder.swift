import Foundation
import JSONText

/// Provides remote schemas from a folder, so that schemas are never fetched from a network.
///
/// `http://localhost:1234/a/b.json` is read from `a/b.json` in the folder; the host is ignored. A path that leaves the
/// folder through `..` or a link is treated as missing.
public struct SchemaFolder: Sendable {
  /// The size in bytes of the largest schema document that is read.
  public static let maximumSize = 64 << 20

  private let path: String

  /// Creates a provider for a folder.
  public init(_ path: String) { self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path }

  /// A function that can be assigned to `SchemaSet.remotes`.
  public var remotes: @Sendable (String) throws -> JSONDocument? {
    { uri in try document(at: uri) }
  }

  /// Returns the document for `uri`, or nil if the folder has none.
  /// - Throws: `SchemaError` if the file exists but is not JSON or is too large.
  public func document(at uri: String) throws(SchemaError) -> JSONDocument? {
    guard let file = file(for: uri), let data = FileManager.default.contents(atPath: file) else { return nil }
    let place = SchemaError.Place(uri: uri)
    guard data.count <= Self.maximumSize else {
      throw SchemaError("the schema is larger than \(Self.maximumSize >> 20) MiB", at: place)
    }
    do throws(JSONError) {
      return try JSONDocument(parsing: [UInt8](data))
    } catch {
      throw SchemaError(
        "the schema is not JSON: \(error.message)", at: SchemaError.Place(uri: uri, offset: error.offset))
    }
  }

  private func file(for uri: String) -> String? {
    let reference = URIReference(uri)
    guard reference.scheme == "http" || reference.scheme == "https", reference.query == nil,
      let decoded = URIReference.percentDecoded(reference.path), !decoded.utf8.contains(0)
    else { return nil }
    let steps = decoded.split(separator: "/")
    guard !steps.isEmpty, !steps.contains("..") else { return nil }
    let candidate = path + "/" + steps.joined(separator: "/")
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder), !isFolder.boolValue,
      URL(fileURLWithPath: candidate).resolvingSymlinksInPath().path.hasPrefix(path + "/")
    else { return nil }
    return candidate
  }
}
