import CSchemas

/// The schemas in `formats/schemas`, which are embedded in the binary byte for byte.
///
/// No files are needed at run time. The bytes remain valid as long as the program runs.
/// - Source: formats/schemas/README.md
public enum EmbeddedSchemas {
  /// The names of all schemas in byte order, such as `library-item` and `canonical/library-item`.
  public static let names: [String] = all.map(\.name)

  /// Returns the text of a schema as UTF-8; nil if no schema has that name.
  /// - Parameter name: the file's path below `formats/schemas` without `.schema.json`.
  public static func text(_ name: String) -> UnsafeBufferPointer<UInt8>? {
    all.first { $0.name == name }?.text
  }

  /// The beginning of every `$id`; the name and `.schema.json` follow.
  public static let base = "https://fleetkit.anyfleet.app/schemas/v1/"

  /// One schema. Its text is constant data in the program, so every thread may read it.
  private struct Entry: @unchecked Sendable {
    let name: String
    let text: UnsafeBufferPointer<UInt8>
  }

  private static let all: [Entry] = (0..<fleetkit_schema_count()).compactMap { index in
    guard let schema = fleetkit_schema_at(index)?.pointee else { return nil }
    return Entry(
      name: String(cString: schema.name), text: UnsafeBufferPointer(start: schema.bytes, count: schema.count))
  }
}
