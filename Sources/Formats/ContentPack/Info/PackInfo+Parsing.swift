import Content
import Diagnostics
import Interchange
import JSONText

extension PackInfo {
  /// Parses the text of `data/pack.json`.
  /// - Parameter file: the file's name in messages, such as `first-charter.fleetpack/data/pack.json`.
  /// - Throws: `RunFailure`: 2 with the place of the first error, 6 if the pack requires a newer reader.
  public init(parsing text: UnsafeBufferPointer<UInt8>, file: String) throws {
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: text)
    } catch {
      let position = error.position(in: text)
      throw RunFailure(
        .packInfo, error.message, at: Place(file: file, line: position.line, column: position.column))
    }
    self = try PackInfoReader(root: document.root, file: file).read()
  }

  /// Parses the text of `data/pack.json`.
  /// - Throws: the errors of `init(parsing:file:)` for a buffer.
  public init(parsing text: [UInt8], file: String) throws {
    self = try text.withUnsafeBufferPointer { try PackInfo(parsing: $0, file: file) }
  }
}
