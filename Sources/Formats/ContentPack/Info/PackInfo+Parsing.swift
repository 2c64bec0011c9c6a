import Content
import Diagnostics
import Interchange
import JSONText

extension PackInfo {
  /// Parses the text of `data/pack.json`.
  /// - Parameter file: its name in messages: `first-charter.fleetpack/data/pack.json`.
  /// - Throws: `RunFailure`: 2 with the place of the first mistake, 6 if the pack requires a newer reader.
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
  /// - Throws: as `init(parsing:file:)` of a buffer.
  public init(parsing text: [UInt8], file: String) throws {
    self = try text.withUnsafeBufferPointer { try PackInfo(parsing: $0, file: file) }
  }
}
